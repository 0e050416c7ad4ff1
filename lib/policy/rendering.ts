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
  const rendering: Rendering = { lines: [`tool: ${oneLine(tool)}`, 'arguments:'], names: new Set([tool]) };
  renderLeaves(input, '', 0, rendering);
  const words = [...rendering.names].flatMap(plainWords);
  return [...rendering.lines, `words: ${words.join(' | ')}`].join('\n');
}

interface Rendering {
  readonly lines: string[];
  /** Whatever may be a name: of the tool, of an argument, or a value of one word. */
  readonly names: Set<string>;
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

function renderLeaves(input: unknown, path: string, depth: number, rendering: Rendering): void {
  if (depth > deepest) throw unreadable('is nested too deeply');
  if (typeof input === 'string') {
    rendering.lines.push(`${path}: ${oneLine(input)}`);
    rendering.names.add(input);
  } else if (input === null || typeof input === 'boolean' || typeof input === 'number') {
    rendering.lines.push(`${path}: ${input}`);
  } else if (Array.isArray(input)) {
    for (const [index, item] of input.entries())
      renderLeaves(item, `${path}[${index}]`, depth + 1, rendering);
  } else if (typeof input === 'object') {
    for (const [key, value] of Object.entries(input)) {
      if (value === undefined) continue;
      rendering.names.add(key);
      renderLeaves(value, path === '' ? oneLine(key) : `${path}.${oneLine(key)}`, depth + 1, rendering);
    }
  } else {
    throw unreadable('is not plain JSON');
  }
}

const identifier = /^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*$/;
const joint = /[_-]|[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
const boundary = /[_-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

/** The words of an identifier that has several, or none. */
function plainWords(name: string): string[] {
  if (name.length > 100 || !joint.test(name) || !identifier.test(name)) return [];
  return [name.split(boundary).join(' ')];
}

const uneven = /[^\S ]|\u0085| {2}|^ | $/;

function oneLine(text: string): string {
  if (!uneven.test(text)) return text;
  return text.replace(/[\s\u0085]+/g, ' ').trim();
}

function unreadable(what: string): CaregateError {
  return new CaregateError('INVALID_INPUT', `the \`input\` of the tool call ${what}; pass plain JSON`);
}
