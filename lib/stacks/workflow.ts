import { readFileSync } from 'node:fs';
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { CaregateError } from '../errors.ts';
import { type ApprovalsStack, route } from './approvals.ts';
import { placeholderOf } from './bundles.ts';
import type { CaseFileStack } from './casefile.ts';
import { deadLetters } from './deadletters.ts';
import type { Deployment } from './deployment.ts';
import { reportEndings } from './endings.ts';
import { environmentOf } from './environment.ts';
import { deployHandlers } from './functions.ts';
import { grantDuty } from './grants.ts';
import { protectedLogs } from './logs.ts';
import { colonArn, namesOf } from './names.ts';

export interface WorkflowProps extends StackProps {
  readonly deployment: Deployment;
  readonly caseFile: CaseFileStack;
  readonly approvals: ApprovalsStack;
  /** What the functions are built from. */
  readonly commit: string;
  /** The state machine's file, the same that the embedded office runs. */
  readonly definition: string;
  readonly lambdas: string;
  readonly bundles: string;
  readonly configuration: string;
}

/** The machine and its functions: what a release replaces. */
export class WorkflowStack extends Stack {
  readonly machine: StateMachine;
  readonly machineRole: Role;
  readonly handlers: ReadonlyMap<string, LambdaFunction>;
  /** The role of each handler, by the handler's name. */
  readonly roles: ReadonlyMap<string, Role>;
  readonly functionLogs: LogGroup;
  /** What no function could take, to be looked at and sent again. */
  readonly failures: Queue;

  constructor(scope: Construct, id: string, props: WorkflowProps) {
    super(scope, id, props);
    const { deployment, approvals } = props;
    // Put together from names: the machine refers to the functions, and they know of it all the same.
    const arns = {
      machineArn: colonArn(this, 'states', 'stateMachine', namesOf(deployment).machine),
      notifyArn: colonArn(this, 'lambda', 'function', namesOf(deployment).functionOf('notify')),
    };
    this.failures = deadLetters(this, 'Failures');
    this.functionLogs = this.#logs('FunctionLogs', namesOf(deployment).functionLogs, props);
    const deployed = deployHandlers(this, {
      ...props,
      environment: environmentOf({ ...props, ...arns }),
      logGroup: this.functionLogs,
      failures: this.failures,
    });
    this.handlers = new Map([...deployed].map(([name, each]) => [name, each.function]));
    this.roles = new Map([...deployed].map(([name, each]) => [name, each.role]));
    for (const [name, handler] of this.handlers) grantDuty(name, handler, { stack: this, ...props, ...arns });
    this.machineRole = this.#machineRole(props);
    this.machine = this.#machine(props);
    route(this, approvals.api, {
      web: this.handler('web'),
      decide: this.handler('decide'),
      health: this.handler('health'),
    });
    reportEndings(this, {
      machine: this.machine,
      failures: this.failures,
      report: this.handler('report'),
      audit: this.handler('audit'),
    });
    new CfnOutput(this, 'MachineArn', { value: this.machine.stateMachineArn });
    new CfnOutput(this, 'FailuresUrl', { value: this.failures.queueUrl });
  }

  /** @throws CaregateError `CONFIGURATION_INVALID` if there is no such handler */
  handler(name: string): LambdaFunction {
    const handler = this.handlers.get(name);
    if (handler !== undefined) return handler;
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `handler \`${name}\` does not exist; make \`lambdas/${name}/handler.ts\``,
    );
  }

  #logs(id: string, logGroupName: string, { deployment, caseFile }: WorkflowProps): LogGroup {
    return protectedLogs(this, id, { deployment, logGroupName, encryptionKey: caseFile.dataKey });
  }

  /** May invoke what the file names, and not one function more. */
  #machineRole({ deployment, definition }: WorkflowProps): Role {
    const role = new Role(this, 'MachineRole', {
      roleName: namesOf(deployment).machine,
      description: 'What the state machine may do',
      assumedBy: new ServicePrincipal('states.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    });
    const file = readFileSync(definition, 'utf8');
    const named = [...this.handlers].filter(([name]) => file.includes(`\${${placeholderOf(name)}}`));
    role.addToPolicy(
      new PolicyStatement({
        sid: 'Steps',
        actions: ['lambda:InvokeFunction'],
        resources: named.map(([, { functionArn }]) => functionArn),
      }),
    );
    return role;
  }

  #machine(props: WorkflowProps): StateMachine {
    const { machine, machineLogs } = namesOf(props.deployment);
    return new StateMachine(this, 'CareEvent', {
      stateMachineName: machine,
      stateMachineType: StateMachineType.STANDARD,
      role: this.machineRole,
      // As a string, so that a change of the workflow can be read in the template; a file would leave only a hash.
      definitionBody: DefinitionBody.fromString(readFileSync(props.definition, 'utf8')),
      definitionSubstitutions: Object.fromEntries(
        [...this.handlers].map(([name, { functionArn }]) => [placeholderOf(name), functionArn]),
      ),
      // Without execution data: a task's arguments hold the token that ends a waiting state.
      logs: {
        destination: this.#logs('MachineLogs', machineLogs, props),
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
      tracingEnabled: true,
    });
  }
}
