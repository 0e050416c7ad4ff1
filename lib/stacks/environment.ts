import type { ApprovalsStack } from './approvals.ts';
import type { CaseFileStack } from './casefile.ts';
import { type Deployment, modelSetting } from './deployment.ts';
import { namesOf } from './names.ts';

export interface EnvironmentSources {
  readonly deployment: Deployment;
  readonly caseFile: CaseFileStack;
  readonly approvals: ApprovalsStack;
  readonly commit: string;
  readonly machineArn: string;
  readonly notifyArn: string;
}

/** The settings of the functions, by the names that `lambdas/settings.ts` reads. */
export function environmentOf(sources: EnvironmentSources): Record<string, string> {
  const { deployment, caseFile, approvals, commit, machineArn, notifyArn } = sources;
  const { name, models, mail } = deployment;
  return {
    CAREGATE_CIRCLES: '/opt/circles',
    CAREGATE_RULES_DIR: '/opt/rules',
    CAREGATE_CASE_BUCKET: caseFile.cases.bucketName,
    CAREGATE_INBOX_BUCKET: caseFile.inbox.bucketName,
    CAREGATE_CASE_TABLE: caseFile.caseTable.tableName,
    CAREGATE_APPROVAL_TABLE: caseFile.approvalTable.tableName,
    CAREGATE_SIGNING_KEY: approvals.signingKey.keyArn,
    CAREGATE_STATE_MACHINE: machineArn,
    CAREGATE_NOTIFY_FUNCTION: notifyArn,
    CAREGATE_PUBLIC_URL: approvals.publicUrl,
    CAREGATE_TRIAGE_MODEL: modelSetting(models.triage),
    CAREGATE_EVIDENCE_MODEL: modelSetting(models.evidence),
    CAREGATE_PLAN_MODEL: modelSetting(models.plan),
    CAREGATE_CONFIGURATION_SET: namesOf(deployment).configurationSet,
    CAREGATE_DEPLOYMENT: name,
    CAREGATE_RULE_SET: mail.ruleSet,
    CAREGATE_SENDING: mail.sending,
    CAREGATE_COMMIT: commit,
  };
}
