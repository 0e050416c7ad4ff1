import type { Execution } from './execution.ts';
import { leaveBehind } from './execution.ts';
import type { Failure } from './failure.ts';
import { finishChild } from './fold.ts';
import type { BlockPhase, Scope } from './scope.ts';

/** The block that a thread is in, unless it has failed meanwhile. */
export function blockOf(scope: Scope): BlockPhase | undefined {
  const phase = scope.frame?.phase;
  return phase?.kind === 'block' ? phase : undefined;
}

/** A branch or iteration has come to its end: its block takes the output and may go on. */
export function childDone(execution: Execution, parent: Scope, child: Scope): void {
  const { frame } = parent;
  const block = blockOf(parent);
  if (frame === undefined || block === undefined) return;
  if (frame.state.type === 'Map') {
    const details = { name: frame.state.name, index: child.index };
    execution.record(parent, 'MapIterationSucceeded', details, child.last);
  } else {
    block.last = Math.max(block.last, child.last);
    finishChild(execution.threads, parent, child.index);
  }
  execution.wake(parent);
}

/**
 * A branch or iteration has failed: the others are aborted, and the state that they are part of fails. Every
 * event of this chains from the event that failed.
 */
export function blockFailed(execution: Execution, parent: Scope, child: Scope, failure: Failure): void {
  const { frame } = parent;
  const block = blockOf(parent);
  if (frame === undefined || block === undefined) return;
  const from = child.last;
  const { name, type } = frame.state;
  if (type === 'Map') {
    execution.record(parent, 'MapIterationFailed', { name, index: child.index }, from);
  }
  const others = [...block.children.values()].filter((other) => other !== child);
  if (child.frame?.state.type === 'Task') execution.record(parent, 'TaskStateAborted', undefined, from);
  for (const other of others) recordAborted(execution, other, from);
  for (const other of type === 'Map' ? others : []) {
    execution.record(parent, 'MapIterationAborted', { name, index: other.index }, from);
  }
  closeAll(block);
  execution.note(parent, { note: 'block-failed', failure, from });
  execution.wake(parent);
}

/** Records the success of a Map or Parallel whose parts have all ended. */
export function blockSucceeded(execution: Execution, scope: Scope, block: BlockPhase): void {
  execution.record(scope, `${scope.frame?.state.type}StateSucceeded`, undefined, block.last);
}

const abortable = new Set(['Task', 'Wait', 'Map', 'Parallel']);

/** Records the states that an abort interrupts, from the inside out. */
function recordAborted(execution: Execution, scope: Scope, previous: number): void {
  for (const inner of blockOf(scope)?.children.values() ?? []) recordAborted(execution, inner, previous);
  const type = scope.frame?.state.type;
  if (type === undefined || !abortable.has(type)) return;
  execution.record(scope, `${type}StateAborted`, undefined, previous);
}

function closeAll(block: BlockPhase): void {
  for (const child of block.children.values()) {
    child.closed = true;
    leaveBehind(child);
    const inner = blockOf(child);
    if (inner !== undefined) closeAll(inner);
  }
}
