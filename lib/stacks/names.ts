import { ArnFormat, type Stack } from 'aws-cdk-lib';
import type { Deployment } from './deployment.ts';

/**
 * What a deployment's things are called. Policies of one stack name things of another that is made after it, so these
 * are put together from names: templates that referred to each other would go round in a circle.
 */
export function namesOf({ name, mail }: Deployment) {
  return {
    ruleSet: mail.ruleSet,
    rule: `${name}-inbox`,
    configurationSet: `${name}-letters`,
    machine: `${name}-care-event`,
    topic: `${name}-operator`,
    roleOf: (holder: string) => `${name}-${holder}`,
    functionOf: (handler: string) => `${name}-${handler}`,
    functionLogs: `/caregate/${name}/functions`,
    machineLogs: `/aws/vendedlogs/states/${name}`,
    pageLogs: `/aws/vendedlogs/apis/${name}`,
  } as const;
}

/** The ARN of the receiving rule: what SES names as the source of whatever it writes, encrypts or invokes. */
export function ruleArn(stack: Stack, deployment: Deployment): string {
  const { ruleSet, rule } = namesOf(deployment);
  return stack.formatArn({
    service: 'ses',
    resource: 'receipt-rule-set',
    resourceName: `${ruleSet}:receipt-rule/${rule}`,
  });
}

/** An ARN whose resource and name are parted by a colon, as those of functions and machines are. */
export function colonArn(stack: Stack, service: string, resource: string, resourceName: string): string {
  return stack.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
}
