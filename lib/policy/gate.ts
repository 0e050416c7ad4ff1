import { CaregateError } from '../errors.ts';
import { type Call, callDigest } from '../proposal/call.ts';
import type { Category } from '../proposal/catalogue.ts';
import { categories } from '../proposal/catalogue.ts';
import type { Sha256 } from '../provenance/digest.ts';
import { decide } from './decide.ts';
import type { Decision } from './decision.ts';
import { renderCall } from './rendering.ts';
import { type AbstractRequest, abstractRequest, type CaseStanding, standingsOfCases } from './request.ts';
import type { CompiledPolicy, CompiledRule } from './rules.ts';

/** One call, and what the case knows of the mail that it comes from. */
export interface GateRequest {
  readonly call: Call;
  readonly category: Category;
  readonly standing: CaseStanding;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const given = new WeakSet<object>();

/** Whether a decision came out of {@link gate} in this process: one that was recorded or made up did not. */
export function isGatesDecision(decision: Decision): boolean {
  return given.has(decision);
}

/**
 * Decides on one call: the rules of the policy over what it is, and those of the constitution over its text. Pure. Whatever
 * goes wrong in between denies.
 */
export function gate(policy: CompiledPolicy, request: GateRequest): Decision {
  const decision = Object.freeze(decisionOn(policy, request));
  given.add(decision);
  return decision;
}

function decisionOn(policy: CompiledPolicy, request: GateRequest): Decision {
  try {
    return {
      ...evaluate(policy, request),
      policyDigest: policy.digest,
      callDigest: callDigest(request.call),
    };
  } catch {
    return {
      outcome: 'DENY',
      reason: 'EVALUATION_FAILED',
      matched: [],
      deciding: [],
      warnings: [],
      alert: false,
      policyDigest: policy.digest,
      callDigest: digestIfAny(request.call),
    };
  }
}

/** The digest of no call: nobody can consent to it. */
const noCall = '0'.repeat(64) as Sha256;

function digestIfAny(call: Call): Sha256 {
  try {
    return callDigest(call);
  } catch {
    return noCall;
  }
}

/** The decision without its digests, which cost more than the rest together. */
export function evaluate(
  policy: CompiledPolicy,
  request: GateRequest,
): Omit<Decision, 'policyDigest' | 'callDigest'> {
  const { call, category, standing, now } = request;
  if (!categories.includes(category) || !standingsOfCases.includes(standing)) {
    throw new CaregateError('INVALID_INPUT', 'the `category` or `standing` of the request is unknown');
  }
  const { circle, catalogue, engine } = policy;
  const seen = abstractRequest(call, { circle, catalogue, category, standing, literals: engine.literals });
  const rules = matchedRules(policy, seen);
  const text = policy.constitution.evaluate(renderCall(call, catalogue), {
    tool: call.tool,
    category,
    standing,
    now,
  });
  const ruling = decide([...rules, ...text.matched], engine.precedence);
  const { warnings, alert } = text;
  return entitled(policy, {
    ...ruling,
    matched: [...rules.map((rule) => rule.id), ...text.ids],
    warnings,
    alert,
  });
}

/** The rules of the policy that match a request. What they see holds no value, so no value can talk them around. */
export function matchedRules(policy: CompiledPolicy, request: AbstractRequest): readonly CompiledRule[] {
  return (policy.byTool.get(request.tool) ?? []).filter((rule) => rule.matches(request));
}

type Undigested = Omit<Decision, 'policyDigest' | 'callDigest'>;

/** A consent that the people of the circle could never give is a denial, and says so at once. */
function entitled({ circle }: CompiledPolicy, decision: Undigested): Undigested {
  const { consent, ...rest } = decision;
  if (consent === undefined) return rest;
  const able = circle.people.filter((person) => person.roles.some((role) => consent.roles.includes(role)));
  return able.length < consent.people ? { ...rest, outcome: 'DENY', reason: 'NOBODY_ENTITLED' } : decision;
}
