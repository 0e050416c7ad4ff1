import {
  argumentsOf,
  calleeOf,
  type Finding,
  findingAt,
  isNode,
  type Node,
  nodesOf,
  type Source,
} from './source.ts';

const suites = String.raw`(?:describe|suite|it|test|bench)(?:\.\w+)*`;
const onlyCall = new RegExp(`^${suites}\\.only(?:\\.|$)`);
const skipCall = new RegExp(`^${suites}\\.(?:skip|todo|fails)(?:\\.|$)`);
const testCall = /^(?:it|test)(?:\.|$)/;

/** `.only` hides every other test, and a bare `.skip` hides its own: `skipIf` and `runIf` say when and why. */
export function hiddenTests(source: Source): Finding[] {
  const findings: Finding[] = [];
  for (const [node] of nodesOf(source.program)) {
    const callee = calleeOf(node) ?? '';
    if (onlyCall.test(callee)) findings.push(findingAt(source, node, `\`${callee}\` hides the other tests`));
    if (skipCall.test(callee)) {
      findings.push(findingAt(source, node, `\`${callee}\` has no condition; use \`skipIf\``));
    }
  }
  return findings;
}

/** A test without a call checks nothing. */
export function emptyTests(source: Source): Finding[] {
  const findings: Finding[] = [];
  for (const [node] of nodesOf(source.program)) {
    if (!testCall.test(calleeOf(node) ?? '')) continue;
    const body = argumentsOf(node).find(isFunction);
    if (body !== undefined && !callsSomething(body)) {
      findings.push(findingAt(source, node, 'is a test that calls nothing, and so cannot fail'));
    }
  }
  return findings;
}

function isFunction(node: Node): boolean {
  return node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression';
}

function callsSomething(body: Node): boolean {
  for (const [node] of nodesOf(body.body)) {
    if (isNode(node) && (node.type === 'CallExpression' || node.type === 'ThrowStatement')) return true;
  }
  return false;
}
