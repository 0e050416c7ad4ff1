import { Readable } from 'node:stream';
import { type AttachmentStream, MailParser } from 'mailparser';
import { CaregateError } from '../errors.ts';
import { HeaderFields } from './headers.ts';

/** One leaf of a MIME tree as the parser finds it. All of it is attacker-controlled. */
export interface Leaf {
  /** `1`, `2.1`: where it stands in its mail. */
  readonly path: string;
  readonly contentType: string;
  readonly charset: string | undefined;
  readonly encoding: string;
  readonly flowed: boolean;
  readonly deleteSpace: boolean;
  readonly fileName: string | undefined;
  readonly disposition: string | undefined;
  /** The number of the `multipart/alternative` that it is one rendering of. */
  readonly alternative: number | undefined;
  readonly bytes: Uint8Array;
}

export interface ParsedMail {
  readonly fields: HeaderFields;
  readonly subject: string;
  readonly leaves: readonly Leaf[];
}

/** What mailparser knows about a node, beyond what it hands out with an attachment. */
interface MimeNode {
  readonly charset?: string | false;
  readonly encoding?: string | false;
  readonly flowed?: boolean;
  readonly delSp?: boolean;
  readonly contentType?: string | false;
  readonly parentNode?: MimeNode | false;
}

/**
 * The part of mailparser that its types leave out. It hands out text parts joined and decoded, so their bytes cannot be
 * hashed; with no text types every leaf is an attachment, with its very bytes. A test holds this to be so.
 */
interface Seam {
  textTypes: readonly string[];
  /** Set by the parser itself where it gives up, so that it reads nothing more. */
  hasFailed: boolean;
  createNode(node: MimeNode): { readonly headers: object };
}

const options = {
  ignoreEmbedded: true,
  keepDeliveryStatus: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipHtmlToText: true,
  checksumAlgo: 'sha256',
  maxChildNodes: 1000,
};

/** Multiparts in multiparts. Each line is compared with the boundary of every one around it. */
const deepestMultipart = 20;

/**
 * The header fields and leaves of one mail. Embedded mails are leaves: nothing is recursed into.
 * @throws CaregateError `MAIL_TOO_LARGE` for more than 1,000 parts, 20 nested ones or 1 MB of header,
 * `MAIL_UNREADABLE`
 */
export async function parseLeaves(raw: Uint8Array): Promise<ParsedMail> {
  const parser = new MailParser(options);
  const nodes = observeNodes(parser);
  const leaves: Promise<Leaf>[] = [];
  parser.on('data', (data) => {
    if (data.type !== 'attachment') return;
    const leaf = leafOf(data, nodes);
    leaf.catch(() => undefined); // asked for below; until then a refusal of the whole must not go unhandled
    leaves.push(leaf);
  });
  await new Promise<void>((resolve, reject) => {
    parser.on('end', resolve);
    const source = Readable.from(slicesOf(raw), { objectMode: false });
    parser.on('error', (error: Error) => {
      source.destroy(); // what it has not taken yet costs nothing then
      reject(refusal(error));
    });
    source.pipe(parser);
  });
  const found = await Promise.all(leaves).catch((error: Error) => {
    throw refusal(error);
  });
  const subject = parser.headers === false ? undefined : parser.headers.get('subject');
  return {
    fields: new HeaderFields(parser.headerLines === false ? [] : parser.headerLines),
    subject: typeof subject === 'string' ? subject : '',
    leaves: found.length > 0 ? found : [wholeBody(raw)],
  };
}

/** What stands behind the header of a mail that says it has parts and has none: cut, or wrongly put together. */
function wholeBody(raw: Uint8Array): Leaf {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const ends = ['\n\r\n', '\n\n']
    .map((end) => ({ end, at: text.indexOf(end) }))
    .filter(({ at }) => at !== -1);
  const [first] = ends.sort((one, other) => one.at - other.at);
  const bytes = raw.subarray(first === undefined ? raw.length : first.at + first.end.length);
  const unknown = { charset: undefined, fileName: undefined, disposition: undefined, alternative: undefined };
  return {
    ...unknown,
    path: '1',
    contentType: 'text/plain',
    encoding: '',
    flowed: false,
    deleteSpace: false,
    bytes,
  };
}

const slice = 64 * 1024;

/** A mail piece by piece, so that the parser stops where it gives up. */
function* slicesOf(raw: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < raw.length; at += slice) {
    yield Buffer.from(raw.buffer, raw.byteOffset + at, Math.min(slice, raw.length - at));
  }
}

type Nodes = ReadonlyMap<object, { readonly node: MimeNode; readonly alternative: number | undefined }>;

function observeNodes(parser: MailParser): Nodes {
  const seam = parser as unknown as Seam;
  const nodes = new Map<object, { node: MimeNode; alternative: number | undefined }>();
  const alternatives: MimeNode[] = [];
  const create = seam.createNode.bind(parser);
  seam.textTypes = [];
  seam.createNode = (node) => {
    const made = create(node);
    if (depthOf(node) > deepestMultipart && !seam.hasFailed) {
      seam.hasFailed = true;
      parser.emit('error', tooLong());
    }
    if (node.contentType === 'multipart/alternative') alternatives.push(node);
    const index = alternatives.indexOf(alternativeOf(node) ?? node);
    nodes.set(made.headers, { node, alternative: index === -1 ? undefined : index });
    return made;
  };
  return nodes;
}

function depthOf(node: MimeNode): number {
  let [depth, parent] = [0, node.parentNode];
  while (parent && depth <= deepestMultipart) {
    depth += 1;
    parent = parent.parentNode;
  }
  return depth;
}

function alternativeOf(node: MimeNode): MimeNode | undefined {
  let parent = node.parentNode;
  while (parent) {
    if (parent.contentType === 'multipart/alternative') return parent;
    parent = parent.parentNode;
  }
  return undefined;
}

async function leafOf(attachment: AttachmentStream, nodes: Nodes): Promise<Leaf> {
  const chunks: Buffer[] = [];
  const found = nodes.get(attachment.headers);
  const node = found?.node;
  await new Promise<void>((resolve, reject) => {
    attachment.content.on('data', (chunk: Buffer) => chunks.push(chunk));
    attachment.content.on('end', resolve);
    attachment.content.on('error', reject);
  });
  attachment.release?.();
  return {
    path: attachment.partId ?? '1',
    contentType: typeOf(attachment, node),
    charset: node?.charset || undefined,
    encoding: (node?.encoding || '').toLowerCase(),
    flowed: node?.flowed === true,
    deleteSpace: node?.delSp === true,
    fileName: attachment.filename,
    disposition: attachment.contentDisposition,
    alternative: found?.alternative,
    bytes: new Uint8Array(Buffer.concat(chunks)),
  };
}

/** The parts of a digest are mails unless they say otherwise (RFC 2046, 5.1.5), which the parser does not know. */
function typeOf(attachment: AttachmentStream, node: MimeNode | undefined): string {
  const digest =
    node?.parentNode !== undefined && node.parentNode && node.parentNode.contentType === 'multipart/digest';
  if (digest && !attachment.headers.has('content-type')) return 'message/rfc822';
  // A cut mail leaves a part without a type, which the parser's own types do not foresee.
  return (attachment.contentType || 'text/plain').toLowerCase();
}

function tooLong(cause?: Error): CaregateError {
  const message = '`mail` has too many parts or too long a header; forward less at once';
  return new CaregateError('MAIL_TOO_LARGE', message, cause === undefined ? {} : { cause });
}

function refusal(error: Error & { code?: string }): CaregateError {
  if (error instanceof CaregateError) return error;
  return error.code === 'EMAXLEN'
    ? tooLong(error)
    : new CaregateError('MAIL_UNREADABLE', '`mail` cannot be taken apart; forward it again', {
        cause: error,
      });
}
