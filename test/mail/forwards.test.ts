import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forwardsIn } from '../../lib/mail/forwards.ts';
import { hasSharedMail, sharedMail } from '../support/sharedmail.ts';

const anna = 'Anna Weiss <anna@praxis.example>';
const body = 'Your review is on Thursday.';

/** What each program writes above a mail that it forwards, and the date that it means. */
const programs: readonly [program: string, header: string, date: string | undefined][] = [
  ['Gmail, en', `---------- Forwarded message ---------\nFrom: ${anna}\nDate: Mon, 4 Jan 2027 at 09:12\nSubject: Scan\nTo: <maya@family.example>\n\n`, '2027-01-04T09:12'],
  ['Gmail, US', `---------- Forwarded message ---------\nFrom: Anna Weiss <anna@praxis.example>\nDate: Mon, Jan 4, 2027 at 9:12 PM\nSubject: Scan\nTo: Maya <maya@family.example>\n\n\n`, '2027-01-04T21:12'],
  ['Gmail, de', `---------- Forwarded message ---------\nVon: ${anna}\nDate: Mo., 4. Jan. 2027 um 09:12 Uhr\nSubject: Scan\nTo: <maya@family.example>\n\n`, '2027-01-04T09:12'],
  ['Gmail, fr', `---------- Forwarded message ---------\nDe : ${anna}\nDate: lun. 4 janv. 2027 à 09:12\nSubject: Scan\nTo: <maya@family.example>\n\n`, '2027-01-04T09:12'],
  ['Gmail, es', `---------- Forwarded message ---------\nDe: ${anna}\nDate: mar, 5 ene 2027 a las 9:12\nSubject: Scan\nTo: <maya@family.example>\n\n`, '2027-01-05T09:12'],
  ['Gmail, it', `---------- Forwarded message ---------\nDa: ${anna}\nDate: mar 5 gen 2027 alle ore 09:12\nSubject: Scan\nTo: <maya@family.example>\n\n`, '2027-01-05T09:12'],
  ['Gmail, nl', `---------- Forwarded message ---------\nVan: ${anna}\nDate: ma 4 jan 2027 om 09:12\nSubject: Scan\nTo: <maya@family.example>\n\n`, '2027-01-04T09:12'],
  ['Gmail, pt', `---------- Forwarded message ---------\nDe: ${anna}\nDate: seg., 4 de jan. de 2027 às 09:12\nSubject: Scan\nTo: <maya@family.example>\n\n`, '2027-01-04T09:12'],
  ['Apple Mail, en', `Begin forwarded message:\n\nFrom: ${anna}\nSubject: Scan\nDate: 4 January 2027 at 09:12:40 GMT\nTo: maya@family.example\n\n`, '2027-01-04T09:12+00:00'],
  ['Apple Mail, de', `Anfang der weitergeleiteten Nachricht:\n\nVon: ${anna}\nBetreff: Scan\nDatum: 4. März 2027 um 09:12:40 MEZ\nAn: maya@family.example\n\n`, '2027-03-04T09:12+01:00'],
  ['Apple Mail, fr, each field in bold', `Début du message transféré :\n\n*De: *${anna}\n*Objet: **Scan*\n*Date: *4 janvier 2027 à 09:12:40 UTC+1\n*À: *maya@family.example\n\n`, '2027-01-04T09:12+01:00'],
  ['iOS, es', `Inicio del mensaje reenviado:\n\nDe: ${anna}\nFecha: 4 de enero de 2027, 9:12:40 CET\nPara: maya@family.example\nAsunto: Scan\n\n`, '2027-01-04T09:12+01:00'],
  ['Apple Mail, it', `Inizio messaggio inoltrato:\n\nDa: ${anna}\nOggetto: Scan\nData: 4 gennaio 2027 alle ore 09:12:40 CET\nA: maya@family.example\n\n`, '2027-01-04T09:12+01:00'],
  ['Apple Mail, nl', `Begin doorgestuurd bericht:\n\nVan: ${anna}\nOnderwerp: Scan\nDatum: 4 januari 2027 om 09:12:40 CET\nAan: maya@family.example\n\n`, '2027-01-04T09:12+01:00'],
  ['Apple Mail, pt', `Início da mensagem reencaminhada:\n\nDe: ${anna}\nAssunto: Scan\nData: 4 de janeiro de 2027, 09:12:40 WET\nPara: maya@family.example\n\n`, '2027-01-04T09:12+00:00'],
  ['Outlook, en', `-----Original Message-----\nFrom: Anna Weiss [mailto:anna@praxis.example]\nSent: Monday, January 4, 2027 9:12 AM\nTo: Maya\nSubject: Scan\n\n`, '2027-01-04T09:12'],
  ['Outlook on the web, en', `________________________________\nFrom: Anna Weiss <anna@praxis.example>\nSent: Monday, January 4, 2027 9:12:40 AM\nTo: Maya <maya@family.example>\nSubject: Scan\n\n`, '2027-01-04T09:12'],
  ['new Outlook, de, no separator', `Von: ${anna}\nDatum: Montag, 4. Januar 2027 um 09:12\nAn: Maya <maya@family.example>\nBetreff: Scan\n`, '2027-01-04T09:12'],
  ['Outlook, de', `-----Ursprüngliche Nachricht-----\nVon: Anna Weiss <anna@praxis.example>\nGesendet: Montag, 4. Januar 2027 09:12\nAn: Maya <maya@family.example>\nBetreff: Scan\n\n`, '2027-01-04T09:12'],
  ['Outlook, nl, no separator', `Van: ${anna}\nVerzonden: maandag 4 januari 2027 09:12\nAan: Maya <maya@family.example>\nOnderwerp: Scan\n\n`, '2027-01-04T09:12'],
  ['Outlook for Mac', 'On 04/01/2027, 09:12, "Anna Weiss" <anna@praxis.example> wrote:\n\n', undefined],
  ['Outlook, a blank line between the fields', `From: ${anna}\n\nSent: 04 January 2027 09:12\n\nTo: Maya <maya@family.example>\n\nSubject: Scan\n\n`, '2027-01-04T09:12'],
  ['Thunderbird, en', `-------- Forwarded Message --------\nSubject: \tScan\nDate: \tMon, 4 Jan 2027 09:12:40 +0100\nFrom: \t${anna}\nTo: \tmaya@family.example\n\n\n\n`, '2027-01-04T09:12+01:00'],
  ['Thunderbird, fr', `-------- Message transféré --------\nSujet : \tScan\nDate : \tMon, 4 Jan 2027 09:12:40 +0100\nDe : \t${anna}\nPour : \tmaya@family.example\n\n`, '2027-01-04T09:12+01:00'],
  ['Yahoo, en', `----- Forwarded Message -----\nFrom: ${anna}\nTo: Maya <maya@family.example>\nSent: Monday, January 4, 2027 at 09:12:40 AM GMT+1\nSubject: Scan\n\n`, '2027-01-04T09:12+01:00'],
  ['Yahoo, its lines lost', `  ----- Forwarded Message ----- From: ${anna}To: "Maya" <maya@family.example>Sent: Monday, January 4, 2027, 09:12:40 AM GMT+1Subject: Scan\n`, '2027-01-04T09:12+01:00'],
  ['Yahoo, de', `----- Weitergeleitete Nachricht -----\nVon: ${anna}\nAn: "maya@family.example" <maya@family.example>\nGesendet: Montag, 4. Januar 2027 um 09:12:40 MEZ\nBetreff: Scan\n\n`, '2027-01-04T09:12+01:00'],
  ['GMX and Web.de', `Gesendet: Montag, 04. Januar 2027 um 09:12 Uhr\nVon: "Anna Weiss" <anna@praxis.example>\nAn: maya@family.example\nBetreff: Scan\n\n`, '2027-01-04T09:12'],
  ['Proton', `------- Forwarded Message -------\nFrom: ${anna}\nDate: On Monday, January 4th, 2027 at 9:12 AM\nSubject: Scan\nTo: maya@family.example <maya@family.example>\n\n\n> `, '2027-01-04T09:12'],
  ['Zimbra', `----- Forwarded Message -----\nFrom: "Anna Weiss" <anna@praxis.example>\nTo: "Maya" <maya@family.example>\nSent: Monday, 4 January, 2027 09:12:40\nSubject: Scan\n\n`, '2027-01-04T09:12'],
  ['a quotation, de', 'Am Mo., 4. Jan. 2027 um 09:12 Uhr schrieb Anna Weiss <anna@praxis.example>:\n\n> ', '2027-01-04T09:12'],
  ['a quotation, fr, folded', 'Le lun. 4 janv. 2027 à 09:12, Anna Weiss <anna@praxis.example>\na écrit :\n\n> ', '2027-01-04T09:12'],
  ['a quotation, es', 'El lun, 4 ene 2027 a las 9:12, Anna Weiss (<anna@praxis.example>) escribió:\n\n> ', '2027-01-04T09:12'],
  ['a quotation, nl', 'Op ma 4 jan 2027 om 09:12 schreef Anna Weiss <anna@praxis.example>:\n\n> ', '2027-01-04T09:12'],
]; // biome-ignore format: a table

describe('a forward', () => {
  it.each(programs)('of %s is unwrapped', (program, header, date) => {
    const text = `See below.\n\n${header}${body}`;
    const [forward, ...others] = forwardsIn(text);
    expect(others).toEqual([]);
    expect(forward).toMatchObject({
      depth: 1,
      from: { name: 'Anna Weiss', address: 'anna@praxis.example' },
    });
    expect(forward?.date?.value).toBe(date);
    const isQuotation = program.includes('quotation') || program.includes('Mac');
    expect(forward?.subject?.text.replaceAll('*', '')).toBe(isQuotation ? undefined : 'Scan');
    const { index = 0, length = 0 } = forward?.body ?? {};
    expect(
      text
        .slice(index, index + length)
        .replaceAll('>', '')
        .trim(),
    ).toBe(body);
  });

  it.each(programs)('of %s is unwrapped when every line is quoted', (_, header, date) => {
    const quoted = `${header}${body}`.split('\n').map((line) => `> ${line}`);
    const text = ['See below.', ...quoted, 'Maya'].join('\n');
    const [forward] = forwardsIn(text);
    expect(forward).toMatchObject({ from: { address: 'anna@praxis.example' } });
    expect(forward?.date?.value).toBe(date);
  });

  it('keeps the place of what it says', () => {
    for (const [, header] of programs) {
      const text = `Hello\n${header}${body}`;
      for (const { from, date, subject } of forwardsIn(text)) {
        for (const passage of [from, date, subject]) {
          if (passage === undefined || /wrote|schr|écrit|escribió/.test(header)) continue;
          expect(text.slice(passage.index, passage.index + passage.length)).toBe(passage.text);
        }
      }
    }
  });

  it('ends where the quotation ends', () => {
    const text = `> Begin forwarded message:\n>\n> From: ${anna}\n> Subject: Scan\n>\n> ${body}\n\nMaya`;
    const [forward] = forwardsIn(text);
    const { index = 0, length = 0 } = forward?.body ?? {};
    expect(text.slice(index, index + length)).not.toContain('Maya');
  });

  it('may name somebody without an address: it is not guessed', () => {
    const text =
      '-----Original Message-----\nFrom: Anna Weiss\nSent: 4 January 2027 09:12\nTo: Maya\nSubject: Scan\n';
    expect(forwardsIn(text)).toMatchObject([{ from: { name: 'Anna Weiss', address: undefined } }]);
  });

  it('that names two addresses has none: which one wrote is not known', () => {
    const text = `Forwarded message:\nFrom: Anna <anna@praxis.example> on behalf of <b@praxis.example>\nSubject: Scan\n`;
    expect(forwardsIn(text)[0]?.from.address).toBeUndefined();
  });

  it('folds a sender and recipients that go on in the next line', () => {
    const text = `From: Anna Weiss\n <anna@praxis.example>\nSent: 4 January 2027 09:12\nTo: a@b.example,\nc@d.example\nSubject: A long\n subject\n\n${body}`;
    expect(forwardsIn(text)).toMatchObject([
      { from: { address: 'anna@praxis.example' }, subject: { text: 'A long subject' } },
    ]);
  });

  it('in a forward has its depth, and a second one beside a quoted one has not', () => {
    const header = (who: string) => `From: ${who}@x.example\nDate: 4 January 2027\nSubject: Scan\n\n`;
    const chain = `${header('a')}fyi\n\n${header('b')}fyi\n\n${header('c')}${body}`;
    expect(forwardsIn(chain).map(({ depth, from }) => [depth, from.address?.[0]])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
    const quoted = `${header('a')}${body}`.replace(/^/gm, '>> ');
    const beside = `${quoted}\n${header('b').replace(/^/gm, '> ')}${body}`;
    expect(forwardsIn(beside).map(({ depth }) => depth)).toEqual([1, 1]);
  });

  it('is unwrapped eight deep, and what is deeper stays part of the text', () => {
    const header = 'From: a@x.example\nDate: 4 January 2027\nSubject: Scan\n\nfyi\n\n';
    expect(forwardsIn(header.repeat(30)).map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('a text is left whole', () => {
  it.each([
    ['that has hours of opening', 'From: 10:00\nTo: 11:00\nDate: 4 March 2027\nSubject: Opening'],
    ['that is a form', 'Date: 4 March 2027\nTo: Mrs Winterbourne\nSubject: Your scan\n\nDear Rosa'],
    ['that names a sender and nothing else', 'From: anna@praxis.example\n\nDear Rosa'],
    [
      'that has names without an address and no separator',
      'From: Anna\nDate: 4 March 2027\nSubject: Scan\n\nDear',
    ],
    ['that tells what somebody wrote', 'On Monday Anna wrote:\nplease come on Thursday'],
    ['whose separator has nothing below it', '---------- Forwarded message ---------\n\nDear Rosa'],
    ['whose separator has a header without a sender', 'Forwarded message:\nSubject: x\nDate: 4 March 2027\n'],
    ['that has no words', ''],
  ])('%s', (_, text) => {
    expect(forwardsIn(text)).toEqual([]);
  });
});

describe('the header of an embedded mail', () => {
  it('is known to be one, so that less of it is enough', () => {
    const text = 'From: Anna Weiss\nDate: \nSubject: Scan';
    expect(forwardsIn(text)).toEqual([]);
    expect(forwardsIn(text, { certain: true })).toMatchObject([
      { from: { name: 'Anna Weiss' }, date: undefined },
    ]);
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(
    'From: ', 'Von: ', 'a@b.example', '<', '>', '> ', '\n', ' ', 'On ', ' wrote:', 'Date: 4 March 2027', 'Subject: x',
    '---------- Forwarded message ---------', 'Begin forwarded message:', ':', '"', '_'.repeat(32), 'é', '\u{1f600}',
  ); // biome-ignore format: a list

  it('has passages that stand in it', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        for (const { header, body: inner, from } of forwardsIn(text)) {
          expect(header.index + header.length).toBe(inner.index);
          expect(inner.index + inner.length).toBeLessThanOrEqual(text.length);
          expect(from.index).toBeGreaterThanOrEqual(header.index);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '\n',
    '> ',
    'From: ',
    'From: a@b.example\n',
    'On a wrote ',
    '- ',
    '\t',
    '<',
    'Cc: x\n',
    '-----\n',
    '"',
  ])('of a megabyte of %j is read in time that grows with its length', (unit) => {
    expect(forwardsIn(unit.repeat(1_000_000 / unit.length)).length).toBeLessThanOrEqual(40);
  });
});

describe.skipIf(!hasSharedMail)('the collected forwards (skipped where the collection is absent)', () => {
  it.each([
    ['fwd__apple_mail_en_body.txt', 'john.doe@acme.com', '2021-10-25T11:17+03:00'],
    ['fwd__gmail_de_body.txt', 'john.doe@acme.com', '2021-10-27T09:31'],
    ['fwd__new_outlook_2019_fr_body.txt', 'john.doe@acme.com', '2021-10-28T12:06'],
    ['fwd__thunderbird_en_body.txt', 'john.doe@acme.com', '2021-11-03T15:51+01:00'],
    ['fwd__unknown_en_body_variant_12.txt', undefined, '2022-07-23T07:53'],
  ])('%s is from %s', (file, address, value) => {
    const text = new TextDecoder().decode(sharedMail(file)).replaceAll('\r\n', '\n');
    expect(forwardsIn(text)).toMatchObject([
      {
        from: { name: 'John Doe', address },
        date: { value },
        subject: { text: 'Integer consequat non purus' },
      },
    ]);
  });
});
