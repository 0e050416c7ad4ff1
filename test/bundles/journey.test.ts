import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaseReport } from '../../lib/cli/casereport.ts';
import { functionNames } from '../../lib/local/names.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import { bundle } from '../../lib/stacks/bundling.ts';
import { samples } from '../../samples/index.ts';
import { type EmbeddedOffice, embeddedOffice } from '../support/embedded.ts';
import { caregate, freshData } from '../support/office.ts';

const full = process.env.CAREGATE_FULL === '1';

// The files that are deployed, and not the sources that they were made of. Bundling and running all of it takes a
// minute or two, so it is part of `npm run test:bundles` and `npm run test:full`.
describe.runIf(full)('the sample journey in the bundles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'caregate-bundles-'));
  const data = freshData();
  let office: EmbeddedOffice;
  const reports = new Map<string, CaseReport>();
  const calls: string[] = [];

  beforeAll(async () => {
    await bundle(resolve('lambdas'), functionNames, folder);
    office = await embeddedOffice({ data, bundles: folder, onCall: ({ name }) => calls.push(name) });
    for (const { name, raw, from } of await samples(systemClock, office.running.circle)) {
      reports.set(name, await office.hand(raw, from));
    }
  }, 600_000);

  afterAll(async () => {
    await office?.running.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('every sample comes to rest, and none is parked or fails', () => {
    expect(reports.size).toBeGreaterThan(6);
    const statuses = [...reports.values()].map(({ status }) => status);
    for (const status of statuses)
      expect(['closed', 'quarantined', 'awaiting_approval', 'awaiting_answer']).toContain(status);
    expect(statuses).toContain('closed');
    expect(statuses).toContain('quarantined');
    expect(statuses).toContain('awaiting_approval');
  });

  it('an approval is given by link and code, and the letter leaves', async () => {
    const waiting = [...reports.values()].find(({ status }) => status === 'awaiting_approval');
    const link = await office.link(waiting?.approvals[0]?.id);
    expect((await fetch(link.url)).status).toBe(200);
    expect(await office.submit(link, { code: link.code, choice: 'approve' })).toBe(200);
    const after = await office.settled(waiting?.case ?? '');
    expect(after.status).toBe('closed');
    expect(after.actions.map(({ status }) => status)).toContain('sent');
  }, 120_000);

  it('everything agrees in the audit', async () => {
    await office.running.idle();
    const audit = await caregate(['audit', '--all', '--data', data]);
    expect(audit.stdout).toContain('all consistent');
    expect(audit.code).toBe(0);
  }, 120_000);

  it('the functions of the whole way were called', () => {
    for (const name of [
      'ingest',
      'triage',
      'evidence',
      'plan',
      'gate',
      'request-approval',
      'execute',
      'verify',
      'notify',
      'audit',
      'web',
      'decide',
    ]) {
      expect(calls, name).toContain(name);
    }
  });
});
