import type { Execution } from '../execution.ts';
import type { Bindings } from '../expression.ts';
import { TerminalError } from '../failure.ts';
import { type Fields, fieldsAt, list, optionalText, requiredText } from '../fields.ts';
import type { Loading } from '../machine.ts';
import { bindingsOf, leave } from '../progress.ts';
import { definitionRefused } from '../refusal.ts';
import type { Frame, Scope } from '../scope.ts';
import { type BaseState, type Behaviour, commonFields, type Departure, loadDeparture } from '../state.ts';
import type { Steps } from '../steps.ts';
import { evaluate, expectType, type Template, template } from '../template.ts';

interface Rule extends Departure {
  readonly condition: Template;
  readonly next: string;
}

export interface ChoiceState extends BaseState {
  readonly type: 'Choice';
  readonly rules: readonly Rule[];
}

/** Goes on with the first rule whose condition is true, else with `Default`. */
export const choice: Behaviour<ChoiceState> = {
  fields: [...commonFields, 'Choices', 'Default', 'Output', 'Assign'],
  load(name, fields, loading) {
    optionalText(fields, 'Comment');
    const rules = list(fields, 'Choices').map((value, index) => loadRule(value, index, fields, loading));
    if (rules.length === 0) throw definitionRefused("'Choices' must not be empty", fields.path);
    const next = optionalText(fields, 'Default');
    const targets = [...rules.map((rule) => rule.next), ...(next === undefined ? [] : [next])];
    return {
      type: 'Choice',
      name,
      rules,
      ...loadDeparture(fields, loading, ''),
      next,
      retriers: [],
      catchers: [],
      targets,
    };
  },
  run(execution, scope, frame) {
    const [first] = frame.state.rules;
    // A first rule that always applies needs no evaluation.
    if (first?.condition.kind === 'constant' && first.condition.payload.value === true) {
      return leave(execution, scope, frame, first, frame.input);
    }
    return choose(execution, scope, frame);
  },
};

function loadRule(value: unknown, index: number, state: Fields, loading: Loading): Rule {
  const fields = fieldsAt(value, `${state.path}/Choices/${index}`, [
    'Comment',
    'Condition',
    'Next',
    'Output',
    'Assign',
  ]);
  const { Condition: condition } = fields.values;
  const path = `${fields.path}/Condition`;
  const compiled = template(condition, `Choices/${index}/Condition`, path, loading.expressions);
  if (typeof condition !== 'boolean' && compiled.kind !== 'expression') {
    throw definitionRefused('The value must be a JSONata expression or a boolean', path);
  }
  return {
    ...loadDeparture(fields, loading, `Choices/${index}/`),
    condition: compiled,
    next: requiredText(fields, 'Next'),
  };
}

function* choose(execution: Execution, scope: Scope, frame: Frame<ChoiceState>): Steps<void> {
  const bindings = bindingsOf(execution, scope, frame);
  const chosen = (yield* firstMatch(frame.state.rules, bindings)) ?? frame.state;
  if (chosen.next === undefined) throw noMatch(frame.state.name, frame.enteredEvent);
  const steps = leave(execution, scope, frame, chosen, frame.input);
  if (steps !== undefined) yield* steps;
}

function* firstMatch(rules: readonly Rule[], bindings: () => Bindings): Steps<Rule | undefined> {
  for (const rule of rules) {
    const value = yield* evaluate(rule.condition, bindings);
    if (expectType(rule.condition, value, 'boolean', (result) => typeof result === 'boolean')) return rule;
  }
  return undefined;
}

function noMatch(name: string, enteredEvent: number): TerminalError {
  return new TerminalError(
    'States.Runtime',
    `An error occurred while executing the state '${name}' (entered at the event id #${enteredEvent}). Failed to transition out of the state. The state does not point to a next state.`,
  );
}
