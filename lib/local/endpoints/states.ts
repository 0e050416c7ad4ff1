import { isCaregateError } from '../../errors.ts';
import type { Engine } from '../asl/engine.ts';
import { StatesRefusal } from '../asl/refusal.ts';
import { ServiceFault } from './fault.ts';
import type { Service, ServiceRequest } from './service.ts';
import { operations } from './states-operations.ts';

const prefix = 'AWSStepFunctions.';

/**
 * Step Functions on the wire (AWS JSON 1.0): the SDK and the command line work against it unchanged. What AWS
 * has an error for is answered with that error.
 */
export function statesService(engine: Engine): Service {
  return {
    name: 'states',
    async handle(request) {
      try {
        return {
          status: 200,
          headers: { 'content-type': 'application/x-amz-json-1.0' },
          body: JSON.stringify(await perform(engine, request)),
        };
      } catch (error) {
        throw faultOf(error);
      }
    },
  };
}

async function perform(engine: Engine, request: ServiceRequest): Promise<Record<string, unknown>> {
  const target = request.headers['x-amz-target'] ?? '';
  const name = target.startsWith(prefix) ? target.slice(prefix.length) : '';
  if (!Object.hasOwn(operations, name)) {
    throw new ServiceFault(
      400,
      'UnknownOperationException',
      'the operation is not implemented; see the documentation',
    );
  }
  const operation = operations[name as keyof typeof operations];
  return operation(engine, parse(request.body));
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    throw new ServiceFault(400, 'SerializationException', 'the body is not JSON; send a JSON object');
  }
}

function faultOf(error: unknown): unknown {
  if (error instanceof StatesRefusal) return new ServiceFault(400, error.type, error.message, error.code);
  if (isCaregateError(error, 'JOURNAL_UNAVAILABLE')) {
    return new ServiceFault(503, 'ServiceUnavailable', error.message, error.code);
  }
  return error;
}
