import { parse } from 'yaml';

/**
 * A second evaluator of `rules/policy.yaml`, written to be obvious and slow: it reads the YAML itself, shares no code with
 * the engine, and asks the questions in the order in which the design states them.
 */
export interface OracleArgument {
  readonly name: string;
  readonly class: string;
  readonly form: string;
  readonly trust: string;
  readonly origin: string;
}
export interface OracleRequest {
  readonly tool: string;
  readonly effect: boolean;
  readonly category: string;
  readonly standing: string;
  readonly action: number;
  readonly documents: number;
  readonly items: number;
  readonly amount: number;
  readonly role?: string | undefined;
  readonly arguments: readonly OracleArgument[];
}
export interface OracleRuling {
  readonly outcome: string;
  readonly matched: readonly string[];
  readonly deciding: readonly string[];
  readonly people: number | undefined;
  readonly roles: readonly string[] | undefined;
}

type Written = Record<string, unknown>;
interface Rule {
  id: string;
  decision: string;
  when: Written;
  consent?: { people: number; roles: string[] };
}

const level: Record<string, number> = { UNTRUSTED: 0, CONTROLLED: 1, TRUSTED: 2 };

export function oracle(policyText: string, limit: number): (request: OracleRequest) => OracleRuling {
  const { rules } = parse(policyText) as { rules: Rule[] };
  return (request) => {
    const matched = rules.filter((rule) => matches(rule.when, request, limit));
    const named = (decision: string) => matched.filter((rule) => rule.decision === decision);
    const ids = (some: Rule[]) => some.map((rule) => rule.id).sort();
    const base = { matched: ids(matched), people: undefined, roles: undefined };
    if (named('DENY').length > 0) return { ...base, outcome: 'DENY', deciding: ids(named('DENY')) };
    const asking = named('REQUIRE_HUMAN');
    if (asking.length > 0) {
      let people = 1;
      let roles = ['owner', 'caregiver', 'viewer'];
      for (const { consent } of asking) {
        people = Math.max(people, consent?.people ?? 1);
        roles = roles.filter((role) => consent?.roles.includes(role));
      }
      if (roles.length === 0) return { ...base, outcome: 'DENY', deciding: ids(asking) };
      return { ...base, outcome: 'REQUIRE_HUMAN', deciding: ids(asking), people, roles: roles.sort() };
    }
    if (named('ALLOW').length > 0) return { ...base, outcome: 'ALLOW', deciding: ids(named('ALLOW')) };
    return { ...base, outcome: 'DENY', deciding: [] };
  };
}

function matches(when: Written, request: OracleRequest, limit: number): boolean {
  for (const [key, wanted] of Object.entries(when)) {
    if (key === 'some' && !request.arguments.some((a) => meant(wanted, a) && like(wanted, a))) return false;
    if (key === 'all') {
      const those = request.arguments.filter((a) => meant(wanted, a));
      if (those.length === 0 || those.some((a) => !like(wanted, a))) return false;
    }
    if (key === 'effect' && request.effect !== wanted) return false;
    if (['tool', 'category', 'standing', 'role'].includes(key)) {
      const actual = request[key as 'tool' | 'category' | 'standing' | 'role'];
      if (actual === undefined || !listed(wanted, actual)) return false;
    }
    if (['action', 'documents', 'items', 'amount'].includes(key)) {
      const actual = request[key as 'action' | 'documents' | 'items' | 'amount'];
      const { above, atMost } = wanted as { above?: number | 'limit'; atMost?: number };
      if (above !== undefined && actual <= (above === 'limit' ? limit : above)) return false;
      if (atMost !== undefined && actual > atMost) return false;
    }
  }
  return true;
}

function listed(wanted: unknown, actual: string): boolean {
  return Array.isArray(wanted) ? wanted.includes(actual) : wanted === actual;
}

function meant(condition: unknown, argument: OracleArgument): boolean {
  const { argument: name, class: kind, form } = condition as Written;
  if (name !== undefined && !listed(name, argument.name)) return false;
  if (kind !== undefined && !listed(kind, argument.class)) return false;
  return form === undefined || listed(form, argument.form);
}

function like(condition: unknown, argument: OracleArgument): boolean {
  const { below, atLeast, origin } = condition as Written;
  const has = level[argument.trust] ?? 0;
  if (typeof below === 'string' && has >= (level[below] ?? 0)) return false;
  if (typeof atLeast === 'string' && has < (level[atLeast] ?? 0)) return false;
  return origin === undefined || listed(origin, argument.origin);
}
