import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { handlerNames } from '../../lib/stacks/bundles.ts';

/** Everything that a handler's bundle would contain of ours: what is not in it cannot be called from it. */
async function modulesOf(handler: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [`lambdas/${handler}/handler.ts`],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

const handlers = handlerNames('lambdas');
/** The steps that touch the world outside, or ask it what became of an effect. */
const acting = ['execute', 'reconcile', 'verify'];

describe('the effects', () => {
  it.each(['triage', 'plan'])('are not in the bundle of %s, where a model is asked', async (handler) => {
    const modules = await modulesOf(handler);
    expect(modules.filter((path) => path.startsWith('lib/effect/'))).toEqual([]);
    expect(modules.filter((path) => path === 'lib/policy/clearance.ts')).toEqual([]);
    expect(modules).toContain('lib/proposal/catalogue.ts');
  });

  it('are executed from one bundle alone', async () => {
    const bundles = await Promise.all(
      handlers.map(async (name) => ({ name, modules: await modulesOf(name) })),
    );
    const executing = bundles
      .filter(({ modules }) => modules.includes('lib/effect/execute.ts'))
      .map(({ name }) => name);
    expect(executing.filter((name) => !acting.includes(name))).toEqual([]);
    expect(executing).toContain('execute');
  });

  it('share a bundle with the gate and the clearance, never with a model', async () => {
    const modules = await modulesOf('execute');
    expect(modules).toEqual(expect.arrayContaining(['lib/policy/gate.ts', 'lib/policy/clearance.ts']));
    expect(modules.filter((path) => path === 'lib/model/converse.ts')).toEqual([]);
  });
});
