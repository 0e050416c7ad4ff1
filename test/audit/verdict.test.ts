import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditCircle } from '../../lib/audit/circle.ts';
import { findingCodes } from '../../lib/audit/finding.ts';
import { timelineOf } from '../../lib/audit/timeline.ts';
import type { AuditReport } from '../../lib/audit/verdict.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { canonicalJson } from '../../lib/provenance/canonical.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { circle } from '../effect/calls.ts';
import { openWorld, policy, type World } from '../effect/world.ts';
import { actions, consent, type Recorded, recordCase, verifyConsent } from './recorded.ts';

let world: World;
let recorded: Recorded;
beforeAll(async () => {
  world = await openWorld();
  recorded = await recordCase(world);
});
afterAll(() => world.close());

const codes = (report: AuditReport): string[] => [...new Set(report.findings.map(({ code }) => code))].sort();

/** A record of the case with some fields changed, as the bytes that somebody would put in its place. */
async function altered(key: string, change: (record: never) => unknown): Promise<Record<string, string>> {
  const { bytes } = await world.store.read(key);
  return { [key]: canonicalJson(change(JSON.parse(new TextDecoder().decode(bytes)) as never)) };
}

const letterKey = (): string => layout.letter(recorded.caseKey, actions.sent);
const at = (
  name: 'decision' | 'intent' | 'proposal' | 'call' | 'outcome' | 'sent' | 'attempt',
  action: number,
) => layout[name](recorded.caseKey, action);

describe('a case that nobody touched', () => {
  it('is consistent, with every kind of action in it', async () => {
    const report = await recorded.audit();
    expect(report.findings).toEqual([]);
    expect(report.verdict).toBe('consistent');
    expect(recorded.gated.map(({ outcome }) => outcome)).toEqual([
      'ALLOW',
      'REQUIRE_HUMAN',
      'REQUIRE_HUMAN',
      'DENY',
      'DENY',
      'REQUIRE_HUMAN',
    ]);
  });

  it('tells its story in the order in which it happened', async () => {
    const text = timelineOf(await recorded.audit());
    const order = [
      'judged accepted',
      'decided REQUIRE_HUMAN',
      'maya consented',
      'took it as',
      'ended sent',
      'ended closed',
    ];
    const places = order.map((what) => text.indexOf(what));
    expect(places).not.toContain(-1);
    expect(text).toContain(`Case ${recorded.caseKey.case} of ${circle.id}: consistent`);
    expect(text).not.toMatch(/@|Referral for Rosa/);
  });
});

describe('whatever is changed is found', () => {
  it.each<[string, string[], () => Promise<Record<string, string | Uint8Array | undefined>>]>([
    ['the mail', ['POINTER_BROKEN'], async () => ({ [layout.mail(recorded.caseKey)]: 'From: x\r\n\r\nx' })],
    ['the case object, gone', ['CASE_MISSING'], async () => ({ [layout.case(recorded.caseKey)]: undefined })],
    [
      'the case object, of another message',
      ['CASE_MISMATCH', 'MESSAGE_MISMATCH'],
      () => altered(layout.case(recorded.caseKey), (record: object) => ({ ...record, message: sha256('x') })),
    ],
    [
      'a record that is not one',
      ['RECORD_UNREADABLE'],
      async () => ({ [at('outcome', 4)]: '{"status":"done"}' }),
    ],
    ['a record that is not JSON', ['RECORD_UNREADABLE'], async () => ({ [at('outcome', 4)]: 'done' })],
    [
      'the proposal',
      ['POINTER_BROKEN'],
      () =>
        altered(at('proposal', 1), (record: { input: object }) => ({
          ...record,
          input: { ...record.input, title: { text: 'Another' } },
        })),
    ],
    [
      'the evidence, gone',
      ['POINTER_BROKEN'],
      async () => ({ [layout.evidence(recorded.caseKey, 1)]: undefined }),
    ],
    ['the call for readers', ['CALL_MISMATCH'], async () => ({ [at('call', 1)]: '{}' })],
    [
      'a decision, from DENY to ALLOW',
      ['DECISION_MISMATCH'],
      () =>
        altered(at('decision', actions.denied), (record: { decision: object }) => ({
          ...record,
          decision: { ...record.decision, outcome: 'ALLOW', reason: 'FILING_IS_SAFE' },
        })),
    ],
    [
      'the denial of what could not be resolved',
      ['DECISION_MISMATCH'],
      () =>
        altered(at('decision', actions.unresolved), (record: { decision: object }) => ({
          ...record,
          decision: { ...record.decision, outcome: 'ALLOW' },
        })),
    ],
    [
      'the call digest of a decision',
      ['CALL_MISMATCH', 'DECISION_MISMATCH', 'EFFECT_UNAUTHORIZED', 'INTENT_MISMATCH'],
      () =>
        altered(at('decision', actions.filed), (record: { decision: object }) => ({
          ...record,
          decision: { ...record.decision, callDigest: sha256('x') },
        })),
    ],
    [
      'the category that a decision was made for',
      ['DECISION_MISMATCH'],
      () => altered(at('decision', actions.filed), (record: object) => ({ ...record, category: 'bill' })),
    ],
    [
      'the policy, gone',
      ['POLICY_MISSING', 'CONSENT_INVALID', 'EFFECT_UNAUTHORIZED'],
      async () => ({ [layout.policy(policy.digest)]: undefined }),
    ],
    ['the policy, nonsense', ['POLICY_MISSING'], async () => ({ [layout.policy(policy.digest)]: '{}' })],
    [
      'the policy, weaker',
      ['POLICY_MISMATCH'],
      () =>
        altered(layout.policy(policy.digest), (record: { policy: string }) => ({
          ...record,
          policy: record.policy.replace('people: 1', 'people: 2'),
        })),
    ],
    [
      'a consent, gone',
      ['EFFECT_UNAUTHORIZED'],
      async () => ({ [layout.consent(recorded.caseKey, actions.sent, 'maya')]: undefined }),
    ],
    [
      'a consent, of another person',
      ['CONSENT_INVALID', 'EFFECT_UNAUTHORIZED'],
      () =>
        altered(layout.consent(recorded.caseKey, actions.sent, 'maya'), (record: object) => ({
          ...record,
          person: 'tom',
        })),
    ],
    [
      'a consent, to another call',
      ['CONSENT_INVALID', 'EFFECT_UNAUTHORIZED'],
      () =>
        altered(layout.consent(recorded.caseKey, actions.sent, 'maya'), (record: object) => ({
          ...record,
          callDigest: recorded.gated[1]?.callDigest,
        })),
    ],
    ['the filed document', ['EFFECT_ALTERED'], async () => ({ [await filedKey()]: 'something else' })],
    ['the filed document, gone', ['EFFECT_MISSING'], async () => ({ [await filedKey()]: undefined })],
    ['the letter', ['EFFECT_ALTERED'], async () => ({ [letterKey()]: 'To: thief@evil.example' })],
    [
      'where an intent says that the effect lies',
      ['EFFECT_MISSING', 'EFFECT_UNCLAIMED', 'INTENT_MISMATCH', 'RECEIPT_MISMATCH'],
      () =>
        altered(at('intent', actions.filed), (record: { key: string }) => ({
          ...record,
          key: record.key.replace('/referrals/', '/elsewhere/'),
        })),
    ],
    [
      'an intent, gone',
      ['EFFECT_UNCLAIMED', 'RECEIPT_MISMATCH'],
      async () => ({ [at('intent', actions.filed)]: undefined }),
    ],
    ['the attempt, gone', ['LETTER_MISMATCH'], async () => ({ [at('attempt', actions.sent)]: undefined })],
    [
      'the id of the letter',
      ['RECEIPT_MISMATCH'],
      () => altered(at('sent', actions.sent), (record: object) => ({ ...record, messageId: 'another' })),
    ],
    [
      'whose attempt the letter was',
      ['LETTER_MISMATCH'],
      () => altered(at('sent', actions.sent), (record: object) => ({ ...record, attempt: 'another' })),
    ],
    [
      'the first receipt, gone',
      ['RECEIPT_CHAIN_BROKEN', 'RECEIPT_MISSING'],
      async () => ({ [layout.receipt(recorded.caseKey, 1)]: undefined }),
    ],
    [
      'the last receipt, gone',
      ['RECEIPT_MISSING'],
      async () => ({ [layout.receipt(recorded.caseKey, 3)]: undefined }),
    ],
    [
      'a receipt in the middle',
      ['RECEIPT_CHAIN_BROKEN', 'RECEIPT_MISMATCH'],
      () =>
        altered(layout.receipt(recorded.caseKey, 2), (record: object) => ({
          ...record,
          intent: sha256('x'),
        })),
    ],
    [
      'what a closing says',
      ['OUTCOME_MISMATCH'],
      () =>
        altered(layout.closing(recorded.caseKey, recorded.caseKey.case), (record: { actions: object[] }) => ({
          ...record,
          actions: record.actions.map((line) => ({ ...line, status: 'verified' })),
        })),
    ],
  ])('%s', async (_, expected, tampered) => {
    const report = await recorded.audit(await tampered());
    expect(report.verdict).toBe('inconsistent');
    expect(codes(report)).toEqual(expect.arrayContaining(expected));
  });

  it('a document', async () => {
    const [key = ''] = await world.store.list(`${layout.root(recorded.caseKey)}documents/`);
    expect(codes(await recorded.audit({ [key]: 'x' }))).toContain('DOCUMENT_ALTERED');
    expect(codes(await recorded.audit({ [key]: undefined }))).toContain('DOCUMENT_MISSING');
  });
});

describe('an effect that does not say what its call says is found', () => {
  const replaced = async (action: number, key: string, change: (text: string) => string) => {
    const text = change(new TextDecoder().decode((await world.store.read(key)).bytes));
    return {
      ...(await altered(at('intent', action), (record: object) => ({ ...record, sha256: sha256(text) }))),
      [key]: text,
    };
  };

  it.each<[string, (text: string) => string]>([
    ['to another address', (text) => text.replace('To: records@hillside', 'To: thief@hillside')],
    [
      'to a second address',
      (text) => text.replace(/^To: .*$/m, 'To: records@hillside-clinic.example, x@evil.example'),
    ],
    ['with another subject', (text) => text.replace('Subject: Records', 'Subject: Money')],
    ['with another text', (text) => text.replace('Please find', 'Please pay')],
    ['with another document', (text) => text.replace(/^QSByZW/m, 'QSBiZW')],
  ])('a letter %s', async (_, change) => {
    const report = await recorded.audit(await replaced(actions.sent, letterKey(), change));
    expect(report.findings).toContainEqual({
      code: 'EFFECT_MISMATCH',
      key: letterKey(),
      action: actions.sent,
    });
  });

  it.each<[string, (text: string) => string]>([
    ['at another time', (text) => text.replace('DTSTART:20270304T1030', 'DTSTART:20270304T1130')],
    ['with an attendee', (text) => text.replace('STATUS:', 'ATTENDEE:mailto:x@evil.example\r\nSTATUS:')],
    ['with an alarm', (text) => text.replace('END:VEVENT', 'BEGIN:VALARM\r\nEND:VALARM\r\nEND:VEVENT')],
    ['that is none', () => 'x'],
  ])('an appointment %s', async (_, change) => {
    const [key = ''] = await world.store.list(layout.calendar(circle.id, 'family'));
    const report = await recorded.audit(await replaced(actions.added, key, change));
    expect(report.findings).toContainEqual({ code: 'EFFECT_MISMATCH', key, action: actions.added });
  });
});

describe('what was added is found', () => {
  it('an effect that no intent names', async () => {
    const key = `${layout.folder(circle.id, 'records')}2027-01-01-planted.pdf`;
    const report = await recorded.audit({ [key]: 'planted' });
    expect(report.findings).toEqual([{ code: 'EFFECT_UNCLAIMED', key }]);
    expect(timelineOf(report)).toContain(`EFFECT_UNCLAIMED: ${findingCodes.EFFECT_UNCLAIMED}`);
  });

  it('an intent for a call that was denied', async () => {
    const { bytes } = await world.store.read(at('intent', actions.sent));
    const intent = { ...JSON.parse(new TextDecoder().decode(bytes)), action: actions.denied };
    const report = await recorded.audit({ [at('intent', actions.denied)]: canonicalJson(intent) });
    expect(codes(report)).toEqual(expect.arrayContaining(['EFFECT_UNAUTHORIZED', 'INTENT_MISMATCH']));
  });

  it('a consent that another key signed', async () => {
    const fork = await world.fork();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const gated = recorded.gated[actions.unavailable - 1] ?? { action: 0, callDigest: '' };
    await consent(fork, recorded.caseKey, gated, 'tom', privateKey);
    const report = await recorded.audit({}, { store: fork.store });
    await fork.close();
    expect(codes(report)).toEqual(['CONSENT_INVALID']);
  });

  it('a second version of an object, although its bytes are the same', async () => {
    const fork = await world.fork();
    const { bytes } = await fork.store.read(letterKey());
    await fork.overwrite(letterKey(), bytes);
    const report = await recorded.audit({}, { store: fork.store });
    await fork.close();
    expect(codes(report)).toEqual(['OBJECT_OVERWRITTEN']);
  });
});

describe('bytes that changed beneath the store are found', () => {
  it.each<[string, () => string]>([
    ['of a letter', letterKey],
    ['of the mail', () => layout.mail(recorded.caseKey)],
    ['of the case object', () => layout.case(recorded.caseKey)],
    ['of the policy', () => layout.policy(policy.digest)],
  ])('%s', async (_, keyOf) => {
    const fork = await world.fork();
    await fork.damage(keyOf());
    const report = await recorded.audit({}, { store: fork.store });
    await fork.close();
    expect(report.findings).toContainEqual({ code: 'OBJECT_DAMAGED', key: keyOf() });
    expect(codes(report).filter((code) => code.endsWith('_MISSING'))).toEqual([]);
  });
});

describe('a verifier that fails', () => {
  it('is a consent that does not hold', async () => {
    const failing = () => Promise.reject(new RangeError('no key'));
    const report = await recorded.audit({}, { verifyConsent: failing });
    expect(codes(report)).toEqual(['CONSENT_INVALID', 'EFFECT_UNAUTHORIZED']);
  });
});

describe('the audit of a circle', () => {
  const historyOf = async () => undefined;

  it('finds every case consistent, and nothing beside them', async () => {
    const fork = await world.fork();
    await recordCase(fork, 'A second referral');
    const seen: string[] = [];
    const parts = { store: fork.store, circle: circle.id, verifyConsent, historyOf };
    const report = await auditCircle({ ...parts, onReport: ({ verdict }) => seen.push(verdict) });
    await fork.close();
    expect(report).toMatchObject({ verdict: 'consistent', cases: 2, inconsistent: [], findings: [] });
    expect(seen).toEqual(['consistent', 'consistent']);
  });

  it('takes no effect of a case that goes on meanwhile for one that belongs to none', async () => {
    const fork = await world.fork();
    let meanwhile: Promise<unknown> | undefined;
    const report = await auditCircle({
      store: fork.store,
      circle: circle.id,
      verifyConsent,
      historyOf: async () => {
        meanwhile ??= recordCase(fork, 'A third referral');
        await meanwhile;
        return undefined;
      },
    });
    await fork.close();
    expect(report).toMatchObject({ verdict: 'consistent', cases: 1, findings: [] });
  });

  it('names the case that does not agree, and what belongs to none', async () => {
    const planted = `${layout.calendar(circle.id, 'family')}planted.ics`;
    const fork = await world.fork({ [at('outcome', 1)]: '{}', [planted]: 'x' });
    const report = await auditCircle({ store: fork.store, circle: circle.id, verifyConsent, historyOf });
    await fork.close();
    expect(report).toMatchObject({
      verdict: 'inconsistent',
      inconsistent: [recorded.caseKey.case],
      findings: [{ code: 'EFFECT_UNCLAIMED', key: planted }],
    });
  });
});

async function filedKey(): Promise<string> {
  const [key = ''] = await world.store.list(layout.folder(circle.id, 'referrals'));
  return key;
}
