import {
  DescribeActiveReceiptRuleSetCommand,
  type SESClient,
  SetActiveReceiptRuleSetCommand,
} from '@aws-sdk/client-ses';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';

/** What CloudFormation asks of the resource that activates a rule set, as far as it is read here. */
export const activationRequestSchema = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url({ protocol: /^https?$/ }),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.string().optional(),
  ResourceProperties: z.object({
    RuleSet: z.string().min(1),
    /** CloudFormation makes texts of all values. */
    Displace: z.enum(['true', 'false']),
  }),
});
export type ActivationRequest = z.infer<typeof activationRequestSchema>;

/**
 * Makes our rule set the one that receives mail, or stops receiving with it. An account has one active rule set for a
 * region, so that activating ours takes the mail of another's: that is refused unless the deployment says that it may.
 * On deletion only our own is deactivated: whatever somebody else has activated since is theirs.
 *
 * SES has no conditional request. Two deployments that activate at the same moment can both find nothing active; the
 * later one then holds it, and `/healthz` of the other says so.
 * @throws CaregateError `RULE_SET_TAKEN`
 */
export async function activate(
  ses: SESClient,
  request: Pick<ActivationRequest, 'RequestType' | 'ResourceProperties'>,
): Promise<void> {
  const { RuleSet: ours, Displace: displace } = request.ResourceProperties;
  const active = await activeRuleSet(ses);
  if (request.RequestType === 'Delete') {
    if (active === ours) await ses.send(new SetActiveReceiptRuleSetCommand({}));
    return;
  }
  if (active === ours) return;
  if (active !== undefined && displace !== 'true') {
    throw new CaregateError(
      'RULE_SET_TAKEN',
      `rule set \`${active}\` receives the mail of this region; deactivate it, or set \`mail.displace\` to true`,
    );
  }
  await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: ours }));
}

async function activeRuleSet(ses: SESClient): Promise<string | undefined> {
  return (await ses.send(new DescribeActiveReceiptRuleSetCommand({}))).Metadata?.Name;
}
