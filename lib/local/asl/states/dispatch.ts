import type { StateType } from '../history.ts';
import { type ChoiceState, choice } from './choice.ts';
import { type FailState, fail } from './fail.ts';
import { type MapState, map } from './map.ts';
import { type ParallelState, parallel } from './parallel.ts';
import { type PassState, pass } from './pass.ts';
import { type SucceedState, succeed } from './succeed.ts';
import { type TaskState, task } from './task.ts';
import { type WaitState, wait } from './wait.ts';

export type State =
  | ChoiceState
  | FailState
  | MapState
  | ParallelState
  | PassState
  | SucceedState
  | TaskState
  | WaitState;

/** Every state type that the engine implements. `docs/states-language.md` lists the same. */
export const behaviours = {
  Choice: choice,
  Fail: fail,
  Map: map,
  Parallel: parallel,
  Pass: pass,
  Succeed: succeed,
  Task: task,
  Wait: wait,
} as const satisfies Record<StateType, unknown>;

export function isStateType(type: unknown): type is StateType {
  return typeof type === 'string' && Object.hasOwn(behaviours, type);
}
