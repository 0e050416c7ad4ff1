import { type Clock, isoTime } from '../../provenance/clock.ts';

/** A verdict as SES's event states it. */
export type VerdictStatus = 'PASS' | 'FAIL' | 'GRAY' | 'PROCESSING_FAILED' | 'DISABLED';

/** What a receiver found about one delivery. */
export interface Verdicts {
  readonly spam: VerdictStatus;
  readonly virus: VerdictStatus;
  readonly spf: VerdictStatus;
  readonly dkim: VerdictStatus;
  readonly dmarc: VerdictStatus;
}

/** One delivery as the receiver took it. Source and recipients are what the sender's program said. */
export interface Reception {
  /** The receiver's id of the delivery; the bytes lie under a key that ends in it. */
  readonly messageId: string;
  readonly source: string;
  readonly recipients: readonly string[];
}

interface Verdict {
  readonly status: VerdictStatus;
}

/** The event that SES gives to a receipt rule's Lambda action: no body, no bucket and no key. */
export interface SesEvent {
  readonly Records: readonly [
    {
      readonly eventSource: 'aws:ses';
      readonly eventVersion: '1.0';
      readonly ses: {
        readonly mail: {
          readonly timestamp: string;
          readonly source: string;
          readonly messageId: string;
          readonly destination: readonly string[];
          readonly headersTruncated: boolean;
          readonly headers: readonly { readonly name: string; readonly value: string }[];
          readonly commonHeaders: Readonly<Record<string, string>>;
        };
        readonly receipt: {
          readonly timestamp: string;
          readonly processingTimeMillis: number;
          readonly recipients: readonly string[];
          readonly spamVerdict: Verdict;
          readonly virusVerdict: Verdict;
          readonly spfVerdict: Verdict;
          readonly dkimVerdict: Verdict;
          readonly dmarcVerdict: Verdict;
          readonly action: {
            readonly type: 'Lambda';
            readonly functionArn: string;
            readonly invocationType: 'Event';
          };
        };
      };
    },
  ];
}

/**
 * The event for one delivery. It leaves the mail's headers out, as SES does of those that are too long: what a sender
 * wrote is read from the stored bytes, never from here.
 */
export function sesEvent(reception: Reception, verdicts: Verdicts, clock: Clock): SesEvent {
  const { messageId, source, recipients } = reception;
  const timestamp = isoTime(clock);
  const mail = {
    timestamp,
    source,
    messageId,
    destination: recipients,
    headersTruncated: true,
    headers: [],
    commonHeaders: {},
  };
  const receipt = {
    timestamp,
    processingTimeMillis: 0,
    recipients,
    spamVerdict: { status: verdicts.spam },
    virusVerdict: { status: verdicts.virus },
    spfVerdict: { status: verdicts.spf },
    dkimVerdict: { status: verdicts.dkim },
    dmarcVerdict: { status: verdicts.dmarc },
    action: {
      type: 'Lambda' as const,
      functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:ingest',
      invocationType: 'Event' as const,
    },
  };
  return { Records: [{ eventSource: 'aws:ses', eventVersion: '1.0', ses: { mail, receipt } }] };
}
