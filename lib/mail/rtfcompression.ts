import { ByteReader } from './bytereader.ts';

/** What the dictionary holds before the first byte ([MS-OXRTFCP] 2.1.2.1). */
const initial =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

const compressed = 0x75465a4c;
const uncompressed = 0x414c454d;
const ring = 4096;
const largest = 10_000_000;

/**
 * The RTF that Outlook packs a letter in. One byte of it gives at most nine, and more than 10 MB are none.
 * @param packed attacker-controlled
 * @returns nothing for what is not packed RTF, and what there is of one that ends early
 */
export function unpackRtf(packed: Uint8Array): Uint8Array | undefined {
  if (packed.length < 16) return undefined;
  const reader = new ByteReader(packed);
  const [, size, magic] = [reader.uint32(), reader.uint32(), reader.uint32(), reader.uint32()];
  if (size > largest) return undefined;
  if (magic === uncompressed) return reader.bytes(Math.min(size, reader.left));
  return magic === compressed ? inflate(reader, size) : undefined;
}

function inflate(reader: ByteReader, size: number): Uint8Array {
  const output = new Uint8Array(size);
  const dictionary = new Uint8Array(ring);
  dictionary.set(Buffer.from(initial, 'latin1'));
  let [length, write] = [0, initial.length];
  const put = (byte: number): void => {
    if (length < size) output[length++] = byte;
    dictionary[write] = byte;
    write = (write + 1) % ring;
  };
  while (reader.left > 0 && length < size) {
    const control = reader.uint8();
    for (let bit = 0; bit < 8 && reader.left > 0 && length < size; bit += 1) {
      if ((control & (1 << bit)) === 0) {
        put(reader.uint8());
        continue;
      }
      if (reader.left < 2) return output.subarray(0, length);
      const token = (reader.uint8() << 8) | reader.uint8();
      const from = token >> 4;
      if (from === write) return output.subarray(0, length);
      for (let step = 0; step < (token & 15) + 2; step += 1) put(dictionary[(from + step) % ring] ?? 0);
    }
  }
  return output.subarray(0, length);
}
