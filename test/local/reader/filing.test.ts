import { describe, expect, it } from 'vitest';
import type { Category } from '../../../lib/proposal/catalogue.ts';
import { evidenceOf, exampleCircle, type GivenDocument } from '../../support/cases.ts';
import { planned, proposalOf } from '../../support/reader.ts';

const pdf = (name: string, text = ''): GivenDocument => ({ kind: 'pdf', name, text });
const note: GivenDocument = { text: 'Please file it.' };

async function filedAs(category: Category, ...documents: readonly GivenDocument[]) {
  const { tool, input } = await proposalOf({ evidence: evidenceOf(documents), category });
  return tool === 'file_document' ? input : tool;
}

describe('an attached document', () => {
  it.each<[Category, string, string, string]>([
    ['referral', 'Referral letter.pdf', 'Thank you for seeing Rosa.', 'referrals'],
    ['receipt', 'BW-771904.pdf', 'Receipt. Total paid £429.00', 'receipts'],
    ['appointment', 'Letter.pdf', 'Your appointment is on Monday.', 'appointments'],
    ['records_request', 'Consent form signed.pdf', 'Consent to release of records', 'records'],
    ['information', 'Visiting.pdf', 'The ward has moved.', 'letters'],
    // The name of a document says more than what the mail around it is about.
    ['appointment', 'Referral letter.pdf', '', 'referrals'],
    ['bill', 'Rechnung 2027-01.pdf', 'Bitte zahlen Sie.', 'receipts'],
  ])('of a mail about %s called %j goes where its words belong', async (category, name, text, folder) => {
    expect(await filedAs(category, note, pdf(name, text))).toMatchObject({
      document: 'd2',
      folder: { entry: folder },
    });
  });

  it('is filed once, and so is each of several', async () => {
    const evidence = evidenceOf([note, pdf('a-form.pdf'), pdf('b-form.pdf')]);
    const { proposals, reason } = await planned(evidence, 'information');
    expect(proposals.map(({ input }) => input.document)).toEqual(['d2', 'd3']);
    expect(reason).toBe('everything_done');
  });

  it('without text is filed under its name, and says nothing of its contents', async () => {
    const locked = { ...pdf('Discharge report.pdf'), unread: 'locked' } as const;
    expect(await filedAs('information', note, locked)).toMatchObject({
      title: { text: 'Discharge report' },
      folder: { entry: 'records' },
    });
  });

  it.each(['logo.png', 'image001.jpg', 'smime.p7s', 'winmail.dat', 'contact.vcf'])(
    'that only decorates the mail is left alone: %s',
    async (name) => {
      expect(await filedAs('information', note, { kind: 'image', name })).toBe('no_further_action');
    },
  );
});

describe('the title', () => {
  it.each([
    ['Discharge_letter-final.pdf', 'x', 'Discharge letter final'],
    ['scan_0042.pdf', '\n12/3\nHillside Clinic\nRest', 'Hillside Clinic'],
    ['document.pdf', '', 'document'],
    ['.pdf', '', 'Document'],
    [`${'long '.repeat(60)}.pdf`, '', `${'long '.repeat(24)}`.trim()],
    ['a\u0000b\u202ec.pdf', '', 'a b c'],
  ])('of %j', async (name, text, title) => {
    expect(await filedAs('information', note, pdf(name, text))).toMatchObject({ title: { text: title } });
  });
});

describe('the date', () => {
  const dateOf = async (...dates: readonly [value: string, quote: string][]) => {
    const facts = dates.map(([value, quote]) => ({ kind: 'date' as const, value, quote, document: 'd2' }));
    const evidence = evidenceOf([note, pdf('Letter.pdf')], facts);
    return (await proposalOf({ evidence, category: 'information' })).input.date;
  };

  it('is the one that the document names as its date', async () => {
    expect(
      await dateOf(['2027-01-11', 'seen on 11 January'], ['2027-01-20', 'Letter date: 20 January']),
    ).toEqual({
      fact: 'f2',
    });
  });

  it('is the only one, without a name too', async () => {
    expect(await dateOf(['2027-01-20', '20 January 2027'])).toEqual({ fact: 'f1' });
  });

  it('is none of several without a name', async () => {
    expect(await dateOf(['2027-01-11', 'on 11 January'], ['2027-01-20', 'on 20 January'])).toBeUndefined();
  });

  it('is never a birthday, nor a day that is still to come', async () => {
    expect(await dateOf(['1948-03-09', 'Date of birth: 9 March 1948'])).toBeUndefined();
    expect(await dateOf(['2027-03-09', 'Date: 9 March 2027'])).toBeUndefined();
  });
});

describe('a mail without attachments', () => {
  it.each<[Category, unknown]>([
    ['receipt', 'd2'],
    ['bill', 'd2'],
    ['referral', 'd2'],
    ['information', undefined],
    ['appointment', undefined],
  ])('about %s files %s', async (category, document) => {
    const evidence = evidenceOf([{ text: 'Fwd' }, { text: 'Receipt: thank you for your order.' }]);
    const { proposals } = await planned(evidence, category);
    expect(proposals.find(({ tool }) => tool === 'file_document')?.input.document).toBe(document);
  });
});

describe('folders of another household', () => {
  const circle = {
    ...exampleCircle,
    folders: [
      { id: 'termine', name: 'Termine' },
      { id: 'belege', name: 'Belege und Garantien' },
      { id: 'sonstiges', name: 'Sonstiges' },
    ],
  };
  it('are found by their own words, and the last one takes the rest', async () => {
    const folderOf = async (category: Category, name: string) => {
      const evidence = evidenceOf([note, pdf(name)]);
      return (await proposalOf({ evidence, category, circle })).input.folder;
    };
    expect(await folderOf('receipt', 'Quittung.pdf')).toEqual({ entry: 'belege' });
    expect(await folderOf('appointment', 'Brief.pdf')).toEqual({ entry: 'termine' });
    expect(await folderOf('information', 'Grundriss.pdf')).toEqual({ entry: 'sonstiges' });
  });
});
