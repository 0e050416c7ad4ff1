import { blockOf, blockSucceeded } from '../block.ts';
import type { Execution } from '../execution.ts';
import type { Bindings } from '../expression.ts';
import { QueryError } from '../failure.ts';
import { fieldsAt, oneOf, optionalNumber } from '../fields.ts';
import { limits } from '../limits.ts';
import type { Flow } from '../machine.ts';
import { Payload } from '../payload.ts';
import { bindingsOf, leaveSucceeded } from '../progress.ts';
import type { BlockPhase, Frame, Scope } from '../scope.ts';
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
import { evaluate, expectType, type Template } from '../template.ts';

export interface MapState extends BaseState {
  readonly type: 'Map';
  readonly items: Template | undefined;
  readonly itemSelector: Template | undefined;
  readonly maxConcurrency: Template | undefined;
  readonly processor: Flow;
}

/** Runs a flow for each item, side by side up to `MaxConcurrency`. Inline only. */
export const map: Behaviour<MapState> = {
  fields: [
    ...commonFields,
    ...departureFields,
    ...errorFields,
    'Items',
    'ItemSelector',
    'ItemProcessor',
    'MaxConcurrency',
  ],
  load(name, fields, loading) {
    const path = `${fields.path}/ItemProcessor`;
    const processor = fieldsAt(fields.values.ItemProcessor, path, [
      ...flowFields,
      'ProcessorConfig',
      'Comment',
    ]);
    const { ProcessorConfig: config = {} } = processor.values;
    oneOf(fieldsAt(config, `${path}/ProcessorConfig`, ['Mode']), 'Mode', ['INLINE']);
    const maxConcurrency = optionalTemplate(fields, 'MaxConcurrency', loading);
    if (maxConcurrency?.kind !== 'expression') optionalNumber(fields, 'MaxConcurrency', { minimum: 0 });
    return {
      type: 'Map',
      ...baseState(name, fields, loading),
      items: optionalTemplate(fields, 'Items', loading),
      itemSelector: optionalTemplate(fields, 'ItemSelector', loading),
      maxConcurrency,
      processor: loading.loadFlow(processor, loading),
    };
  },
  *run(execution, scope, frame) {
    if (frame.phase.kind === 'entered') yield* start(execution, scope, frame);
    for (let block = blockOf(scope); block !== undefined; block = blockOf(scope)) {
      if (block.finished === block.inputs.length) blockSucceeded(execution, scope, block);
      else if (!startIterations(execution, scope, frame.state.name, block)) yield parked;
    }
    const steps = leaveSucceeded(execution, scope, frame);
    if (steps !== undefined) yield* steps;
  },
};

/** All items and what is selected of them are evaluated before the first iteration starts. */
function* start(execution: Execution, scope: Scope, frame: Frame<MapState>): Steps<void> {
  const { state } = frame;
  const bindings = bindingsOf(execution, scope, frame);
  const items = yield* itemsOf(frame, bindings);
  const concurrency = yield* concurrencyOf(state, bindings);
  const texts = items.map((item) => JSON.stringify(item));
  const inputs: string[] = [];
  if (state.itemSelector !== undefined) {
    for (const [index, item] of items.entries()) {
      const inner = { ...scope, item: { index, value: Payload.of(item) } };
      const selected = yield* evaluate(state.itemSelector, bindingsOf(execution, inner, frame));
      inputs.push(JSON.stringify(selected));
    }
  }
  const extra = { items: texts, concurrency, ...(state.itemSelector === undefined ? {} : { inputs }) };
  execution.record(scope, 'MapStateStarted', { length: items.length }, scope.last, undefined, extra);
}

function* itemsOf({ state, input }: Frame<MapState>, bindings: () => Bindings): Steps<readonly unknown[]> {
  if (state.items !== undefined) {
    return expectType(state.items, yield* evaluate(state.items, bindings), 'array', Array.isArray);
  }
  const { value } = input;
  if (Array.isArray(value)) return value;
  throw new QueryError(`Map state input must be an array but was: ${input.text}`);
}

function* concurrencyOf(state: MapState, bindings: () => Bindings): Steps<number> {
  if (state.maxConcurrency === undefined) return limits.mapConcurrency;
  const fits = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
  const asked = expectType(
    state.maxConcurrency,
    yield* evaluate(state.maxConcurrency, bindings),
    'integer',
    fits,
  );
  return asked === 0 ? limits.mapConcurrency : Math.min(asked, limits.mapConcurrency);
}

/** Starts as many iterations as may run. @returns whether one was started, so that there may be more to do */
function startIterations(execution: Execution, scope: Scope, name: string, block: BlockPhase): boolean {
  let started = false;
  while (block.nextItem < block.inputs.length && blockOf(scope) === block) {
    const [previous] = block.slots;
    if (previous === undefined) break;
    const index = block.nextItem;
    execution.record(scope, 'MapIterationStarted', { name, index }, previous);
    started = true;
    const child = block.children.get(index);
    if (child !== undefined) execution.run(child);
  }
  return started;
}
