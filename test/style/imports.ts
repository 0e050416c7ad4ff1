import { dirname, join } from 'node:path/posix';
import { type Finding, isNode, lineAt, type Node, nodesOf, type Source } from './source.ts';

/** One import of one file: what it names, and whether anything of it is left when the types are gone. */
export interface Import {
  readonly from: string;
  readonly line: number;
  /** A file of the repository, or a package's name with its subpath. */
  readonly target: string;
  readonly local: boolean;
  /** `import type` and `export type` leave nothing behind; `import { type X }` still loads the file. */
  readonly typeOnly: boolean;
}

/** Every import of a file: static, re-exported, by `import()`, and by `new URL(…, import.meta.url)`. */
export function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  for (const [node] of nodesOf(source.program)) {
    const specifier = specifierOf(node);
    if (specifier === undefined) continue;
    const local = specifier.startsWith('.');
    found.push({
      from: source.path,
      line: lineAt(source.text, node.start),
      target: local ? join(dirname(source.path), specifier) : specifier,
      local,
      typeOnly: node.importKind === 'type' || node.exportKind === 'type',
    });
  }
  return found;
}

const declarations = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration']);

function specifierOf(node: Node): string | undefined {
  if (declarations.has(node.type) || node.type === 'ImportExpression') return textOf(node.source);
  if (node.type === 'TSImportType') return textOf(node.source ?? node.argument);
  if (node.type !== 'NewExpression' || !isNode(node.callee) || node.callee.name !== 'URL') return undefined;
  const [first, second] = Array.isArray(node.arguments) ? node.arguments : [];
  const path = textOf(first);
  return isNode(second) && second.type === 'MemberExpression' && path?.endsWith('.ts') === true
    ? path
    : undefined;
}

function textOf(node: unknown): string | undefined {
  return isNode(node) && typeof node.value === 'string' ? node.value : undefined;
}

/** Files that nothing imports and that start nothing. */
export function deadFiles(sources: readonly Source[], entries: ReadonlySet<string>): Finding[] {
  const imported = new Set(sources.flatMap(importsOf).map(({ target }) => target));
  return sources
    .filter(({ path }) => path.startsWith('lib/') && !path.endsWith('.d.ts')) // these describe, and are not loaded
    .filter(({ path }) => !imported.has(path) && !entries.has(path))
    .map(({ path }) => ({ path, line: 1, what: 'is imported by nothing but tests; wire it, or remove it' }));
}

/** The shortest way from `start` to a file that `isGoal`, following what is left when the types are gone. */
export function wayTo(
  start: string,
  isGoal: (path: string) => boolean,
  sources: readonly Source[],
): string[] | undefined {
  const next = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const queue: string[][] = [[start]];
  const seen = new Set([start]);
  for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
    const here = way.at(-1) ?? start;
    if (isGoal(here)) return way;
    for (const { target, local, typeOnly } of next.get(here) ?? []) {
      if (!local || typeOnly || seen.has(target)) continue;
      seen.add(target);
      queue.push([...way, target]);
    }
  }
  return undefined;
}
