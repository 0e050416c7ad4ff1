import { AsyncLocalStorage } from 'node:async_hooks';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SESClient } from '@aws-sdk/client-ses';
import { SFNClient } from '@aws-sdk/client-sfn';
import { FunctionRegistry, type LambdaHandler } from '../../../lib/local/endpoints/lambda.ts';

/** One call of an AWS service, by the function that made it. */
export interface ServiceCall {
  readonly by: string;
  /** The command, such as `GetObject`. */
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type Send = (this: object, command: { input: object }, ...rest: unknown[]) => unknown;

const clients = [
  S3Client,
  DynamoDBClient,
  KMSClient,
  SESClient,
  SFNClient,
  LambdaClient,
  BedrockRuntimeClient,
];

/**
 * Records which function calls what, until it is stopped. The functions of an embedded office share a process and their
 * clients; which of them a call belongs to is what it runs in: each call of a function is an asynchronous context of its
 * own, and whatever it waits for stays in it. What runs in none, such as the test itself, is not recorded.
 */
export function recordCalls(): { readonly calls: readonly ServiceCall[]; stop(): void } {
  const running = new AsyncLocalStorage<string>();
  const calls: ServiceCall[] = [];
  const restore: (() => void)[] = [];

  const register = FunctionRegistry.prototype.register;
  FunctionRegistry.prototype.register = function (name, handler, ...rest) {
    const within: LambdaHandler = (event, context) => running.run(name, () => handler(event, context));
    register.call(this, name, within, ...rest);
  };
  restore.push(() => {
    FunctionRegistry.prototype.register = register;
  });

  for (const client of clients) {
    const prototype = client.prototype as unknown as { send: Send };
    const inherited = prototype.send;
    prototype.send = function (command, ...rest) {
      const by = running.getStore();
      const name = command.constructor.name.replace(/Command$/, '');
      if (by !== undefined) calls.push({ by, command: name, input: { ...command.input } });
      return inherited.call(this, command, ...rest);
    };
    restore.push(() => {
      Reflect.deleteProperty(prototype, 'send');
    });
  }
  const stop = (): void => {
    for (const undo of restore) undo();
  };
  return { calls, stop };
}
