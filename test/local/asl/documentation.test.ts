import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dialectFunctions } from '../../../lib/local/asl/functions.ts';
import { limits } from '../../../lib/local/asl/limits.ts';
import { machineFields } from '../../../lib/local/asl/machine.ts';
import { behaviours } from '../../../lib/local/asl/states/dispatch.ts';
import { invokeArguments, taskResources } from '../../../lib/local/asl/states/task.ts';
import { operations } from '../../../lib/local/endpoints/states-operations.ts';

const text = readFileSync(new URL('../../../docs/states-language.md', import.meta.url), 'utf8');

/** The names in backticks of each row of the table under a heading, the first cell first. */
function table(heading: string): string[][] {
  const section = text.split(/^## /m).find((each) => each.startsWith(heading)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(namesIn);
}

function namesIn(line: string): string[] {
  return [...line.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

function lineWith(start: string): string {
  return text.split('\n').find((line) => line.startsWith(start)) ?? '';
}

describe('the page on the States Language says what the engine does', () => {
  it('state types and their fields', () => {
    const dispatched = Object.entries(behaviours).map(([type, { fields }]) => [type, ...fields]);
    expect(table('States')).toEqual(dispatched);
  });

  it('fields of the machine, resources and arguments', () => {
    expect(namesIn(lineWith('- The machine itself'))).toEqual([...machineFields]);
    expect(namesIn(lineWith("- A Task's resource"))).toEqual([...taskResources]);
    expect(namesIn(lineWith('- Its `Arguments`')).slice(1)).toEqual([...invokeArguments]);
  });

  it('functions of the dialect', () => {
    const functions = [...Object.keys(dialectFunctions), 'now'].map((name) => `$${name}`).sort();
    expect(namesIn(lineWith('`$hash`'))).toEqual(functions);
  });

  it('operations of the service', () => {
    expect(
      table('The service')
        .map(([name]) => name)
        .sort(),
    ).toEqual(Object.keys(operations).sort());
  });

  it('limits', () => {
    const numbers = [limits.payloadBytes, limits.historyEvents, limits.nameLength, limits.taskTokenLength];
    for (const number of numbers) expect(text).toContain(number.toLocaleString('en'));
    expect(text).toContain(`${limits.mapConcurrency} items run side by side`);
  });
});
