import { CaregateError } from '../../errors.ts';

/** AWS's names for what Step Functions refuses. */
export type RefusalType =
  | 'ExecutionAlreadyExists'
  | 'ExecutionDoesNotExist'
  | 'InvalidArn'
  | 'InvalidDefinition'
  | 'InvalidExecutionInput'
  | 'InvalidName'
  | 'InvalidOutput'
  | 'InvalidToken'
  | 'StateMachineAlreadyExists'
  | 'StateMachineDoesNotExist'
  | 'StateMachineTypeNotSupported'
  | 'TaskDoesNotExist'
  | 'TaskTimedOut'
  | 'ValidationException';

/** A request or definition that the engine refuses, under the name that AWS gives to the reason. */
export class StatesRefusal extends CaregateError {
  readonly type: RefusalType;

  constructor(type: RefusalType, message: string) {
    super('STATES_REFUSED', message);
    this.type = type;
  }
}

/** A definition that is refused at load: what is wrong, and the path of the field. */
export function definitionRefused(what: string, path: string): StatesRefusal {
  return new StatesRefusal(
    'InvalidDefinition',
    `Invalid State Machine Definition: 'SCHEMA_VALIDATION_FAILED: ${what} at ${path === '' ? '/' : path}'`,
  );
}
