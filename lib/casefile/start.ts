import { ExecutionAlreadyExists, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { canonicalJson } from '../provenance/canonical.ts';
import { type ExecutionInput, executionName } from './step.ts';

/**
 * Starts the run of a case. That it runs or ran already is success: a start is repeated whenever its reply may
 * have been lost.
 * @returns whether this call started it
 */
export async function startCase(sfn: SFNClient, machine: string, input: ExecutionInput): Promise<boolean> {
  try {
    await sfn.send(
      new StartExecutionCommand({
        stateMachineArn: machine,
        name: executionName(input.case, input.run),
        input: canonicalJson(input),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ExecutionAlreadyExists) return false;
    throw error;
  }
}
