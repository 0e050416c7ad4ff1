import { readFileSync } from 'node:fs';
import { CreateStateMachineCommand, type SFNClient } from '@aws-sdk/client-sfn';
import { sha256 } from '../provenance/digest.ts';
import { functionNames, placeholder } from './names.ts';

const file = new URL('../../statemachines/care-event.asl.json', import.meta.url);

/** The definition as it is deployed, with the functions of this office in place of the placeholders. */
export function machineDefinition(): string {
  return functionNames.reduce(
    (definition, name) => definition.replaceAll(placeholder(name), name),
    readFileSync(file, 'utf8'),
  );
}

/**
 * Creates the machine. Its name has the definition's digest, so that a new release starts its cases under a machine
 * of its own, and what is parked under an older one ends as it began.
 * @returns the ARN
 */
export async function createMachine(sfn: SFNClient): Promise<string> {
  const definition = machineDefinition();
  const created = await sfn.send(
    new CreateStateMachineCommand({
      name: `care-event-${sha256(definition).slice(0, 12)}`,
      definition,
      roleArn: 'arn:aws:iam::000000000000:role/caregate',
    }),
  );
  return created.stateMachineArn ?? '';
}
