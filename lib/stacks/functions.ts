import { join } from 'node:path';
import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LayerVersion,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { handlerNames } from './bundles.ts';
import { dutyOf } from './duties.ts';

export interface FunctionOptions {
  /** The folder of the handlers. */
  readonly lambdas: string;
  /** The folder that holds `<name>/handler.mjs` for each of them. */
  readonly bundles: string;
  /** The folder that is laid over every function as `/opt`. */
  readonly configuration: string;
  /** The prefix of the functions' names. */
  readonly prefix: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logGroup: LogGroup;
}

/** One function for each handler, by the name of its folder. */
export function deployHandlers(stack: Stack, options: FunctionOptions): Map<string, LambdaFunction> {
  const layer = new LayerVersion(stack, 'Configuration', {
    code: Code.fromAsset(options.configuration),
    description: 'the circle and the rules',
  });
  return new Map(
    handlerNames(options.lambdas).map((name) => {
      const { memory, timeout } = dutyOf(name);
      const deployed = new LambdaFunction(stack, `Handler-${name}`, {
        functionName: `${options.prefix}-${name}`,
        runtime: Runtime.NODEJS_24_X,
        architecture: Architecture.ARM_64,
        code: Code.fromAsset(join(options.bundles, name)),
        handler: 'handler.handler',
        layers: [layer],
        memorySize: memory,
        timeout: Duration.seconds(timeout),
        environment: { ...options.environment },
        logGroup: options.logGroup,
      });
      return [name, deployed];
    }),
  );
}
