import { describe, expect, it } from 'vitest';
import { wayTo } from './imports.ts';
import { printed, sourcesOf } from './source.ts';
import { arrowsAgainstOrder, kernelImports, modelClients, trustMadeElsewhere } from './stages.ts';

const library = sourcesOf('lib/**/*.ts');
const product = [...library, ...sourcesOf('lambdas/**/*.ts')];

describe('the order of the stages', () => {
  it('each stage imports only what stands before it, and nothing of what runs it', () => {
    expect(printed(library.flatMap(arrowsAgainstOrder))).toEqual([]);
  });

  it('the kernel has no way to the world: no package but to read, check and match rules', () => {
    expect(printed(library.flatMap(kernelImports))).toEqual([]);
  });

  it('only one folder talks to models', () => {
    expect(printed(library.flatMap(modelClients))).toEqual([]);
  });
});

describe('authority in the import graph', () => {
  it('TRUSTED originates in one module, and is derived in two', () => {
    expect(printed(product.flatMap(trustMadeElsewhere))).toEqual([]);
  });

  // What a model answers is handled in these; code that acts is not even loaded there.
  it.each(['triage', 'evidence', 'plan'])('no effect can be reached from the %s handler', (name) => {
    const handler = `lambdas/${name}/handler.ts`;
    expect(product.map(({ path }) => path)).toContain(handler);
    expect(wayTo(handler, (path) => path.startsWith('lib/effect/'), product)).toBeUndefined();
  });

  it('effects can be reached from the handlers that make, reconcile and verify them', () => {
    for (const name of ['execute', 'reconcile', 'verify']) {
      const way = wayTo(`lambdas/${name}/handler.ts`, (path) => path.startsWith('lib/effect/'), product);
      expect(way?.length, name).toBeGreaterThan(1);
    }
  });
});
