import type { CircleRole } from '../provenance/circle.ts';
import type { ConsentRequirement, Outcome, ReasonCode } from './decision.ts';

/** A rule that matched, of the policy or of the constitution: all that the kernel needs of it. */
export interface MatchedRule {
  readonly id: string;
  readonly decision: Outcome;
  readonly reason: ReasonCode;
  /** The place of the reason in the order in which reasons are reported. */
  readonly rank: number;
  /** Present exactly for REQUIRE_HUMAN. */
  readonly consent?: ConsentRequirement | undefined;
}

export interface Ruling {
  readonly outcome: Outcome;
  readonly reason: ReasonCode;
  readonly deciding: readonly string[];
  readonly consent?: ConsentRequirement | undefined;
}

/** The engine's precedence, which no file can change: what comes first wins. */
export const precedence: readonly Outcome[] = ['DENY', 'REQUIRE_HUMAN', 'ALLOW'];

/**
 * The kernel. Of the rules that matched, the strictest decide; where none matched, the call is denied. The order and
 * the number of the rules make no difference.
 * @param matched every rule that matched
 */
export function decide(matched: readonly MatchedRule[], order: readonly Outcome[] = precedence): Ruling {
  for (const outcome of order) {
    const deciding = matched.filter((rule) => rule.decision === outcome);
    const [first, ...others] = deciding;
    if (first === undefined) continue;
    const reason = others.reduce((best, rule) => (rule.rank < best.rank ? rule : best), first).reason;
    const ids = deciding.map((rule) => rule.id);
    return outcome === 'REQUIRE_HUMAN'
      ? asked(reason, ids, strictest(deciding.map((rule) => rule.consent)))
      : { outcome, reason, deciding: ids };
  }
  return { outcome: 'DENY', reason: 'NO_RULE_ALLOWS', deciding: [] };
}

function asked(reason: ReasonCode, deciding: readonly string[], consent: ConsentRequirement): Ruling {
  return consent.roles.length === 0
    ? { outcome: 'DENY', reason: 'NOBODY_ENTITLED', deciding }
    : { outcome: 'REQUIRE_HUMAN', reason, deciding, consent };
}

/** As many people as any rule wants, each with a role that every rule accepts. */
function strictest(requirements: readonly (ConsentRequirement | undefined)[]): ConsentRequirement {
  const people = Math.max(...requirements.map((requirement) => requirement?.people ?? 1));
  const [first, ...others] = requirements.map(
    (requirement): readonly CircleRole[] => requirement?.roles ?? [],
  );
  const roles = (first ?? []).filter((role) => others.every((accepted) => accepted.includes(role)));
  return { people, roles };
}
