/** Words by which letters speak of appointments, and of dates that are none. Attacker-controlled text is only searched. */

const kinds = [
  'appointment', 'review', 'scan', 'visit', 'consultation', 'assessment', 'check-?up', 'clinic', 'test', 'surgery',
  'operation', 'session', 'x-?ray', 'vaccination', 'jab', 'screening', 'procedure', 'treatment', 'class', 'meeting',
  'therapy', 'physiotherapy', 'examination', 'admission', 'echocardiogram', 'ecg', 'mri', 'ultrasound', 'interview',
  '(?:eye|foot|hearing|sight|pressure|health|dental|skin) check(?:-?up)?', 'colonoscopy', 'infusion', 'dialysis', 'lab work', 'physical', 'eye exam', 'home visit', 'exam',
  String.raw`\p{L}*termin`, String.raw`\p{L}*untersuchung`, String.raw`\p{L}*sprechstunde`, String.raw`\p{L}*kontrolle`, String.raw`\p{L}*operation`,
  'nachsorge', 'blutabnahme', 'hausbesuch', 'begutachtung', 'aufnahme', String.raw`\p{L}*behandlung`, 'röntgen', String.raw`\p{L}*gespräch`, 'mrt', 'ct',
  'rendez-vous', 'consultation', 'examen', 'visite', 'contrôle', 'bilan', 'prise de sang', 'échographie', 'radiographie', 'irm', 'scanner', 'séance',
  'hospitalisation', 'intervention', 'cita', 'consulta', 'revisión', 'visita', 'prueba', 'analítica', 'ecografía', 'radiografía', 'resonancia',
  'sesión', 'rehabilitación', 'cirugía', 'intervención', 'valoración', 'appuntamento', 'afspraak',
]; // biome-ignore format: a list of words

/** The name of a kind of appointment, for use in a larger pattern. */
export const appointmentKind = `(?:${kinds.join('|')})`;

const cue = new RegExp(
  String.raw`(?<!\p{L})(?:${appointmentKind}s?|see you|booked|scheduled|attend|expect you|arrive|come (?:in|to)|erwarten (?:sie|wir)|vorgesehen|le esperamos|nous vous attendons)(?!\p{L})`,
  'iu',
);

/** Whether the words around a moment speak of an appointment. */
export function speaksOfAppointment(text: string): boolean {
  return cue.test(text);
}

const turned = `(?:cancel|postpon|re-?schedul|re-?arrang|move|chang|brought forward|abgesagt|verschoben|verlegt|vorverlegt|storniert|geändert|annul|report|d[ée]plac|décal|avanc|modifi|cancelad|anulad|aplazad|reprogramad|cambiad|modificad|trasladad)`;
const changes = [
  new RegExp(
    String.raw`(?<!\p{L})(?:has|have|had|was|were|is|are|being|been|be|wurde|wird|ist|muss(?:te)?|a|ha|han|est|sont|ont|sido|queda)\s+(?:now\s+|been\s+|to be\s+|été\s+|sido\s+|leider\s+|being\s+){0,3}${turned}`,
    'giu',
  ),
  /\b(?:cancellation|postponement|re-?scheduling|change)s? (?:of|to) (?:your|the|an?|his|her|this)\b/giu,
  /(?<!\p{L})(?:appointment|visit|clinic|session|\p{L}*termin|rendez-vous|cita|consulta|consultation)s?\W{1,3}(?:is |was )?(?:cancel|postpon|re-?schedul|move|chang|abgesagt|verschoben|annul|report|anulad|aplazad)/giu,
  /(?<!\p{L})(?:(?:müssen|mussten|haben) (?:wir )?[^.!?\n]{0,80}(?:absagen|abgesagt|verschieben|verschoben|verlegen|verlegt|stornieren|storniert)|terminverschiebung|terminabsage|terminänderung|neuer termin|(?:neue|ursprüngliche|bisherige)[nr]? termin)/giu,
  /(?<!\p{L})(?:(?:hemos tenido que|nos vemos obligados a|debemos|lamentamos) [^.!?\n]{0,60}(?:anular|cancelar|aplazar|cambiar|modificar|reprogramar)|(?:cambio|anulación|cancelación|modificación) de (?:su |la )?cita|nueva (?:fecha|cita)|cita anterior)/giu,
  /(?<!\p{L})(?:(?:avons dû|sommes contraints d[e’']|devons|sommes au regret d[e’'])\s?[^.!?\n]{0,60}(?:annuler|reporter|déplacer|décaler|modifier)|(?:report|annulation|modification|déplacement) de (?:votre|la|ce) (?:rendez-vous|consultation|séance|intervention)|nouveau rendez-vous|nouvelle date|(?:rendez-vous|date) (?:initial|précédent)e?)/giu,
  /\b(?:we|i)\s+(?:have|had|need|regret|are having|must|will)\b[^.!?\n]{0,40}\b(?:cancel|postpone|re-?schedule|re-?arrange|move|change)/giu,
  /\b(?:instead of|replaces? (?:your|the)|no longer (?:on|at|take place|needed)|new (?:date|time)\b|(?:previous|original|old) (?:appointment|date|time))/giu,
  /\bcancel?led:|\bupdated:|^[^\w\n]{0,20}cancel?led\b|\babgesagt:/gimu,
];

/**
 * Where a text says that an appointment was called off or moved. Then which of its dates holds is for a person to say.
 * What it says for the case that you want to change one does not count.
 */
export function changeIn(
  text: string,
): { value: 'cancelled' | 'moved'; index: number; length: number } | undefined {
  for (const pattern of changes) {
    for (const { index, 0: words } of text.matchAll(pattern)) {
      const before = text.slice(Math.max(0, index - 60), index);
      if (conditional.test(before)) continue;
      const around = `${before.slice(-30)}${words}${text.slice(index + words.length, index + words.length + 30)}`;
      return {
        value:
          calledOff.test(words) || (!moved.test(words) && calledOff.test(around)) ? 'cancelled' : 'moved',
        index,
        length: words.length,
      };
    }
  }
  return undefined;
}

const conditional =
  /(?<!\p{L})(?:if|when|whenever|unless|should|in case|once|falls|wenn|si|sollten|sofern|en cas|en caso|pour|para|um)(?!\p{L})[^.!?\n]*$/iu;
const calledOff = /cancel|abgesagt|absag|storn|annul|anul/iu;
const moved =
  /postpon|re-?schedul|re-?arrang|move|chang|new|neu|nuev|nouv|versch|verleg|report|d[ée]pla|décal|aplaz|reprogram|modif/iu;

/** Whether a text says that an appointment was called off or moved. */
export function speaksOfChange(text: string): boolean {
  return changeIn(text) !== undefined;
}

const limit =
  /\b(?:by|before|until|till|no later than|not later than|deadline|expires?|valid|ends?|due|repl(?:y|ies)|respond|return|bis|vor dem|spätestens|avant|jusqu['’]?(?:au)?|antes del?|hasta|vom|seit|desde|depuis|erstellt|émis|emitida|gedruckt|imprimé|open(?:ing)?|closed|printed|sent|dated|received|written|wrote|since|from our|dispatched|delivered|deliver(?:y|ed)|ordered)\b[^.!?\n]{0,30}$/iu;
const negated = /\b(?:not|never|cannot|can't|won't|kein(?:e|en)?|nicht|ne|no)\b[^.!?\n]{0,60}$/iu;

/** Whether the words right before a moment make it a deadline, a time stamp or a denial rather than an appointment. */
export function readsAsLimit(before: string): boolean {
  return limit.test(before) || negated.test(before);
}

const offered =
  /\b(?:(?:can|could|would like to|are able to) offer|choose (?:one|between|from|which)|which(?:ever)? (?:one|date|time|suits)|alternative (?:date|time|appointment)s?|available (?:dates|times|slots|appointments)|suggest|propos(?:e|al)|provisional|tentative|to be confirmed|not (?:yet )?confirmed|waiting list|would (?:suit|you be able|that)|does (?:this|that) suit|if (?:this|that) (?:suits|is convenient|works)|call (?:us )?to (?:book|arrange)|vorschlag|vorschlagen|zur auswahl|wählen sie|alternativ|passt ihnen|au choix|vous (?:convient|proposons)|proposition|a elegir|elija|le proponemos|le viene bien)\b/iu;
const either = /^[\s,;]*(?:or|oder|ou|o|bzw\.?|\/)[\s,;]/iu;

/** Whether a moment is one that may be chosen rather than one that is fixed: for a person to say. */
export function isOffer(text: string, { index, length }: { index: number; length: number }): boolean {
  const [before, after] = [
    text.slice(Math.max(0, index - 160), index),
    text.slice(index + length, index + length + 160),
  ];
  const choice =
    either.test(after) ||
    /(?:\bor|\boder|\bou|\bo|\/|bzw\.?)[\s,;]*(?:on\s+|am\s+|le\s+|el\s+)?$/iu.test(before);
  return choice || offered.test(before) || offered.test(after);
}

const headerLine =
  /^[> \t]{0,20}(?:from|sent|to|cc|subject|date|von|gesendet|an|betreff|datum|de|envoyé|à|objet|para|asunto|enviado|fecha|da|oggetto|data)\s*:/iu;
const attribution =
  /^[> \t]{0,20}(?:on|am|le|el|il|op)\b.{10,120}\b(?:wrote|schrieb|écrit|escribió|scritto|schreef)\b/iu;

/** Whether a line is part of a header block that a mail program put above a forwarded or quoted mail. */
export function isForwardHeader(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (attribution.test(`${line} ${lines[at + 1] ?? ''}`)) return true;
  if (!headerLine.test(line)) return false;
  return headerLine.test(lines[at - 1] ?? '') || headerLine.test(lines[at + 1] ?? '');
}
