import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlannedChange } from '../../lib/release/changeset.ts';
import { explainChange, explainStack } from '../../lib/release/explanation.ts';
import { refusalOf } from '../../lib/release/judgement.ts';
import { kindOf, kinds } from '../../lib/release/resources.ts';

const change = (given: Partial<PlannedChange>): PlannedChange => ({
  action: 'Modify',
  type: 'AWS::DynamoDB::Table',
  name: 'CaseTable',
  replacement: 'no',
  properties: [],
  ...given,
});

const stateful = Object.keys(kinds).filter((type) => kindOf(type).holds !== undefined);
const stateless = Object.keys(kinds).filter((type) => kindOf(type).holds === undefined);
const anyChange = (types: readonly string[]) =>
  fc.record({
    action: fc.constantFrom('Add', 'Modify', 'Remove', 'Import', 'Dynamic', 'SyncWithActual', 'Teleport'),
    type: fc.constantFrom(...types),
    name: fc.constant('Thing'),
    replacement: fc.constantFrom('yes' as const, 'no' as const, 'perhaps' as const),
    properties: fc.constant([] as string[]),
  });

describe('what a release may change', () => {
  it('nothing that holds data is replaced or removed, not even perhaps, in any combination', () => {
    fc.assert(
      fc.property(anyChange(stateful), (given) => {
        const safe =
          given.replacement === 'no' && ['Add', 'Modify', 'Import', 'SyncWithActual'].includes(given.action);
        expect(refusalOf(given) === undefined).toBe(safe);
      }),
    );
  });

  it('what holds nothing may be replaced and removed', () => {
    fc.assert(
      fc.property(anyChange(stateless), (given) => {
        expect(refusalOf(given)).toBeUndefined();
      }),
    );
  });

  it('a type that nobody listed counts as one that holds data', () => {
    expect(refusalOf(change({ type: 'AWS::New::Thing', replacement: 'yes' }))).toBe('replaced');
    expect(refusalOf(change({ type: 'AWS::New::Thing', action: 'Add' }))).toBeUndefined();
  });

  it('a setting that a function makes holds nothing itself', () => {
    expect(refusalOf(change({ type: 'Custom::Activation', action: 'Remove' }))).toBeUndefined();
    expect(
      refusalOf(change({ type: 'AWS::CloudFormation::CustomResource', action: 'Remove' })),
    ).toBeUndefined();
  });

  it('data, keys, logs, running cases and a verified domain count as what must be kept', () => {
    for (const type of [
      'S3::Bucket',
      'DynamoDB::Table',
      'KMS::Key',
      'Logs::LogGroup',
      'StepFunctions::StateMachine',
      'SES::EmailIdentity',
    ]) {
      expect(stateful, type).toContain(`AWS::${type}`);
    }
  });
});

describe('the words', () => {
  it('say what a replaced table means', () => {
    expect(
      explainChange(change({ replacement: 'yes', properties: ['KeySchema'], old: 'ReplaceAndRetain' })),
    ).toBe(
      '! replaced table `CaseTable` (KeySchema): the table with the index of the cases, or what waits for people would be replaced by an empty one; the old one would stay in the account, but the deployment would not look into it any more',
    );
  });

  it.each([
    [{ action: 'Remove', old: 'Delete' }, /^! removed table .* would be deleted$/],
    [{ action: 'Remove', old: 'Snapshot' }, /only a snapshot of the old one would stay$/],
    [{ replacement: 'perhaps' as const }, /^! perhaps replaced table .*known only while it happens$/],
    [{ action: 'Dynamic' }, /^! changed somehow table .*decided only while it happens$/],
    [{ properties: ['Tags'] }, /^ {2}changed table `CaseTable` \(Tags\), in place: it keeps what it holds$/],
    [{ action: 'Add' }, /^ {2}added table `CaseTable`$/],
    [{ action: 'Import' }, /^ {2}taken over table `CaseTable`$/],
    [{ action: 'SyncWithActual' }, /^ {2}noted as it is table/],
    [{ type: 'AWS::Lambda::Function', replacement: 'yes' as const }, /^ {2}replaced function `CaseTable`$/],
    [{ type: 'AWS::New::Thing', action: 'Remove' }, /list it in lib\/release\/resources\.ts/],
  ])('of %o', (given, words) => {
    expect(explainChange(change(given))).toMatch(words);
  });

  it('count a stack and put what is refused first', () => {
    const lines = explainStack('caregate-case-file', [
      change({ action: 'Add', name: 'B', type: 'AWS::IAM::Role' }),
      change({ action: 'Add', name: 'A', type: 'AWS::IAM::Role' }),
      change({ action: 'Modify', name: 'C', type: 'AWS::IAM::Role' }),
      change({ action: 'Remove', name: 'D' }),
    ]);
    expect(lines[0]).toBe('caregate-case-file: 2 added, 1 changed, 1 removed');
    expect(lines.slice(1).map((line) => /`(\w)`/.exec(line)?.[1])).toEqual(['D', 'C', 'A', 'B']);
    expect(explainStack('caregate-watch', [])).toEqual(['caregate-watch: nothing changes']);
  });
});
