import { argumentsOf, calleeOf, type Finding, findingAt, lineAt, nodesOf, type Source } from './source.ts';

/** The only files that may ask the machine for the time or for chance. */
export const ambientSources = new Set(['lib/provenance/clock.ts', 'lib/provenance/randomness.ts']);

const chance = /(?:^|\.)(?:randomUUID|randomBytes|randomInt|getRandomValues|randomFillSync)$/;

/** The machine's clock and randomness are injected: what reads them itself cannot be tested or replayed. */
export function ambientTimeAndChance(source: Source): Finding[] {
  if (ambientSources.has(source.path)) return [];
  const findings: Finding[] = [];
  for (const [node] of nodesOf(source.program)) {
    const callee = calleeOf(node);
    if (callee === undefined) continue;
    if (callee === 'Date.now' || (callee === 'Date' && argumentsOf(node).length === 0)) {
      findings.push(findingAt(source, node, `reads the machine's clock by \`${callee}\`; take a \`Clock\``));
    }
    if (callee === 'Math.random' || chance.test(callee)) {
      findings.push(findingAt(source, node, `draws by \`${callee}\`; take a \`Randomness\``));
    }
  }
  return findings;
}

/** `any` switches the compiler off. `unknown` and a check say what is known. */
export function anyTypes(source: Source): Finding[] {
  return [...nodesOf(source.program)]
    .filter(([node]) => node.type === 'TSAnyKeyword')
    .map(([node]) => findingAt(source, node, 'uses `any`; write `unknown` and check it'));
}

const bare = new Set(['Error', 'TypeError', 'RangeError', 'SyntaxError', 'EvalError']);

/** An error without a code cannot be told apart by a caller, nor by a state's `Retry` and `Catch`. */
export function bareErrors(source: Source): Finding[] {
  return [...nodesOf(source.program)]
    .filter(([node]) => bare.has(calleeOf(node) ?? ''))
    .map(([node]) =>
      findingAt(source, node, `makes a bare \`${calleeOf(node)}\`; use \`CaregateError\` with a code`),
    );
}

// In pieces, so that this file does not find itself.
const markers = new RegExp(
  `\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`,
  'g',
);

/** What is left to do stands in an issue, not in the code. */
export function leftoverMarkers(path: string, text: string): Finding[] {
  return [...text.matchAll(markers)].map((match) => ({
    path,
    line: lineAt(text, match.index),
    what: `has a leftover \`${match[0]}\`; do it, or file it`,
  }));
}

/** A handler wires parts together; what it decides belongs into the library, where it is tested. */
export function longHandlers(sources: readonly Source[], most: number): Finding[] {
  return sources
    .map(({ path, text }) => ({ path, line: 1, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > most)
    .map(({ path, line, lines }) => ({
      path,
      line,
      what: `has ${lines} lines; a handler has at most ${most}`,
    }));
}
