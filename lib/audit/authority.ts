import { layout } from '../casefile/layout.ts';
import type { DecisionRecord } from '../casefile/schemas.ts';
import type { Consent } from '../policy/consent.ts';
import type { Person } from '../provenance/circle.ts';
import type { ActionDossier } from './dossier.ts';
import type { Examination } from './examination.ts';

/**
 * Every effect that was intended has an ALLOW, or the consents that its decision asked for: signed, for this very
 * call, by as many different people of the circle as were needed, each of them entitled.
 */
export async function checkAuthority(examination: Examination): Promise<void> {
  for (const action of examination.dossier.actions) {
    const people = await consentingPeople(examination, action);
    const effects = [action.intent, action.attempt, action.sent].filter((record) => record !== undefined);
    if (effects.length === 0 || isAuthorized(action, people)) continue;
    const key = layout.intent(examination.dossier.key, action.action);
    examination.found('EFFECT_UNAUTHORIZED', key, { action: action.action });
  }
}

function isAuthorized({ decision: record, intent }: ActionDossier, people: ReadonlySet<string>): boolean {
  if (record === undefined || intent === undefined) return false;
  const { outcome, consent, callDigest } = record.decision;
  if (intent.callDigest !== callDigest) return false;
  switch (outcome) {
    case 'ALLOW':
      return true;
    case 'DENY':
      return false;
    case 'REQUIRE_HUMAN':
      return consent !== undefined && people.size >= consent.people;
  }
}

/** The people whose consent holds. A consent that does not is found, whether or not anything came of it. */
async function consentingPeople(
  examination: Examination,
  { action, decision, consents }: ActionDossier,
): Promise<ReadonlySet<string>> {
  const people = new Set<string>();
  const links = new Set<string>();
  for (const { key, consent } of consents) {
    const itsPlace = key === layout.consent(examination.dossier.key, action, consent.person);
    if (itsPlace && !links.has(consent.link) && (await holds(examination, decision, consent))) {
      people.add(consent.person);
      links.add(consent.link);
    } else {
      examination.found('CONSENT_INVALID', key, { action });
    }
  }
  return people;
}

async function holds(
  examination: Examination,
  record: DecisionRecord | undefined,
  consent: Consent,
): Promise<boolean> {
  if (record === undefined || consent.callDigest !== record.decision.callDigest) return false;
  const policy = examination.policies.get(record.decision.policyDigest);
  const person = policy?.circle.people.find(({ id }) => id === consent.person);
  if (person === undefined || !isEntitled(person, record)) return false;
  try {
    return (await examination.parts.verifyConsent(consent)) === true;
  } catch {
    return false;
  }
}

function isEntitled(person: Person, { decision }: DecisionRecord): boolean {
  return decision.consent?.roles.some((role) => person.roles.includes(role)) ?? false;
}
