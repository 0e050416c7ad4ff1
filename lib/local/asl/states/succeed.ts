import { leave } from '../progress.ts';
import { type BaseState, type Behaviour, commonFields, loadDeparture } from '../state.ts';

export interface SucceedState extends BaseState {
  readonly type: 'Succeed';
}

/** Ends its flow. */
export const succeed: Behaviour<SucceedState> = {
  fields: [...commonFields, 'Output'],
  load: (name, fields, loading) => ({
    type: 'Succeed',
    name,
    ...loadDeparture(fields, loading, ''),
    retriers: [],
    catchers: [],
    targets: [],
  }),
  run: (execution, scope, frame) => leave(execution, scope, frame, frame.state, frame.input),
};
