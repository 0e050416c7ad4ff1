import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../lib/errors.ts';
import { ambientTimeAndChance, anyTypes, bareErrors, leftoverMarkers, longHandlers } from './bans.ts';
import { errorTexts, literalsOf } from './errortexts.ts';
import { deadFiles } from './imports.ts';
import { fileLengths, functionLengths, longFiles, longFunctions, quantile } from './lengths.ts';
import { pathsOf, printed, sourcesOf } from './source.ts';
import { emptyTests, hiddenTests } from './testfiles.ts';

const library = sourcesOf('lib/**/*.ts');
const handlers = sourcesOf('lambdas/*/handler.ts');
const samples = sourcesOf('samples/**/*.ts');
const others = sourcesOf('bin/*.js', 'bench/**/*.ts', 'examples/**/*.ts');
const tests = sourcesOf('test/**/*.ts');
const product = [...library, ...sourcesOf('lambdas/**/*.ts')];

// Every rule here is shown to bite in rules.test.ts.
describe('lengths', () => {
  it('half of the source files have at most 130 lines', () => {
    expect(quantile(fileLengths([...product, ...samples]), 0.5)).toBeLessThanOrEqual(130);
  });

  it('no source file has more than 500 lines', () => {
    expect(printed(longFiles([...product, ...samples, ...others], 500))).toEqual([]);
  });

  it('nine of ten functions have at most 35 lines', () => {
    const lengths = [...product, ...samples].flatMap(functionLengths).map(({ lines }) => lines);
    expect(quantile(lengths, 0.9)).toBeLessThanOrEqual(35);
  });

  it('no function has more than 70 lines', () => {
    expect(printed(longFunctions([...product, ...samples, ...others], 70))).toEqual([]);
  });

  it('no handler has more than 25 lines', () => {
    expect(printed(longHandlers(handlers, 25))).toEqual([]);
  });
});

describe('bans', () => {
  it('time and chance come from a clock and a randomness that were passed in', () => {
    expect(printed([...product, ...samples].flatMap(ambientTimeAndChance))).toEqual([]);
  });

  it('nothing is `any`', () => {
    expect(printed([...product, ...samples, ...tests].flatMap(anyTypes))).toEqual([]);
  });

  it('every error of the product has a code', () => {
    expect(printed(product.flatMap(bareErrors))).toEqual([]);
  });

  it('nothing is left to do in the code', () => {
    const texts = pathsOf(
      '{lib,lambdas,test,samples,bench,bin,statemachines,rules,docs}/**/*.{ts,js,json,yaml,md}',
    );
    expect(printed(texts.flatMap((path) => leftoverMarkers(path, readFileSync(path, 'utf8'))))).toEqual([]);
  });

  it('nothing in the library is there for tests alone', () => {
    // Lambda starts handlers, CDK starts the app, the command starts main by a path in bin, and the scripted model
    // is a part of the embedded office that only a test or an experiment asks for.
    const entries = new Set(['lib/app.ts', 'lib/local/reader/script.ts', ...exportedFiles()]);
    expect(printed(deadFiles([...product, ...samples, ...others], entries))).toEqual([]);
  });
});

describe('errors', () => {
  it('have texts in lower case, without a full stop, that name the input in backticks', () => {
    expect(printed(product.flatMap(errorTexts))).toEqual([]);
  });

  it('use every code that is listed', () => {
    const elsewhere = product.filter(({ path }) => path !== 'lib/errors.ts');
    const used = new Set(elsewhere.flatMap((source) => [...literalsOf(source)]));
    expect(Object.keys(errorCodes).filter((code) => !used.has(code))).toEqual([]);
  });
});

describe('tests', () => {
  it('are not hidden by `.only`, nor skipped without a condition', () => {
    expect(printed(tests.flatMap(hiddenTests))).toEqual([]);
  });

  it('do something', () => {
    expect(printed(tests.flatMap(emptyTests))).toEqual([]);
  });
});

function exportedFiles(): string[] {
  const manifest: { exports?: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
  return Object.values(manifest.exports ?? {}).map((path) => path.replace(/^\.\//, ''));
}
