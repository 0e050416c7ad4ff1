/** Parts of keys that say what a thing is. All others may say whose. */
const words: ReadonlySet<string> = new Set(
  `circles cases actions notices told summaries deliveries startings unassigned documents triage evidence consents receipts parked
closings history policies effects folders calendars letters smoke release release-request release-choice case mail
proposal call decision approval decline answer intent attempt sent rejected outcome policy constitution`.split(
    /\s+/,
  ),
);

const code = /^[A-Z][A-Z0-9_]*$/;
const identifier = /^(?:(?:[cq]-)?[0-9a-f]{8,64}(?:-r\d{1,4})?|\d+)$/;
const masked = '…';

/**
 * An error's text without what it names, unless that is a code, a digest, a number, a field of our own or a word of
 * ours: a key can hold the id of a person or of a household, and those are often their names.
 */
export function maskText(text: string): string {
  return text.replace(/(field )?`([^`]*)`/g, (_, field: string | undefined, value: string) => {
    if (field !== undefined && /^[A-Za-z][A-Za-z0-9.]{0,60}$/.test(value)) return `${field}\`${value}\``;
    return `${field ?? ''}\`${value.split('/').map(maskPart).join('/')}\``;
  });
}

function maskPart(part: string): string {
  const [stem = '', ...endings] = part.split('.');
  const ending = endings.length === 0 ? '' : `.${endings.join('.')}`;
  const shownEnding = /^\.(?:json|eml|ics|yaml)$/.test(ending) ? ending : '';
  const plain = ending === shownEnding && (words.has(stem) || code.test(stem) || identifier.test(stem));
  return plain || part === '' ? part : `${masked}${shownEnding}`;
}

/** The name of an error that is not ours, where it looks like a class's name. */
export function kindOf(error: unknown): string {
  return maskKind(error instanceof Error ? error.name : typeof error);
}

export function maskKind(kind: string): string {
  return /^[A-Za-z][A-Za-z0-9_.]*$/.test(kind) ? kind.slice(0, 60) : 'unnamed';
}
