import { globSync, readFileSync } from 'node:fs';
import { type ESTree, type ParseResult, parseSync } from 'vite';

/** A source file as the rules see it: its text, and its syntax tree by a real parser. */
export interface Source {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: ESTree.Program;
  readonly comments: ParseResult['comments'];
}

/** What a rule objects to. Printed as `file:line what`, so that a terminal opens the place. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

/** Any node of the tree. What else it has depends on its type. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

/** Parses a text as TypeScript. A rule is tried on a text of a few lines with this. */
export function sourceOf(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text, { lang: 'ts', sourceType: 'module' });
  const [problem] = errors;
  if (problem !== undefined) throw new Error(`${path} does not parse: ${problem.message}`);
  return { path, text, program, comments };
}

/** The files of the repository that match, in order. */
export function pathsOf(...patterns: readonly string[]): string[] {
  const found = patterns.flatMap((pattern) => globSync(pattern));
  return [...new Set(found.map((path) => path.replaceAll('\\', '/')))].sort();
}

export function sourcesOf(...patterns: readonly string[]): Source[] {
  return pathsOf(...patterns).map((path) => sourceOf(path, readFileSync(path, 'utf8')));
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

export function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

export function findingAt(source: Source, node: { readonly start: number }, what: string): Finding {
  return { path: source.path, line: lineAt(source.text, node.start), what };
}

/** Every node below and including `root`, parents first, with the nodes above it, nearest last. */
export function* nodesOf(root: unknown, above: readonly Node[] = []): Generator<[Node, readonly Node[]]> {
  if (Array.isArray(root)) {
    for (const each of root) yield* nodesOf(each, above);
  } else if (isNode(root)) {
    yield [root, above];
    const here = [...above, root];
    for (const value of Object.values(root)) {
      if (typeof value === 'object' && value !== null) yield* nodesOf(value, here);
    }
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The name of `name(…)`, or `object.name` of `object.name(…)`; nothing for other callees. */
export function calleeOf(node: Node): string | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  return nameOf(node.callee);
}

export function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return String(node.name);
  if (node.type !== 'MemberExpression' || node.computed === true) return undefined;
  const [object, property] = [nameOf(node.object), nameOf(node.property)];
  return object === undefined || property === undefined ? property : `${object}.${property}`;
}

export function argumentsOf(node: Node): readonly Node[] {
  const given = node.arguments;
  return Array.isArray(given) ? given.filter(isNode) : [];
}

export function printed(findings: readonly Finding[]): string[] {
  return findings.map(({ path, line, what }) => `${path}:${line} ${what}`);
}
