import { layout } from '../casefile/layout.ts';
import { CaregateError } from '../errors.ts';
import type { Call } from '../proposal/call.ts';
import { type Sha256, sha256 } from '../provenance/digest.ts';
import { documentArgument, entryArgument, oneLine, optionalText, textArgument } from './arguments.ts';
import type { Preparation, PreparationContext } from './context.ts';

/**
 * `file_document`: the document's own bytes under the folder, by a name that a person can read and that two
 * documents never share.
 */
export async function prepareFiling(call: Call, context: PreparationContext): Promise<Preparation> {
  const document = documentArgument(call, 'document');
  const folder = entryArgument(call, 'folder', 'folders');
  const name = fileName({
    date: optionalText(call, 'date'),
    title: textArgument(call, 'title'),
    digest: document.digest,
    original: document.name,
  });
  return {
    key: `${layout.folder(call.circle, folder.id)}${name}`,
    bytes: await documentBytes(context, document.digest),
    // A document is only ever handed back as a download: its own type would let a page in it run.
    contentType: 'application/octet-stream',
  };
}

/**
 * Reads a document and digests what was read: the bytes that were decided on are the bytes that are used.
 * @throws CaregateError `DIGEST_MISMATCH`
 */
export async function documentBytes(context: PreparationContext, digest: Sha256): Promise<Uint8Array> {
  const bytes = await context.document(digest);
  if (sha256(bytes) !== digest) {
    throw new CaregateError(
      'DIGEST_MISMATCH',
      `document \`${digest}\` has other bytes; run \`caregate audit\``,
    );
  }
  return bytes;
}

/** `2027-03-04-referral-letter-0123456789ab.pdf`. Title, date and the document's own name are attacker-controlled. */
export function fileName(parts: {
  date: string | undefined;
  title: string;
  digest: Sha256;
  original: string;
}): string {
  const date = /^\d{4}-\d{2}-\d{2}/.exec(parts.date ?? '')?.[0] ?? 'undated';
  const extension = /\.([a-z0-9]{1,8})$/i.exec(parts.original)?.[1]?.toLowerCase() ?? 'bin';
  return `${date}-${readable(parts.title)}-${parts.digest.slice(0, 12)}.${extension}`;
}

/** Letters and digits of any script, joined by hyphens, in at most 120 bytes: file systems take 255 for a name. */
function readable(title: string): string {
  const words = oneLine(title.normalize('NFKC').toLowerCase()).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let name = '';
  for (const character of words.join('-')) {
    if (Buffer.byteLength(name + character) > 120) break;
    name += character;
  }
  return name.replace(/-+$/, '') || 'document';
}
