import { definitionRefused } from './refusal.ts';

/** The members of one object of a definition, and where it stands. */
export interface Fields {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Takes an object and refuses every member that is not known: nothing is ignored silently. */
export function fieldsAt(value: unknown, path: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw definitionRefused('The value must be an object', path);
  }
  const values = value as Record<string, unknown>;
  for (const name of Object.keys(values)) {
    if (!known.includes(name)) throw definitionRefused('Field is not supported', `${path}/${name}`);
  }
  return { path, values };
}

export function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields.values[name];
  if (value === undefined || typeof value === 'string') return value;
  throw definitionRefused('The value must be a string', `${fields.path}/${name}`);
}

export function requiredText(fields: Fields, name: string): string {
  const value = optionalText(fields, name);
  if (value === undefined) throw definitionRefused(`The field '${name}' is required`, fields.path);
  return value;
}

/** A field that has to hold one of a few texts, such as `Mode`. */
export function oneOf(fields: Fields, name: string, choices: readonly string[]): string | undefined {
  const value = optionalText(fields, name);
  if (value === undefined || choices.includes(value)) return value;
  throw definitionRefused(`The value must be ${choices.join(' or ')}`, `${fields.path}/${name}`);
}

export function optionalNumber(
  fields: Fields,
  name: string,
  range: { minimum: number; maximum?: number; fraction?: boolean },
): number | undefined {
  const value = fields.values[name];
  if (value === undefined) return undefined;
  const { minimum, maximum = Number.MAX_SAFE_INTEGER, fraction = false } = range;
  const fits = typeof value === 'number' && value >= minimum && value <= maximum;
  if (fits && (fraction || Number.isInteger(value))) return value;
  const kind = fraction ? 'a number' : 'an integer';
  throw definitionRefused(
    `The value must be ${kind} from ${minimum} to ${maximum}`,
    `${fields.path}/${name}`,
  );
}

export function list(fields: Fields, name: string): readonly unknown[] {
  const value = fields.values[name] ?? [];
  if (Array.isArray(value)) return value;
  throw definitionRefused('The value must be an array', `${fields.path}/${name}`);
}
