/** Writes what Outlook packs into a `winmail.dat`, as far as tests need it. */
const bytesOf = (value: Uint8Array | string): Uint8Array =>
  typeof value === 'string' ? new TextEncoder().encode(value) : value;

function numbers(...values: readonly [size: 1 | 2 | 4, value: number][]): Uint8Array {
  return Buffer.concat(
    values.map(([size, value]) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntLE(value, 0, size);
      return bytes;
    }),
  );
}

export function winmail(...attributes: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([numbers([4, 0x223e9f78], [2, 1]), ...attributes]);
}

export function attribute(id: number, value: Uint8Array | string): Uint8Array {
  const bytes = bytesOf(value);
  const sum = bytes.reduce((total, byte) => (total + byte) & 0xffff, 0);
  return Buffer.concat([numbers([1, 1], [4, id], [4, bytes.length]), bytes, numbers([2, sum])]);
}

export interface TestProperty {
  readonly id: number;
  readonly type: number;
  readonly values: readonly (Uint8Array | string)[];
  /** The name of a property that an application named. */
  readonly name?: string | number;
}

const variable = new Set([0x0d, 0x1e, 0x1f, 0x102]);

export function properties(all: readonly TestProperty[]): Uint8Array {
  return Buffer.concat([numbers([4, all.length]), ...all.map(propertyBytes)]);
}

function propertyBytes({ id, type, values, name }: TestProperty): Uint8Array {
  const counted = variable.has(type & 0xfff) || (type & 0x1000) !== 0;
  const pieces: Uint8Array[] = [numbers([2, type], [2, id])];
  if (typeof name === 'number') pieces.push(Buffer.alloc(16), numbers([4, 0], [4, name]));
  if (typeof name === 'string') {
    const text = Buffer.from(name, 'utf16le');
    pieces.push(Buffer.alloc(16), numbers([4, 1], [4, text.length]), padded(text));
  }
  if (counted) pieces.push(numbers([4, values.length]));
  for (const value of values.map(bytesOf)) {
    if (variable.has(type & 0xfff)) pieces.push(numbers([4, value.length]));
    pieces.push(padded(value));
  }
  return Buffer.concat(pieces);
}

const padded = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);

/** One file as a packed mail holds it. */
export function packedFile(name: string, data: Uint8Array | string, more: readonly TestProperty[] = []) {
  return Buffer.concat([
    attribute(0x69002, Buffer.alloc(14)),
    attribute(0x18010, `${name.slice(0, 8)}\0`),
    attribute(0x6800f, data),
    attribute(0x69005, properties([{ id: 0x3707, type: 0x1e, values: [`${name}\0`] }, ...more])),
  ]);
}
