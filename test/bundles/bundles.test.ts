import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { handlerNames } from '../../lib/stacks/bundles.ts';
import { type Bundle, bundle } from '../../lib/stacks/bundling.ts';

// Bundling all of them takes a minute where the machine is busy.
const sample = ['decide', 'execute', 'gate', 'plan', 'record', 'request-approval', 'web'];
const handlers = process.env.CAREGATE_FULL === '1' ? handlerNames('lambdas') : sample;
/** Those that read a mail, whose parser alone is over a megabyte. */
const readers: ReadonlySet<string> = new Set([
  'ingest',
  'sweep',
  'dispatch',
  'triage',
  'evidence',
  'notify',
  'request-release',
]);
const kilobyte = 1024;
const room = 19;
let bundles: readonly Bundle[];
beforeAll(async () => {
  bundles = await bundle(resolve('lambdas'), handlers);
}, 240_000);
const bundleOf = (name: string): Bundle => bundles.find((each) => each.name === name) as Bundle;
const clientsOf = ({ packages }: Bundle): string[] =>
  packages.filter((name) => name.startsWith('@aws-sdk/client-'));

/** The clients that a module of ours makes or loads. */
function clientsIn(path: string): string[] {
  const text = readFileSync(path, 'utf8').replace(/^import type .*$/gm, '');
  return [...text.matchAll(/'(@aws-sdk\/client-[a-z0-9-]+)'/g)].map(([, client = '']) => client);
}

describe('the bundle of each handler', () => {
  it.each(handlers)('%s is read in little time when a function starts', (name) => {
    expect(bundleOf(name).start).toBeGreaterThan(100 * kilobyte);
    // 700 KB and 3 MB are what they may have; where the last of it is used, the next change has no room.
    expect(bundleOf(name).start).toBeLessThan((readers.has(name) ? 3 * kilobyte : 700 - room) * kilobyte);
  });

  it.each(handlers)('%s asks for no JSON Schema, which is left out of it', (name) => {
    const asking = bundleOf(name).modules.filter((path) => /toJSONSchema/.test(readFileSync(path, 'utf8')));
    expect(asking).toEqual([]);
  });

  it.each(handlers)('%s has a mail parser only if it reads mails', (name) => {
    expect(bundleOf(name).packages.includes('mailparser')).toBe(readers.has(name));
  });

  it.each(handlers)('%s has no client of the SDK but those of the parts that it names', (name) => {
    // The model's client is made where its protocol is chosen.
    const parts = bundleOf(name).modules.filter((path) => /^lambdas\/|^lib\/model\/client\.ts$/.test(path));
    expect(clientsOf(bundleOf(name))).toEqual([...new Set(parts.flatMap(clientsIn))].sort());
  });

  it.each(handlers)('%s has nothing that only this machine needs', (name) => {
    const { modules, packages } = bundleOf(name);
    expect(modules.filter((path) => /^lib\/(?:local|cli|stacks)\//.test(path))).toEqual([]);
    expect(packages).not.toContain('@aws-sdk/credential-provider-node');
    expect(packages).not.toContain('aws-cdk-lib');
  });
});

describe('what a model speaks to', () => {
  it.each(handlers.filter((name) => ['triage', 'evidence', 'plan'].includes(name)))(
    'has in %s no way to act, to send, to sign or to call back',
    (name) => {
      const clients = clientsOf(bundleOf(name)).map((client) => client.replace('@aws-sdk/client-', ''));
      for (const power of ['ses', 'kms', 'sfn', 'lambda']) expect(clients).not.toContain(power);
      expect(bundleOf(name).modules.filter((path) => path.startsWith('lib/effect/'))).toEqual([]);
    },
  );

  it('is reached from the stages that ask one, and from nowhere else', () => {
    const asking = bundles
      .filter(({ packages }) => packages.includes('@aws-sdk/client-bedrock-runtime'))
      .map(({ name }) => name);
    for (const name of asking) expect(['triage', 'evidence', 'plan']).toContain(name);
    expect(asking).toContain('plan');
  });
});

describe('what is read only when it is needed', () => {
  it('is the reader of PDFs, and the writers of calendars and mails', () => {
    if (handlers.includes('evidence')) expect(bundleOf('evidence').later).toBeGreaterThan(kilobyte ** 2);
    expect(bundleOf('execute').later).toBeGreaterThan(100 * kilobyte);
    expect(bundleOf('record').later).toBe(0);
  });
});
