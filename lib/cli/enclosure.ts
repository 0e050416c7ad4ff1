import { basename } from 'node:path';
import MailComposer from 'nodemailer/lib/mail-composer';

/** A file as the only attachment of a mail, so that it is read as one that somebody forwarded. */
export async function enclosed(bytes: Uint8Array, file: string): Promise<Uint8Array> {
  const composer = new MailComposer({
    from: 'file@localhost.example',
    to: 'reader@localhost.example',
    subject: '',
    date: new Date(0),
    messageId: '<file@localhost.example>',
    baseBoundary: 'file',
    attachments: [{ filename: basename(file), content: Buffer.from(bytes) }],
  });
  return new Uint8Array(await composer.compile().build());
}
