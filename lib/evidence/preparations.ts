import { type Finding, findingOf } from './lines.ts';
import { sentencesOf } from './sentences.ts';

/** Words by which letters say what to do before an appointment, or to bring to it. */
const cues = [
  String.raw`(?:please |kindly |remember to |you (?:should|must|(?:will )?need to) |and )bring|what to bring|^\W*bring|(?:do not|don['’]t|nothing to|avoid) (?:eat|drink)|fast(?:ing)? (?:for|from|is|before|blood)|(?:please|you should) (?:arrive|fast|wear|check in)|empty stomach|arrive (?:at least )?\d+ minutes|^\W*preparation`,
  String.raw`bringen sie|mitbringen|mitzubringen|nüchtern|kommen sie bitte|bitte (?:kommen|erscheinen|finden) sie|^\W*vorbereitung`,
  String.raw`traiga|deberá (?:traer|aportar|acudir|venir)|aporte|en ayunas|no (?:coma|beba)|llegue|^\W*preparación`,
  String.raw`apporte[zr]|munir|à jeun|(?:ne rien|sans) (?:manger|boire)|présentez-vous|vous présenter|^\W*préparation`,
];
const cue = new RegExp(String.raw`(?<!\p{L})(?:${cues.join('|')})(?!\p{L})`, 'iu');
const label =
  /^\W{0,6}(?:(?:what to )?bring|preparation|vorbereitung|bitte mitbringen|preparación|préparation)\s*:\s*/iu;
const mostPreparations = 6;

/** What a text says is to be done before an appointment, or to be brought to it, sentence by sentence. */
export function preparationsIn(text: string): Finding[] {
  const found = sentencesOf(text).flatMap(({ index, length }) => {
    const words = text.slice(index, index + length);
    if (!cue.test(words)) return [];
    const line = lastLine(words);
    const skip = line + (label.exec(words.slice(line))?.[0].length ?? 0);
    return findingOf(text, index + skip, length - skip) ?? [];
  });
  return found.slice(0, mostPreparations);
}

/** Labelled lines above end without a full stop: what they say is not part of the sentence. */
function lastLine(words: string): number {
  const lines = [...words.matchAll(/\n/g)].map(({ index }) => index + 1);
  const starts = [0, ...lines].filter((start) => cue.test(words.slice(start)));
  const labelled = starts.findLast((start) => label.test(words.slice(start)));
  const above = words.slice(0, starts.at(-1) ?? 0);
  return labelled ?? (/:[^\n]*\n|\d\n/.test(above) ? (starts.at(-1) ?? 0) : (starts[0] ?? 0));
}
