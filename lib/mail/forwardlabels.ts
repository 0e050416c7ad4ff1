/** The field of a mail's header that a label stands for, in whatever language. */
export type HeaderField = 'from' | 'to' | 'cc' | 'date' | 'subject' | 'other';

/** How mail programs write the fields of a mail that they forward or quote: en, de, fr, es, it, nl, pt and more. */
const written: Readonly<Record<HeaderField, string>> = {
  from: 'from|von|de|da|van|mittente|absender|remitente|remetente|od|fra|från|lähettäjä|feladó|expeditor|expeditorul|de la|от|отправитель|від|від кого|kimden|gönderen|差出人|送信元',
  to: 'to|an|à|pour|a|para|aan|empfänger|destinatario|komu|til|till|vastaanottaja|címzett|do|către|кому|kime|宛先|送信先',
  cc: 'cc|bcc|kopie|kopie (cc)|copie|copie à|copia|cópia|ccn|cco|kopi|kopia|kopio|dw|másolat|копия|копія|bilgi',
  date: 'date|sent|datum|gesendet|envoyé|envoyé le|fecha|enviado|enviado el|enviada|enviada em|enviado em|data|data/ora|inviato|inviato il|verzonden|dato|sendt|skickat|päivämäärä|päiväys|lähetetty|dátum|elküldve|wysłano|dată|trimis|дата|отправлено|відправлено|tarih|gönderilen|dne|odesláno|odoslané|日付|送信日時',
  subject: 'subject|betreff|objet|sujet|asunto|oggetto|onderwerp|assunto|emne|ämne|aihe|tárgy|temat|předmět|predmet|subiect|subiectul|тема|konu|件名',
  other: 'reply-to|reply to|antwort an|répondre à|responder a|rispondi a|antwoord aan|message-id|importance|priority|wichtigkeit|importancia|attachments|anlagen|anhänge|pièces jointes|allegati|bijlagen|anexos|organization',
}; // biome-ignore format: a table

const fields = new Map(
  (Object.entries(written) as [HeaderField, string][]).flatMap(([field, labels]) =>
    labels.split('|').map((label) => [label, field] as const),
  ),
);

export interface LabelledLine {
  readonly field: HeaderField;
  /** Where in the line its value starts. */
  readonly at: number;
}

const longestLabel = 30;
const marked = /^[*_]{0,2}(?<label>[^*_]*?)\s?[*_]{0,2}$/u;

/** Reads one line as `Label: value`. The label is in bold for some programs, which plain text shows by asterisks. */
export function labelOf(line: string): LabelledLine | undefined {
  const colon = line.slice(0, longestLabel).search(/[:：]/u);
  if (colon === -1) return undefined;
  const label = marked.exec(line.slice(0, colon).trim())?.groups?.label ?? '';
  const field = fields.get(label.trim().toLowerCase());
  if (field === undefined) return undefined;
  const gap = /^[*_]{0,2}\s*[*_]{0,2}/u.exec(line.slice(colon + 1))?.[0].length ?? 0;
  return { field, at: colon + 1 + gap };
}

/** What mail programs write above a mail that they forward, without the dashes around it. */
const phrases = new Set(
  (
    'forwarded message|begin forwarded message|original message|forwarded email|forwarded by|forwarded mail|' +
    'weitergeleitete nachricht|anfang der weitergeleiteten nachricht|ursprüngliche nachricht|originalnachricht|original-nachricht|weitergeleitete e-mail|' +
    'message transféré|message transmis|début du message transféré|début du message réexpédié|message d’origine|message d\'origine|message original|e-mail transféré|' +
    'mensaje reenviado|inicio del mensaje reenviado|mensaje original|' +
    'messaggio inoltrato|inizio messaggio inoltrato|messaggio originale|' +
    'doorgestuurd bericht|begin doorgestuurd bericht|oorspronkelijk bericht|origineel bericht|' +
    'mensagem encaminhada|mensagem reencaminhada|início da mensagem encaminhada|início da mensagem reencaminhada|mensagem original|' +
    'videresendt meddelelse|videresendt melding|start på videresendt besked|vidarebefordrat meddelande|vidarebefordrat mejl|ursprungligt meddelande|oprindelig meddelelse|opprinnelig melding|' +
    'edelleenlähetetty viesti|välitetty viesti|välitetty viesti / fwd.msg|välitetty viesti alkaa|alkuperäinen viesti|' +
    'przekazana wiadomość|wiadomość przesłana dalej|treść przekazanej wiadomości|początek przekazywanej wiadomości|wiadomość oryginalna|' +
    'přeposlaná zpráva|začátek přeposílané zprávy|preposlaná správa|továbbított üzenet|továbbított levél kezdete|eredeti üzenet|' +
    'mesaj redirecționat|пересылаемое сообщение|перенаправленное сообщение|исходное сообщение|переслане повідомлення|i̇letilmiş mesaj|i̇letilen i̇leti'
  ).split('|'),
); // biome-ignore format: a table

const longestPhrase = 90;

/** Whether a line is nothing but what a mail program writes above a forwarded mail. */
export function isSeparator(line: string): boolean {
  if (line.length > longestPhrase) return false;
  const words = line
    .trim()
    .replace(/^[-_=*]{0,40}\s?/u, '')
    .replace(/\s?[-_=*]{0,40}\s?[:：]?$/u, '');
  return phrases.has(words.toLowerCase());
}

/** The length of a separator in dashes at the start of a line that goes on behind it; 0 for none. */
export function separatorLength(line: string): number {
  const match = /^\s{0,10}-{3,20} [^-]{5,60} -{3,20}(?=\s)/u.exec(line.slice(0, 120));
  return match !== null && isSeparator(match[0]) ? match[0].length : 0;
}

const inlineLabels =
  'From|To|Cc|CC|Bcc|Sent|Date|Subject|Von|An|Gesendet|Betreff|De|À|Envoyé|Objet|Para|Enviado|Asunto|Da|A|Inviato|Oggetto|Van|Aan|Verzonden|Onderwerp|Assunto';
const inline = new RegExp(String.raw`(?<=^|[\s>\p{L}\p{N}])(?:${inlineLabels})\s?:\s`, 'gu');

/**
 * Where the fields of a header start that some programs put on one line. The subject is the last: words in it that
 * look like a label are its own.
 */
export function inlineFields(line: string): number[] {
  const starts: number[] = [];
  for (const { 0: found, index } of line.slice(0, 2000).matchAll(inline)) {
    starts.push(index);
    if (labelOf(found)?.field === 'subject') break;
  }
  return starts;
}
