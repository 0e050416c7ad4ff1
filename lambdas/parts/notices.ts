import type { NoticeResult, Notify } from '../../lib/approval/notice.ts';
import type { TellingInput } from '../../lib/approval/telling.ts';
import { CaregateError } from '../../lib/errors.ts';
import { part } from './part.ts';

/** Invokes a function. Few runs have something to tell, so the client comes with the first that has. */
const client = part(async () => {
  const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const lambda = new LambdaClient();
  return (name: string, payload: Uint8Array) =>
    lambda.send(new InvokeCommand({ FunctionName: name, Payload: payload }));
});

/** Has the function `notify` do something, and waits for what it did. */
const people = part((source) => {
  const name = source.setting('CAREGATE_NOTIFY_FUNCTION');
  return async (kind: string, event: object): Promise<NoticeResult> => {
    const payload = new TextEncoder().encode(JSON.stringify(event));
    const answer = await (await client(source))(name, payload);
    if (answer.FunctionError !== undefined) {
      throw new CaregateError('NOTICE_NOT_SENT', `notice \`${kind}\` did not leave; it is tried again`);
    }
    return JSON.parse(new TextDecoder().decode(answer.Payload)) as NoticeResult;
  };
});

/**
 * The one way to people, which is the function `notify`. A notice names its circle by id and its people by theirs:
 * `notify` looks both up in its own configuration, and can reach nobody else.
 */
export const notify = part((source): Notify => {
  return ({ id, kind, circle, people: recipients, slots }) =>
    people(source)(kind, { circle: circle.id, notice: { id, kind, people: recipients, slots } });
});

/** Has people told of how a case stands, in the words that `notify` takes from the case file. */
export const tell = part((source) => (input: TellingInput) => people(source)(input.kind, input));
