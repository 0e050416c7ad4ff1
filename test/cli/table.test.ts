import { describe, expect, it } from 'vitest';
import type { ActionReport, CaseReport } from '../../lib/cli/casereport.ts';
import { resultTable } from '../../lib/cli/table.ts';

const action = (given: Partial<ActionReport> = {}): ActionReport => ({
  ...{ action: 1, tool: 'file_document', decision: 'ALLOW', reason: 'FILING_IS_SAFE', status: 'noted' },
  ...{ callDigest: 'digest', ...given },
});
const report = (given: Partial<CaseReport> = {}): CaseReport => ({
  ...{ message: 'm', case: 'c', status: 'closed', reason: 'EVERYTHING_DONE', actions: [], approvals: [] },
  ...given,
});
const tableOf = (...reports: CaseReport[]) =>
  resultTable(reports.map((each, at) => ({ name: `mail-${at + 1}.eml`, report: each }))).join('\n');

describe('the result table', () => {
  it('of no mail says so', () => {
    expect(resultTable([])).toEqual(['No mail yet.']);
  });

  it('shows a mail without an action by how its case stands', () => {
    const table = tableOf(report({ status: 'quarantined', reason: 'SPAM_FOUND' }));
    expect(table).toMatch(/mail-1\.eml +– +– +SPAM_FOUND +quarantined$/);
    expect(table).not.toContain('Why:');
    expect(table).not.toContain('Waiting');
  });

  it('names a mail once, and shows every action with where its effect lies', () => {
    const effect = { key: 'circles/example-household/effects/folders/records/a.pdf', sha256: 'x' };
    const actions = [
      action({ status: 'verified', effect }),
      action({ action: 2, tool: 'ask_person', reason: 'NO_EFFECT', status: 'answered' }),
    ];
    const lines = tableOf(report({ category: 'referral', actions })).split('\n');
    expect(lines[2]).toMatch(
      /^mail-1\.eml +referral +file_document +ALLOW FILING_IS_SAFE +verified folders\/records\/a\.pdf$/,
    );
    expect(lines[3]).toMatch(/^ +ask_person +ALLOW NO_EFFECT +answered$/);
  });

  it('explains each reason once', () => {
    const table = tableOf(report({ actions: [action()] }), report({ actions: [action()] }));
    expect(table.match(/ {2}FILING_IS_SAFE {2}\w/g)).toHaveLength(1);
  });

  it('explains no reason that it does not know', () => {
    expect(tableOf(report({ actions: [action({ reason: 'NEWER' })] }))).not.toContain('Why:');
  });

  it('shows the link and the code of what waits for a person, as far as they are in this outbox', () => {
    const table = tableOf(
      report({ approvals: [{ id: 'one', url: 'https://care.example/a/x', code: '012345' }] }),
      report({ approvals: [{ id: 'two' }] }),
    );
    expect(table).toContain('Waiting for a person:');
    expect(table).toContain('  https://care.example/a/x\n  code 012345');
    expect(table).toMatch(/code 012345 .*caregate approve one --code 012345$/m);
    expect(table).toContain('  two\n  the code is in the mail');
  });
});
