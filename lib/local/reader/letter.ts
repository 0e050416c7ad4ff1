import { occurrences } from './words.ts';

interface Wording {
  readonly words: RegExp;
  readonly subject: string;
  readonly greeting: string;
  readonly enclosed: (names: string) => string;
  readonly received: string;
  readonly close: (patient: string) => string;
}

const wordings: { readonly [language: string]: Wording } = {
  en: {
    words: /\b(?:the|and|you|please|with)\b/,
    subject: 'Your request',
    greeting: 'Dear Sir or Madam,',
    enclosed: (names) => `As requested, please find attached: ${names}.`,
    received: 'Thank you for your message. We have received your request.',
    close: (patient) => `Kind regards\nfor ${patient}`,
  },
  de: {
    words: /\b(?:und|der|die|bitte|mit|wir)\b/,
    subject: 'Ihre Anfrage',
    greeting: 'Guten Tag,',
    enclosed: (names) => `wie gewünscht erhalten Sie im Anhang: ${names}.`,
    received: 'vielen Dank für Ihre Nachricht. Wir haben Ihre Anfrage erhalten.',
    close: (patient) => `Mit freundlichen Grüßen\nfür ${patient}`,
  },
  es: {
    words: /\b(?:el|los|para|por|que|usted)\b/,
    subject: 'Su solicitud',
    greeting: 'Buenos días:',
    enclosed: (names) => `Según lo solicitado, adjuntamos: ${names}.`,
    received: 'Gracias por su mensaje. Hemos recibido su solicitud.',
    close: (patient) => `Un saludo cordial\npor ${patient}`,
  },
  fr: {
    words: /\b(?:les|vous|pour|votre|nous|est)\b/,
    subject: 'Votre demande',
    greeting: 'Bonjour,',
    enclosed: (names) => `Comme demandé, vous trouverez en pièce jointe : ${names}.`,
    received: 'Merci de votre message. Nous avons bien reçu votre demande.',
    close: (patient) => `Cordialement\npour ${patient}`,
  },
};

const english = 'en';

/** A plain letter in the language of the text that it answers, or of the household if that cannot be told. */
export function letterText(options: {
  readonly text: string;
  readonly locale: string;
  readonly patient: string;
  readonly attached: readonly string[];
}): { readonly fallbackSubject: string; readonly body: string } {
  const wording = wordings[languageOf(options.text, options.locale)] ?? wordings[english];
  if (wording === undefined) return { fallbackSubject: '', body: '' };
  const message =
    options.attached.length > 0 ? wording.enclosed(options.attached.join(', ')) : wording.received;
  return {
    fallbackSubject: wording.subject,
    body: `${wording.greeting}\n\n${message}\n\n${wording.close(options.patient)}\n`,
  };
}

function languageOf(text: string, locale: string): string {
  const household = locale.slice(0, 2);
  let found = Object.hasOwn(wordings, household) ? household : english;
  let most = 2;
  for (const [language, { words }] of Object.entries(wordings)) {
    const count = occurrences(text, words, 20);
    if (count > most) {
      found = language;
      most = count;
    }
  }
  return found;
}
