import { type Finding, findingOf, type PageLines } from './lines.ts';
import { personName } from './names.ts';
import { appointmentKind } from './wording.ts';

/** Where an appointment's words may stand: around its moment, up to the moments before and after it. */
export interface Surroundings {
  readonly text: string;
  readonly lines: PageLines;
  /** The moment's stretch. */
  readonly index: number;
  readonly end: number;
  /** The line of the moment, and the lines between which its words may stand, inclusive. */
  readonly line: number;
  readonly first: number;
  readonly last: number;
  /** Whether the page has no other appointment. */
  readonly alone: boolean;
}

/** How far words may stand from a moment on its line, and how long a line is looked at. */
const longestStretch = 300;

/** What an appointment is, where the letter says it: by a label, on the moment's line, in its sentence, or above it. */
export function titleOf(around: Surroundings): Finding | undefined {
  return (
    labelled(around) ??
    beforeMoment(around) ??
    besideMoment(around)?.title ??
    inSentence(around) ??
    nearer(heading(around), mentionedBefore(around))
  );
}

/** A letterhead may name a kind of appointment too; what the sentences under it say is closer. */
function nearer(one: Finding | undefined, other: Finding | undefined): Finding | undefined {
  return one === undefined || (other !== undefined && other.index > one.index) ? other : one;
}

const titleLabel =
  /^[> \t•*-]{0,20}(?:appointment(?: type)?|visit type|visit|type(?: of (?:appointment|visit))?|reason(?: for (?:appointment|visit))?|what|service|clinic|special(?:i)?ty|department|procedure|test|treatment|anlass|grund|untersuchung|termin(?:art)?|fachabteilung|fachbereich|leistung|behandlung|motif|objet du rendez-vous|examen|type de rendez-vous|spécialité|motivo(?: de (?:la )?(?:cita|consulta))?|especialidad|servicio|prueba|tipo de cita|agenda)[ \t]*:[ \t]*(?=\S)/iu;

function labelled({ text, lines, line, first, last, index, end }: Surroundings): Finding | undefined {
  for (let at = Math.max(first, line - 6); at <= Math.min(last, line + 8); at += 1) {
    const label = titleLabel.exec(lines.textOf(at))?.[0].length;
    if (label === undefined) continue;
    const start = lines.startOf(at) + label;
    const stop = lines.startOf(at) + Math.min(lines.textOf(at).length, longestStretch);
    if (start < end && index < stop) continue;
    const found = findingOf(text, start, stop - start);
    if (found !== undefined && found.value.length <= 120) return found;
  }
  return undefined;
}

const generic =
  /^(?:(?:the|your|our|my|an?|next|first|second|third|fourth|fifth|1st|2nd|3rd|4th|new|follow-?up)\s+)*(?:when|dates?|on|at|time|day|starts?|begins|visits?|appointments?|sessions?|wann|(?:neue[rn]?\s+)?termin|quand|(?:nouveau\s+)?rendez-vous|date et heure|cuándo|(?:nueva\s+)?(?:cita|fecha))?(?:\s*(?:and|&|\/)\s*time)?(?:\s+\d{1,2})?(?:\s+(?:is|will be|are))?(?:\s+(?:on|at|for))?$/iu;
const leading =
  /^[>\s•*·–—-]*(?:\(?\d{1,2}[.):]\s*)?(?:(?:your|the|an?|su|ihre?n?|votre|la|el|le|die|der|das)(?!\p{L})\s*(?=\p{L}))?/iu;

function beforeMoment({ text, lines, line, index }: Surroundings): Finding | undefined {
  const start = Math.max(lines.startOf(line), index - longestStretch, sentenceStart(text, index));
  const before = text.slice(start, index);
  const skip = leading.exec(before)?.[0].length ?? 0;
  const found = findingOf(text, start + skip, before.length - skip);
  if (found === undefined || generic.test(found.value) || found.value.length > 80) return undefined;
  const sentence =
    /[.!?]|(?<!\p{L})(?:is|are|will|have|has|be|we|you|please|come|dear|for|see|or|and|on|at|ist|wird|findet|haben|hat|müssen|wir|leider|ihr|ihren|am|aura|est|avez|avons|nous|votre|du|le|tiene|será|que|su|del|le|el|it|was)(?!\p{L})/iu.test(
      found.value,
    );
  return sentence ? undefined : { ...found, value: capital(found.value) };
}

/** Behind a moment, or under a bare `First visit` and its moment, stands what it is, and after a comma where. */
export function besideMoment(
  around: Surroundings,
): { title: Finding; place: Finding | undefined } | undefined {
  const { text, lines, line, last, index, end } = around;
  const endLine = lines.lineAt(end - 1);
  const stop = Math.min(lines.startOf(endLine) + lines.textOf(endLine).length, end + longestStretch);
  const prefix = text
    .slice(Math.max(lines.startOf(line), index - longestStretch), index)
    .replace(/[\s,;:.–—-]+$/u, '');
  if (!generic.test(prefix.replace(leading, '').trim())) return undefined;
  const below = text.slice(end, stop).trim() === '';
  if (below && endLine + 1 > last) return undefined;
  const start = below ? lines.startOf(endLine + 1) : end;
  const words = below ? lines.textOf(endLine + 1).slice(0, longestStretch) : text.slice(end, stop);
  const comma = words.indexOf(',', 2);
  const title = findingOf(text, start, comma === -1 ? words.length : comma);
  const named = new RegExp(String.raw`\b${appointmentKind}\b`, 'iu').test(title?.value ?? '');
  const sentence = /[.!?]$|\b(?:please|you|we|is|are|will|at|in)\b/iu.test(title?.value ?? '');
  if (title === undefined || !named || sentence || title.value.length > 80) return undefined;
  const place = comma === -1 ? undefined : findingOf(text, start + comma, words.length - comma);
  return { title: { ...title, value: capital(title.value) }, place };
}

const company = String.raw`(?:${personName}|the\s+[\p{L} '’-]{3,40}?|[\p{L}-]+(?:\s[\p{L}-]+){0,2}?)(?=\s+(?:on|at|is|will|has|was)\b|[,.;\n]|$)`;
/** Kinds of appointment with what belongs to them, up to the verb or the date: as Germans, Spaniards and French write. */
const sentencePatterns = [
  new RegExp(
    String.raw`(?<!\p{L})(?:(?i:your|an?|the|next|his|her|their)|\p{Lu}\p{L}+['’]s)\s+(?<what>(?:[\p{L}'’-]+\s+){0,4}?(?i:${appointmentKind})(?:\s+(?:appointment|visit|review|clinic|test|scan|assessment|session|check|consultation|consult|exam))?(?:\s+(?:with|for an?|at the)\s+${company})?)(?!\p{L})`,
    'gu',
  ),
  new RegExp(
    String.raw`(?<![\p{L}'’])(?<what>(?:\p{Lu}[\p{L}-]+\s+)?(?:[\p{L}-]+\s+){0,2}[\p{L}-]+\s+with\s+${personName})`,
    'gu',
  ),
  /(?<!\p{L})(?:[Ii]hr(?:e[nrms]?)?|[Ee]in(?:e[nrms]?)?|[Dd](?:er|ie|en|as)|[Zz]u[rm])\s+(?:(?:nächste[nr]?|neue[nr]?|erste[nr]?)\s+)?(?<what>(?:\p{Lu}[\p{L}-]*(?:termin|untersuchung|kontrolle|sprechstunde|operation|behandlung|gespräch)|(?:Termin|Untersuchung|Kontrolle|Nachsorge|Sprechstunde|Operation|Behandlung|Blutabnahme|Hausbesuch|Begutachtung|Aufnahme))(?:\s+(?:zu[rm]|für (?:eine|die|den)?|bei|in der|in Ihrer|im|mit)\s+(?:[^,.;:\n]|(?<=(?<!\p{L})(?:Dr|Dra|Prof|Sr|Sra|St))\.){3,60}?)?)(?=\s+(?:ist|findet|am|wird|haben|wurde|von)(?!\p{L})|[,;:]|(?<!(?<!\p{L})(?:Dr|Dra|Prof|Sr|Sra|St))\.|\s*\n|$)/gu,
  /(?<!\p{L})(?:[Ss]u|[Uu]na?|[Ll]as?|[Tt]iene)\s+(?:próxim[ao]\s+)?(?<what>(?:cita|consulta|revisión|visita|prueba|sesión|analítica|ecografía|radiografía|resonancia|cirugía|intervención|valoración)(?:\s+(?:de|para|con|en|del)\s+(?:[^,.;:\n]|(?<=(?<!\p{L})(?:Dr|Dra|Prof|Sr|Sra|St))\.){3,60}?)?)(?=\s+(?:es|será|tendrá|está|ha|queda|tiene|(?:d?el)(?=\s+(?:día\s+)?(?:\d|lunes|martes|miércoles|jueves|viernes|sábado|domingo)))(?!\p{L})|[,;:]|(?<!(?<!\p{L})(?:Dr|Dra|Prof|Sr|Sra|St))\.|\s*\n|$)/gu,
  /(?<!\p{L})(?:[Vv]otre|[Uu]ne?|[Ll]e|[Ll]a|d['’]une?|pour)\s+(?:prochaine?\s+)?(?<what>(?:rendez-vous|consultation|examen|visite|contrôle|bilan|prise de sang|échographie|radiographie|IRM|scanner|séance|hospitalisation|intervention)(?:\s+(?:de|du|d['’]|avec|pour|en|à)\s*(?:[^,.;:\n]|(?<=(?<!\p{L})(?:Dr|Dra|Prof|Sr|Sra|St))\.){3,60}?)?)(?=\s+(?:est|aura|prévue?|fixée?|a|(?:le|du)(?=\s+(?:\d|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)))(?!\p{L})|[,;:]|(?<!(?<!\p{L})(?:Dr|Dra|Prof|Sr|Sra|St))\.|\s*\n|$)/gu,
];

/** `your cardiology review with Dr Singh is on …`: the mention that stands nearest to the moment. */
function inSentence({ text, index, end }: Surroundings): Finding | undefined {
  return mentioned(text, sentenceStart(text, index), sentenceEnd(text, end), { index, end });
}

/** `… to reschedule your hearing test. It was on …`: what the sentences before it speak of. */
function mentionedBefore({ text, lines, first, index, end }: Surroundings): Finding | undefined {
  const from = Math.max(lines.startOf(first), index - longestStretch);
  return mentioned(text, from, index, { index, end });
}

function mentioned(
  text: string,
  from: number,
  to: number,
  { index, end }: Pick<Surroundings, 'index' | 'end'>,
): Finding | undefined {
  const sentence = text.slice(from, to);
  for (const pattern of sentencePatterns) {
    const found = [...sentence.matchAll(pattern)].flatMap((match) => {
      const what = match.groups?.what ?? '';
      const whose = /^\p{L}+['’]s\s+/u.exec(what)?.[0].length ?? 0;
      const at = from + match.index + match[0].indexOf(what) + whose;
      const finding = findingOf(text, at, what.length - whose);
      const bare =
        finding === undefined ||
        /^(?:[\p{L}]+ )?(?:appointment|visit|meeting|session|termin|clinic|cita|consulta|rendez-vous|consultation|untersuchung)$/iu.test(
          finding.value,
        );
      return bare || (at < end && index < at + what.length) ? [] : [finding];
    });
    const nearest = found.sort((a, b) => Math.abs(a.index - index) - Math.abs(b.index - index))[0];
    if (nearest !== undefined) return { ...nearest, value: capital(nearest.value) };
  }
  return undefined;
}

const headingLine =
  /^[>\s]*(?:(?:re|subject|betreff|objet|asunto)\s*:\s*)?(?:(?:fwd?|re)\s*:\s*)*(?:\(?\d{1,2}[.):]\s*)?(?:(?:your|an?|the|invitation:?)(?!\p{L})\s*)?(?<what>[^.!?:]{3,80}?)\s*$/iu;

/** The nearest line above that reads as a heading and names a kind of appointment. */
function heading({ text, lines, line, first }: Surroundings): Finding | undefined {
  const named = new RegExp(String.raw`(?<!\p{L})${appointmentKind}(?!\p{L})`, 'iu');
  for (let at = line - 1; at >= Math.max(first, line - 25); at -= 1) {
    const words = lines.textOf(at);
    if (words.length > 140) continue;
    const what = headingLine.exec(words)?.groups?.what;
    if (what === undefined || !named.test(what) || /\b(?:dear|we|you|please|if|have|is|are)\b/i.test(what))
      continue;
    const found = findingOf(text, lines.startOf(at) + words.indexOf(what), what.length);
    if (found !== undefined && !generic.test(found.value)) return { ...found, value: capital(found.value) };
  }
  return undefined;
}

/** Where the sentence of a moment starts: after a full stop, or an empty line, at most 400 characters back. */
export function sentenceStart(text: string, index: number): number {
  const before = text.slice(Math.max(0, index - 400), index);
  const boundary = [
    ...before.matchAll(
      /(?<!(?<!\p{L})(?:Dr|Dra|Mr|Mrs|Ms|Prof|Sr|Sra|St|No|Tel|med))[.!?](?=\s)|\n\s*\n|:\s*\n/gu,
    ),
  ].at(-1);
  return boundary === undefined
    ? index - before.length
    : index - before.length + boundary.index + boundary[0].length;
}

/** Where it ends. */
export function sentenceEnd(text: string, end: number): number {
  const after = text.slice(end, end + 400);
  const boundary = /(?<!(?<!\p{L})(?:Dr|Dra|Mr|Mrs|Ms|Prof|Sr|Sra|St|No|Tel|med))[.!?](?=\s|$)|\n\s*\n/u.exec(
    after,
  );
  return end + (boundary === null ? after.length : boundary.index);
}

function capital(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}
