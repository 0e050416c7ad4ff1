import { importsOf } from './imports.ts';
import { type Finding, findingAt, isNode, type Node, nameOf, nodesOf, type Source } from './source.ts';

/** The order in which a mail moves. A stage imports only what stands before it. */
export const stages = ['mail', 'evidence', 'proposal', 'policy', 'approval', 'effect', 'audit'] as const;

/** What every stage may use. */
const shared = ['provenance', 'casefile', 'errors.ts'];

/** What runs the stages, and is therefore imported by none of them. */
const outside = ['stacks', 'release', 'local', 'web', 'cli', 'app.ts'];

/** The words of the stages that a record's schema needs: files that hold closed lists and no behaviour. */
const vocabulary = [
  'lib/mail/delivery.ts',
  'lib/mail/standing.ts',
  'lib/proposal/catalogue.ts',
  'lib/proposal/call.ts',
  'lib/policy/decision.ts',
  'lib/policy/consent.ts',
];

/** The folders, and single files, of `lib` that each folder may import from. */
export const allowed: ReadonlyMap<string, readonly string[]> = new Map([
  ['errors.ts', []],
  ['provenance', ['errors.ts']],
  ['casefile', ['errors.ts', 'provenance', ...vocabulary]],
  ['model', ['errors.ts', 'provenance', 'casefile']],
  ...stages.map((stage, position): [string, readonly string[]] => [
    stage,
    [...shared, ...stages.slice(0, position), ...(mayAskModels(stage) ? ['model'] : [])],
  ]),
  ['policy', ['errors.ts', 'provenance', 'lib/proposal/catalogue.ts', 'lib/proposal/call.ts']],
  ['household', [...shared, ...stages, 'model']],
]);

/** The packages that the kernel may use: to read its rules, to check their form, to match in linear time. */
export const kernelPackages = new Set(['yaml', 'zod', 're2js']);

function mayAskModels(folder: string): boolean {
  return folder === 'evidence' || folder === 'proposal';
}

/** `policy` of `lib/policy/decide.ts`, `errors.ts` of `lib/errors.ts`. */
export function folderOf(path: string): string {
  return path.split('/')[1] ?? path;
}

/** Imports against the order of the stages. */
export function arrowsAgainstOrder(source: Source): Finding[] {
  const folder = folderOf(source.path);
  const may = allowed.get(folder);
  if (may === undefined || !source.path.startsWith('lib/')) return [];
  return importsOf(source)
    .filter(({ local, target }) => local && !isAllowed(folder, may, target))
    .map(({ line, target }) => ({
      path: source.path,
      line,
      what: `\`${folder}\` imports \`${target}\`; it may import ${[...may].join(', ') || 'nothing of ours'}`,
    }));
}

function isAllowed(folder: string, may: readonly string[], target: string): boolean {
  const [top] = target.split('/');
  if (top !== 'lib' || outside.includes(folderOf(target))) return false;
  return folderOf(target) === folder || may.includes(folderOf(target)) || may.includes(target);
}

/** Packages in the kernel beyond those it needs, and any of Node's own: it is pure, with no way to the world. */
export function kernelImports(source: Source): Finding[] {
  if (folderOf(source.path) !== 'policy') return [];
  return importsOf(source)
    .filter(({ local, target }) => !local && !kernelPackages.has(target))
    .map(({ line, target }) => ({
      path: source.path,
      line,
      what: `the kernel imports \`${target}\`; it may use ${[...kernelPackages].join(', ')}`,
    }));
}

/** Bedrock's client outside of the one folder that may call models, and the place that builds clients. */
export function modelClients(source: Source): Finding[] {
  const folder = folderOf(source.path);
  if (['model', 'local', 'cli', 'stacks'].includes(folder)) return [];
  return importsOf(source)
    .filter(({ target, typeOnly }) => target === '@aws-sdk/client-bedrock-runtime' && !typeOnly)
    .map(({ line }) => ({ path: source.path, line, what: 'calls Bedrock; only `lib/model` may' }));
}

/** The one module that makes entries of the circle, the source of all that is TRUSTED. */
export const trustOrigin = 'lib/provenance/circle.ts';

/** The two places that say of an argument whether it is such an entry: when it is resolved, and when it is judged. */
export const trustDerivations = new Set(['lib/proposal/resolve.ts', 'lib/policy/request.ts']);

/** Places that write `trust: 'TRUSTED'` themselves, or claim by a cast that something is an entry of the circle. */
export function trustMadeElsewhere(source: Source): Finding[] {
  if (source.path === trustOrigin) return [];
  const findings: Finding[] = [];
  for (const [node] of nodesOf(source.program)) {
    const writes = node.type === 'Property' && keyOf(node) === 'trust' && canBeTrusted(node.value);
    if (writes && !trustDerivations.has(source.path)) {
      findings.push(
        findingAt(source, node, 'writes TRUSTED itself; hand on the trust of an entry of the circle'),
      );
    }
    if (node.type === 'TSAsExpression' && typeNameOf(node.typeAnnotation) === 'TrustedEntry') {
      findings.push(findingAt(source, node, `casts to \`TrustedEntry\`; only \`${trustOrigin}\` makes one`));
    }
  }
  return findings;
}

function keyOf(node: Node): string | undefined {
  const key = node.key;
  return nameOf(key) ?? (isNode(key) ? String(key.value) : undefined);
}

function canBeTrusted(value: unknown): boolean {
  if (!isNode(value)) return false;
  if (value.type === 'Literal') return value.value === 'TRUSTED';
  if (value.type === 'TSAsExpression' || value.type === 'TSSatisfiesExpression') {
    return canBeTrusted(value.expression);
  }
  if (value.type !== 'ConditionalExpression') return false;
  return canBeTrusted(value.consequent) || canBeTrusted(value.alternate);
}

function typeNameOf(annotation: unknown): string | undefined {
  return isNode(annotation) ? nameOf(annotation.typeName) : undefined;
}
