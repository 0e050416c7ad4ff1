/** A4, in points. */
const sheet = { width: 595, height: 842, left: 50, top: 790 };
const lettersPerLine = 84;
const linesPerSheet = 58;

/**
 * Any text as a PDF that shows it and from which it can be read again, whatever script it is in: the few letters that the
 * fonts of PDF itself have would leave out most attacks. The same text gives the same bytes.
 */
export function letterPdf(text: string): Uint8Array {
  const codes = new Map<string, number>();
  const coded = (line: string): string =>
    [...line]
      .map((character) => {
        const code = codes.get(character) ?? codes.size + 1;
        codes.set(character, code);
        return hex(code);
      })
      .join('');
  const sheets = sheetsOf(text).map((lines) => content(lines.map(coded)));
  const first = 6; // objects of the letter itself
  const pages = sheets.map((_, at) => `${first + 2 * at} 0 R`);
  return assembled([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type0 /BaseFont /Letter /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>',
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Letter /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 >>',
    stream(unicodeMap(codes)),
    ...sheets.flatMap((page, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${sheet.width} ${sheet.height}] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 2 * at + 1} 0 R >>`,
      stream(page),
    ]),
  ]);
}

function sheetsOf(text: string): string[][] {
  const lines = text.split(/\r?\n/).flatMap(wrapped);
  return Array.from({ length: Math.max(1, Math.ceil(lines.length / linesPerSheet)) }, (_, at) =>
    lines.slice(at * linesPerSheet, (at + 1) * linesPerSheet),
  );
}

/** A paragraph in lines: between words where there are any, else anywhere. */
function wrapped(paragraph: string): string[] {
  const lines: string[] = [];
  let line: string[] = [];
  for (const word of paragraph.split(' ')) {
    let letters = [...word];
    if (line.length > 0 && line.length + 1 + letters.length > lettersPerLine) {
      lines.push(line.join(''));
      line = [];
    }
    if (line.length > 0) line.push(' ');
    while (letters.length > lettersPerLine) {
      lines.push(letters.slice(0, lettersPerLine).join(''));
      letters = letters.slice(lettersPerLine);
    }
    line.push(...letters);
  }
  return [...lines, line.join('')];
}

function content(lines: readonly string[]): string {
  const shown = lines.map((line) => (line === '' ? 'T*' : `<${line}> Tj T*`));
  return `BT /F1 10 Tf 13 TL ${sheet.left} ${sheet.top} Td\n${shown.join('\n')}\nET`;
}

/** Which character each code stands for (ToUnicode CMap; ISO 32000-1, 9.10.3), in blocks of 100 as it demands. */
function unicodeMap(codes: ReadonlyMap<string, number>): string {
  const entries = [...codes].map(([character, code]) => `<${hex(code)}> <${utf16(character)}>`);
  const blocks = Array.from({ length: Math.ceil(entries.length / 100) }, (_, at) => {
    const block = entries.slice(at * 100, (at + 1) * 100);
    return `${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`;
  });
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Letter-UCS def /CMapType 2 def',
    '1 begincodespacerange <0000> <FFFF> endcodespacerange',
    ...blocks,
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n');
}

function stream(text: string): string {
  return `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;
}

/** The file with its table of objects. Everything in it is ASCII, so that a position is a number of characters. */
function assembled(objects: readonly string[]): Uint8Array {
  let file = '%PDF-1.7\n';
  const positions = objects.map((object, index) => {
    const position = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(position).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${positions.join('')}`;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return new TextEncoder().encode(file + table + trailer);
}

const hex = (code: number): string => code.toString(16).padStart(4, '0');

function utf16(character: string): string {
  return Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at))).join('');
}
