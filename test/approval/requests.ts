import type { ApprovalRequest } from '../../lib/approval/request.ts';
import type { Evidence } from '../../lib/evidence/types.ts';
import type { Decision } from '../../lib/policy/decision.ts';
import { type Call, callDigest } from '../../lib/proposal/call.ts';
import { resolve } from '../../lib/proposal/resolve.ts';
import type { Proposal } from '../../lib/proposal/schema.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import { caseIdOf } from '../../lib/provenance/identifiers.ts';
import type { Approvals } from '../support/approvals.ts';
import { evidenceOf, exampleCircle } from '../support/cases.ts';

export const caseId = caseIdOf(exampleCircle.id, digestOf('an invented mail'), true);

export const letterEvidence: Evidence = evidenceOf(
  [
    {
      name: 'letter',
      text: 'Dear Maya,\nplease send the referral to Hillside Clinic records office by Friday.\nKind regards',
    },
    { name: 'referral.pdf', kind: 'pdf', contentType: 'application/pdf', text: 'Referral to cardiology' },
  ],
  [
    { kind: 'appointment_start', value: '2027-03-04T10:30:00+00:00', quote: 'Thursday 4 March at 10.30' },
    { kind: 'appointment_start', value: '2027-03-05T11:00:00+00:00', quote: 'or Friday 5 March at 11' },
  ],
);

/** A call to send a letter to a contact, as the gate would see it. */
export function letterCall(
  action = 1,
  body = 'Please find the referral attached.\n\nMaya Winterbourne',
): Call {
  return callOf(action, {
    tool: 'send_email',
    input: {
      subject: { text: 'Referral for Rosa Winterbourne' },
      body: { text: body },
      attachments: ['d2'],
      to: { entry: 'hillside-records' },
    },
  });
}

export function questionCall(action = 1): Call {
  return callOf(action, {
    tool: 'ask_person',
    input: { question: 'which_appointment', about: ['f1', 'f2'] },
  });
}

export function callOf(action: number, proposal: Proposal, evidence = letterEvidence): Call {
  return resolve(proposal, { evidence, circle: exampleCircle, case: caseId, action });
}

export function decisionOn(call: Call, people = 1): Decision {
  return {
    outcome: 'REQUIRE_HUMAN',
    reason: 'LEAVES_THE_HOUSEHOLD',
    matched: ['letters-need-a-person'],
    deciding: ['letters-need-a-person'],
    warnings: [],
    consent: { people, roles: ['owner', 'caregiver'] },
    alert: false,
    policyDigest: digestOf('policy'),
    callDigest: callDigest(call),
  };
}

export const hour = 3_600_000;

/** A request whose task waits. Give it another action or token for another request. */
export function requestFor(
  office: Approvals,
  call: Call,
  given: Partial<ApprovalRequest> = {},
): ApprovalRequest {
  const request = {
    call,
    decision: decisionOn(call),
    evidence: letterEvidence,
    circle: office.circle,
    execution: caseId,
    taskToken: `token-${call.action}`,
    expires: office.clock.now() + 72 * hour,
    ...given,
  };
  office.tasks.wait(request.taskToken);
  return request;
}
