import { describe, expect, it } from 'vitest';
import { letterText } from '../../../lib/local/reader/letter.ts';

const written = (text: string, locale: string, attached: string[] = []) =>
  letterText({ text, locale, patient: 'Rosa', attached });

describe('a letter of the reader', () => {
  it.each([
    ['Please send the form with the letter, and you will hear from us.', 'Dear Sir or Madam,'],
    ['Bitte senden Sie uns die Akte mit der Unterschrift und der Kopie.', 'Guten Tag,'],
    ['Por favor, envíe el informe para que el centro lo tenga. Es para usted.', 'Buenos días:'],
    ['Merci pour votre envoi, nous sommes à vous pour les documents.', 'Bonjour,'],
  ])('%j is answered in its language', (text, greeting) => {
    expect(written(text, 'it-IT').body).toContain(greeting);
  });

  it('is in the language of the household where the text does not say, and in English where nothing does', () => {
    expect(written('?', 'de-AT')).toMatchObject({ fallbackSubject: 'Ihre Anfrage' });
    expect(written('?', 'it-IT')).toMatchObject({ fallbackSubject: 'Your request' });
  });

  it('names what is attached, or says that the request came in', () => {
    expect(written('?', 'fr-FR', ['a.pdf', 'b.pdf']).body).toContain('pièce jointe : a.pdf, b.pdf.');
    expect(written('?', 'es-ES', ['a.pdf']).body).toContain('adjuntamos: a.pdf.');
    expect(written('?', 'es-ES').body).toContain('Hemos recibido su solicitud.');
    expect(written('?', 'de-DE', ['a.pdf']).body).toMatch(/a\.pdf\.\n\nMit freundlichen Grüßen\nfür Rosa\n$/);
  });
});
