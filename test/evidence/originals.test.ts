import { describe, expect, it } from 'vitest';
import { mailOf } from '../support/letters.ts';
import { evidenceOf } from '../support/reading.ts';

const originals = (facts: Awaited<ReturnType<typeof evidenceOf>>['facts']) =>
  facts
    .filter(({ kind }) => kind.startsWith('original_'))
    .map(({ kind, value, trust, source }) => [kind, value, trust, source.quote]);

const forwarded =
  'See below.\n\n---------- Forwarded message ---------\nFrom: Anna Weiss <anna@praxis.example>\nDate: Mon, 4 Jan 2027 at 09:12\nSubject: Your review\nTo: <maya@family.example>\n\nYour review is on Thursday 4 March 2027 at 10:30am.';

describe('the mail that another one forwards', () => {
  it('has its sender, date and subject as untrusted facts with their quotes', async () => {
    const { facts, documents } = await evidenceOf({ text: forwarded });
    expect(originals(facts)).toEqual([
      [
        'original_sender',
        'Anna Weiss <anna@praxis.example>',
        'UNTRUSTED',
        'From: Anna Weiss <anna@praxis.example>',
      ],
      ['original_date', '2027-01-04T09:12', 'UNTRUSTED', 'Date: Mon, 4 Jan 2027 at 09:12'],
      ['original_subject', 'Your review', 'UNTRUSTED', 'Subject: Your review'],
    ]);
    expect(documents[0]?.pages[0]).toBe(forwarded);
  });

  it('is found in a page of HTML as well', async () => {
    const html = forwarded
      .replaceAll('<', '&lt;')
      .split('\n')
      .map((line) => `<div>${line.replace(/^(\w+:)/, '<b>$1</b>')}</div>`)
      .join('');
    const { facts } = await evidenceOf({ html });
    expect(originals(facts).map(([kind, value]) => [kind, value])).toEqual([
      ['original_sender', 'Anna Weiss <anna@praxis.example>'],
      ['original_date', '2027-01-04T09:12'],
      ['original_subject', 'Your review'],
    ]);
  });

  it('that is attached has them from its own header', async () => {
    const content = await mailOf({
      from: 'Clinic <a@clinic.example>',
      to: 'm@f.example',
      subject: 'Your scan',
      text: 'Please come.',
    });
    const attachments = [{ filename: 'fwd.eml', contentType: 'message/rfc822', content }];
    const { facts } = await evidenceOf({ text: 'I attach what they sent.', attachments });
    expect(originals(facts).map(([, value]) => value)).toEqual([
      'Clinic <a@clinic.example>',
      '2027-02-01T09:00+00:00',
      'Your scan',
    ]);
  });

  it('that names a sender twice over is told by the name alone', async () => {
    const text =
      'Forwarded message:\nFrom: Anna <a@x.example>, Ben <b@x.example>\nDate: yesterday\nSubject: Scan\n';
    const { facts } = await evidenceOf({ text });
    expect(originals(facts).map(([kind, value]) => [kind, value])).toEqual([
      ['original_sender', 'Anna, Ben'],
      ['original_subject', 'Scan'],
    ]);
  });
});
