import { CaregateError } from '../errors.ts';
import type { Call, ResolvedArgument } from '../proposal/call.ts';
import { type ArgumentForm, catalogue as ownCatalogue } from '../proposal/catalogue.ts';
import type { Catalogue } from './request.ts';

/** Deeper input than this is no tool call, but an attempt to exhaust whoever reads it. */
const deepest = 32;

/**
 * A tool call as text for the rules of a constitution: every leaf of the input as `path: value` on a line of its own,
 * white space inside a value collapsed so that no value can forge a line and no phrase hides in a line break. Names
 * in snake_case, kebab-case or camelCase stand once more as plain words. Nothing is left out or cut.
 * @param input plain JSON; attacker-controlled
 * @throws CaregateError `INVALID_INPUT` for what is not plain JSON
 */
export function renderToolCall(tool: string, input: unknown): string {
  const leaves: (readonly [path: string, value: string])[] = [];
  collectLeaves(input, '', 0, leaves);
  const lines = leaves.map(([path, value]) => `${path}: ${value}`);
  const names = new Set([tool, ...leaves.flatMap(([path, value]) => [...path.split(/[.[\]\d]+/), value])]);
  const words = [...names].flatMap((name) => plainWords(name));
  return [`tool: ${oneLine(tool)}`, 'arguments:', ...lines, `words: ${words.join(' | ')}`].join('\n');
}

/** A resolved call, rendered in the same way: entries and documents with the names that stand in the effect. */
export function renderCall(call: Call, catalogue: Catalogue = ownCatalogue): string {
  const specs = catalogue[call.tool]?.arguments ?? {};
  const input = Object.entries(call.arguments).map(([name, argument]) => {
    return [name, plainArgument(argument, specs[name]?.form)];
  });
  return renderToolCall(call.tool, Object.fromEntries(input));
}

function plainArgument(argument: ResolvedArgument, form: ArgumentForm | undefined): unknown {
  if ('documents' in argument) return argument.documents.map(({ name, digest }) => ({ name, digest }));
  if ('value' in argument) {
    // A list stands in a call as JSON, whose escapes would hide a phrase from the rules.
    return form === 'items' || form === 'facts' ? JSON.parse(argument.value) : argument.value;
  }
  if ('role' in argument) return argument.role;
  if ('literal' in argument) return argument.literal;
  const { list, id, name, email } = argument.entry;
  return { list, id, name, ...(email === undefined ? {} : { email }) };
}

function collectLeaves(
  input: unknown,
  path: string,
  depth: number,
  leaves: (readonly [string, string])[],
): void {
  if (depth > deepest) throw unreadable('is nested too deeply');
  if (input === null || typeof input === 'boolean' || typeof input === 'number') {
    leaves.push([path, String(input)]);
  } else if (typeof input === 'string') {
    leaves.push([path, oneLine(input)]);
  } else if (Array.isArray(input)) {
    input.forEach((item, index) => {
      collectLeaves(item, `${path}[${index}]`, depth + 1, leaves);
    });
  } else if (typeof input === 'object') {
    for (const [key, value] of Object.entries(input)) {
      if (value !== undefined)
        collectLeaves(value, path === '' ? oneLine(key) : `${path}.${oneLine(key)}`, depth + 1, leaves);
    }
  } else {
    throw unreadable('is not plain JSON');
  }
}

const identifier = /^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*$/;
const boundary = /[_-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

/** The words of an identifier that has several, or none. */
function plainWords(name: string): string[] {
  if (name.length > 100 || !identifier.test(name)) return [];
  const words = name.split(boundary);
  return words.length > 1 ? [words.join(' ')] : [];
}

function oneLine(text: string): string {
  return text.replace(/[\s\u0085]+/g, ' ').trim();
}

function unreadable(what: string): CaregateError {
  return new CaregateError('INVALID_INPUT', `the \`input\` of the tool call ${what}; pass plain JSON`);
}
