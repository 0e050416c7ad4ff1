import { type SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';
import type { Sample } from '../../samples/mail.ts';
import { layout } from '../casefile/layout.ts';
import type { CaseSource } from '../cli/casereport.ts';
import { CaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';
import type { CaseId } from '../provenance/identifiers.ts';

export interface DeliveryParts {
  readonly ses: SESClient;
  readonly cases: CaseSource;
  readonly circle: Pick<Circle, 'id' | 'inbox' | 'people'>;
  /** Waits before it is looked again whether the mail came in. */
  readonly pause: () => Promise<void>;
}

/** How often it is looked for a mail before it counts as lost. */
const patience = 60;

/**
 * Mails a sample to the circle's inbox through the mail service, so that it comes in as any other mail does: by the
 * domain's MX record, the receiving rule, and with the verdicts of the service on its sender.
 * @returns the case that took it
 * @throws CaregateError `LETTER_REJECTED` if the service does not send it; `NOT_FOUND` if no case takes it
 */
export async function deliverThroughMailService(parts: DeliveryParts, sample: Sample): Promise<CaseId> {
  const { raw, from } = asSent(sample, parts.circle);
  const before = new Set((await parts.cases.index.list(parts.circle.id)).map((entry) => entry.case));
  const command = new SendRawEmailCommand({
    Source: from,
    Destinations: [parts.circle.inbox],
    RawMessage: { Data: raw },
  });
  const { MessageId = '' } = await parts.ses.send(command).catch((cause: unknown) => {
    throw new CaregateError(
      'LETTER_REJECTED',
      `sample \`${sample.name}\` was not sent; the people of the smoke circle need addresses at a verified domain`,
      { cause },
    );
  });
  return caseOf(parts, MessageId, before, sample.name);
}

/**
 * The sample as the mail service can send it. It speaks for verified domains alone, so the stranger writes from the
 * inbox's own domain, where nobody of the circle is called so.
 */
function asSent({ raw, from }: Sample, circle: DeliveryParts['circle']): { raw: Uint8Array; from: string } {
  if (circle.people.some(({ email }) => email === from)) return { raw, from };
  const domain = circle.inbox.slice(circle.inbox.lastIndexOf('@') + 1);
  const stranger = `stranger@${domain}`;
  const text = Buffer.from(raw).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end).replace(/^From:.*(?:\r\n[ \t].*)*/im, `From: <${stranger}>`);
  return { raw: Buffer.from(head + text.slice(end), 'latin1'), from: stranger };
}

/** The service writes its own id into the mail's Message-ID, which is how the mail is known again. */
async function caseOf(
  { cases, circle, pause }: DeliveryParts,
  messageId: string,
  before: ReadonlySet<CaseId>,
  name: string,
): Promise<CaseId> {
  const looked = new Set<CaseId>(before);
  for (let looks = 0; looks < patience; looks += 1) {
    for (const entry of await cases.index.list(circle.id)) {
      if (looked.has(entry.case)) continue;
      const mail = await cases.store.find(layout.mail(entry));
      if (mail === undefined) continue;
      looked.add(entry.case);
      if (headOf(mail.bytes).includes(`<${messageId}@`)) return entry.case;
    }
    await pause();
  }
  throw new CaregateError(
    'NOT_FOUND',
    `sample \`${name}\` did not come in; look at the MX record, the active rule set and the log of \`ingest\``,
  );
}

function headOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 65_536)).toString('latin1');
  return text.split('\r\n\r\n', 1)[0] ?? '';
}
