import type { Call } from '../../lib/proposal/call.ts';
import { type EntryList, loadCircle, trustedEntry } from '../../lib/provenance/circle.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { caseIdOf } from '../../lib/provenance/identifiers.ts';

export const circle = loadCircle('rules/circle.example.yaml');
export const caseKey = { circle: circle.id, case: caseIdOf(circle.id, sha256('an invented mail'), true) };

/** The documents that the calls below name. */
export const referral = new TextEncoder().encode('%PDF-1.7 an invented referral\r\nwith mixed\nline ends\r');
export const documents = new Map([[sha256(referral), referral]]);

const value = (text: string) =>
  ({ class: 'VALUE', value: text, trust: 'UNTRUSTED', origin: { model: true } }) as const;

export function destination(list: EntryList, id: string) {
  const entry = trustedEntry(circle, list, id);
  if (entry === undefined) throw new RangeError(`${list} ${id} is not in the example circle`);
  return { class: 'DESTINATION', entry, trust: 'TRUSTED' } as const;
}

function call(tool: Call['tool'], action: number, args: Call['arguments']): Call {
  return { tool, ...caseKey, action, arguments: args };
}

export function filingCall({ title = 'Referral letter', date = '2027-03-04', action = 1 } = {}): Call {
  return call('file_document', action, {
    document: {
      class: 'VALUE',
      documents: [{ digest: sha256(referral), name: 'Referral.PDF' }],
      trust: 'UNTRUSTED',
    },
    title: value(title),
    ...(date === '' ? {} : { date: value(date) }),
    folder: destination('folders', 'referrals'),
  });
}

export function appointmentCall(texts: Readonly<Record<string, string>> = {}, action = 2): Call {
  const { title = 'Cardiology', start = '2027-03-04T10:30:00+00:00', ...others } = texts;
  return call('add_appointment', action, {
    title: value(title),
    start: value(start),
    ...Object.fromEntries(Object.entries(others).map(([name, text]) => [name, value(text)])),
    calendar: destination('calendars', 'family'),
  });
}

export function letterCall({
  subject = 'Records of Rosa Winterbourne',
  body = 'Dear records office,\n\nplease find the form attached.\n',
  attached = true,
  action = 3,
} = {}): Call {
  return call('send_email', action, {
    subject: value(subject),
    body: value(body),
    ...(attached
      ? {
          attachments: {
            class: 'VALUE',
            documents: [{ digest: sha256(referral), name: 'referral.pdf' }],
            trust: 'UNTRUSTED',
          },
        }
      : {}),
    to: destination('contacts', 'hillside-records'),
  });
}

export function portalCall(action = 4): Call {
  return call('upload_to_portal', action, {
    document: {
      class: 'VALUE',
      documents: [{ digest: sha256(referral), name: 'referral.pdf' }],
      trust: 'UNTRUSTED',
    },
    portal: destination('portals', 'hillside-portal'),
  });
}
