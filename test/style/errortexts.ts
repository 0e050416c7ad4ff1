import {
  argumentsOf,
  calleeOf,
  type Finding,
  findingAt,
  isNode,
  type Node,
  nameOf,
  nodesOf,
  type Source,
} from './source.ts';

/** Every place where a Caregate error is made: `new CaregateError(…)`, and `super(…)` in a class derived from it. */
export function errorSites(source: Source): Node[] {
  const sites: Node[] = [];
  for (const [node, above] of nodesOf(source.program)) {
    if (node.type === 'NewExpression' && calleeOf(node) === 'CaregateError') sites.push(node);
    if (node.type !== 'CallExpression' || !isNode(node.callee) || node.callee.type !== 'Super') continue;
    const derived = above.findLast(({ type }) => type === 'ClassDeclaration' || type === 'ClassExpression');
    if (nameOf(derived?.superClass) === 'CaregateError') sites.push(node);
  }
  return sites;
}

/** The rules for the text of an error: lower case, no full stop, the input in backticks. */
export function errorTexts(source: Source): Finding[] {
  return errorSites(source).flatMap((site) =>
    argumentsOf(site)
      .slice(1, 2)
      .flatMap(textsOf)
      .flatMap((text) =>
        objections(text).map((what) =>
          findingAt(source, site, `error text ${what}: ${JSON.stringify(text)}`),
        ),
      ),
  );
}

function objections(text: string): string[] {
  const found: string[] = [];
  if (/^\p{Lu}/u.test(text)) found.push('starts with a capital');
  if (/[.!]$/.test(text)) found.push('ends with a full stop');
  if (!/`[^`]+`/.test(text)) found.push('names no input in backticks');
  return found;
}

/** What an expression can say, as far as the source shows it; `…` stands for what is filled in at run time. */
function textsOf(node: Node): string[] {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : [];
    case 'TemplateLiteral':
      return [cooked(node)];
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].filter(isNode).flatMap(textsOf);
    case 'BinaryExpression': {
      const [left = '…'] = [node.left].filter(isNode).flatMap(textsOf);
      const [right = '…'] = [node.right].filter(isNode).flatMap(textsOf);
      return [left + right];
    }
    default:
      return [];
  }
}

function cooked(node: Node): string {
  const quasis = Array.isArray(node.quasis) ? node.quasis : [];
  return quasis
    .filter(isNode)
    .map(({ value }) => (value as { cooked: string }).cooked)
    .join('…');
}

/** The texts of a file that are written as literals: a code that stands in none is never thrown. */
export function literalsOf(source: Source): Set<string> {
  const literals = new Set<string>();
  for (const [node] of nodesOf(source.program)) {
    if (node.type === 'Literal' && typeof node.value === 'string') literals.add(node.value);
  }
  return literals;
}
