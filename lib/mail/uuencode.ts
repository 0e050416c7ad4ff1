/**
 * The bytes of a uuencoded attachment, which old Unix mailers still send.
 * @returns nothing if the text is not one whole uuencoded file
 */
export function uudecode(encoded: Uint8Array): Uint8Array | undefined {
  const lines = Buffer.from(encoded).toString('latin1').split(/\r?\n/);
  const begin = lines.findIndex((line) => /^begin [0-7]{3,4} \S/.test(line));
  if (begin === -1) return undefined;
  const bytes = new Uint8Array(encoded.length);
  let length = 0;
  for (const line of lines.slice(begin + 1)) {
    if (line === 'end') return bytes.slice(0, length);
    const decoded = decodeLine(line);
    bytes.set(decoded, length);
    length += decoded.length;
  }
  return undefined;
}

function decodeLine(line: string): number[] {
  const bytes: number[] = [];
  const six = (at: number): number => ((line.charCodeAt(at) || 0x20) - 0x20) & 0x3f;
  const count = six(0);
  for (let at = 1, done = 0; done < count; at += 4, done += 3) {
    const [a, b, c, d] = [six(at), six(at + 1), six(at + 2), six(at + 3)];
    const triple = [(a << 2) | (b >> 4), ((b & 15) << 4) | (c >> 2), ((c & 3) << 6) | d];
    for (const byte of triple.slice(0, count - done)) bytes.push(byte & 255);
  }
  return bytes;
}
