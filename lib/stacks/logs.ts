import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { DataIdentifier, DataProtectionPolicy, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Deployment } from './deployment.ts';

const retentions = {
  '30': RetentionDays.ONE_MONTH,
  '90': RetentionDays.THREE_MONTHS,
  '180': RetentionDays.SIX_MONTHS,
  '365': RetentionDays.ONE_YEAR,
} as const;

/** How long logs are kept. */
export function logRetention({ retention }: Deployment): RetentionDays {
  return retentions[retention.logDays];
}

/**
 * What is masked in a log, should it ever stand there. No line of ours holds any of it, which a test sees to; this is
 * the net below, for what a library or the runtime might print. It covers events that come after it, not older ones.
 */
const masked = [
  DataIdentifier.EMAILADDRESS,
  DataIdentifier.NAME,
  DataIdentifier.ADDRESS,
  DataIdentifier.IPADDRESS,
  DataIdentifier.PHONENUMBER_US,
  DataIdentifier.PHONENUMBER_GB,
  DataIdentifier.PHONENUMBER_DE,
  DataIdentifier.PHONENUMBER_FR,
  DataIdentifier.PHONENUMBER_ES,
  DataIdentifier.PHONENUMBER_IT,
  DataIdentifier.NHSNUMBER_GB,
  DataIdentifier.SSN_US,
  DataIdentifier.HEALTHINSURANCECARDNUMBER_EU,
  DataIdentifier.HEALTHINSURANCENUMBER_FR,
  DataIdentifier.MEDICAREBENEFICIARYNUMBER_US,
  DataIdentifier.BANKACCOUNTNUMBER_GB,
  DataIdentifier.CREDITCARDNUMBER,
  DataIdentifier.AWSSECRETKEY,
] as const;

export interface ProtectedLogsProps {
  readonly deployment: Deployment;
  readonly logGroupName: string;
  readonly encryptionKey: IKey;
}

/** A log group that is encrypted, kept for as long as the deployment says, and masked; it outlives its stack. */
export function protectedLogs(scope: Construct, id: string, props: ProtectedLogsProps): LogGroup {
  const { deployment, logGroupName, encryptionKey } = props;
  return new LogGroup(scope, id, {
    logGroupName,
    encryptionKey,
    retention: logRetention(deployment),
    dataProtectionPolicy: new DataProtectionPolicy({
      name: `${deployment.name}-masking`,
      description: 'masks what could say who somebody is',
      identifiers: [...masked],
    }),
    removalPolicy: RemovalPolicy.RETAIN,
  });
}
