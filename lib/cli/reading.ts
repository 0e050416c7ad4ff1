import type { CaseDocument, UnreadReason } from '../evidence/types.ts';
import type { DoubtName, Fact, ValidatorName } from '../provenance/trust.ts';

const width = 80;

/** Lines of at most 80 columns; what a line goes on with is indented. Control characters are no part of a text. */
export function wrapped(text: string): string[] {
  const plain = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  const indent = /^ */.exec(plain)?.[0].length ?? 0;
  const lines: string[] = [];
  let line = '';
  for (const word of plain.slice(indent).match(/\S+\s*/gu) ?? []) {
    const piece = word.trimEnd();
    if (line !== '' && line.length + piece.length > width) {
      lines.push(line.trimEnd());
      line = ' '.repeat(indent + 4);
    } else if (line === '') line = ' '.repeat(indent);
    line += word;
  }
  return [...lines, line.trimEnd()].filter((each) => each !== '').flatMap(cut);
}

/** A word that is longer than a line is cut where the line ends. */
function cut(line: string): string[] {
  return line.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [];
}

const unreadWords: Readonly<Record<UnreadReason, string>> = {
  locked: 'not read: it is locked with a password',
  scanned: 'not read: it is a picture of text',
  unsupported: 'not read: a format that is not read here',
  damaged: 'damaged: it could not be taken apart as a whole',
  too_large: 'not read: it is too large',
  too_small: 'not read: a picture too small to hold text',
  empty: 'it has no text',
};

/** What there is to read, and what could not be read and why. */
export function documentLines(documents: readonly CaseDocument[]): string[] {
  const lines = documents.flatMap((document) => {
    const { alias, kind, name, size, pages, unread, transcribed, unseen, hidden, truncated } = document;
    const notes = [
      unread === undefined ? '' : unreadWords[unread],
      transcribed === undefined ? '' : `read from a picture: page ${transcribed.join(', ')}`,
      unseen === undefined ? '' : `a picture that nothing has read: page ${unseen.join(', ')}`,
      hidden === undefined ? '' : 'text that nobody sees was left out',
      truncated === undefined ? '' : 'cut: it holds more text than is read',
    ].filter((note) => note !== '');
    const extent = `${pages.length} ${pages.length === 1 ? 'page' : 'pages'}, ${size} bytes`;
    return [
      ...wrapped(`  ${alias}  ${kind}  ${name}  (${extent})`),
      ...notes.flatMap((note) => wrapped(`      ${note}`)),
    ];
  });
  return ['', `${documents.length} documents`, ...lines];
}

const doubtWords: Readonly<Record<DoubtName, string>> = {
  day_month_order: 'day and month may be swapped',
  year_missing: 'the year is not given',
  year_short: 'the year has two digits',
  weekday_disagrees: 'the weekday is another one',
  half_of_day: 'it may be in the other half of the day',
  time_unclear: 'the time may be another',
  time_skipped: 'the clocks skip this time',
  time_repeated: 'the clocks show this time twice',
  zone_missing: 'no time zone is given',
  zone_unknown: 'its time zone is unknown',
  zone_other: 'another time zone is named',
  past: 'it is over',
  changed: 'the mail speaks of a change',
  cancelled: 'it is cancelled',
  offered: 'it is offered, not fixed',
  repeats: 'it is one of a series',
  answer: 'it is an answer to an invitation',
  order: 'it ends before it starts',
  picture: 'it was read from a picture',
  model: 'only the model says so',
};

const validatorWords: Readonly<Record<ValidatorName, string>> = {
  'certain-date': 'the words can mean this one only',
  'calendar-date': 'the invitation is complete in itself',
  'person-answer': 'a person of the circle said so',
};

/** A fact with its source and trust, and what raised it or kept it from being raised. */
export function factLines(
  { kind, value, group, trust, validator, doubt, source }: Fact,
  alias: string,
): string[] {
  const why =
    validator !== undefined
      ? ` by ${validator}: ${validatorWords[validator]}`
      : doubt === undefined
        ? ''
        : `, to be asked: ${doubtWords[doubt]}`;
  return [
    ...wrapped(`  ${group === undefined ? '' : `${group} `}${kind.replaceAll('_', ' ')}: ${value}`),
    ...wrapped(`      ${trust}${why}`),
    ...wrapped(`      ${alias} page ${source.page}: "${source.quote}"`),
  ];
}
