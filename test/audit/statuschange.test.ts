import { CreateStateMachineCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { beforeEach, describe, expect, it } from 'vitest';
import { tell } from '../../lib/approval/telling.ts';
import { historySchema } from '../../lib/audit/history.ts';
import { keepHistory, reportFailure, statusChangeSchema } from '../../lib/audit/statuschange.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { resumeCase } from '../../lib/casefile/resumption.ts';
import { executionName } from '../../lib/casefile/step.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import { newCase, open } from '../casefile/casebench.ts';
import { machineOf, role } from '../local/asl/fixture.ts';
import { type Intake, openIntake, started } from '../mail/intake.ts';

const token = `AQCEAAAAKgAAAAM${'x'.repeat(200)}`;
let intake: Intake;
beforeEach(async () => {
  intake = await openIntake();
});

/** The bus's news of a run of a case. */
function changeOf(key: ReturnType<typeof newCase>, run = 0, status = 'FAILED', executionArn = 'arn:none') {
  const input = {
    ...{ circle: key.circle, case: key.case, run, message: digestOf('mail') },
    delivery: { key: 'deliveries/a.json', sha256: digestOf('delivery') },
  };
  const name = executionName(key.case, run);
  return statusChangeSchema.parse({
    'detail-type': 'Step Functions Execution Status Change',
    detail: { executionArn, name, status, input: JSON.stringify(input) },
  });
}

describe('the history of a run that ended', () => {
  it('is kept in the case file without its task tokens, once', async () => {
    const states = { Asked: { Type: 'Pass', Output: { TaskToken: token, code: 'KEPT' }, End: true } };
    const definition = machineOf(states);
    const { stateMachineArn } = await intake.sfn.send(
      new CreateStateMachineCommand({ name: 'asking', definition, roleArn: role }),
    );
    const key = newCase();
    const { input } = changeOf(key).detail;
    const { executionArn = '' } = await intake.sfn.send(
      new StartExecutionCommand({ stateMachineArn, name: key.execution, input: input ?? undefined }),
    );
    const change = changeOf(key, 0, 'SUCCEEDED', executionArn);
    const { history } = await keepHistory(intake, change);
    expect(history.key).toBe(layout.history(key, key.execution));
    const text = new TextDecoder().decode((await intake.store.read(history.key)).bytes);
    expect(text).not.toContain(token);
    expect(text).toContain('KEPT');
    const types = historySchema.parse(JSON.parse(text)).map(({ type }) => type);
    expect([types[0], types.at(-1)]).toEqual(['ExecutionStarted', 'ExecutionSucceeded']);
    expect(await keepHistory(intake, change)).toEqual({ history });
  });

  it.each([null, undefined, '', '{', '{}'])('is not kept where it is of no case: %j', async (input) => {
    const { detail } = changeOf(newCase());
    await expect(keepHistory(intake, { detail: { ...detail, input } })).toFailWithCode('INVALID_INPUT');
  });
});

describe('a run that failed although every state catches', () => {
  const report = (key: ReturnType<typeof newCase>, run: number, status = 'FAILED') =>
    reportFailure({ ...intake, tell: (input) => tell(intake, input) }, changeOf(key, run, status));

  it('is told to the owner and stands in the index, once however often the news comes', async () => {
    const key = newCase();
    expect(await report(key, 0, 'TIMED_OUT')).toEqual({ status: 'TIMED_OUT' });
    await report(key, 0, 'TIMED_OUT');
    expect(await intake.index.find(key)).toMatchObject({ status: 'failed', reason: 'RUN_TIMED_OUT' });
    const mails = await intake.mails();
    expect(mails.map(({ to }) => to)).toEqual([['maya@family.example']]);
    expect(mails[0]?.text).toContain(key.execution);
  });

  it('can be resumed even if it failed before it was noted', async () => {
    const key = newCase();
    await open(intake, key, { standing: 'accepted', reason: 'PERSON_VERIFIED' });
    await intake.index.note(key, { status: 'parked', execution: key.execution });
    const { execution } = await resumeCase(intake, key);
    await report(key, 1, 'ABORTED');
    expect(await resumeCase(intake, key)).toMatchObject({ execution: executionName(key.case, 2) });
    expect(await started(intake)).toEqual([execution, executionName(key.case, 2)]);
  });

  it('is told, but does not stand in the index where a newer run of the case has begun', async () => {
    const key = newCase();
    const newest = {
      status: 'open',
      reason: 'PERSON_VERIFIED',
      execution: executionName(key.case, 2),
    } as const;
    await intake.index.note(key, newest);
    await report(key, 1);
    expect(await intake.index.find(key)).toMatchObject(newest);
    expect(await intake.mails()).toHaveLength(1);
  });
});
