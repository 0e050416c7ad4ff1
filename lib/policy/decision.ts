import type { CircleRole } from '../provenance/circle.ts';
import type { Sha256 } from '../provenance/digest.ts';

export const outcomes = ['ALLOW', 'DENY', 'REQUIRE_HUMAN'] as const;
export type Outcome = (typeof outcomes)[number];

/**
 * Why a call was decided as it was. Closed, and never contains anything that a mail or a model wrote. Where several
 * rules decide together, the reason that stands first here is the one that is reported.
 */
export const reasonCodes = {
  EVALUATION_FAILED: 'the rules could not be evaluated, and what cannot be evaluated is denied',
  CALL_UNRESOLVED: 'the proposal names a document, fact or entry that does not exist',
  DESTINATION_NOT_TRUSTED: 'it would go to somewhere that is not an entry of the circle',
  AUTHORITY_NOT_TRUSTED: 'it would give a role that the circle does not list for that grantee',
  CLINICAL_NOT_OURS: 'clinical content and emergencies are for people; nothing is done but asking one',
  TOO_MANY_ACTIONS: 'the mail has led to as many actions as one mail may',
  CONSTITUTION_BLOCKED: 'the text of the call matches a rule of the constitution that blocks',
  NOBODY_ENTITLED: 'the rules ask for consents that nobody of the circle could give',
  GIVES_ACCESS: 'somebody would get access, so the owner approves it',
  LEAVES_THE_HOUSEHOLD: 'something leaves the household, so a person approves the exact call',
  CHANGES_AN_APPOINTMENT: 'an appointment that exists would change, so a person approves it',
  DATES_NOT_CONTROLLED: 'the dates could not be checked by code, so a person looks at them',
  CONSTITUTION_REVIEW: 'the text of the call matches a rule of the constitution that asks for a person',
  DATES_CONTROLLED: 'the dates were checked by code',
  FILING_IS_SAFE: 'filing a document of the case in a folder of the circle changes nothing outside',
  STAGING_IS_SAFE: 'staged items change nothing until a person commits them',
  NO_EFFECT: 'asking a person, or stopping, has no effect outside',
  HOUSEHOLD_RULE: 'a rule that the household added decides so',
  NO_RULE_ALLOWS: 'no rule allows it, and what no rule allows is denied',
} as const;
export type ReasonCode = keyof typeof reasonCodes;

/** The reasons that a rule of a policy file may give, by what it decides. The others are the engine's own. */
export const ruleReasons: { readonly [outcome in Outcome]: readonly ReasonCode[] } = {
  DENY: [
    'DESTINATION_NOT_TRUSTED',
    'AUTHORITY_NOT_TRUSTED',
    'CLINICAL_NOT_OURS',
    'TOO_MANY_ACTIONS',
    'HOUSEHOLD_RULE',
  ],
  REQUIRE_HUMAN: [
    'GIVES_ACCESS',
    'LEAVES_THE_HOUSEHOLD',
    'CHANGES_AN_APPOINTMENT',
    'DATES_NOT_CONTROLLED',
    'HOUSEHOLD_RULE',
  ],
  ALLOW: ['DATES_CONTROLLED', 'FILING_IS_SAFE', 'STAGING_IS_SAFE', 'NO_EFFECT', 'HOUSEHOLD_RULE'],
};

const ranks: ReadonlyMap<string, number> = new Map(
  Object.keys(reasonCodes).map((code, rank) => [code, rank]),
);

/** The place of a reason in the order in which reasons are reported. */
export function reasonRank(reason: ReasonCode): number {
  return ranks.get(reason) ?? ranks.size;
}

/** Who has to consent to a call that needs a person. */
export interface ConsentRequirement {
  /** How many different people. */
  readonly people: number;
  /** A person with any of these roles is entitled. */
  readonly roles: readonly CircleRole[];
}

export interface Decision {
  readonly outcome: Outcome;
  readonly reason: ReasonCode;
  /** Every rule that matched, by id, policy first, then constitution; sorted. */
  readonly matched: readonly string[];
  /** The rules that decided. */
  readonly deciding: readonly string[];
  /** Rules of the constitution that only warn. */
  readonly warnings: readonly string[];
  /** Present exactly for REQUIRE_HUMAN. */
  readonly consent?: ConsentRequirement | undefined;
  /** Whether a person is told although nothing is asked of them (`block_and_notify`, `halt_and_alert`). */
  readonly alert: boolean;
  /** Policy, constitution, circle, catalogue, engine and normaliser versions. */
  readonly policyDigest: Sha256;
  readonly callDigest: Sha256;
}
