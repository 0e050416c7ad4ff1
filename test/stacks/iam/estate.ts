import { approvalTable } from '../../../lib/approval/table.ts';
import { loadDeployment, modelStages } from '../../../lib/stacks/deployment.ts';
import type { NamedModel } from '../../../lib/stacks/models.ts';
import { namesOf } from '../../../lib/stacks/names.ts';
import { templates } from '../synthesized.ts';
import { type Deployed, readDeployed } from './deployed.ts';
import type { ModelEntry, Resources } from './requests.ts';
import { account, region } from './symbols.ts';
import type { TemplateJson } from './template.ts';

/** The example deployment, whose rights are judged: what it is made of, and the roles that it has. */
export interface Estate {
  readonly deployed: Deployed;
  readonly resources: Resources;
  readonly people: readonly string[];
  readonly contacts: readonly string[];
  readonly senders: { readonly notices: string; readonly letters: string };
  /** What the functions log to. */
  readonly log: string;
  readonly failures: string;
}

/** Reads the templates of the example deployment. */
export function readEstate(): Estate {
  const deployment = loadDeployment('deployment.example.yaml');
  const names = namesOf(deployment);
  const deployed = readDeployed(templates() as unknown as Record<string, TemplateJson>, deployment.name);
  const [first] = deployment.circles;
  if (first === undefined) throw new Error('the example deployment has no circle');
  const { people, contacts, senders } = first.circle;
  const arn = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;
  const found = (type: string, id: string): string => {
    const resource = deployed.templates.all(type).find((one) => one.id.startsWith(id));
    if (resource === undefined) throw new Error(`the templates have no \`${type}\` \`${id}\``);
    return deployed.templates.arn(resource);
  };
  const entryOf = ({ id, regions = [] }: NamedModel): ModelEntry => ({
    entry: arn('bedrock', `inference-profile/${id}`),
    behind: regions.map((one) => `arn:aws:bedrock:${one}::foundation-model/${id.replace(/^eu\./, '')}`),
  });
  const models = modelStages.map((stage) => [stage, entryOf(deployment.models[stage])] as const);
  const fallbacks = modelStages.flatMap((stage) => {
    const { fallback } = deployment.models[stage];
    return fallback === undefined ? [] : [[stage, entryOf(fallback)] as const];
  });
  return {
    deployed,
    people: people.map(({ email }) => email),
    contacts: contacts.map(({ email }) => email),
    senders,
    log: arn('logs', `log-group:${names.functionLogs}:*`),
    failures: found('AWS::SQS::Queue', 'Failures'),
    resources: {
      cases: found('AWS::S3::Bucket', 'Cases'),
      inbox: found('AWS::S3::Bucket', 'Inbox'),
      caseTable: found('AWS::DynamoDB::Table', 'CaseTable'),
      approvalTable: found('AWS::DynamoDB::Table', 'ApprovalTable'),
      signingKey: found('AWS::KMS::Key', 'SigningKey'),
      dataKey: found('AWS::KMS::Key', 'DataKey'),
      inboxKey: found('AWS::KMS::Key', 'InboxKey'),
      machine: arn('states', `stateMachine:${names.machine}`),
      models: Object.fromEntries(models),
      fallbacks: Object.fromEntries(fallbacks),
      functionArn: (name) => arn('lambda', `function:${names.functionOf(name)}`),
      configurationSet: arn('ses', `configuration-set/${names.configurationSet}`),
    },
  };
}

/** The index of the register that what waits is listed from. */
export const queueIndexes: readonly string[] = (approvalTable('').GlobalSecondaryIndexes ?? []).map(
  ({ IndexName = '' }) => IndexName,
);
