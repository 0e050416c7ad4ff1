/** A header field: its name in lower case, its value unfolded. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

/** Headers longer than this are read so far: what a provider puts in front of a mail is much shorter. */
const mostBytes = 262_144;

/**
 * The header fields of a mail in their order, the topmost first. Those that the provider put in front stand before
 * whatever the sender wrote; below them all is attacker-controlled.
 */
export function headerFields(mail: Uint8Array): Field[] {
  const text = Buffer.from(mail.subarray(0, mostBytes)).toString('latin1');
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const fields: Field[] = [];
  for (const line of text.slice(0, end).split(/\r?\n(?![ \t])/)) {
    const [, name, value] = /^([!-9;-~]{1,76})[ \t]*:([\s\S]*)$/.exec(line) ?? [];
    // What is no field ends the header for many programs: nothing behind it counts.
    if (name === undefined || value === undefined) break;
    fields.push({ name: name.toLowerCase(), value: value.replace(/\r?\n/g, '').trim() });
  }
  return fields;
}

/** A hop of a mail's way, as the host that took it wrote it down. */
export interface Hop {
  /** The host that took the mail, in lower case. Empty if none is named. */
  readonly by: string;
  /** Whether the mail only changed hands within one provider: no host is named that it came from, or it came by LMTP. */
  readonly within: boolean;
}

/** No host writes longer ones; what comments a sender nests in one of its own must not keep us busy. */
const longestHop = 2000;

/**
 * Reads a `Received` field (RFC 5321, 4.4). What stands behind `from` is what the client called itself, so that it
 * decides nothing here; comments are left out for the same reason.
 */
export function hopOf(value: string): Hop {
  let plain = value.slice(0, longestHop);
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replace(/\([^()]*\)/g, ' ');
  }
  const by = /(?:^|\s)by\s+([^\s;]+)/i.exec(plain)?.[1]?.toLowerCase() ?? '';
  const from = /^\s*from\s/i.test(plain);
  return { by, within: !from || /\swith\s+lmtps?a?[\s;]/i.test(`${plain} `) };
}
