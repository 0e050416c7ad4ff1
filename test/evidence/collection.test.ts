import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { circle, clock } from '../support/reading.ts';
import {
  hasSharedMail,
  sharedMail,
  sharedMailFolder,
  sharedMailNames,
  sharedMails,
} from '../support/sharedmail.ts';

/**
 * Every file of the collection, and the documents that it is read as: what is no mail is attached to one, a text is its
 * body. Behind a colon stands why a document cannot be read.
 */
const outlines: Readonly<Record<string, string>> = {
  'cpython__msg_05.eml': 'text mail',
  'cpython__msg_46.eml': 'mail text',
  'fwd__apple_mail_en_body.txt': 'text',
  'fwd__gmail_de_body.txt': 'text',
  'fwd__new_outlook_2019_fr_body.txt': 'text',
  'fwd__thunderbird_en_body.txt': 'text',
  'fwd__unknown_en_body_variant_12.txt': 'text',
  'icalendar__issue_218_bad_tzid.ics': 'text calendar',
  'icalendar__issue_722_missing_VTIMEZONE_custom.ics': 'text calendar',
  'kde__GLC-KGX.ics': 'text calendar',
  'kde__canceled.ics': 'text calendar',
  'kde__flight-booking.eml': 'text',
  'mikel__attachment_message_rfc822.eml': 'text mail text pdf:damaged',
  'mikel__attachment_with_encoded_name.eml': 'text other:unsupported',
  'mikel__japanese_iso_2022.eml': 'text',
  'mikel__multiple_invalid_content_dispositions.eml': 'html',
  'mikel__raw_email10.eml': 'text',
  'mikel__raw_email_with_binary_encoded.eml': 'image:unsupported',
  'mimekit__body.tnef': 'text mail html',
  'mimekit__one-file.tnef': 'text mail other:unsupported',
  'mimekit__ukr.eml': 'text mail html',
  'mp__decoderended.eml': 'text mail:empty',
  'mp__delivery-status.eml': 'text other:unsupported mail html',
  'nodeical__Office-2012-owa.ics': 'text calendar',
  'nodeical__bad_custom_ms_tz.ics': 'text calendar',
  'nodeical__exchange_whole_day_moved_recurrence.ics': 'text calendar',
  'nodeical__floating-dtstart-custom-vtimezone.ics': 'text calendar',
  'nodeical__ms_timezones.ics': 'text calendar:damaged',
  'nodeical__whole_day_moved_over_dst_change_berlin.ics': 'text calendar',
  'pdfjs__bug1844583.pdf': 'text pdf',
  'pdfjs__copy_paste_ligatures.pdf': 'text pdf',
  'pdfjs__empty_protected.pdf': 'text pdf:empty',
  'pdfjs__scan-bad.pdf': 'text pdf',
  'pm__calendar-event.eml': 'text calendar',
  'spamscope__mail_test_14.eml': 'html image:unsupported text',
  'stalwart__legacy_017.eml': 'text image:too_small image:too_small',
  'stalwart__malformed_008.eml': 'text html',
  'stalwart__malformed_019.eml': 'html html html html',
  'stalwart__thirdparty_007.eml': 'mail text mail text mail text text',
}; // biome-ignore format: a table

describe.skipIf(!hasSharedMail)('the collection of peculiar mails (skipped where it is absent)', () => {
  it('is here as its manifest says, and each of its files stands in the table', () => {
    const [, ...rows] = readFileSync(`${sharedMailFolder}MANIFEST.tsv`, 'utf8').trim().split('\n');
    const listed = rows.map((row) => [row.split('\t')[0], row.split('\t').at(-1)?.trim()]);
    expect(listed.map(([name]) => name).sort()).toEqual(sharedMailNames().sort());
    expect(Object.keys(outlines).sort()).toEqual(sharedMailNames().sort());
    for (const [name = '', digest] of listed) expect(sha256(sharedMail(name))).toBe(digest);
  });

  it('is read as the table says', async () => {
    const found: Record<string, string> = {};
    for (const { name, raw } of await sharedMails()) {
      const { evidence } = await readEvidence(await parseMessage(raw), { circle, clock });
      const kinds = evidence.documents.map(({ kind, unread }) =>
        unread === undefined ? kind : `${kind}:${unread}`,
      );
      found[name] = kinds.join(' ');
    }
    expect(found).toEqual(outlines);
  }, 120_000);
});
