import { type Finding, findingOf } from './lines.ts';
import { personName } from './names.ts';
import { type Surroundings, sentenceEnd, sentenceStart } from './titles.ts';

const named = new RegExp(String.raw`(?<!\p{L})(?<value>${personName})`, 'gu');

/** Every name of a person that a text gives with a title. */
export function peopleIn(text: string): Finding[] {
  return [...text.matchAll(named)].flatMap((match) => {
    const found = findingOf(text, match.index, match[0].length);
    return found === undefined ? [] : [withoutStray(found)];
  });
}

/** A sentence may go on with a capital letter behind a name: weekdays, months and places are no part of it. */
const stray =
  /\s+(?:on|at|will|is|has|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Please|Room|Tel|Telephone|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Uhr|Clinic|Hospital|Where|When|Date|Time)(?!\p{L}).*$/u;

function withoutStray(found: Finding): Finding {
  const value = found.value.replace(stray, '');
  return value === found.value
    ? found
    : { ...found, value, length: found.length - (found.value.length - value.length) };
}

const seen = new RegExp(
  String.raw`(?<!\p{L})(?:(?:with|to see|seen by|see|mit|bei|con|avec|chez|par|by)[^\S\n]+(?:(?:your|our|the|le|la|el|der|dem|Herrn|Frau)[^\S\n]+)?|(?:consultant|surgeon|nurse|physiotherapist|therapist|cardiologist|neurologist|dentist|médecin|médico|Arzt|Ärztin)[^\S\n]+)(?<value>${personName})`,
  'gu',
);
const label =
  /^[> \t•*-]{0,20}(?:with|who|clinician|consultant|doctor|provider|physician|therapist|nurse|seeing|arzt|ärztin|behandler(?:in)?|behandelnder arzt|ansprechpartner(?:in)?|médico|médica|facultativo|facultativa|profesional|doctora?|médecin|praticien(?:ne)?|avec)[^\S\n]*(?::[^\S\n]*|[^\S\n]+(?=\p{Lu}))(?=\S)/iu;

/** Whom an appointment is with: by a label, or in its sentence, or in the lines that are its own. */
export function clinicianOf(around: Surroundings): Finding | undefined {
  return labelled(around) ?? inSentence(around) ?? nearby(around);
}

function labelled({ text, lines, line, first, last, alone }: Surroundings): Finding | undefined {
  // Between two appointments of a letter, what stands far above one belongs to the other.
  for (let at = Math.max(first, line - (alone ? 6 : 1)); at <= Math.min(last, line + 8); at += 1) {
    const length = label.exec(lines.textOf(at))?.[0].length;
    if (length === undefined) continue;
    const rest = lines.textOf(at).slice(length, length + 120);
    const name = peopleIn(rest)[0];
    if (name !== undefined && name.index < 30)
      return { ...name, index: name.index + lines.startOf(at) + length };
    if (!/^\p{Lu}[^.!?]{3,79}$/u.test(rest)) continue;
    return findingOf(text, lines.startOf(at) + length, rest.length);
  }
  return undefined;
}

function inSentence({ text, index, end }: Surroundings): Finding | undefined {
  const from = sentenceStart(text, index);
  return mentions(text, from, sentenceEnd(text, end)).sort(
    (a, b) => Math.abs(a.index - index) - Math.abs(b.index - index),
  )[0];
}

function nearby({ text, lines, line, first, last, alone }: Surroundings): Finding | undefined {
  const from = lines.startOf(alone ? Math.max(first, line - 25) : line);
  const until = Math.min(last, line + 12);
  return mentions(text, from, lines.startOf(until) + lines.textOf(until).length)[0];
}

function mentions(text: string, from: number, to: number): Finding[] {
  return [...text.slice(from, to).matchAll(seen)].flatMap((match) => {
    const value = match.groups?.value ?? '';
    const found = findingOf(text, from + match.index + match[0].length - value.length, value.length);
    return found === undefined ? [] : [withoutStray(found)];
  });
}
