import type { ConstitutionRule, WorkflowAction } from './constitution.ts';
import type { MatchedRule } from './decide.ts';
import { type ConsentRequirement, type Outcome, type ReasonCode, reasonRank } from './decision.ts';

/** `note`: only listed among the rules that matched. */
export type TextAction = WorkflowAction | 'note';

/** What a rule does when it matches: what it names, else what its severity stands for. */
export function actionOf({ severity, workflow_action }: ConstitutionRule): TextAction {
  if (workflow_action !== undefined) return workflow_action;
  if (severity === 'low') return 'note';
  return severity === 'medium' ? 'warn' : 'block';
}

const review: ConsentRequirement = { people: 1, roles: ['owner', 'caregiver'] };
const senior: ConsentRequirement = { people: 1, roles: ['owner'] };

/** A matched rule as the kernel weighs it; nothing for a rule that only warns or notes. No action can allow. */
export function matchOf(id: string, action: TextAction, onReview: 'ask' | 'deny'): MatchedRule | undefined {
  const rule = (decision: Outcome, reason: ReasonCode, consent?: ConsentRequirement) => ({
    id,
    decision,
    reason,
    rank: reasonRank(reason),
    consent,
  });
  switch (action) {
    case 'note':
    case 'warn':
      return undefined;
    case 'block':
    case 'block_and_notify':
    case 'halt_and_alert':
      return rule('DENY', 'CONSTITUTION_BLOCKED');
    case 'require_human_review':
    case 'escalate_to_senior':
      if (onReview === 'deny') return rule('DENY', 'CONSTITUTION_BLOCKED');
      return rule('REQUIRE_HUMAN', 'CONSTITUTION_REVIEW', action === 'escalate_to_senior' ? senior : review);
  }
}
