import { type Clock, isoTime } from '../../provenance/clock.ts';
import type { Randomness } from '../../provenance/randomness.ts';
import { replyLost, ServiceFault } from './fault.ts';
import { type Envelope, Outbox, type SentMail } from './outbox.ts';
import type { Service, ServiceRequest, ServiceResponse } from './service.ts';
import { type RawEmail, readRawEmail } from './ses-request.ts';
import { randomUuid } from './uuid.ts';
import { element } from './xml.ts';

/** What a test may make of a SendRawEmail: SES's throttle, or a reply that is lost after the mail was accepted. */
export type SendFault = 'Throttling' | 'ReplyLost';

export interface SesOptions {
  /** The folder that keeps what was sent. */
  readonly outbox: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The verified identities: addresses and domains. Mail that speaks for anyone else is rejected. */
  readonly identities: readonly string[];
  /** Whether mail leaves for the world. It stays in the folder unless somebody says so. */
  readonly sending?: boolean;
  /** The set of receiving rules that is active. */
  readonly ruleSet?: string;
  /** Told of each mail after it is kept. */
  readonly onSent?: (mail: SentMail) => void;
  /** For tests: asked before each SendRawEmail. */
  readonly faults?: (mail: Envelope) => SendFault | undefined;
}

/**
 * SES that sends into a folder: SendRawEmail of the query protocol, with SES's own checks of the sender, the size and the
 * destinations. It keeps the exact bytes; the Message-ID and Date that SES would write over are in the envelope. SendEmail
 * is refused, as no role may use it. It also says whether mail leaves, and which receiving rules are active.
 */
export async function sesService(options: SesOptions): Promise<Service> {
  const outbox = await Outbox.open(options.outbox);
  return {
    name: 'ses',
    handle: async (request) => {
      const parameters = readForm(request);
      const action = parameters.get('Action') ?? '';
      if (action === 'SendRawEmail') return sendRawEmail(readRawEmail(parameters), outbox, options);
      if (action === 'GetAccountSendingEnabled') {
        return result(action, [element('Enabled', options.sending ?? false)], options);
      }
      if (action === 'DescribeActiveReceiptRuleSet') return result(action, activeRules(options), options);
      if (action.startsWith('Send')) {
        throw new ServiceFault(403, 'AccessDenied', `\`${action}\` is denied; only SendRawEmail is allowed`);
      }
      throw new ServiceFault(400, 'InvalidAction', `\`${action}\` is not served here`);
    },
  };
}

async function sendRawEmail(mail: RawEmail, outbox: Outbox, options: SesOptions): Promise<ServiceResponse> {
  if (!mail.senders.every((sender) => isVerified(sender, options.identities))) {
    throw new ServiceFault(
      400,
      'MessageRejected',
      'Email address is not verified. The sender failed the check',
    );
  }
  const { raw, source, destinations, tags, configurationSet } = mail;
  const id = messageId(options);
  const envelope: Envelope = {
    id,
    at: isoTime(options.clock),
    source,
    destinations: [...destinations],
    tags: { ...tags },
    ...(configurationSet === undefined ? {} : { configurationSet }),
  };
  const fault = options.faults?.(envelope);
  if (fault === 'Throttling') {
    throw new ServiceFault(400, 'Throttling', 'Maximum sending rate exceeded.');
  }
  await outbox.keep(envelope, raw);
  options.onSent?.({ ...envelope, raw });
  return fault === 'ReplyLost' ? replyLost : accepted(id);
}

function isVerified(address: string, identities: readonly string[]): boolean {
  const lower = address.toLowerCase();
  const domain = lower.slice(lower.lastIndexOf('@') + 1);
  return identities.some((identity) => [lower, domain].includes(identity.toLowerCase()));
}

/** The form of SES's ids: the time, a UUID and a counter that is always zero. */
function messageId({ clock, randomness }: SesOptions): string {
  return `${clock.now().toString(16).padStart(16, '0')}-${randomUuid(randomness)}-000000`;
}

function accepted(id: string): ServiceResponse {
  const result = element('SendRawEmailResult', [element('MessageId', id)]);
  const metadata = element('ResponseMetadata', [element('RequestId', id)]);
  return {
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: element('SendRawEmailResponse', [result, metadata]),
  };
}

/** No set is active until one is named; then the answer holds no metadata, as that of SES. */
function activeRules({ ruleSet }: SesOptions): string[] {
  return ruleSet === undefined ? [] : [element('Metadata', [element('Name', ruleSet)]), element('Rules', [])];
}

function result(action: string, content: readonly string[], { randomness }: SesOptions): ServiceResponse {
  const metadata = element('ResponseMetadata', [element('RequestId', randomUuid(randomness))]);
  return {
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: element(`${action}Response`, [element(`${action}Result`, content), metadata]),
  };
}

function readForm({ method, body }: ServiceRequest): URLSearchParams {
  if (method !== 'POST') throw new ServiceFault(400, 'InvalidAction', 'an action is sent by POST');
  return new URLSearchParams(Buffer.from(body).toString('utf8'));
}
