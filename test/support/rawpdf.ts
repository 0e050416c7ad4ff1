/** What the objects of a hand-written PDF are, from object 1, the catalogue, on. */
export type RawObject = string | { readonly dictionary: string; readonly stream: Uint8Array | string };

/**
 * A PDF written by hand, for what no library would write. Object 1 is the catalogue, object 2 the pages.
 * @param trailer what the trailer holds beside its size and root
 */
export function rawPdf(objects: readonly RawObject[], trailer = ''): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  let at = parts[0]?.length ?? 0;
  const offsets = objects.map((object, index) => {
    const start = at;
    const written = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      bodyOf(object),
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(written);
    at += written.length;
    return `${String(start).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}

function bodyOf(object: RawObject): Buffer {
  if (typeof object === 'string') return Buffer.from(object);
  const stream = Buffer.from(object.stream);
  return Buffer.concat([
    Buffer.from(`<< ${object.dictionary} /Length ${stream.length} >>\nstream\n`),
    stream,
    Buffer.from('\nendstream'),
  ]);
}

export interface PageContent {
  readonly content: RawObject;
  /** What the page's dictionary holds beside the usual. */
  readonly page?: string;
  readonly objects?: readonly RawObject[];
}

/**
 * A PDF of one page of 300 by 400 points with the font /F1, and /X0 and so on for objects of one's own, which have the
 * numbers 6 and on.
 */
export function onePagePdf({ content, page = '', objects = [] }: PageContent): Uint8Array {
  const own = objects.map((_, index) => `/X${index} ${6 + index} 0 R`).join(' ');
  return rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << ${own} >> >> ${page} >>`,
    content,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...objects,
  ]);
}

/** A content stream. */
export const content = (operators: string): RawObject => ({ dictionary: '', stream: operators });
