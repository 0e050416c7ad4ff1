import { readFileSync } from 'node:fs';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import type * as z from 'zod';
import { CaregateError } from '../errors.ts';

/** Where something stands in a configuration file: map keys and list indexes from the root. */
export type Path = readonly PropertyKey[];

/** A configuration that was read, and the means to say where in its text a problem lies. */
export interface Configuration<T> {
  readonly value: T;
  /** An error that names the file, the line and column of `path`, and `what` is wrong there. */
  readonly invalid: (path: Path, what: string) => CaregateError;
}

/**
 * Reads the text of a configuration file.
 * @param otherwise what is said where it cannot be read
 * @throws CaregateError `CONFIGURATION_INVALID`
 */
export function readConfigurationText(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CaregateError('CONFIGURATION_INVALID', otherwise, { cause });
  }
}

/**
 * Reads a YAML configuration strictly: one document, unique keys, no anchors, aliases or tags (a few lines of aliases
 * can unfold to gigabytes, and a reader of the file would not see what it says), and exactly the keys of `schema`.
 * @param file the name to call it by in errors
 * @throws CaregateError `CONFIGURATION_INVALID` with line and column
 */
export function readConfiguration<T>(text: string, file: string, schema: z.ZodType<T>): Configuration<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    uniqueKeys: true,
    strict: true,
    version: '1.2',
    prettyErrors: false,
    lineCounter: lines,
  });
  const at = (offset: number, what: string) => located(file, lines, offset, what);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw at(problem.pos[0], phrase(problem.message));
  if (document.contents === null) throw at(0, 'the file is empty');
  refuseSharing(document, at);
  const result = schema.safeParse(document.toJS({ maxAliasCount: 0 }));
  const invalid = (path: Path, what: string) => at(offsetOf(document, path), what);
  if (result.success) return { value: result.data, invalid };
  const { path, what } = firstIssue(result.error);
  throw invalid(path, what);
}

function refuseSharing(document: Document, at: (offset: number, what: string) => CaregateError): void {
  visit(document, {
    Node(_, node) {
      const offset = node.range?.[0] ?? 0;
      if (isAlias(node) || node.anchor !== undefined) {
        throw at(offset, 'anchors and aliases are refused; write the value out');
      }
      if (node.tag !== undefined) throw at(offset, 'tags are refused; write a plain value');
    },
  });
}

function firstIssue(error: z.ZodError): { path: Path; what: string } {
  const [issue] = error.issues;
  if (issue === undefined) return { path: [], what: 'the file does not have its form' };
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    return { path: [...issue.path, key], what: `the key \`${key}\` is unknown` };
  }
  const name = issue.path.join('.');
  return { path: issue.path, what: `${name === '' ? 'the file' : `\`${name}\``}: ${phrase(issue.message)}` };
}

/** The offset of the key or list item at `path`, or of its nearest ancestor that exists. */
function offsetOf(document: Document, path: Path): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && item.key.value === step)
      : undefined;
    const found: unknown = isSeq(node) ? node.items[Number(step)] : pair?.key;
    if (!isNode(found)) break;
    offset = found.range?.[0] ?? offset;
    node = pair === undefined ? found : pair.value;
  }
  return offset;
}

function located(file: string, lines: LineCounter, offset: number, what: string): CaregateError {
  const { line, col } = lines.linePos(offset);
  return new CaregateError(
    'CONFIGURATION_INVALID',
    `\`${file}\` line ${line}, column ${col}: ${what}; correct it and start again`,
  );
}

/** Another library's sentence in the form of ours: lower case, no full stop, one line. */
function phrase(message: string): string {
  const [first = ''] = message.split('\n');
  return first.charAt(0).toLowerCase() + first.slice(1).replace(/[.:]$/, '');
}
