import type { SESClient } from '@aws-sdk/client-ses';
import { type Part, part } from './part.ts';

const client = part(async () => new (await import('@aws-sdk/client-ses')).SESClient());

/** The mail service for what leaves to contacts. Few actions are letters: it is loaded with the first. */
export const ses: Part<Pick<SESClient, 'send'>> = (source) => ({
  send: (async (...given: Parameters<SESClient['send']>) =>
    (await client(source)).send(...given)) as SESClient['send'],
});
