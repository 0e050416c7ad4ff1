import { blockOf, blockSucceeded } from '../block.ts';
import type { Execution } from '../execution.ts';
import { fieldsAt, list } from '../fields.ts';
import type { Flow } from '../machine.ts';
import { bindingsOf, leaveSucceeded } from '../progress.ts';
import { definitionRefused } from '../refusal.ts';
import type { Frame, Scope } from '../scope.ts';
import {
  type BaseState,
  type Behaviour,
  baseState,
  commonFields,
  departureFields,
  errorFields,
  flowFields,
  optionalTemplate,
} from '../state.ts';
import { parked, type Steps } from '../steps.ts';
import { evaluatePayload, type Template } from '../template.ts';

export interface ParallelState extends BaseState {
  readonly type: 'Parallel';
  readonly arguments: Template | undefined;
  readonly branches: readonly Flow[];
}

/** Runs several flows side by side over the same input; its result is the array of their outputs. */
export const parallel: Behaviour<ParallelState> = {
  fields: [...commonFields, ...departureFields, ...errorFields, 'Arguments', 'Branches'],
  load(name, fields, loading) {
    const branches = list(fields, 'Branches').map((value, index) =>
      loading.loadFlow(
        fieldsAt(value, `${fields.path}/Branches/${index}`, [...flowFields, 'Comment']),
        loading,
      ),
    );
    if (branches.length === 0) throw definitionRefused("'Branches' must not be empty", fields.path);
    return {
      type: 'Parallel',
      ...baseState(name, fields, loading),
      arguments: optionalTemplate(fields, 'Arguments', loading),
      branches,
    };
  },
  *run(execution, scope, frame) {
    if (frame.phase.kind === 'entered') yield* start(execution, scope, frame);
    for (let block = blockOf(scope); block !== undefined; block = blockOf(scope)) {
      if (block.finished === block.inputs.length) blockSucceeded(execution, scope, block);
      else yield parked;
    }
    const steps = leaveSucceeded(execution, scope, frame);
    if (steps !== undefined) yield* steps;
  },
};

function* start(execution: Execution, scope: Scope, frame: Frame<ParallelState>): Steps<void> {
  const given = frame.state.arguments;
  const input =
    given === undefined
      ? undefined
      : yield* evaluatePayload(given, bindingsOf(execution, scope, frame as Frame));
  execution.record(scope, 'ParallelStateStarted', undefined, scope.last, undefined, {
    ...(input === undefined ? {} : { inputs: [input.text] }),
  });
  for (const child of [...(blockOf(scope)?.children.values() ?? [])]) {
    if (!child.closed) execution.run(child);
  }
}
