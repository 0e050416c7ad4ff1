import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Diagnostic, getLanguageService, TextDocument } from 'amazon-states-language-service';
import jsonata from 'jsonata';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { templateJson } from './synthesized.ts';

const folder = 'statemachines';
const files = readdirSync(folder).filter((name) => name.endsWith('.asl.json'));
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');

const service = getLanguageService({});

/** What the checker of AWS's own editors says of a machine. */
async function complaints(text: string): Promise<string[]> {
  const document = TextDocument.create('file:///machine.asl.json', 'json', 1, text);
  const found: Diagnostic[] = await service.doValidation(document, service.parseJSONDocument(document));
  return found.map(({ message }) => String(message));
}

interface State {
  [field: string]: unknown;
}
interface Machine {
  StartAt: string;
  States: Record<string, State>;
}

/** The complaints about a machine after a change of it. */
function changed(change: (machine: Machine) => void): Promise<string[]> {
  const machine: Machine = JSON.parse(textOf('care-event.asl.json'));
  change(machine);
  return complaints(JSON.stringify(machine));
}

function state(machine: Machine, name: string): State {
  return machine.States[name] ?? expect.fail(`there is no state ${name}`);
}

// It knows the states, their fields for JSONata and for JSONPath, and who leads to whom, inside maps too. It does not look
// into expressions: neither their syntax nor their variables. The engine of the embedded office does, at load.
describe.each(files)('the machine %s', (file) => {
  it('is one that AWS takes', async () => {
    expect(await complaints(textOf(file))).toEqual([]);
  });

  it('has no expression that JSONata cannot read', () => {
    const expressions = [...textOf(file).matchAll(/"\{%((?:[^"\\]|\\.)*)%\}"/g)].map(
      ([, text = '']) => JSON.parse(`"${text}"`) as string,
    );
    expect(expressions.length).toBeGreaterThan(20);
    for (const expression of expressions) expect(() => jsonata(expression), expression).not.toThrow();
  });
});

describe('the checker', () => {
  it.each<[string, (machine: Machine) => void, RegExp]>([
    [
      'a state that is nowhere',
      (machine) => (state(machine, 'Plan').Next = 'Nowhere'),
      /name of an existing state/,
    ],
    ['a start that is nowhere', (machine) => (machine.StartAt = 'Nowhere'), /name of an existing state/],
    [
      'a state that nothing leads to',
      (machine) => (machine.States.Lost = { Type: 'Succeed' }),
      /cannot be reached/,
    ],
    ['a type that there is not', (machine) => (state(machine, 'Closed').Type = 'Sucess'), /not accepted/],
    [
      'a task without a resource',
      (machine) => delete state(machine, 'Plan').Resource,
      /Missing property "Resource"/,
    ],
    [
      'a field that there is not',
      (machine) => (state(machine, 'Plan').Timeout = 3),
      /Field is not supported/,
    ],
    ['a time that is none', (machine) => (state(machine, 'Plan').TimeoutSeconds = 'soon'), /Incorrect type/],
  ])('finds %s', async (_, change, complaint) => {
    expect((await changed(change)).join('\n')).toMatch(complaint);
  });
});

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()) }),
  ),
});

describe('the template', () => {
  it('shows every change of the workflow', async () => {
    const { Resources } = templateSchema.parse(templateJson('workflow'));
    const machines = Object.values(Resources)
      .filter(({ Type }) => Type === 'AWS::StepFunctions::StateMachine')
      .map(({ Properties: { DefinitionString, DefinitionSubstitutions, ...rest } }) => ({
        ...rest,
        functions: Object.keys(z.record(z.string(), z.unknown()).parse(DefinitionSubstitutions)),
        definition: JSON.parse(String(DefinitionString)),
      }));
    await expect(`${JSON.stringify(machines, null, 1)}\n`).toMatchFileSnapshot('snapshots/machine.txt');
  });

  it('shows what would be replaced: the names by which CloudFormation knows what must outlive a release', async () => {
    const kept = ['case-file', 'approvals', 'mailbox'] as const;
    const names = kept.flatMap((stack) =>
      Object.entries(templateSchema.parse(templateJson(stack)).Resources)
        .filter(([, { Type }]) => /::(?:Bucket|Table|Key|EmailIdentity|Api)$/.test(Type))
        .map(([id, { Type }]) => `${stack} ${Type} ${id}`),
    );
    await expect(`${names.sort().join('\n')}\n`).toMatchFileSnapshot('snapshots/kept.txt');
  });
});
