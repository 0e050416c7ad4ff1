import { type Finding, findingAt, lineAt, lineCount, nameOf, nodesOf, type Source } from './source.ts';

/** The value below which a share of the sorted numbers lies; 0 for none. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function fileLengths(sources: readonly Source[]): number[] {
  return sources.map(({ text }) => lineCount(text));
}

/** No file is longer than `most` lines. */
export function longFiles(sources: readonly Source[], most: number): Finding[] {
  return sources
    .filter(({ text }) => lineCount(text) > most)
    .map(({ path, text }) => ({
      path,
      line: 1,
      what: `has ${lineCount(text)} lines; split it, ${most} is the most`,
    }));
}

export interface FunctionLength {
  readonly finding: Finding;
  readonly lines: number;
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Every function that is more than a one-line arrow, with its length in lines. */
export function functionLengths(source: Source): FunctionLength[] {
  const lengths: FunctionLength[] = [];
  for (const [node, above] of nodesOf(source.program)) {
    if (!functionTypes.has(node.type)) continue;
    const lines = lineAt(source.text, node.end) - lineAt(source.text, node.start) + 1;
    if (lines === 1 && node.type === 'ArrowFunctionExpression') continue;
    const name = nameOf(node.id) ?? nameOf(above.at(-1)?.key) ?? nameOf(above.at(-1)?.id);
    lengths.push({
      lines,
      finding: findingAt(source, node, `function \`${name ?? 'anonymous'}\` has ${lines} lines`),
    });
  }
  return lengths;
}

export function longFunctions(sources: readonly Source[], most: number): Finding[] {
  return sources
    .flatMap(functionLengths)
    .filter(({ lines }) => lines > most)
    .map(({ finding }) => finding);
}
