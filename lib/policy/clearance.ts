import { CaregateError } from '../errors.ts';
import { type Call, callDigest } from '../proposal/call.ts';
import type { ToolName } from '../proposal/catalogue.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Sha256 } from '../provenance/digest.ts';
import type { Consent, ConsentVerifier } from './consent.ts';
import type { ConsentRequirement, Decision } from './decision.ts';
import { isGatesDecision } from './gate.ts';

declare const brand: unique symbol;

/** Leave to execute one call. Only {@link clear} makes one; a value that looks like one is refused. */
export interface Clearance {
  readonly [brand]: true;
  readonly call: Call;
  readonly callDigest: Sha256;
  readonly decision: Decision;
  /** The consents that counted. */
  readonly consents: readonly Consent[];
}

const made = new WeakSet<object>();

export interface ClearanceRequest {
  readonly call: Call;
  /** The gate's own, of this process. */
  readonly decision: Decision;
  /** The circle as it is today. */
  readonly circle: Circle;
  /** Claims until each was verified. */
  readonly consents: readonly Consent[];
  readonly verify: ConsentVerifier;
}

/**
 * Clears one call: if the gate allows it, or if it asks for people and enough different entitled ones have consented
 * to this very call. A denial cannot be cleared, whoever consents.
 * @throws CaregateError `CLEARANCE_REFUSED`
 */
export async function clear(request: ClearanceRequest): Promise<Clearance> {
  const { decision } = request;
  const call = deepFreeze(request.call); // first of all: what is checked below cannot be exchanged while it waits
  const digest = callDigest(call);
  if (!isGatesDecision(decision)) throw refused('the decision is not one of the gate');
  if (decision.callDigest !== digest) throw refused('the decision is about another call');
  const consents = await neededConsents(request, digest);
  const clearance = Object.freeze({
    call,
    callDigest: digest,
    decision,
    consents: deepFreeze(consents),
  });
  made.add(clearance);
  return clearance as Clearance;
}

async function neededConsents(request: ClearanceRequest, digest: Sha256): Promise<readonly Consent[]> {
  const { outcome, consent } = request.decision;
  switch (outcome) {
    case 'ALLOW':
      return [];
    case 'DENY':
      throw refused('the call is denied');
    case 'REQUIRE_HUMAN': {
      const counted = consent === undefined ? [] : await countedConsents(request, consent, digest);
      if (consent === undefined || counted.length < consent.people) throw refused('consent is missing');
      return counted;
    }
  }
}

/** One consent for each entitled person: to this call, through an approval of its own, with a signature that holds. */
async function countedConsents(
  { circle, consents, verify }: ClearanceRequest,
  requirement: ConsentRequirement,
  digest: Sha256,
): Promise<Consent[]> {
  const counted: Consent[] = [];
  for (const consent of consents) {
    const person = circle.people.find((known) => known.id === consent.person);
    const entitled = person?.roles.some((role) => requirement.roles.includes(role)) ?? false;
    const fresh = !counted.some((other) => other.person === consent.person || other.link === consent.link);
    if (entitled && fresh && consent.callDigest === digest && (await holds(consent, verify))) {
      counted.push(structuredClone(consent));
    }
  }
  return counted;
}

async function holds(consent: Consent, verify: ConsentVerifier): Promise<boolean> {
  try {
    return (await verify(consent)) === true;
  } catch {
    return false;
  }
}

/**
 * The clearance for an effect of `tool`.
 * @throws CaregateError `CLEARANCE_REFUSED` for anything but a clearance that {@link clear} made for this tool
 */
export function requireClearance(value: unknown, tool: ToolName): Clearance {
  if (typeof value !== 'object' || value === null || !made.has(value))
    throw refused('there is none from the gate');
  const clearance = value as Clearance;
  if (clearance.call.tool !== tool) throw refused('it is for another tool');
  return clearance;
}

/** What was cleared stays what it was: nothing can be exchanged between clearance and effect. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

function refused(why: string): CaregateError {
  const message = `no \`clearance\` for the call: ${why}; nothing was executed`;
  return new CaregateError('CLEARANCE_REFUSED', message);
}
