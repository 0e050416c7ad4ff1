import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mailOf } from './letters.ts';

/** Where the collection stands, with a slash at its end. */
export const sharedMailFolder = fileURLToPath(new URL('../../../shared/mail/', import.meta.url));

/** Whether the collection of peculiar mails stands beside the repository. Tests on it are skipped where it does not. */
export const hasSharedMail = existsSync(sharedMailFolder);

/** The bytes of one file of the collection. */
export function sharedMail(name: string): Uint8Array {
  return new Uint8Array(readFileSync(`${sharedMailFolder}${name}`));
}

const types: Readonly<Record<string, string>> = {
  ics: 'text/calendar',
  pdf: 'application/pdf',
  tnef: 'application/ms-tnef',
  txt: 'text/plain',
};

/** The names of all files of the collection. */
export function sharedMailNames(): string[] {
  return readdirSync(sharedMailFolder).filter((name) => name !== 'MANIFEST.tsv');
}

/** Every file of the collection as a mail: what is none is attached to one, and a text is its body. */
export async function sharedMails(): Promise<{ name: string; raw: Uint8Array }[]> {
  return Promise.all(sharedMailNames().map(async (name) => ({ name, raw: await asMail(name) })));
}

async function asMail(name: string): Promise<Uint8Array> {
  const content = sharedMail(name);
  const ending = name.split('.').at(-1) ?? '';
  if (ending === 'eml') return content;
  const heads = { from: 'maya@family.example', to: 'care@inbox.example', subject: 'Letter' };
  if (ending === 'txt') return mailOf({ ...heads, text: new TextDecoder().decode(content) });
  const attachments = [{ filename: name, contentType: types[ending] ?? '', content }];
  return mailOf({ ...heads, text: 'I attach what they sent to me.', attachments });
}
