import type { Bindings } from '../expression.ts';
import { bindingsOf, failThread } from '../progress.ts';
import { type BaseState, type Behaviour, commonFields, optionalTemplate } from '../state.ts';
import type { Steps } from '../steps.ts';
import { evaluate, expectType, type Template } from '../template.ts';

export interface FailState extends BaseState {
  readonly type: 'Fail';
  readonly error: Template | undefined;
  readonly cause: Template | undefined;
}

/** Fails what it is part of, under a name of its own. It has no Exited event. */
export const fail: Behaviour<FailState> = {
  fields: [...commonFields, 'Error', 'Cause'],
  load: (name, fields, loading) => ({
    type: 'Fail',
    name,
    error: optionalTemplate(fields, 'Error', loading),
    cause: optionalTemplate(fields, 'Cause', loading),
    assign: [],
    retriers: [],
    catchers: [],
    targets: [],
  }),
  *run(execution, scope, frame) {
    const bindings = bindingsOf(execution, scope, frame);
    const error = yield* text(frame.state.error, bindings);
    const cause = yield* text(frame.state.cause, bindings);
    failThread(execution, scope, {
      ...(error === undefined ? {} : { error }),
      ...(cause === undefined ? {} : { cause }),
    });
  },
};

function* text(of: Template | undefined, bindings: () => Bindings): Steps<string | undefined> {
  if (of === undefined) return undefined;
  return expectType(of, yield* evaluate(of, bindings), 'string', (value) => typeof value === 'string');
}
