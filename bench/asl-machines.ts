/** Twenty states in a row: Pass, Choice and Task in turn, ended by a Pass. */
const count = 20;
const states = Array.from({ length: count }, (_, index) =>
  index === count - 1 ? 'Pass' : (['Pass', 'Choice', 'Task'][index % 3] as string),
);

export const transitions = states.length;

export type Dialect = 'constant' | 'jsonata' | 'jsonpath';

/** The machine without expressions, with JSONata in every state, or in the JSONPath that the other engine reads. */
export function benchMachine(dialect: Dialect): Record<string, unknown> {
  const members = states.map((type, index) => {
    const next = index === states.length - 1 ? { End: true } : { Next: `S${index + 1}` };
    return [`S${index}`, state(dialect, type, next)];
  });
  const language = dialect === 'jsonpath' ? {} : { QueryLanguage: 'JSONata' };
  return { ...language, StartAt: 'S0', States: Object.fromEntries(members) };
}

function state(
  dialect: Dialect,
  type: string,
  next: { Next?: string; End?: boolean },
): Record<string, unknown> {
  if (type === 'Pass')
    return { Type: 'Pass', ...next, ...(dialect === 'jsonata' ? { Output: '{% $states.input %}' } : {}) };
  if (type === 'Choice')
    return { Type: 'Choice', Choices: [{ ...condition(dialect), Next: next.Next }], Default: next.Next };
  if (dialect === 'jsonpath')
    return { Type: 'Task', Resource: 'arn:aws:lambda:us-east-1:000000000000:function:echo', ...next };
  const payload = dialect === 'jsonata' ? '{% $states.input %}' : { amount: 12, urgent: true };
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: { FunctionName: 'echo', Payload: payload },
    Output: dialect === 'jsonata' ? '{% $states.result.Payload %}' : { amount: 12, urgent: true },
    ...next,
  };
}

function condition(dialect: Dialect): Record<string, unknown> {
  if (dialect === 'jsonpath') return { Variable: '$.urgent', BooleanEquals: true };
  return { Condition: dialect === 'jsonata' ? '{% $states.input.urgent %}' : true };
}
