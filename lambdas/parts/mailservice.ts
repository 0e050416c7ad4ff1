import { SESClient } from '@aws-sdk/client-ses';
import { part } from './part.ts';

/** The mail service. The role of a function says to whom it may write with it. */
export const ses = part(() => new SESClient());
