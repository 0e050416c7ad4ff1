import { SFNClient } from '@aws-sdk/client-sfn';
import { part } from './part.ts';

export const sfn = part(() => new SFNClient());

/** The ARN of the machine that runs a case. */
export const machine = part((source) => source.setting('CAREGATE_STATE_MACHINE'));
