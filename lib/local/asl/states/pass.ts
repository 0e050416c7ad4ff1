import { leave } from '../progress.ts';
import { type BaseState, type Behaviour, baseState, commonFields, departureFields } from '../state.ts';

export interface PassState extends BaseState {
  readonly type: 'Pass';
}

/** Hands its input on, or what `Output` makes of it. */
export const pass: Behaviour<PassState> = {
  fields: [...commonFields, ...departureFields],
  load: (name, fields, loading) => ({ type: 'Pass', ...baseState(name, fields, loading) }),
  run: (execution, scope, frame) => leave(execution, scope, frame, frame.state, frame.input),
};
