import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { DescribeExecutionCommand, ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { onTestFinished } from 'vitest';
import { executionInputSchema } from '../../lib/casefile/step.ts';
import { ObjectStore } from '../../lib/casefile/store.ts';
import { statesService } from '../../lib/local/endpoints/states.ts';
import { type DispatchParts, dispatch } from '../../lib/mail/dispatch.ts';
import { ingest, mailEventSchema } from '../../lib/mail/ingest.ts';
import { machineOf, openBench, role } from '../local/asl/fixture.ts';
import { startApprovals } from '../support/approvals.ts';
import { clientConfig, serve } from '../support/endpoints.ts';
import { ManualClock } from '../support/time.ts';

/** Where mail arrives: buckets, index and a state machine, all behind the AWS SDK. Gone after the test. */
export type Intake = Awaited<ReturnType<typeof openIntake>>;

export async function openIntake() {
  const office = await startApprovals();
  onTestFinished(() => office[Symbol.asyncDispose]());
  await office.s3.send(new CreateBucketCommand({ Bucket: 'inbox' }));
  const { engine } = await openBench();
  const { arn } = await engine.createStateMachine(
    'cases',
    machineOf({ P: { Type: 'Pass', End: true } }),
    role,
  );
  const sfn = new SFNClient(clientConfig((await serve(statesService(engine))).url));
  onTestFinished(() => sfn.destroy());
  const inbox = new ObjectStore(office.s3, 'inbox');
  // The store says by the machine's clock when a mail was written, so this clock starts there.
  const clock = new ManualClock(new Date().toISOString());
  return { ...office, sfn, inbox, clock, machine: arn };
}

interface Arrival {
  readonly id: string;
  readonly raw: Uint8Array;
  readonly source?: string;
  readonly verdict?: string;
  readonly virus?: string | undefined;
}

/** The event of a delivery, as the receiver sends it. */
export function eventOf({ id, source = 'tom@family.example', verdict = 'PASS', virus = 'PASS' }: Arrival) {
  const [spfVerdict, dkimVerdict, dmarcVerdict] = [verdict, verdict, verdict].map((status) => ({ status }));
  return mailEventSchema.parse({
    Records: [
      {
        ses: {
          mail: { messageId: id, source, timestamp: '2027-03-01T09:00:00.000Z' },
          receipt: {
            recipients: ['care@inbox.example'],
            ...{ spamVerdict: { status: 'PASS' }, virusVerdict: { status: virus } },
            ...{ spfVerdict, dkimVerdict, dmarcVerdict },
          },
        },
      },
    ],
  });
}

/** A mail is put into the inbox, and its event arrives. */
export async function arrive(intake: Intake, arrival: Arrival): Promise<void> {
  await intake.inbox.create(`mail/${arrival.id}`, arrival.raw);
  await ingest(intake, eventOf(arrival));
}

/** What was started, by the names of the executions. */
export async function started({ sfn, machine }: Pick<Intake, 'sfn' | 'machine'>): Promise<string[]> {
  const { executions = [] } = await sfn.send(new ListExecutionsCommand({ stateMachineArn: machine }));
  return executions.map(({ name = '' }) => name).sort();
}

/** Dispatches an execution with what it was started with. */
export async function dispatched(intake: Intake, name: string, parts: Partial<DispatchParts> = {}) {
  const executionArn = `${intake.machine.replace(':stateMachine:', ':execution:')}:${name}`;
  const { input = '' } = await intake.sfn.send(new DescribeExecutionCommand({ executionArn }));
  const given = executionInputSchema.parse(JSON.parse(input));
  return dispatch({ ...intake, openRequests: async () => 0, ...parts }, { ...given, execution: name });
}
