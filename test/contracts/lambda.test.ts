import {
  InvokeCommand,
  type InvokeCommandInput,
  LambdaClient,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CaregateError } from '../../lib/errors.ts';
import {
  FunctionRegistry,
  invokeEvent,
  type LambdaContext,
  type LambdaHandler,
  lambdaService,
} from '../../lib/local/endpoints/lambda.ts';
import { clientConfig, serve } from '../support/endpoints.ts';
import { ManualClock, seededRandomness } from '../support/time.ts';

async function start(handlers: Record<string, LambdaHandler>) {
  const registry = new FunctionRegistry();
  for (const [name, handler] of Object.entries(handlers)) registry.register(name, handler);
  const { url } = await serve(lambdaService(registry));
  const client = new LambdaClient(clientConfig(url));
  onTestFinished(() => client.destroy());
  const invoke = async (FunctionName: string, event: unknown, more: Partial<InvokeCommandInput> = {}) => {
    const result = await client.send(
      new InvokeCommand({ FunctionName, Payload: JSON.stringify(event), ...more }),
    );
    const text = Buffer.from(result.Payload ?? []).toString();
    return { ...result, value: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  return { registry, client, invoke };
}

const echo: LambdaHandler = async (event) => event;

describe('Invoke', () => {
  it('gives the handler the event and the caller its answer', async () => {
    const { invoke } = await start({ echo });
    const result = await invoke('echo', { mail: { key: 'mail/1' }, text: 'ü€😀' });
    expect(result).toMatchObject({ StatusCode: 200, value: { mail: { key: 'mail/1' }, text: 'ü€😀' } });
    expect(result.FunctionError).toBeUndefined();
  });

  it('reports a function that threw by the name of its error', async () => {
    const { invoke } = await start({
      failing: () => Promise.reject(new CaregateError('CREATE_CONFLICT', 'record `k` exists already')),
    });
    expect(await invoke('failing', {})).toMatchObject({
      StatusCode: 200,
      FunctionError: 'Unhandled',
      value: { errorType: 'CREATE_CONFLICT', errorMessage: 'record `k` exists already' },
    });
  });

  it('finds a function by name, ARN and qualified name', async () => {
    const { invoke } = await start({ echo });
    const arn = 'arn:aws:lambda:us-east-1:000000000000:function:echo';
    for (const name of ['echo', arn, `${arn}:live`, 'echo:live']) {
      expect((await invoke(name, 1)).value).toBe(1);
    }
  });

  it('names a function that is not there, and an operation that is not served', async () => {
    const { invoke, client } = await start({ echo });
    await expect(invoke('absent', {})).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: expect.stringContaining('`absent`'),
    });
    await expect(client.send(new ListFunctionsCommand({}))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 404 },
    });
  });

  it('refuses an event that is not JSON, that is too large, and an unknown way of invoking', async () => {
    const { invoke } = await start({ echo });
    await expect(invoke('echo', 0, { Payload: '{' })).rejects.toMatchObject({
      name: 'InvalidRequestContentException',
    });
    await expect(invoke('echo', 'x'.repeat(6 * 1024 * 1024))).rejects.toMatchObject({
      name: 'RequestTooLargeException',
    });
    await expect(invoke('echo', 'x'.repeat(1024 * 1024), { InvocationType: 'Event' })).rejects.toMatchObject({
      name: 'RequestTooLargeException',
    });
    await expect(invoke('echo', 0, { InvocationType: 'DryRun' })).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
    });
  });

  it('takes no payload for an empty event', async () => {
    const { client } = await start({ echo });
    const { Payload } = await client.send(new InvokeCommand({ FunctionName: 'echo' }));
    expect(Buffer.from(Payload ?? []).toString()).toBe('{}');
  });

  it('accepts an event before the function has run', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let seen: unknown;
    const ran = new Promise<void>((resolve) => {
      void start({
        slow: async (event) => {
          await gate;
          seen = event;
          resolve();
        },
      }).then(async ({ invoke }) => {
        expect((await invoke('slow', { a: 1 }, { InvocationType: 'Event' })).StatusCode).toBe(202);
        expect(seen).toBeUndefined();
        release();
      });
    });
    await ran;
    expect(seen).toEqual({ a: 1 });
  });
});

describe('an asynchronous event', () => {
  it('is tried three times in all while the function fails', async () => {
    const registry = new FunctionRegistry();
    let runs = 0;
    registry.register('failing', async () => {
      runs += 1;
      throw new CaregateError('STORE_UNAVAILABLE', 'could not read `k`');
    });
    const result = await invokeEvent(registry, 'failing', {}, 0);
    expect(result).toMatchObject({ error: { errorType: 'STORE_UNAVAILABLE' } });
    expect(runs).toBe(3);
  });

  it('is done at the first success', async () => {
    const registry = new FunctionRegistry();
    let runs = 0;
    registry.register('flaky', async () => {
      runs += 1;
      if (runs === 1) throw new CaregateError('STORE_UNAVAILABLE', 'could not read `k`');
      return runs;
    });
    expect(await invokeEvent(registry, 'flaky', {}, 0)).toEqual({ payload: 2 });
  });
});

describe('the registry', () => {
  it('passes what goes in and comes out through JSON', async () => {
    const registry = new FunctionRegistry();
    const event = { when: new Date(0), gone: undefined, list: [undefined] };
    registry.register('echo', async (received) => {
      expect(received).toEqual({ when: '1970-01-01T00:00:00.000Z', list: [null] });
      expect(received).not.toBe(event);
      return { map: new Map([['a', 1]]), nan: Number.NaN };
    });
    expect(await registry.invoke('echo', event)).toEqual({ payload: { map: {}, nan: null } });
    registry.register('nothing', async () => undefined);
    expect(await registry.invoke('nothing', undefined)).toEqual({ payload: null });
  });

  it('reports what was thrown, be it an error or not', async () => {
    const registry = new FunctionRegistry();
    registry.register('error', () => Promise.reject(new TypeError('no')));
    registry.register('text', () => Promise.reject('no'));
    registry.register('bigint', async () => 1n);
    registry.register('at once', () => {
      throw new RangeError('at once');
    });
    expect(await registry.invoke('error', {})).toMatchObject({
      error: { errorType: 'TypeError', errorMessage: 'no', trace: expect.any(Array) },
    });
    expect(await registry.invoke('text', {})).toEqual({
      error: { errorType: 'Error', errorMessage: '"no"' },
    });
    expect(await registry.invoke('bigint', {})).toMatchObject({ error: { errorType: 'TypeError' } });
    expect(await registry.invoke('at once', {})).toMatchObject({ error: { errorType: 'RangeError' } });
    expect(await registry.invoke('absent', {})).toMatchObject({
      error: { errorType: 'ResourceNotFoundException' },
    });
  });

  it('holds the limit of 6 MB both ways', async () => {
    const registry = new FunctionRegistry();
    registry.register('length', async (event) => (event as string).length);
    registry.register('large', async () => 'x'.repeat(6 * 1024 * 1024));
    const most = 6 * 1024 * 1024 - 2;
    expect(await registry.invoke('length', 'x'.repeat(most))).toEqual({ payload: most });
    expect(await registry.invoke('length', 'x'.repeat(most + 1))).toMatchObject({
      error: { errorType: 'RequestTooLargeException' },
    });
    expect(await registry.invoke('large', {})).toMatchObject({
      error: { errorType: 'Function.ResponseSizeTooLarge' },
    });
  });

  it('gives up on a function that takes too long', async () => {
    const registry = new FunctionRegistry();
    registry.register('endless', () => new Promise(() => {}), 0.01);
    expect(await registry.invoke('endless', {})).toEqual({
      error: { errorType: 'Sandbox.Timedout', errorMessage: 'Task timed out after 0.01 seconds' },
    });
  });

  it('tells a handler its name, its request and the time it has left', async () => {
    const clock = new ManualClock('2027-01-01T00:00:00Z');
    const registry = new FunctionRegistry({ clock, randomness: seededRandomness(1) });
    const contexts: LambdaContext[] = [];
    const left: number[] = [];
    registry.register(
      'triage',
      async (_event, context) => {
        contexts.push(context);
        left.push(context.getRemainingTimeInMillis());
        clock.advance(4000);
        left.push(context.getRemainingTimeInMillis());
        clock.advance(60_000);
        left.push(context.getRemainingTimeInMillis());
      },
      10,
    );
    await registry.invoke('triage', {});
    await registry.invoke('triage', {});
    expect(left.slice(0, 3)).toEqual([10_000, 6000, 0]);
    expect(contexts[0]?.functionName).toBe('triage');
    expect(contexts[0]?.awsRequestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(contexts[1]?.awsRequestId).not.toBe(contexts[0]?.awsRequestId);
    expect(registry.has('triage')).toBe(true);
    expect(registry.has('other')).toBe(false);
  });
});
