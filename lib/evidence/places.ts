import { type Finding, findingOf } from './lines.ts';
import { besideMoment, type Surroundings, sentenceEnd, sentenceStart } from './titles.ts';

/** Where an appointment is, where the letter says it: by a label, or in the sentence of its moment. */
export function placeOf(around: Surroundings): Finding | undefined {
  return labelled(around) ?? besideMoment(around)?.place ?? afterMoment(around) ?? beforeMoment(around);
}

const label =
  /^[> \t•*-]{0,20}(?:(?:where|place|location|venue|address|room|hospital|ort|wo|treffpunkt|raum|anschrift|lieu|où|adresse|salle|lugar(?: de la cita)?|dónde|dirección|centro|luogo|dove|plaats)[ \t]*:[ \t]*|(?:where|location|venue|place)[ \t]+(?=\p{Lu}|\d))(?=\S)/iu;
/** A line that starts with a label of its own is no continuation of an address. */
const anotherLabel =
  /^[> \t•*-]{0,20}[\p{L} ]{2,24}:|^[> \t•*-]{0,20}(?:with|when|who|what|bring|please|date|time)\b/iu;

function labelled({ text, lines, line, first, last }: Surroundings): Finding | undefined {
  const order = [...range(line, Math.min(last, line + 8)), ...range(Math.max(first, line - 4), line - 1)];
  for (const at of order) {
    const written = lines.textOf(at);
    const length = label.exec(written)?.[0].length;
    if (length === undefined) continue;
    const start = lines.startOf(at) + length;
    const next = lines.textOf(at + 1);
    const wraps =
      at < last && written.length > 55 && /\S/.test(next) && next.length <= 45 && !anotherLabel.test(next);
    const stop = wraps
      ? lines.startOf(at + 1) + next.length
      : lines.startOf(at) + Math.min(written.length, 400);
    const found = findingOf(text, start, stop - start);
    if (found !== undefined) return found;
  }
  return undefined;
}

const placeWord = String.raw`(?:[^.;!?]|(?<=\b(?:Dr|St|Prof|Str|No))\.)`;
const placeEnd = String.raw`(?=\s+(?:with|to see|for|on|has|have|is|was|will|wird|wurde|ha|a été|where|when|and please|please|so that|mit|statt|avec|con|pour|para|bei)\b|[;!?]|(?<!\b(?:Dr|St|Prof|Str|No))\.|\n\s*\n|$)`;
const after = new RegExp(
  String.raw`^\s*[,;–—-]?\s*(?:(?:at|in|@|im|in der|in unserer|bei|à l['’]|à la|à|au|dans|en el|en la|en)\s*(?<=[\s'’@])(?<at>(?:the\s+)?[\p{Lu}\d]${placeWord}{2,140}?)${placeEnd}|(?<room>(?:Room|Suite|Level|Ward|Floor|Clinic|Raum|Zimmer|Station|Salle|Planta|Consulta|Sala|Bâtiment|Building)\s[^.;!?\n]{1,100}?)(?:${placeEnd}|(?=\n)))`,
  'u',
);

function afterMoment({ text, end, index }: Surroundings): Finding | undefined {
  const rest = text.slice(end, sentenceEnd(text, end) + 1);
  const match = after.exec(rest);
  const place = match?.groups?.at ?? match?.groups?.room;
  if (match === null || place === undefined || /^\d{1,2}(?:[:.]\d{2}|\s?[ap]m)/i.test(place))
    return undefined;
  const at = end + rest.indexOf(place);
  return at > index ? findingOf(text, at, place.length) : undefined;
}

const beforeDate = /\b(?:at|in)\s+(?<at>(?:the\s+)?\p{Lu}[^.;:!?]{2,100}?)[,\s]+(?:on\s*)?$/u;

function beforeMoment({ text, index }: Surroundings): Finding | undefined {
  const start = sentenceStart(text, index);
  const before = text.slice(start, index);
  const place = beforeDate.exec(before)?.groups?.at;
  if (
    place === undefined ||
    /(?<!\p{L})(?:findet|wird|ist|is|will|has|are|your|ihrer)(?!\p{L})/iu.test(place)
  )
    return undefined;
  return findingOf(text, start + before.lastIndexOf(place), place.length);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, step) => from + step);
}
