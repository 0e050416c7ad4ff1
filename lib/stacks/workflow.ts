import { readFileSync } from 'node:fs';
import { ArnFormat, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { placeholderOf } from './bundles.ts';
import type { CaseFileStack } from './casefile.ts';
import type { Deployment } from './deployment.ts';
import { deployHandlers } from './functions.ts';
import { grantDuty } from './grants.ts';

export interface WorkflowProps extends StackProps {
  readonly deployment: Deployment;
  readonly caseFile: CaseFileStack;
  /** The state machine's file, the same that the embedded office runs. */
  readonly definition: string;
  readonly lambdas: string;
  readonly bundles: string;
  readonly configuration: string;
}

/** The machine and its functions: what a release replaces. */
export class WorkflowStack extends Stack {
  readonly machine: StateMachine;
  readonly handlers: ReadonlyMap<string, LambdaFunction>;

  constructor(scope: Construct, id: string, props: WorkflowProps) {
    super(scope, id, props);
    const names = this.#names(props.deployment.name);
    this.handlers = deployHandlers(this, {
      ...props,
      prefix: props.deployment.name,
      environment: environmentOf(props, names),
      logGroup: this.#logs('FunctionLogs'),
    });
    for (const [name, handler] of this.handlers) {
      grantDuty(name, handler, { stack: this, caseFile: props.caseFile, ...names });
    }
    this.machine = this.#machine(props);
  }

  /**
   * Names and ARNs that functions know of the machine and of each other. They are put together from names rather
   * than referred to: the machine refers to the functions already, and a template cannot go round in a circle.
   */
  #names(prefix: string) {
    const arn = (service: string, resource: string, resourceName: string) =>
      this.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    return {
      machineArn: arn('states', 'stateMachine', `${prefix}-care-event`),
      notifyArn: arn('lambda', 'function', `${prefix}-notify`),
    };
  }

  #logs(id: string): LogGroup {
    return new LogGroup(this, id, {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  #machine({ deployment, definition }: WorkflowProps): StateMachine {
    const machine = new StateMachine(this, 'CareEvent', {
      stateMachineName: `${deployment.name}-care-event`,
      stateMachineType: StateMachineType.STANDARD,
      // As a string, so that a change of the workflow can be read in the template; a file would leave only a hash.
      definitionBody: DefinitionBody.fromString(readFileSync(definition, 'utf8')),
      definitionSubstitutions: Object.fromEntries(
        [...this.handlers].map(([name, { functionArn }]) => [placeholderOf(name), functionArn]),
      ),
      // Without execution data: a task's arguments hold the token that ends a waiting state.
      logs: { destination: this.#logs('MachineLogs'), level: LogLevel.ALL, includeExecutionData: false },
      tracingEnabled: true,
    });
    for (const handler of this.handlers.values()) handler.grantInvoke(machine);
    return machine;
  }
}

/** The settings of the functions, by the names that `lambdas/settings.ts` reads. */
function environmentOf(
  { deployment, caseFile }: WorkflowProps,
  { machineArn, notifyArn }: { machineArn: string; notifyArn: string },
): Record<string, string> {
  return {
    CAREGATE_CIRCLES: '/opt/circles',
    CAREGATE_RULES_DIR: '/opt/rules',
    CAREGATE_CASE_BUCKET: caseFile.cases.bucketName,
    CAREGATE_INBOX_BUCKET: caseFile.inbox.bucketName,
    CAREGATE_CASE_TABLE: caseFile.caseTable.tableName,
    CAREGATE_APPROVAL_TABLE: caseFile.approvalTable.tableName,
    CAREGATE_SIGNING_KEY: caseFile.signingKey.keyArn,
    CAREGATE_STATE_MACHINE: machineArn,
    CAREGATE_NOTIFY_FUNCTION: notifyArn,
    CAREGATE_PUBLIC_URL: deployment.publicUrl,
    CAREGATE_TRIAGE_MODEL: deployment.models.triage,
    CAREGATE_EVIDENCE_MODEL: deployment.models.evidence ?? deployment.models.plan,
    CAREGATE_PLAN_MODEL: deployment.models.plan,
  };
}
