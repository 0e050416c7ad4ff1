import {
  type CloudFormationClient,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
} from '@aws-sdk/client-cloudformation';
import { CaregateError } from '../errors.ts';
import type { ChangeSet } from './changeset.ts';
import { explainStack } from './explanation.ts';

export interface DeployingParts {
  readonly cloudformation: CloudFormationClient;
  readonly say: (line: string) => void;
  /** Waits before it is looked again how far a stack is. */
  readonly pause: () => Promise<void>;
}

/** How often it is looked before a stack counts as stuck: an hour at ten seconds each. */
const patience = 360;

/**
 * Executes a change set and waits until its stack is made.
 * @throws CaregateError `CLOUD_UNAVAILABLE` if the stack does not end well
 */
export async function executeChangeSet(parts: DeployingParts, set: ChangeSet): Promise<void> {
  const { cloudformation, say, pause } = parts;
  for (const line of explainStack(set.stack, set.changes).slice(0, 1)) say(`deploying ${line}`);
  await cloudformation
    .send(new ExecuteChangeSetCommand({ ChangeSetName: set.arn, StackName: set.stack }))
    .catch((cause: unknown) => {
      throw failed(set.stack, 'was not executed', cause);
    });
  for (let looks = 0; looks < patience; looks += 1) {
    await pause(); // before the first look: the service takes a moment to show that it began
    const status = await statusOf(cloudformation, set.stack);
    if (status === 'CREATE_COMPLETE' || status === 'UPDATE_COMPLETE') {
      say(`deployed ${set.stack}`);
      return;
    }
    if (!status.endsWith('_IN_PROGRESS')) throw failed(set.stack, `ended as \`${status.slice(0, 40)}\``);
  }
  throw failed(set.stack, 'is still being deployed after an hour');
}

async function statusOf(client: CloudFormationClient, stack: string): Promise<string> {
  const { Stacks = [] } = await client
    .send(new DescribeStacksCommand({ StackName: stack }))
    .catch((cause: unknown) => {
      throw failed(stack, 'cannot be described', cause);
    });
  return Stacks[0]?.StackStatus ?? 'ABSENT';
}

function failed(stack: string, what: string, cause?: unknown): CaregateError {
  return new CaregateError(
    'CLOUD_UNAVAILABLE',
    `stack \`${stack}\` ${what}; the service rolls back by itself: read its events in the console, then plan again`,
    { cause },
  );
}
