import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CaregateError } from '../errors.ts';

/** The output under which the stack of the pages says where they are. */
const outputKey = 'PublicUrl';

/**
 * Where the pages of a deployment are, as one of its stacks says.
 * @throws CaregateError `CLOUD_UNAVAILABLE`; `NOT_FOUND` if none of them says it
 */
export async function publicUrlOf(client: CloudFormationClient, stacks: readonly string[]): Promise<string> {
  for (const stack of stacks) {
    const { Stacks = [] } = await client
      .send(new DescribeStacksCommand({ StackName: stack }))
      .catch((cause: unknown) => {
        throw new CaregateError(
          'CLOUD_UNAVAILABLE',
          `stack \`${stack}\` cannot be described; check your rights`,
          {
            cause,
          },
        );
      });
    const found = Stacks[0]?.Outputs?.find((output) => output.OutputKey === outputKey)?.OutputValue;
    if (found !== undefined) return found;
  }
  throw new CaregateError(
    'NOT_FOUND',
    `no stack has the output \`${outputKey}\`; deploy the stack of the approvals first`,
  );
}
