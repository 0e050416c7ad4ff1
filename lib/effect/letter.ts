import MailComposer from 'nodemailer/lib/mail-composer';
import { layout } from '../casefile/layout.ts';
import { CaregateError } from '../errors.ts';
import type { Call } from '../proposal/call.ts';
import { sha256 } from '../provenance/digest.ts';
import { documentsArgument, oneLine, textArgument } from './arguments.ts';
import type { Preparation, PreparationContext, Seed } from './context.ts';
import { documentBytes } from './filing.ts';
import { routeOf } from './route.ts';

/** What SES takes as one message, in bytes of base64: the whole MIME is encoded once more on its way. */
export const largestEncodedLetter = 10_000_000;

/**
 * `send_email`: the exact MIME of a letter. The same call and seed give the same bytes, so that the letter that was
 * created, the letter that is sent and the letter that an auditor reads are one.
 * @throws CaregateError `LETTER_TOO_LARGE`
 */
export async function prepareLetter(
  call: Call,
  context: PreparationContext,
  seed: Seed,
): Promise<Preparation> {
  const { from, to } = routeOf(call, context.circle);
  const attachments = await Promise.all(
    documentsArgument(call, 'attachments').map(async ({ digest, name }) => ({
      filename: oneLine(name),
      content: Buffer.from(await documentBytes(context, digest)),
      contentType: mediaType(name),
      contentDisposition: 'attachment' as const,
      // Base64 alone carries every byte as it is: other encodings may rewrite the ends of lines.
      contentTransferEncoding: 'base64' as const,
    })),
  );
  const composer = new MailComposer({
    from: { name: '', address: from },
    to: { name: '', address: to },
    subject: oneLine(textArgument(call, 'subject')),
    text: textArgument(call, 'body'),
    textEncoding: 'quoted-printable',
    attachments,
    date: new Date(Date.parse(seed.createdAt)),
    messageId: `<${seed.attempt}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    baseBoundary: sha256(`${seed.attempt} ${seed.createdAt}`).slice(0, 32),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const bytes = new Uint8Array(await composer.compile().build());
  const encoded = Math.ceil(bytes.length / 3) * 4;
  if (encoded > largestEncodedLetter) throw tooLarge(encoded);
  return { key: layout.letter(context.caseKey, call.action), bytes, contentType: 'message/rfc822' };
}

/** By the end of a document's name. Types that a mail program would open itself, or rewrite, are left out. */
function mediaType(name: string): string {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const known: { readonly [extension: string]: string } = {
    pdf: 'application/pdf',
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
  };
  return Object.hasOwn(known, extension)
    ? (known[extension] ?? 'application/octet-stream')
    : 'application/octet-stream';
}

function tooLarge(size: number): CaregateError {
  return new CaregateError(
    'LETTER_TOO_LARGE',
    `the letter has \`${size}\` bytes as it is sent and may have ${largestEncodedLetter}; attach fewer documents`,
  );
}
