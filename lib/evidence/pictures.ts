import type { Sha256 } from '../provenance/digest.ts';
import type { DocumentSet } from './documents.ts';
import { hiddenTexts, readingOf } from './pages.ts';
import { limits } from './schema.ts';
import type { Transcriber } from './transcripts.ts';
import type { CaseDocument } from './types.ts';

/**
 * The documents with what was read from their pictures. A page that was read says so, since its words can be misread;
 * one that was not stays a picture that a person has to look at. The words that a scanner laid over its picture give way
 * to what the picture shows.
 */
export async function withTranscripts(
  { documents, pictures }: DocumentSet,
  transcriber: Transcriber,
): Promise<readonly CaseDocument[]> {
  const texts = new Map<Sha256, Map<number, string>>();
  for (const picture of pictures.slice(0, limits.pictures)) {
    const text = await transcriber.read(picture);
    if (text === undefined) continue;
    const pages = texts.get(picture.document) ?? new Map<number, string>();
    texts.set(picture.document, pages.set(picture.page, text));
  }
  return documents.map((document) => withPages(document, texts.get(document.id)));
}

function withPages(document: CaseDocument, read: ReadonlyMap<number, string> | undefined): CaseDocument {
  if (read === undefined) return document;
  const { unread: _, unseen = [], transcribed = [], hidden = [], ...rest } = document;
  const pages = document.pages.map((page, index) => read.get(index + 1) ?? page);
  const reading = readingOf(pages);
  const open = unseen.filter((page) => !read.has(page));
  const kept = hiddenTexts([...hidden, ...document.pages.filter((page) => !pages.includes(page))]);
  return {
    ...rest,
    ...reading,
    transcribed: [...new Set([...transcribed, ...read.keys()])].sort((a, b) => a - b),
    ...(open.length > 0 ? { unseen: open } : {}),
    ...(open.length > 0 && reading.unread === 'empty' ? { unread: 'scanned' as const } : {}),
    ...(kept.length > 0 ? { hidden: kept } : {}),
  };
}
