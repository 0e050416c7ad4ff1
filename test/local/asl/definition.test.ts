import { describe, expect, it } from 'vitest';
import { Expressions } from '../../../lib/local/asl/expression.ts';
import { loadMachine } from '../../../lib/local/asl/machine.ts';
import { StatesRefusal } from '../../../lib/local/asl/refusal.ts';
import { systemClock } from '../../../lib/provenance/clock.ts';
import { systemRandomness } from '../../../lib/provenance/randomness.ts';
import { machineOf, taskOf } from './fixture.ts';

const expressions = new Expressions({ clock: systemClock, randomness: systemRandomness });
const load = (text: string) => loadMachine(text, expressions);

function refusalOf(text: string): string {
  try {
    load(text);
  } catch (error) {
    if (error instanceof StatesRefusal && error.type === 'InvalidDefinition') return error.message;
    throw error;
  }
  return 'accepted';
}

const pass = { Type: 'Pass', End: true };
const choice = (rule: Record<string, unknown>) => ({ Type: 'Choice', Choices: [rule] });
const map = (more: Record<string, unknown>) => ({
  Type: 'Map',
  ItemProcessor: { StartAt: 'In', States: { In: pass } },
  End: true,
  ...more,
});

const tokenWithEverything = {
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Arguments: '{% {"FunctionName": "f"} %}',
  TimeoutSeconds: '{% 5 %}',
  HeartbeatSeconds: 5,
  Retry: [
    {
      ErrorEquals: ['A', 'B'],
      IntervalSeconds: 2,
      MaxAttempts: 0,
      BackoffRate: 1.5,
      MaxDelaySeconds: 9,
      JitterStrategy: 'FULL',
      Comment: 'c',
    },
  ],
  Catch: [{ ErrorEquals: ['States.ALL'], Output: 1, Assign: { c: 1 }, Next: 'F', Comment: 'c' }],
  Next: 'M',
};

describe('a definition that the engine does not implement is refused, by the path of the field', () => {
  const cases: readonly [string, Record<string, unknown>, string][] = [
    ['an unknown field of a state', { A: { ...pass, Colour: 'red' } }, '/States/A/Colour'],
    ['an unknown state type', { A: { Type: 'Dance', End: true } }, '/States/A/Type'],
    [
      'a state type that is a property of every object',
      { A: { Type: 'constructor', End: true } },
      '/States/A/Type',
    ],
    ['JSONPath in one state', { A: { ...pass, QueryLanguage: 'JSONPath' } }, '/States/A/QueryLanguage'],
    ['InputPath, which JSONata has not', { A: { ...pass, InputPath: '$' } }, '/States/A/InputPath'],
    ['a state without a way out', { A: { Type: 'Pass' } }, '/States/A'],
    ['a state with two ways out', { A: { ...pass, Next: 'A' } }, '/States/A'],
    ['End that is no boolean', { A: { Type: 'Pass', End: 'yes' } }, '/States/A/End'],
    ['a Next that leads nowhere', { A: { Type: 'Pass', Next: 'B' } }, '/States/A'],
    ['a bad expression', { A: { ...pass, Output: { x: ['{% 1 + %}'] } } }, '/States/A/Output/x/0'],
    ['a name that cannot be a variable', { A: { ...pass, Assign: { 'a b': 1 } } }, '/States/A/Assign'],
    ['the variable states', { A: { ...pass, Assign: { states: 1 } } }, '/States/A/Assign'],
    ['Assign that is no object', { A: { ...pass, Assign: 1 } }, '/States/A/Assign'],
    [
      'another resource',
      { A: taskOf('f', { Resource: 'arn:aws:states:::sqs:sendMessage' }) },
      '/States/A/Resource',
    ],
    ['a task without Arguments', { A: taskOf('f', { Arguments: undefined }) }, '/States/A'],
    [
      'an argument that is not supported',
      { A: taskOf('f', { Arguments: { FunctionName: 'f', LogType: 'Tail' } }) },
      '/States/A/Arguments/LogType',
    ],
    ['a task without FunctionName', { A: taskOf('f', { Arguments: { Payload: 1 } }) }, '/States/A/Arguments'],
    ['a timeout of 0', { A: taskOf('f', { TimeoutSeconds: 0 }) }, '/States/A/TimeoutSeconds'],
    ['heartbeats without a token', { A: taskOf('f', { HeartbeatSeconds: 5 }) }, '/States/A/HeartbeatSeconds'],
    ['Retry on a Pass', { A: { ...pass, Retry: [] } }, '/States/A/Retry'],
    ['Retry that is no array', { A: taskOf('f', { Retry: {} }) }, '/States/A/Retry'],
    [
      'an unknown field of a retrier',
      { A: taskOf('f', { Retry: [{ ErrorEquals: ['E'], Times: 3 }] }) },
      '/States/A/Retry/0/Times',
    ],
    [
      'a backoff below 1',
      { A: taskOf('f', { Retry: [{ ErrorEquals: ['E'], BackoffRate: 0.5 }] }) },
      '/States/A/Retry/0/BackoffRate',
    ],
    [
      'a jitter that does not exist',
      { A: taskOf('f', { Retry: [{ ErrorEquals: ['E'], JitterStrategy: 'SOME' }] }) },
      '/States/A/Retry/0/JitterStrategy',
    ],
    [
      'a retrier without errors',
      { A: taskOf('f', { Retry: [{ ErrorEquals: [] }] }) },
      '/States/A/Retry/0/ErrorEquals',
    ],
    [
      'States.ALL in company',
      { A: taskOf('f', { Retry: [{ ErrorEquals: ['States.ALL', 'E'] }] }) },
      '/States/A/Retry/0/ErrorEquals',
    ],
    ['a catcher without Next', { A: taskOf('f', { Catch: [{ ErrorEquals: ['E'] }] }) }, '/States/A/Catch/0'],
    [
      'ResultPath in a catcher',
      { A: taskOf('f', { Catch: [{ ErrorEquals: ['E'], Next: 'A', ResultPath: '$' }] }) },
      '/States/A/Catch/0/ResultPath',
    ],
    [
      'a catcher that leads nowhere',
      { A: taskOf('f', { Catch: [{ ErrorEquals: ['E'], Next: 'B' }] }) },
      '/States/A',
    ],
    ['a Choice without rules', { A: { Type: 'Choice', Choices: [] } }, '/States/A'],
    [
      'a JSONPath rule',
      { A: choice({ Variable: '$.a', BooleanEquals: true, Next: 'A' }) },
      '/States/A/Choices/0/Variable',
    ],
    [
      'a condition that is a text',
      { A: choice({ Condition: 'true', Next: 'A' }) },
      '/States/A/Choices/0/Condition',
    ],
    ['a rule without Next', { A: choice({ Condition: true }) }, '/States/A/Choices/0'],
    ['a Wait for nothing', { A: { Type: 'Wait', End: true } }, '/States/A'],
    [
      'a Wait for both',
      { A: { Type: 'Wait', Seconds: 1, Timestamp: '2026-01-01T00:00:00Z', End: true } },
      '/States/A',
    ],
    ['a Wait of a text', { A: { Type: 'Wait', Seconds: 'long', End: true } }, '/States/A/Seconds'],
    [
      'a distributed Map',
      {
        A: map({
          ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED' }, StartAt: 'In', States: { In: pass } },
        }),
      },
      '/States/A/ItemProcessor/ProcessorConfig/Mode',
    ],
    ['a Map with an ItemReader', { A: map({ ItemReader: {} }) }, '/States/A/ItemReader'],
    ['a Map with a negative concurrency', { A: map({ MaxConcurrency: -1 }) }, '/States/A/MaxConcurrency'],
    ['a Map without a processor', { A: map({ ItemProcessor: undefined }) }, '/States/A/ItemProcessor'],
    ['a Parallel without branches', { A: { Type: 'Parallel', Branches: [], End: true } }, '/States/A'],
    [
      'a branch that starts nowhere',
      { A: { Type: 'Parallel', Branches: [{ StartAt: 'X', States: { In: pass } }], End: true } },
      '/States/A/Branches/0/StartAt',
    ],
    [
      'a branch without states',
      { A: { Type: 'Parallel', Branches: [{ StartAt: 'X' }], End: true } },
      '/States/A/Branches/0',
    ],
    ['one name in two flows', { In: map({}) }, '/States/In/ItemProcessor/States/In'],
    ['a name of 81 characters', { ['n'.repeat(81)]: pass }, `/States/${'n'.repeat(81)}`],
    ['a state that is no object', { A: null }, '/States/A/Type'],
  ];

  for (const [what, states, path] of cases) {
    it(`${what}`, () => {
      expect(refusalOf(machineOf(states))).toContain(`at ${path}'`);
    });
  }

  it('a definition that is not JSON, not an object, or not JSONata', () => {
    expect(refusalOf('{')).toContain('INVALID_JSON_DESCRIPTION');
    expect(refusalOf('[]')).toContain('must be an object at /');
    expect(refusalOf(JSON.stringify({ StartAt: 'A', States: { A: pass } }))).toContain('at /QueryLanguage');
    expect(refusalOf(machineOf({ A: pass }, { States: [] }))).toContain("'States' must be an object");
    expect(refusalOf(machineOf({ A: pass }, { Version: '2.0' }))).toContain('at /Version');
    expect(refusalOf(machineOf({ A: pass }, { TimeoutSeconds: '5' }))).toContain('at /TimeoutSeconds');
    expect(refusalOf(machineOf({ A: pass }, { Processor: 1 }))).toContain('at /Processor');
    expect(refusalOf(machineOf({ A: pass }, { StartAt: 'B' }))).toContain('at /StartAt');
    expect(refusalOf(machineOf({ A: pass }, { StartAt: undefined }))).toContain("'StartAt' is required");
    expect(refusalOf(machineOf({ A: { ...pass, Comment: 3 } }))).toContain('at /States/A/Comment');
    expect(refusalOf(`"${'x'.repeat(1_048_577)}"`)).toContain('over 1 MiB');
  });

  it('nothing that it implements', () => {
    const everything = {
      Comment: 'all fields of all states',
      QueryLanguage: 'JSONata',
      Version: '1.0',
      TimeoutSeconds: 60,
      StartAt: 'P',
      States: {
        P: {
          Type: 'Pass',
          Comment: 'c',
          QueryLanguage: 'JSONata',
          Output: 1,
          Assign: { a: 1, übung_2: 2 },
          Next: 'C',
        },
        C: {
          Type: 'Choice',
          Choices: [{ Condition: '{% true %}', Output: 1, Assign: { b: 1 }, Next: 'W', Comment: 'c' }],
          Default: 'S',
          Output: 1,
          Assign: { b: 2 },
        },
        W: { Type: 'Wait', Timestamp: '{% $now() %}', Next: 'T' },
        T: tokenWithEverything,
        M: map({
          Items: [1],
          ItemSelector: {},
          MaxConcurrency: '{% 2 %}',
          Retry: [],
          Catch: [],
          End: undefined,
          Next: 'L',
        }),
        L: { Type: 'Parallel', Arguments: {}, Branches: [{ StartAt: 'B', States: { B: pass } }], Next: 'F' },
        F: { Type: 'Fail', Error: '{% "E" %}', Cause: 'c' },
        S: { Type: 'Succeed', Output: 1 },
      },
    };
    expect([...load(JSON.stringify(everything)).states.keys()]).toEqual([
      'P',
      'C',
      'W',
      'T',
      'M',
      'L',
      'F',
      'S',
    ]);
  });
});
