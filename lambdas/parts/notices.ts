import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Notice, NoticeResult, Notify } from '../../lib/approval/notice.ts';
import { CaregateError } from '../../lib/errors.ts';
import { part } from './part.ts';

/**
 * The one way to people, which is the function `notify`. A notice names its circle by id and its people by theirs:
 * `notify` looks both up in its own configuration, and can reach nobody else.
 */
export const notify = part((source): Notify => {
  const lambda = new LambdaClient();
  const name = source.setting('CAREGATE_NOTIFY_FUNCTION');
  return (notice) => callNotify(lambda, name, notice);
});

async function callNotify(lambda: LambdaClient, name: string, notice: Notice): Promise<NoticeResult> {
  const { id, kind, circle, people, slots } = notice;
  const answer = await lambda.send(
    new InvokeCommand({
      FunctionName: name,
      Payload: new TextEncoder().encode(
        JSON.stringify({ circle: circle.id, notice: { id, kind, people, slots } }),
      ),
    }),
  );
  if (answer.FunctionError !== undefined) {
    throw new CaregateError('NOTICE_NOT_SENT', `notice \`${kind}\` did not leave; it is tried again`);
  }
  return JSON.parse(new TextDecoder().decode(answer.Payload)) as NoticeResult;
}
