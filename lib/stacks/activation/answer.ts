import type { SESClient } from '@aws-sdk/client-ses';
import { CaregateError } from '../../errors.ts';
import { type ActivationRequest, activate, activationRequestSchema } from './ruleset.ts';

/**
 * Does what CloudFormation asked, and answers it in any case: a stack that gets no answer waits for an hour.
 * @param event from CloudFormation
 * @throws CaregateError `INVALID_INPUT` if the event names no place to answer to; `CLOUD_UNAVAILABLE` if the answer did
 *   not arrive
 */
export async function answer(ses: SESClient, event: unknown): Promise<void> {
  const parsed = activationRequestSchema.safeParse(event);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') || 'event';
    throw new CaregateError(
      'INVALID_INPUT',
      `field \`${field}\` of the request is not as CloudFormation has it`,
    );
  }
  const request = parsed.data;
  try {
    await activate(ses, request);
    await reply(request, { Status: 'SUCCESS' });
  } catch (error) {
    await reply(request, { Status: 'FAILED', Reason: reasonOf(error) });
  }
}

/** Our own text, or the kind of another's error: what the operator sees in the stack's events. */
function reasonOf(error: unknown): string {
  if (error instanceof CaregateError) return `${error.code}: ${error.message}`;
  return `the mail service refused: ${error instanceof Error ? error.name : 'unknown'}`;
}

interface Outcome {
  readonly Status: 'SUCCESS' | 'FAILED';
  readonly Reason?: string;
}

async function reply(request: ActivationRequest, outcome: Outcome): Promise<void> {
  const { StackId, RequestId, LogicalResourceId } = request;
  const body = JSON.stringify({
    ...outcome,
    StackId,
    RequestId,
    LogicalResourceId,
    // Named after the rule set: another name is another resource, and the old one is deleted after the new one is made.
    PhysicalResourceId:
      request.PhysicalResourceId && request.RequestType === 'Delete'
        ? request.PhysicalResourceId
        : `active-rule-set-${request.ResourceProperties.RuleSet}`,
  });
  // As bytes: a text would get a content type, which the address was not signed with.
  const response = await fetch(request.ResponseURL, { method: 'PUT', body: new TextEncoder().encode(body) });
  if (response.ok) return;
  throw new CaregateError(
    'CLOUD_UNAVAILABLE',
    `no answer was taken by CloudFormation (\`${response.status}\`); it waits for its time to run out`,
  );
}
