import { join } from 'node:path';
import { Duration, type Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LayerVersion,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { handlerNames } from './bundles.ts';
import type { Deployment } from './deployment.ts';
import { dutyOf } from './duties.ts';
import { namesOf } from './names.ts';

export interface FunctionOptions {
  readonly deployment: Deployment;
  /** The folder of the handlers. */
  readonly lambdas: string;
  /** The folder that holds `<name>/handler.mjs` for each of them. */
  readonly bundles: string;
  /** The folder that is laid over every function as `/opt`. */
  readonly configuration: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logGroup: ILogGroup;
  /** Where the events of functions that nobody waits for go when they failed for good. */
  readonly failures: IQueue;
}

export interface Deployed {
  readonly function: LambdaFunction;
  readonly role: Role;
}

/** Invoked by services that wait for no answer: what they bring is kept when a function fails on it for good. */
const unawaited: ReadonlySet<string> = new Set(['ingest', 'report', 'audit', 'sweep']);

/** One function for each handler, each with a role of its own, by the name of its folder. */
export function deployHandlers(stack: Stack, options: FunctionOptions): Map<string, Deployed> {
  const layer = new LayerVersion(stack, 'Configuration', {
    code: Code.fromAsset(options.configuration),
    description: 'the circles and the rules',
  });
  return new Map(
    handlerNames(options.lambdas).map((name) => [name, deployHandler(stack, name, layer, options)]),
  );
}

function deployHandler(stack: Stack, name: string, layer: LayerVersion, options: FunctionOptions): Deployed {
  const { memory, timeout } = dutyOf(name);
  const { functionOf } = namesOf(options.deployment);
  const role = roleOf(stack, name, options);
  const deployed = new LambdaFunction(stack, `Handler-${name}`, {
    functionName: functionOf(name),
    role,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(join(options.bundles, name)),
    handler: 'handler.handler',
    layers: [layer],
    memorySize: memory,
    timeout: Duration.seconds(timeout),
    environment: { ...options.environment },
    logGroup: options.logGroup,
    loggingFormat: LoggingFormat.JSON,
    ...(unawaited.has(name)
      ? { deadLetterQueue: options.failures, retryAttempts: 2, maxEventAge: Duration.hours(6) }
      : {}),
  });
  return { function: deployed, role };
}

/** A role that may write its log, and nothing else yet. AWS's own policy for that would let it write to every log. */
function roleOf(stack: Stack, name: string, { deployment, logGroup }: FunctionOptions): Role {
  const role = new Role(stack, `Role-${name}`, {
    roleName: namesOf(deployment).roleOf(name),
    description: `What the function ${name} may do`,
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
  });
  role.addToPolicy(ownLog(logGroup));
  return role;
}

/** Lets a function write its log. */
export function ownLog({ logGroupArn }: ILogGroup): PolicyStatement {
  const actions = ['logs:CreateLogStream', 'logs:PutLogEvents'];
  return new PolicyStatement({ sid: 'OwnLog', actions, resources: [logGroupArn] });
}
