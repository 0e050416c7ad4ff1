import type { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { type Operators, type Painting, PaintWalk } from './paintings.ts';
import { type HiddenWords, hiddenWords, type PageBox, type TextItem, withoutWords } from './pdfwords.ts';

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
export type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;
type PdfLibrary = Awaited<ReturnType<typeof getResolvedPDFJS>>;

/** What a page of a PDF says. All of it is attacker-controlled. */
export interface PageText {
  /** What a person sees, and below it the values of form fields and notes, which are not part of the page's text. */
  readonly text: string;
  /** The text together with the words that are painted with nothing, as a scanner lays them over its picture; empty where there are none. */
  readonly layer: string;
  /** The words that are painted with nothing, and what else the page holds and nobody sees. */
  readonly hidden: { readonly layer: string; readonly others: string };
}

/** What pdf.js knows by number, by name. */
export function operatorNames({ OPS }: PdfLibrary): ReadonlyMap<number, string> {
  return new Map(Object.entries(OPS).map(([name, number]) => [number as number, name]));
}

export async function paintingsOf(
  pdf: PdfDocument,
  page: PdfPage,
  names: ReadonlyMap<number, string>,
): Promise<Painting[]> {
  const layers = await pdf.getOptionalContentConfig();
  const isOff = (layer: unknown): boolean =>
    typeof layer === 'object' && layer !== null && !layers.isVisible(layer as never);
  const operators: Operators = await page.getOperatorList({ annotationMode: 0 });
  return new PaintWalk(names, isOff).paintings(operators);
}

/** Reads a page. */
export async function readPage(
  pdf: PdfDocument,
  page: PdfPage,
  names: ReadonlyMap<number, string>,
): Promise<PageText> {
  const items = await textItems(page);
  const hidden = hiddenWords(await paintingsOf(pdf, page, names), page.view as unknown as PageBox);
  const seen = withoutWords(items, hidden);
  const fields = await fieldLines(page);
  const [layer, others] = [hidden.filter((each) => each.layer), hidden.filter((each) => !each.layer)];
  return {
    text: [linesOf(seen), ...fields].filter((part) => part !== '').join('\n'),
    layer: layer.length === 0 ? '' : linesOf(withoutWords(items, others)),
    hidden: { layer: wordsOf(layer), others: wordsOf(others) },
  };
}

async function textItems(page: PdfPage): Promise<TextItem[]> {
  const { items } = await page.getTextContent();
  return items.flatMap((item) => ('str' in item ? [item as TextItem] : []));
}

const wordsOf = (hidden: readonly HiddenWords[]): string => hidden.map(({ words }) => words.text).join('\n');

function linesOf(items: readonly TextItem[]): string {
  const lines: TextItem[][] = [[]];
  for (const item of items) {
    lines.at(-1)?.push(item);
    if (item.hasEOL) lines.push([]);
  }
  return lines
    .map((line) =>
      inReadingOrder(line)
        .map(({ str }) => str)
        .join(''),
    )
    .join('\n')
    .trim();
}

/** pdf.js gives each item in reading order, and the items of a line as they were painted: from the left even in Hebrew. */
function inReadingOrder(line: readonly TextItem[]): readonly TextItem[] {
  const worded = line.filter(({ str }) => str.trim() !== '');
  const leftward = worded.filter(({ dir }) => dir === 'rtl').length * 2 > worded.length;
  const starts = worded.map(({ transform }) => transform[4] ?? 0);
  const painted = starts.every((start, index) => index === 0 || start > (starts[index - 1] ?? 0));
  return leftward && worded.length > 1 && painted ? [...line].reverse() : line;
}

interface Annotation {
  readonly subtype?: unknown;
  readonly fieldType?: unknown;
  readonly fieldName?: unknown;
  readonly fieldValue?: unknown;
  readonly contentsObj?: { readonly str?: unknown };
  readonly hidden?: unknown;
}

/** The values of form fields, and notes that somebody typed onto the page. */
async function fieldLines(page: PdfPage): Promise<string[]> {
  const annotations: readonly Annotation[] = await page.getAnnotations();
  return annotations.flatMap((annotation) => {
    if (annotation.hidden === true) return [];
    if (annotation.subtype === 'FreeText')
      return [stringOf(annotation.contentsObj?.str).trim()].filter(Boolean);
    const { fieldType, fieldName, fieldValue } = annotation;
    const values = [fieldValue].flat().filter((value) => typeof value === 'string');
    const value = values.join(', ').trim();
    if (typeof fieldType !== 'string' || value === '' || value === 'Off') return [];
    return [stringOf(fieldName) === '' ? value : `${stringOf(fieldName)}: ${value}`];
  });
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');
