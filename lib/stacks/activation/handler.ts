import { SESClient } from '@aws-sdk/client-ses';
import { answer } from './answer.ts';

const ses = new SESClient();

/** The custom resource that activates the rule set. */
export const handler = (event: unknown): Promise<void> => answer(ses, event);
