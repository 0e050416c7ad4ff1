import libmime from 'libmime';

/**
 * The text of bytes that a mail says are text. What is valid UTF-8 and contradicts no declared charset is read as
 * UTF-8; an unknown charset never loses a mail.
 *
 * @param charset the declared charset, if any; attacker-controlled
 * @param cut whether more bytes follow, so that half a character at the end says nothing about the charset
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined, cut = false): string {
  const declared = decoderOf(charset);
  if (declared !== undefined && !asciiLike(declared.encoding)) return declared.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return (declared ?? new TextDecoder('windows-1252')).decode(bytes);
  }
}

/** Text of `format=flowed` (RFC 3676) with its soft line breaks joined. */
export function unflowText(text: string, deleteSpace: boolean): string {
  return libmime.decodeFlowed(text, deleteSpace);
}

/** Mail programs write Latin 1 or ASCII and send UTF-8; text that is valid UTF-8 by chance is next to none. */
function asciiLike(encoding: string): boolean {
  return encoding === 'utf-8' || encoding === 'windows-1252';
}

function decoderOf(charset: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  if (charset === undefined || charset === '') return undefined;
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined; // unknown, or refused on purpose, as UTF-7 is
  }
}
