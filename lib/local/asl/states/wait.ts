import type { Execution } from '../execution.ts';
import { QueryError } from '../failure.ts';
import { limits } from '../limits.ts';
import { bindingsOf, leave } from '../progress.ts';
import { definitionRefused } from '../refusal.ts';
import type { Frame, Scope } from '../scope.ts';
import {
  type BaseState,
  type Behaviour,
  baseState,
  commonFields,
  departureFields,
  optionalTemplate,
} from '../state.ts';
import type { Steps } from '../steps.ts';
import { evaluate, expectType, type Template } from '../template.ts';

export interface WaitState extends BaseState {
  readonly type: 'Wait';
  readonly seconds: Template | undefined;
  readonly timestamp: Template | undefined;
}

/** Waits for a number of seconds or until a moment, which a restart does not change. */
export const wait: Behaviour<WaitState> = {
  fields: [...commonFields, ...departureFields, 'Seconds', 'Timestamp'],
  load(name, fields, loading) {
    const seconds = optionalTemplate(fields, 'Seconds', loading);
    const timestamp = optionalTemplate(fields, 'Timestamp', loading);
    if ((seconds === undefined) === (timestamp === undefined)) {
      throw definitionRefused("Exactly one of 'Seconds' and 'Timestamp' is required", fields.path);
    }
    const literal = seconds?.kind === 'constant' ? seconds.payload.value : 0;
    if (!isDuration(literal)) {
      throw definitionRefused(
        `The value must be an integer from 0 to ${limits.seconds}`,
        `${fields.path}/Seconds`,
      );
    }
    return { type: 'Wait', ...baseState(name, fields, loading), seconds, timestamp };
  },
  *run(execution, scope, frame) {
    if (frame.phase.kind === 'entered') {
      execution.note(scope, { note: 'wait', until: yield* end(execution, scope, frame) });
      execution.host.fault?.('wait-recorded');
    }
    if (frame.phase.kind === 'waiting') yield* execution.until(scope, frame.phase.until);
    const steps = leave(execution, scope, frame, frame.state, frame.input);
    if (steps !== undefined) yield* steps;
  },
};

function* end(execution: Execution, scope: Scope, frame: Frame<WaitState>): Steps<number> {
  const { seconds, timestamp } = frame.state;
  const bindings = bindingsOf(execution, scope, frame as Frame);
  if (seconds !== undefined) {
    const duration = expectType(seconds, yield* evaluate(seconds, bindings), 'integer', isDuration);
    return execution.host.clock.now() + duration * 1000;
  }
  const value = timestamp === undefined ? undefined : yield* evaluate(timestamp, bindings);
  const time = typeof value === 'string' && offsetDateTime.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  throw new QueryError(
    `The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: ${shown}`,
    'Timestamp',
    true,
  );
}

const offsetDateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function isDuration(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= limits.seconds;
}
