import { SESServiceException, SendRawEmailCommand } from '@aws-sdk/client-ses';
import { layout } from '../casefile/layout.ts';
import { writeRecord } from '../casefile/record.ts';
import { CaregateError } from '../errors.ts';
import { type Clearance, requireClearance } from '../policy/clearance.ts';
import type { Call } from '../proposal/call.ts';
import { isoTime } from '../provenance/clock.ts';
import { randomToken } from '../provenance/randomness.ts';
import type { EffectContext } from './context.ts';
import { reach } from './faults.ts';
import type { Intent } from './intent.ts';
import { letterRejected, postingState, type Sent } from './letterrecord.ts';
import { routeOf } from './route.ts';

/**
 * Hands a letter to SES at most once. The attempt is recorded first, and whoever finds an attempt that is not its own
 * never sends: a reply may have been lost, and then only a person can find out.
 * @throws CaregateError `LETTER_REJECTED` if SES refused it
 */
export async function post(
  clearance: Clearance,
  context: EffectContext,
  intent: Intent,
  bytes: Uint8Array,
): Promise<'applied' | 'unknown'> {
  const { call } = requireClearance(clearance, 'send_email');
  const known = await postingState(call, context);
  if (known.state !== 'ready') return known.state === 'sent' ? 'applied' : 'unknown';
  if (!(await beginAttempt(call, context, intent))) return 'unknown';
  await reach(context.faults, 'after_attempt');
  const messageId = await send(call, context, intent, bytes);
  if (messageId === undefined) return 'unknown';
  await reach(context.faults, 'after_reply');
  await writeRecord(context.store, layout.sent(context.caseKey, call.action), {
    attempt: intent.attempt,
    sha256: intent.sha256,
    messageId,
    at: isoTime(context.clock),
  } satisfies Sent);
  await reach(context.faults, 'after_sent');
  return 'applied';
}

async function beginAttempt(call: Call, context: EffectContext, intent: Intent): Promise<boolean> {
  const key = layout.attempt(context.caseKey, call.action);
  const run = randomToken(context.randomness);
  const record = { attempt: intent.attempt, run, sha256: intent.sha256, at: isoTime(context.clock) };
  try {
    await writeRecord(context.store, key, record);
    return true;
  } catch (error) {
    if (error instanceof CaregateError && error.code === 'CREATE_CONFLICT') return false;
    throw error;
  }
}

/** @returns the id that SES gave the letter, or nothing if it may or may not have been sent */
async function send(
  call: Call,
  context: EffectContext,
  intent: Intent,
  bytes: Uint8Array,
): Promise<string | undefined> {
  const { from, to } = routeOf(call, context.circle);
  const command = new SendRawEmailCommand({
    Source: from,
    Destinations: [to],
    RawMessage: { Data: bytes },
    Tags: [{ Name: 'caregate-attempt', Value: intent.attempt }],
    ConfigurationSetName: context.configurationSet,
  });
  neverRepeatWhatMayHaveArrived(command);
  try {
    return (await context.ses.send(command)).MessageId;
  } catch (error) {
    if (!isRefusal(error)) return undefined;
    await writeRecord(context.store, layout.rejected(context.caseKey, call.action), {
      attempt: intent.attempt,
      error: error.name,
      at: isoTime(context.clock),
    });
    throw letterRejected(error.name);
  }
}

/**
 * The SDK repeats a request whose reply was lost, which for a mail means two mails. This stands behind the SDK's own
 * retries and lets a request through again only after SES has answered that it took none (as when it throttles).
 */
function neverRepeatWhatMayHaveArrived(command: SendRawEmailCommand): void {
  let mayHaveArrived = false;
  command.middlewareStack.add(
    (next) => async (args) => {
      if (mayHaveArrived)
        throw new CaregateError(
          'STORE_UNAVAILABLE',
          '`letter` may have arrived already, so it is never sent twice',
        );
      mayHaveArrived = true;
      try {
        return await next(args);
      } catch (error) {
        mayHaveArrived = !isRefusal(error);
        throw error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'neverRepeatWhatMayHaveArrived' },
  );
}

/** Whether SES has said that it took nothing: an answer of the class 4xx, unless it is about time running out. */
function isRefusal(error: unknown): error is SESServiceException {
  if (!(error instanceof SESServiceException)) return false;
  const status = error.$metadata.httpStatusCode ?? 0;
  return status >= 400 && status < 500 && status !== 408;
}
