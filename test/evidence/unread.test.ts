import { describe, expect, it } from 'vitest';
import { noticeWords } from '../../lib/approval/noticetext.ts';
import { type CaseDocument, unreadReasons } from '../../lib/evidence/types.ts';
import { unreadDocuments } from '../../lib/evidence/unread.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { casePage } from '../../lib/web/casepage.ts';
import { circle } from '../support/reading.ts';

const document = (more: Partial<CaseDocument>): CaseDocument => ({
  id: sha256('letter'),
  alias: 'd1',
  kind: 'pdf',
  name: 'Letter.pdf',
  contentType: 'application/pdf',
  size: 6,
  pages: [''],
  ...more,
});

describe('what could not be read', () => {
  it('is said with a reason of its own, for every reason there is but decoration', () => {
    const said = unreadReasons.flatMap((unread) => unreadDocuments([document({ unread })]));
    expect(said).toHaveLength(unreadReasons.length - 1);
    expect(new Set(said.map(({ why }) => why)).size).toBe(said.length);
    expect(said.every(({ name }) => name === 'Letter.pdf')).toBe(true);
  });

  it('can be a page, or what did not fit', () => {
    const say = (more: Partial<CaseDocument>) => unreadDocuments([document({ pages: ['a', ''], ...more })]);
    expect(say({ unseen: [2] })).toMatchObject([{ why: expect.stringContaining('page 2 is a picture') }]);
    expect(say({ unseen: [1, 2] })).toMatchObject([{ why: expect.stringContaining('pages 1, 2 are') }]);
    expect(say({ truncated: true })).toMatchObject([{ why: expect.stringContaining('more in it') }]);
    expect(say({})).toEqual([]);
  });

  it('stands in the notice that a mail is done with, its name quoted', () => {
    const unread = unreadDocuments([document({ name: 'see https://evil.example now', unread: 'locked' })]);
    const { blocks } = noticeWords.closing({ case: 'c' as never, actions: [], unread }, circle);
    const text = JSON.stringify(blocks);
    expect(text).toContain('it needs a password');
    expect(text).not.toContain('evil.example');
  });

  it('stands on the page of its case', () => {
    const key = { circle: circle.id, case: 'c' as never };
    const unread = unreadDocuments([document({ name: '<b>Letter</b>', unread: 'scanned' })]);
    const page = String(casePage({ key, actions: [], parked: [], unread, readers: [] }, circle, true));
    expect(page).toContain('its words could not be made out');
    expect(page).not.toContain('<b>Letter');
  });
});
