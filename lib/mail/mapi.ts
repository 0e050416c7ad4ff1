import { ByteReader, endOfBytes } from './bytereader.ts';

/** The properties of a MAPI object, by id, of those that a reader asks for ([MS-OXPROPS]). */
export type Properties = ReadonlyMap<number, Property>;

export interface Property {
  readonly type: number;
  readonly value: Uint8Array;
}

export const property = {
  submitTime: 0x0039,
  subject: 0x0037,
  senderName: 0x0c1a,
  senderAddress: 0x0c1f,
  senderSmtp: 0x5d01,
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  attachData: 0x3701,
  attachMethod: 0x3705,
  attachLongName: 0x3707,
  attachType: 0x370e,
  codepage: 0x3fde,
} as const;

const unicode = 0x1f;
const sizes: Readonly<Record<number, number>> = {
  1: 0, 2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16,
}; // biome-ignore format: a table
const variable = new Set([0x0d, 0x1e, unicode, 0x102]);
const multiple = 0x1000;
const mostProperties = 5000;
const mostValues = 10_000;

/**
 * Reads a list of properties as TNEF holds them ([MS-OXTNEF] 2.1.3.4). Of a property with several values the first counts.
 * @param bytes attacker-controlled
 * @returns what was read, and whether that was all
 */
export function readProperties(bytes: Uint8Array): { properties: Properties; whole: boolean } {
  const reader = new ByteReader(bytes);
  const properties = new Map<number, Property>();
  try {
    const count = reader.uint32();
    for (let number = 0; number < Math.min(count, mostProperties); number += 1)
      readProperty(reader, properties);
    return { properties, whole: count <= mostProperties };
  } catch (error) {
    if (error !== endOfBytes) throw error;
    return { properties, whole: false };
  }
}

function readProperty(reader: ByteReader, properties: Map<number, Property>): void {
  const type = reader.uint16();
  const id = reader.uint16();
  if (id >= 0x8000) skipName(reader);
  const value = readValue(reader, type);
  if (!properties.has(id)) properties.set(id, { type: type & ~multiple, value });
}

/** A property that an application named: a GUID, and a number or a string. */
function skipName(reader: ByteReader): void {
  reader.bytes(16);
  const named = reader.uint32() !== 0;
  const length = reader.uint32();
  if (named) reader.bytes(padded(length));
}

function readValue(reader: ByteReader, type: number): Uint8Array {
  const base = type & ~multiple;
  const counted = (type & multiple) !== 0 || variable.has(base);
  const count = counted ? Math.min(reader.uint32(), mostValues) : 1;
  let first: Uint8Array | undefined;
  for (let number = 0; number < count; number += 1) {
    const length = variable.has(base) ? reader.uint32() : (sizes[base] ?? Number.POSITIVE_INFINITY);
    const value = reader.bytes(length);
    reader.bytes(Math.min(padded(length) - length, reader.left));
    first ??= value;
  }
  return first ?? new Uint8Array();
}

const padded = (length: number): number => Math.ceil(length / 4) * 4;

/** A string's bytes without the NUL at their end, and the charset to read them by. */
export function stringOf(
  found: Property | undefined,
  charset: string,
): { bytes: Uint8Array; charset: string } | undefined {
  if (found === undefined) return undefined;
  const wide = found.type === unicode;
  const width = wide ? 2 : 1;
  let end = found.value.length - (found.value.length % width);
  while (end >= width && found.value.subarray(end - width, end).every((byte) => byte === 0)) end -= width;
  return { bytes: found.value.subarray(0, end), charset: wide ? 'utf-16le' : charset };
}

export function numberOf(found: Property | undefined): number | undefined {
  return found === undefined || found.value.length < 4 ? undefined : new ByteReader(found.value).uint32();
}

/** A time is counted in steps of 100 ns since 1601, in UTC. */
export function timeOf(found: Property | undefined): Date | undefined {
  if (found === undefined || found.value.length < 8) return undefined;
  const reader = new ByteReader(found.value);
  const [low, high] = [reader.uint32(), reader.uint32()];
  const date = new Date((high * 2 ** 32 + low) / 10_000 - 11_644_473_600_000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const families: Readonly<Record<number, string>> = {
  874: 'windows-874', 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5', 10000: 'macintosh', 20866: 'koi8-r',
  21866: 'koi8-u', 50220: 'iso-2022-jp', 50221: 'iso-2022-jp', 50222: 'iso-2022-jp', 51932: 'euc-jp',
  51949: 'euc-kr', 54936: 'gb18030', 65001: 'utf-8',
}; // biome-ignore format: a table

/** The charset of a Windows code page. One that is not known is read as text of unknown charset is. */
export function charsetOf(codepage: number | undefined): string {
  if (codepage === undefined) return '';
  if (codepage >= 1250 && codepage <= 1258) return `windows-${codepage}`;
  if (codepage > 28_590 && codepage < 28_606) return `iso-8859-${codepage - 28_590}`;
  return families[codepage] ?? '';
}
