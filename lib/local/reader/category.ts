import { type Desk, textOf } from './desk.ts';
import { occurrences } from './words.ts';

interface Clue {
  readonly category: string;
  readonly weight: number;
  readonly pattern: RegExp;
}

const clue = (category: string, weight: number, pattern: RegExp): Clue => ({ category, weight, pattern });

// English first, then the German, Spanish and French words that letters of this kind nearly always contain.
const clues: readonly Clue[] = [
  clue(
    'emergency',
    9,
    /\b(?:has|have|had) collapsed\b|\bunconscious\b|\bnot breathing\b|can(?:no|')t breathe/,
  ),
  clue(
    'emergency',
    9,
    /\b(?:has|have|having|with|severe) chest pains?\b(?! clinic)|suspected (?:heart attack|stroke)/,
  ),
  clue(
    'emergency',
    9,
    /ambulance (?:is|was|has been) called|(?:was|been|is being) (?:taken|rushed) to (?:the )?(?:hospital|a&e|emergency)/,
  ),
  clue('emergency', 9, /bewusstlos|herzinfarkt|schlaganfall|inconsciente|infarto|crise cardiaque/),
  clue(
    'clinical',
    6,
    /\b(?:increas|reduc|decreas|doubl|adjust|lower|chang)\w*\b.{0,40}\b(?:dose|dosage|mg|medication)\b/,
  ),
  clue('clinical', 6, /\b(?:stop|start)(?:ped|ed)? taking\b|\bside effects?\b|\bdiagnosed with\b/),
  clue(
    'clinical',
    6,
    /\b(?:blood|test|scan|lab|biopsy|x-ray) results?\b.{0,60}\b(?:show|are|is|abnormal|positive|raised|high|low)/,
  ),
  clue(
    'clinical',
    6,
    /\bshould (?:she|he|mum|dad|i|we|they)\b.{0,40}\b(?:take|stop|increase|tablets?|medicines?)\b/,
  ),
  clue(
    'clinical',
    6,
    /dosis (?:erhöhen|verringern|aumentar)|nebenwirkung|efectos secundarios|effets secondaires/,
  ),
  clue('clinical', 2, /\b(?:fever|dizzy|dizziness|rash|swelling|bleeding|breathless|vomiting)\b/),
  clue(
    'records_request',
    6,
    /records? request|request for (?:the )?(?:medical )?(?:records|information|documents)/,
  ),
  clue(
    'records_request',
    5,
    /\b(?:send|return|provide|submit|forward|supply)\b[^.]{0,60}\b(?:records?|forms?|cop(?:y|ies)|letters?|reports?|documents?|consent)\b/,
  ),
  clue(
    'records_request',
    5,
    /\b(?:we need|we require|we still need)\b[^.]{0,60}\b(?:records?|forms?|cop(?:y|ies)|letter|report|documents?)\b/,
  ),
  clue(
    'records_request',
    5,
    /(?:senden|schicken|übermitteln)\b[^.]{0,60}(?:unterlagen|befund|arztbrief|formular|kopie)/,
  ),
  clue(
    'records_request',
    5,
    /(?:envíe|enviar|remita|envíenos)\b[^.]{0,60}(?:informe|documento|copia|formulario|historial)/,
  ),
  clue(
    'records_request',
    5,
    /(?:envoyer|transmettre|adresser|retourner)\b[^.]{0,60}(?:dossier|document|copie|formulaire|compte rendu)/,
  ),
  clue('referral', 4, /\breferrals?\b|\b(?:been|have|has) referred\b|\brefer (?:you|her|him|this)\b/),
  clue('referral', 4, /überweisung|derivación|volante de|lettre d'adressage|courrier d'adressage/),
  clue('appointment', 3, /\bappointments?\b|\bbegin:vevent\b|\bbooked you\b|\binvitation\b/),
  clue('appointment', 3, /\btermine?s?\b|\bterminbestätigung\b|\bcitas?\b|\brendez-vous\b|\bconvocation\b/),
  clue(
    'receipt',
    4,
    /\breceipts?\b|\bthank you for your (?:order|purchase)\b|\bproof of purchase\b|\border confirmation\b/,
  ),
  clue('receipt', 3, /\bguarantee\b|\bwarranty\b|\btotal paid\b|\bpayment received\b/),
  clue(
    'receipt',
    4,
    /quittung|kassenbon|kaufbeleg|auftragsbestätigung|\brecibo\b|ticket de compra|\breçu\b|ticket de caisse/,
  ),
  clue(
    'bill',
    5,
    /\binvoices?\b|\bamount due\b|\bpayment due\b|\bplease pay\b|\bbalance due\b|\bpay by\b|\byour bill\b/,
  ),
  clue('bill', 5, /\brechnung\b|\bzahlbar bis\b|\bfactura\b|\bfacture\b|montant dû/),
  clue(
    'subscription',
    5,
    /\bsubscriptions?\b|\bfree trial\b|\b(?:auto-?)?renew(?:s|al)\b|\babonnement\b|\bsuscripción\b/,
  ),
  clue(
    'form',
    3,
    /\bquestionnaires?\b|\bfill (?:in|out)\b|\bcomplete (?:and return )?(?:the|this|your) (?:attached |enclosed )?form\b/,
  ),
  clue('form', 3, /ausfüllen|fragebogen|rellen(?:ar|e)|cuestionario|remplir|questionnaire/),
  clue(
    'information',
    3,
    /\bnewsletter\b|\bfor your information\b|\bopening (?:hours|times)\b|\bno action (?:is )?(?:needed|required)\b/,
  ),
  clue(
    'information',
    3,
    /\bwe (?:are|will be) (?:moving|closed|changing)\b|\bvisiting (?:hours|times)\b|\bminutes of\b|\bupdate on\b/,
  ),
  clue(
    'information',
    3,
    /zur information|öffnungszeiten|rundbrief|a título informativo|horario|pour information|horaires/,
  ),
];

/** Whoever has to be protected comes first where two categories weigh the same. */
const precedence = [
  'emergency',
  'clinical',
  'records_request',
  'appointment',
  'referral',
  'receipt',
  'bill',
  'subscription',
  'form',
  'information',
];

const least = 3;

/** What a mail is about, by its words: those in names and in the first lines count twice. */
export function categoryOf(desk: Desk): string {
  const texts = desk.documents.map(textOf);
  const whole = texts.join('\n').replace(/\s+/g, ' ').slice(0, 100_000);
  const titles = desk.documents
    .map((document, index) => `${document.name} ${(texts[index] ?? '').slice(0, 200)}`)
    .join('\n');
  const scores = new Map<string, number>();
  for (const { category, weight, pattern } of clues) {
    const count = occurrences(whole, pattern) + Math.min(1, occurrences(titles, pattern));
    scores.set(category, (scores.get(category) ?? 0) + weight * count);
  }
  const dated = desk.facts.some(({ kind, group }) => kind === 'appointment_start' && group !== null);
  const invited = desk.documents.some(({ kind }) => kind === 'calendar');
  scores.set('appointment', (scores.get('appointment') ?? 0) + (dated ? 3 : 0) + (invited ? 12 : 0));
  return best(scores);
}

function best(scores: ReadonlyMap<string, number>): string {
  let found = 'other';
  let most = least - 1;
  for (const category of precedence) {
    const score = scores.get(category) ?? 0;
    if (score > most) {
      found = category;
      most = score;
    }
  }
  return found;
}
