import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HistoryEvent, historySchema, pointersIn, stripHistory } from '../../lib/audit/history.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { canonicalJson } from '../../lib/provenance/canonical.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { openWorld, type World } from '../effect/world.ts';
import { type Recorded, recordCase } from './recorded.ts';

const token = `AQCEAAAAKgAAAAM${'x'.repeat(200)}`;
const event = (details: object, id = 1): HistoryEvent =>
  historySchema.parse([
    { id, previousEventId: id - 1, type: 'TaskScheduled', timestamp: new Date(0), ...details },
  ])[0] as HistoryEvent;

describe('reading a history', () => {
  it.each([
    ['a Date of the SDK', new Date('2027-02-01T09:00:00.125Z')],
    ['epoch seconds of the wire', 1801472400.125],
    ['ISO text of a file', '2027-02-01T10:00:00.125+01:00'],
  ])('takes %s as a time', (_, timestamp) => {
    const [read] = historySchema.parse([{ id: 1, type: 'PassStateEntered', timestamp }]);
    expect(read?.timestamp).toBe('2027-02-01T09:00:00.125Z');
  });

  it('takes the events alone or the whole answer, and nothing else', () => {
    const events = [{ id: 1, type: 'ExecutionStarted', timestamp: 0 }];
    expect(historySchema.parse({ events, nextToken: 'x' })).toEqual(historySchema.parse(events));
    for (const bad of [null, 'x', [{ id: 0, type: 'x', timestamp: 0 }], [{ id: 1, timestamp: 0 }]]) {
      expect(historySchema.safeParse(bad).success).toBe(false);
    }
  });

  it('finds every pointer, in the JSON texts too, once', () => {
    const pointer = { key: 'circles/a/cases/b/case.json', sha256: sha256('x') };
    const output = JSON.stringify({
      Payload: { evidence: pointer, list: [pointer], status: { ...pointer, status: 'sent' } },
    });
    expect(pointersIn([event({ taskSucceededEventDetails: { output } })])).toEqual([pointer]);
  });
});

describe('a stripped history', () => {
  it('has no task token, by whatever name or in whatever text it stands', () => {
    const parameters = JSON.stringify({ FunctionName: 'f', Payload: { token, action: 3 } });
    const nested = JSON.stringify({
      input: JSON.stringify({ TaskToken: token, deep: [{ task_token: token }] }),
    });
    const stripped = stripHistory([
      event({ taskScheduledEventDetails: { parameters } }),
      event({ taskFailedEventDetails: { cause: `the token ${token} was refused` } }, 2),
      event({ taskSubmittedEventDetails: { output: nested } }, 3),
    ]);
    const text = JSON.stringify(stripped);
    expect(text).not.toContain(token);
    expect(text).toContain('[removed]');
    expect(stripped[0]?.taskScheduledEventDetails).toEqual({
      parameters: JSON.stringify({ FunctionName: 'f', Payload: { token: '[removed]', action: 3 } }),
    });
  });

  it('takes out what a token name holds, even if it is no text', () => {
    const output = JSON.stringify({ taskToken: { value: [1, 2] } });
    const [stripped] = stripHistory([event({ taskSucceededEventDetails: { output } })]);
    expect(stripped?.taskSucceededEventDetails).toEqual({ output: '{"taskToken":"[removed]"}' });
  });

  it('says everything else as before', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const events = [event({ stateExitedEventDetails: { name: 'A', output: JSON.stringify({ value }) } })];
        fc.pre(!/token/i.test(JSON.stringify(events)));
        const [stripped] = stripHistory(events);
        const output = JSON.stringify({ value });
        expect(stripped?.stateExitedEventDetails).toEqual({ name: 'A', output });
      }),
    );
  });

  it('is the same when it is stripped again', () => {
    const parameters = JSON.stringify({ Payload: { token } });
    const once = stripHistory([event({ taskScheduledEventDetails: { parameters } })]);
    expect(stripHistory(once)).toEqual(once);
  });
});

describe('a history and its case file', () => {
  let world: World;
  let recorded: Recorded;
  let events: HistoryEvent[];
  beforeAll(async () => {
    world = await openWorld();
    recorded = await recordCase(world);
    const start = JSON.stringify({ ...recorded.caseKey, run: 0 });
    events = [
      event({ executionStartedEventDetails: { input: start } }),
      ...recorded.gated.map((gated, index) =>
        event({ taskSucceededEventDetails: { output: JSON.stringify({ Payload: gated }) } }, index + 2),
      ),
    ];
  });
  afterAll(() => world.close());

  const mismatches = async (history: HistoryEvent[]): Promise<string[]> =>
    (await recorded.audit({}, { history })).findings.map(({ code, key }) => `${code} ${key}`);

  it('agree', async () => {
    expect(await mismatches(events)).toEqual([]);
  });

  it('do not when the history is of another case', async () => {
    const input = JSON.stringify({ ...recorded.caseKey, case: `c-${'0'.repeat(32)}` });
    expect(await mismatches([event({ executionStartedEventDetails: { input } })])).toEqual([
      `HISTORY_MISMATCH ${layout.case(recorded.caseKey)}`,
    ]);
  });

  it('do not when a decision is another', async () => {
    const output = JSON.stringify({ ...recorded.gated[3], outcome: 'ALLOW' });
    expect(await mismatches([event({ taskSucceededEventDetails: { output } })])).toEqual([
      `HISTORY_MISMATCH ${layout.decision(recorded.caseKey, 4)}`,
    ]);
  });

  it('do not when a pointer leads to other bytes, or nowhere', async () => {
    const mail = { key: layout.mail(recorded.caseKey), sha256: sha256('x') };
    const gone = { key: 'circles/a/cases/b/gone.json', sha256: sha256('x') };
    const output = JSON.stringify({ mail, gone });
    expect(await mismatches([event({ taskSucceededEventDetails: { output } })])).toEqual([
      `HISTORY_MISMATCH ${mail.key}`,
      `HISTORY_MISMATCH ${gone.key}`,
    ]);
  });

  it('are compared too where the case file keeps the history itself', async () => {
    const key = layout.history(recorded.caseKey, recorded.caseKey.case);
    const kept = canonicalJson({ events: stripHistory(events) });
    expect((await recorded.audit({ [key]: kept })).findings).toEqual([]);
    const wrong = kept.replace('DENY', 'ALLOW');
    expect((await recorded.audit({ [key]: wrong })).findings.map(({ code }) => code)).toEqual([
      'HISTORY_MISMATCH',
    ]);
    expect((await recorded.audit({ [key]: '{}' })).findings.map(({ code }) => code)).toEqual([
      'RECORD_UNREADABLE',
    ]);
  });
});
