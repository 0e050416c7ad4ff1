const feed = 0x0a;
const carriageReturn = 0x0d;

/**
 * The bytes of a uuencoded attachment, which old Unix mailers still send.
 * @returns nothing if the text is not one whole uuencoded file
 */
export function uudecode(encoded: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  let at = firstLine(text);
  if (at === -1) return undefined;
  const bytes = new Uint8Array(encoded.length);
  let length = 0;
  while (at < text.length) {
    const end = lineEnd(text, at);
    const last = end > at && text[end - 1] === carriageReturn ? end - 1 : end;
    if (text.toString('latin1', at, Math.min(last, at + 4)) === 'end' && last - at === 3)
      return bytes.slice(0, length);
    length = decodeLine(text.subarray(at, last), bytes, length);
    at = end + 1;
  }
  return undefined;
}

/** Where the first line behind the one that begins the file starts; -1 for none. */
function firstLine(text: Buffer): number {
  let at = 0;
  while (at < text.length) {
    const end = lineEnd(text, at);
    if (/^begin [0-7]{3,4} \S/.test(text.toString('latin1', at, Math.min(end, at + 20)))) return end + 1;
    at = end + 1;
  }
  return -1;
}

function lineEnd(text: Buffer, from: number): number {
  const end = text.indexOf(feed, from);
  return end === -1 ? text.length : end;
}

/** Writes what a line holds, and returns the length of all that was written. */
function decodeLine(line: Uint8Array, bytes: Uint8Array, written: number): number {
  const six = (at: number): number => ((line[at] || 0x20) - 0x20) & 0x3f;
  const most = Math.min(six(0), Math.floor((line.length * 3) / 4) + 3, bytes.length - written);
  for (let at = 1, done = 0; done < most; at += 4, done += 3) {
    const [a, b, c, d] = [six(at), six(at + 1), six(at + 2), six(at + 3)];
    const triple = [(a << 2) | (b >> 4), ((b & 15) << 4) | (c >> 2), ((c & 3) << 6) | d];
    for (let index = 0; index < Math.min(3, most - done); index += 1) {
      bytes[written + done + index] = (triple[index] ?? 0) & 255;
    }
  }
  return written + most;
}
