import type { SESClient } from '@aws-sdk/client-ses';
import type { CaseKey } from '../casefile/layout.ts';
import type { ObjectStore } from '../casefile/store.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import type { Sha256 } from '../provenance/digest.ts';
import type { Randomness } from '../provenance/randomness.ts';
import type { FaultRegistry } from './faults.ts';

/** All that an effect may touch. */
export interface EffectContext {
  readonly store: ObjectStore;
  readonly ses: Pick<SESClient, 'send'>;
  /** The circle as it is today. */
  readonly circle: Circle;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly caseKey: CaseKey;
  /** The bytes of a document of this case, whose digest was checked. The bytes are attacker-controlled. */
  document(digest: Sha256): Promise<Uint8Array>;
  /** The id of the person or contact that the mail's sender was verified as: it keeps the UIDs of senders apart. */
  readonly sender: string;
  /** Names this run of the effect, in base64url. An intent that was recorded before keeps the name it has. */
  readonly attempt: string;
  /** The SES configuration set that reports what became of a letter, where there is one. */
  readonly configurationSet?: string | undefined;
  /** Only tests have one. */
  readonly faults?: FaultRegistry | undefined;
}

/** All that looking at an effect may touch: nothing leaves through it. */
export type ObservationContext = Omit<EffectContext, 'ses' | 'configurationSet'>;

/** What an effect's bytes are made of, beside its call: enough to make them again, too little to write them. */
export type PreparationContext = Pick<EffectContext, 'circle' | 'caseKey' | 'document' | 'sender'>;

/** What makes an effect's bytes repeatable: who made the intent, and when. */
export interface Seed {
  readonly attempt: string;
  /** ISO instant. */
  readonly createdAt: string;
}

/** The one object that an effect creates, ready to be written. */
export interface Preparation {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Whether other bytes say the same, so that what says it already is left as it is. */
  readonly saysTheSame?: (other: Uint8Array) => boolean;
}
