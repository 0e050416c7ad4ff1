import { CaregateError } from '../errors.ts';

/** What canonical JSON can hold. A property that is `undefined` is left out, as JSON does. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/**
 * The canonical JSON text of a value by RFC 8785: keys sorted by UTF-16 code units, ECMAScript numbers, no blanks.
 * @throws CaregateError `CANONICAL_UNSUPPORTED` for what has no such form: NaN, infinities, lone surrogates,
 *   functions, symbols, big integers, and objects that are not plain
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value === 'string') return canonicalString(value);
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`;
  if (isPlainObject(value)) return canonicalObject(value);
  throw unsupported(typeof value);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw unsupported(String(value));
  return JSON.stringify(value);
}

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw unsupported('a lone surrogate');
  return JSON.stringify(value);
}

function canonicalObject(value: Record<string, unknown>): string {
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort() // the default order is by UTF-16 code units, which is the order that RFC 8785 asks for
    .map((key) => `${canonicalString(key)}:${canonicalJson(value[key])}`);
  return `{${members.join(',')}}`;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function unsupported(what: string): CaregateError {
  return new CaregateError(
    'CANONICAL_UNSUPPORTED',
    `\`${what}\` has no canonical JSON form; pass plain JSON values`,
  );
}
