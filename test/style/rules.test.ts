import { describe, expect, it } from 'vitest';
import { ambientTimeAndChance, anyTypes, bareErrors, leftoverMarkers, longHandlers } from './bans.ts';
import { errorTexts, literalsOf } from './errortexts.ts';
import { deadFiles, importsOf, wayTo } from './imports.ts';
import { functionLengths, longFiles, longFunctions, quantile } from './lengths.ts';
import { printed, type Source, sourceOf } from './source.ts';
import { arrowsAgainstOrder, kernelImports, modelClients, trustMadeElsewhere } from './stages.ts';
import { emptyTests, hiddenTests } from './testfiles.ts';

const source = (text: string, path = 'lib/mail/sample.ts'): Source => sourceOf(path, text);
const marker = 'TO' + 'DO';

// A rule that finds nothing may be blind. Here each finds what it is there for, and lets pass what is right.
describe('rules of length', () => {
  it('take the value at a share of the sorted numbers', () => {
    expect(quantile([30, 10, 20], 0.5)).toBe(20);
    expect(quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(10);
    expect(quantile([], 0.5)).toBe(0);
  });

  it('name a file that is one line too long', () => {
    expect(longFiles([source('//\n'.repeat(5))], 5)).toEqual([]);
    expect(printed(longFiles([source('//\n'.repeat(6))], 5))).toEqual([
      'lib/mail/sample.ts:1 has 6 lines; split it, 5 is the most',
    ]);
  });

  it('measure functions, methods and arrows from their first line to their last', () => {
    const text =
      'function f() {\n\n}\nclass C {\n  m() {\n    return 1;\n  }\n}\nconst g = () => {\n};\nconst h = () => 1;\n';
    expect(functionLengths(source(text)).map(({ lines }) => lines)).toEqual([3, 3, 2]);
    expect(printed(longFunctions([source(text)], 2))).toEqual([
      'lib/mail/sample.ts:1 function `f` has 3 lines',
      'lib/mail/sample.ts:5 function `m` has 3 lines',
    ]);
  });

  it('name a handler that does more than wiring', () => {
    expect(printed(longHandlers([source('//\n'.repeat(26), 'lambdas/plan/handler.ts')], 25))).toEqual([
      'lambdas/plan/handler.ts:1 has 26 lines; a handler has at most 25',
    ]);
  });
});

describe('bans', () => {
  it.each([
    'Date.now()',
    'new Date()',
    'Math.random()',
    'randomUUID()',
    'crypto.randomUUID()',
    'randomBytes(8)',
  ])('find %s', (expression) => {
    expect(ambientTimeAndChance(source(`\nconst x = ${expression};`))).toMatchObject([{ line: 2 }]);
  });

  it('let pass a date that is given, words in comments, and the two files that are the source', () => {
    expect(
      ambientTimeAndChance(source('new Date(clock.now()); // not Date.now()\nconst s = "Math.random()";')),
    ).toEqual([]);
    expect(ambientTimeAndChance(source('Date.now()', 'lib/provenance/clock.ts'))).toEqual([]);
  });

  it('find `any` as a type, not as a word', () => {
    expect(printed(anyTypes(source('const any = 1;\nlet x: any;\nlet y: Map<string, any[]>;')))).toEqual([
      'lib/mail/sample.ts:2 uses `any`; write `unknown` and check it',
      'lib/mail/sample.ts:3 uses `any`; write `unknown` and check it',
    ]);
  });

  it('find an error without a code', () => {
    expect(bareErrors(source("throw new Error('no');\nthrow TypeError('no');"))).toHaveLength(2);
    expect(
      bareErrors(source("throw new CaregateError('NOT_FOUND', 'no `x`');\nx instanceof Error;")),
    ).toEqual([]);
  });

  it('find a leftover marker as a word of its own', () => {
    expect(leftoverMarkers('a.md', `one\n// ${marker}: two`)).toMatchObject([{ path: 'a.md', line: 2 }]);
    expect(leftoverMarkers('a.md', `${marker}S and m${marker}`)).toEqual([]);
  });
});

describe('rules for tests', () => {
  it.each([
    'it.only',
    'describe.only',
    'it.only.each',
    'it.skip',
    'test.todo',
    'describe.skip',
    'it.concurrent.skip',
  ])('find %s', (callee) => {
    expect(hiddenTests(source(`\n${callee}('says', () => { expect(1).toBe(1); });`))).toMatchObject([
      { line: 2 },
    ]);
  });

  it('let pass a skip with a condition', () => {
    expect(
      hiddenTests(source("it.skipIf(absent)('says', () => {}); it.runIf(present)('says', () => {});")),
    ).toEqual([]);
  });

  it('find a test that calls nothing', () => {
    expect(
      emptyTests(source("it('says', () => {});\nit.each([1])('says', async () => { const x = 1; });")),
    ).toHaveLength(1);
    expect(emptyTests(source("test('says', function () { const x = 1; });"))).toHaveLength(1);
    expect(emptyTests(source("it('says', () => expect(1).toBe(1));"))).toEqual([]);
  });
});

describe('rules for errors', () => {
  const error = (message: string) => source(`throw new CaregateError('NOT_FOUND', ${message});`);

  it.each([
    ["'Record `x` is missing'", 'starts with a capital'],
    ["'record `x` is missing.'", 'ends with a full stop'],
    ["'record is missing'", 'names no input in backticks'],
    ["'record ' + name + ' is missing'", 'names no input in backticks'],
    ["found ? 'record `x` is old' : 'Record `x` is missing'", 'starts with a capital'],
  ])('find %s', (message, what) => {
    const findings = errorTexts(error(message));
    expect(findings).toHaveLength(1);
    expect(findings[0]?.what).toContain(what);
  });

  it('let pass texts that follow the rules, also where a name is filled in', () => {
    expect(errorTexts(error('`record \\`$' + '{key}\\` is missing; name another`'))).toEqual([]);
    expect(errorTexts(error("'record `' + key + '` is missing'"))).toEqual([]);
  });

  it('look into classes that derive from the base class', () => {
    const text = "class Gone extends CaregateError { constructor() { super('NOT_FOUND', 'Gone.'); } }";
    expect(errorTexts(source(text))).toHaveLength(3);
    expect(errorTexts(source(text.replace('extends CaregateError', 'extends Other')))).toEqual([]);
  });

  it('collect the literals among which each code must stand', () => {
    expect([...literalsOf(source("fail('NOT_FOUND', text); // 'INVALID_INPUT'"))]).toEqual(['NOT_FOUND']);
  });
});

describe('imports', () => {
  it('are read in every form, with what is left when the types are gone', () => {
    const text = `import type { A } from './a.ts';
import { type B } from '../b.ts';
export * from './c.ts';
const d = await import('./d.ts');
const e = new URL('./e.ts', import.meta.url);
import * as z from 'zod';`;
    const found = importsOf(source(text)).map(({ target, typeOnly, line }) => [target, typeOnly, line]);
    expect(found).toEqual([
      ['lib/mail/a.ts', true, 1],
      ['lib/b.ts', false, 2],
      ['lib/mail/c.ts', false, 3],
      ['lib/mail/d.ts', false, 4],
      ['lib/mail/e.ts', false, 5],
      ['zod', false, 6],
    ]);
  });

  it('show a file that nothing imports', () => {
    const files = [source("import './b.ts';", 'lib/a.ts'), source('', 'lib/b.ts'), source('', 'lib/c.ts')];
    expect(printed(deadFiles(files, new Set(['lib/a.ts'])))).toEqual([
      'lib/c.ts:1 is imported by nothing but tests; wire it, or remove it',
    ]);
  });

  it('show the way to a file that must not be reached, but not through types', () => {
    const files = [
      source("import { b } from '../../lib/b.ts';", 'lambdas/plan/handler.ts'),
      source("import { execute } from './effect/execute.ts';", 'lib/b.ts'),
      source('', 'lib/effect/execute.ts'),
    ];
    const isEffect = (path: string) => path.startsWith('lib/effect/');
    expect(wayTo('lambdas/plan/handler.ts', isEffect, files)).toEqual([
      'lambdas/plan/handler.ts',
      'lib/b.ts',
      'lib/effect/execute.ts',
    ]);
    const erased = files.map((each) =>
      sourceOf(each.path, each.text.replace('import { execute', 'import type { execute')),
    );
    expect(wayTo('lambdas/plan/handler.ts', isEffect, erased)).toBeUndefined();
  });
});

describe('rules of the stages', () => {
  it.each([
    ['lib/mail/a.ts', '../evidence/b.ts'],
    ['lib/policy/a.ts', '../proposal/plan.ts'],
    ['lib/policy/a.ts', '../casefile/store.ts'],
    ['lib/approval/a.ts', '../effect/b.ts'],
    ['lib/approval/a.ts', '../model/converse.ts'],
    ['lib/effect/a.ts', '../web/b.ts'],
    ['lib/audit/a.ts', '../local/office.ts'],
    ['lib/provenance/a.ts', '../mail/types.ts'],
    ['lib/casefile/a.ts', '../proposal/plan.ts'],
    ['lib/model/a.ts', '../proposal/b.ts'],
    ['lib/mail/a.ts', '../../samples/index.ts'],
  ])('find %s importing %s', (path, specifier) => {
    expect(arrowsAgainstOrder(source(`import '${specifier}';`, path))).toHaveLength(1);
  });

  it.each([
    ['lib/evidence/a.ts', '../mail/types.ts'],
    ['lib/evidence/a.ts', '../model/converse.ts'],
    ['lib/policy/a.ts', '../proposal/call.ts'],
    ['lib/policy/a.ts', './b.ts'],
    ['lib/audit/a.ts', '../effect/b.ts'],
    ['lib/effect/a.ts', '../errors.ts'],
    ['lib/casefile/a.ts', '../policy/decision.ts'],
    ['lib/web/a.ts', '../audit/b.ts'],
    ['lib/local/a.ts', '../web/b.ts'],
  ])('let pass %s importing %s', (path, specifier) => {
    expect(arrowsAgainstOrder(source(`import '${specifier}';`, path))).toEqual([]);
  });

  it('keep the kernel from the file system, the network and other packages', () => {
    const text = "import fs from 'node:fs';\nimport { parse } from 'yaml';\nimport x from 'casbin';";
    expect(kernelImports(source(text, 'lib/policy/a.ts')).map(({ line }) => line)).toEqual([1, 3]);
    expect(kernelImports(source(text, 'lib/mail/a.ts'))).toEqual([]);
  });

  it('find a call of Bedrock outside of the folder for models', () => {
    const text = "import { ConverseCommand } from '@aws-sdk/client-bedrock-runtime';";
    expect(modelClients(source(text, 'lib/proposal/a.ts'))).toHaveLength(1);
    expect(modelClients(source(text, 'lib/model/a.ts'))).toEqual([]);
    expect(modelClients(source(text.replace('import {', 'import type {'), 'lib/proposal/a.ts'))).toEqual([]);
  });

  it.each([
    "({ trust: 'TRUSTED' })",
    "({ trust: 'TRUSTED' as const })",
    "({ trust: ok ? 'TRUSTED' : 'UNTRUSTED' })",
    'x as TrustedEntry',
  ])('find %s outside of the circle', (expression) => {
    expect(trustMadeElsewhere(source(`const x = ${expression};`))).toHaveLength(1);
    expect(trustMadeElsewhere(source(`const x = ${expression};`, 'lib/provenance/circle.ts'))).toEqual([]);
  });

  it('let the two places that derive a trust write it, but not make an entry', () => {
    const text = "const x = { trust: 'TRUSTED' };\nconst y = x as TrustedEntry;";
    expect(trustMadeElsewhere(source(text, 'lib/proposal/resolve.ts')).map(({ line }) => line)).toEqual([2]);
  });

  it('let pass a trust that is handed on, compared, or described', () => {
    const text =
      "const a = { trust: entry.trust }; if (a.trust === 'TRUSTED') f(); const s = { trust: z.literal('TRUSTED') };";
    expect(trustMadeElsewhere(source(text))).toEqual([]);
  });
});
