import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  DescribeStateMachineCommand,
  DescribeStateMachineForExecutionCommand,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  paginateGetExecutionHistory,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEndpoint } from '../../../lib/local/endpoints/server.ts';
import { statesService } from '../../../lib/local/endpoints/states.ts';
import { systemClock } from '../../../lib/provenance/clock.ts';
import { type Functions, journalFile, machineOf, openBench, role, tokenTaskOf } from '../asl/fixture.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret-of-this-test-only' };
const pass = machineOf({ P: { Type: 'Pass', End: true } });

/** The SDK's client, unchanged, against the service behind its signed endpoint. */
async function openClient(functions: Functions = {}, options = {}) {
  const bench = await openBench(functions, options);
  const endpoint = await startEndpoint(statesService(bench.engine), { credentials, clock: systemClock });
  const client = new SFNClient({ endpoint: endpoint.url, region: 'us-east-1', credentials, maxAttempts: 1 });
  onTestFinished(async () => {
    client.destroy();
    await endpoint.close();
  });
  return { ...bench, client, endpoint };
}

async function created(client: SFNClient, definition = pass, name = 'machine'): Promise<string> {
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({ name, definition, roleArn: role }),
  );
  return stateMachineArn ?? '';
}

describe("the SDK's client works unchanged", () => {
  it('creates, describes, updates and lists machines', async () => {
    const { client } = await openClient();
    const stateMachineArn = await created(client);
    const described = await client.send(new DescribeStateMachineCommand({ stateMachineArn }));
    expect(described).toMatchObject({
      name: 'machine',
      definition: pass,
      roleArn: role,
      status: 'ACTIVE',
      type: 'STANDARD',
    });
    expect(described.creationDate).toEqual(new Date('2026-03-01T08:00:00Z'));
    const update = await client.send(new UpdateStateMachineCommand({ stateMachineArn, roleArn: `${role}2` }));
    expect(update.revisionId).not.toBe(described.revisionId);
    const brief = await client.send(
      new DescribeStateMachineCommand({ stateMachineArn, includedData: 'METADATA_ONLY' }),
    );
    expect([brief.definition, brief.roleArn]).toEqual([undefined, `${role}2`]);
    await created(client, pass, 'second');
    const first = await client.send(new ListStateMachinesCommand({ maxResults: 1 }));
    expect(first.stateMachines?.map(({ name }) => name)).toEqual(['machine']);
    const next = await client.send(new ListStateMachinesCommand({ nextToken: first.nextToken }));
    expect([next.stateMachines?.map(({ name }) => name), next.nextToken]).toEqual([['second'], undefined]);
  });

  it('starts, describes and lists executions', async () => {
    const { client, clock } = await openClient({}, { journal: journalFile() });
    const stateMachineArn = await created(client);
    for (const name of ['a', 'b', 'c']) {
      await client.send(new StartExecutionCommand({ stateMachineArn, name, input: '{"x":1}' }));
      await clock.advance(1000);
    }
    const list = await client.send(new ListExecutionsCommand({ stateMachineArn, maxResults: 2 }));
    expect(list.executions?.map(({ name }) => name)).toEqual(['c', 'b']);
    const rest = await client.send(
      new ListExecutionsCommand({ stateMachineArn, nextToken: list.nextToken, statusFilter: 'SUCCEEDED' }),
    );
    expect(rest.executions?.map(({ name }) => name)).toEqual(['a']);
    expect(
      (await client.send(new ListExecutionsCommand({ stateMachineArn, statusFilter: 'RUNNING' }))).executions,
    ).toEqual([]);
    const { executionArn } = list.executions?.[0] ?? {};
    const described = await client.send(new DescribeExecutionCommand({ executionArn }));
    expect(described).toMatchObject({
      name: 'c',
      status: 'SUCCEEDED',
      input: '{"x":1}',
      output: '{"x":1}',
      outputDetails: { included: true },
    });
    expect(described.stopDate).toEqual(described.startDate);
    const brief = await client.send(
      new DescribeExecutionCommand({ executionArn, includedData: 'METADATA_ONLY' }),
    );
    expect([brief.input, brief.output, brief.inputDetails?.included]).toEqual([undefined, undefined, false]);
    const machine = await client.send(new DescribeStateMachineForExecutionCommand({ executionArn }));
    expect(machine).toMatchObject({ stateMachineArn, definition: pass });
  });

  it('reads a history in pages, forwards and backwards, with and without data', async () => {
    const { client, clock } = await openClient();
    const { executionArn } = await client.send(
      new StartExecutionCommand({ stateMachineArn: await created(client) }),
    );
    await clock.advance(0);
    const pages: HistoryEvent[][] = [];
    for await (const page of paginateGetExecutionHistory({ client, pageSize: 3 }, { executionArn }))
      pages.push(page.events ?? []);
    expect(pages.map((events) => events.map(({ id }) => id))).toEqual([[1, 2, 3], [4]]);
    expect(pages.flat().map(({ type }) => type)).toEqual([
      'ExecutionStarted',
      'PassStateEntered',
      'PassStateExited',
      'ExecutionSucceeded',
    ]);
    expect(pages[0]?.[1]).toMatchObject({
      previousEventId: 0,
      stateEnteredEventDetails: { name: 'P', input: '{}', inputDetails: { truncated: false } },
    });
    expect(pages[0]?.[1]?.timestamp).toEqual(new Date('2026-03-01T08:00:00Z'));
    const reverse = await client.send(
      new GetExecutionHistoryCommand({
        executionArn,
        reverseOrder: true,
        maxResults: 2,
        includeExecutionData: false,
      }),
    );
    expect(reverse.events?.map(({ id }) => id)).toEqual([4, 3]);
    expect(reverse.events?.[1]?.stateExitedEventDetails).toEqual({
      name: 'P',
      outputDetails: { truncated: false },
    });
  });

  it('completes, fails and keeps alive the task of a token, and stops an execution', async () => {
    const tokens: string[] = [];
    const { client, clock } = await openClient({ ask: (token) => void tokens.push(String(token)) });
    const stateMachineArn = await created(
      client,
      machineOf({ A: tokenTaskOf('ask', { HeartbeatSeconds: 60 }) }),
    );
    const arns: string[] = [];
    for (const name of ['yes', 'no', 'stopped']) {
      const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn, name }));
      arns.push(executionArn ?? '');
      await clock.advance(0);
    }
    const [yes = '', no = ''] = tokens;
    await client.send(new SendTaskHeartbeatCommand({ taskToken: yes }));
    await client.send(new SendTaskSuccessCommand({ taskToken: yes, output: '"yes"' }));
    await client.send(new SendTaskFailureCommand({ taskToken: no, error: 'No', cause: 'declined' }));
    await client.send(new StopExecutionCommand({ executionArn: arns[2], error: 'Enough' }));
    await clock.advance(0);
    const ends = await Promise.all(
      arns.map((executionArn) => client.send(new DescribeExecutionCommand({ executionArn }))),
    );
    expect(ends.map(({ status, output, error, cause }) => [status, output, error, cause])).toEqual([
      ['SUCCEEDED', '"yes"', undefined, undefined],
      ['FAILED', undefined, 'No', 'declined'],
      ['ABORTED', undefined, 'Enough', undefined],
    ]);
  });
});

describe("what is wrong is answered with AWS's own error", () => {
  const missing = 'arn:aws:states:us-east-1:000000000000:stateMachine:none';
  const cases: readonly [string, (client: SFNClient) => Promise<unknown>, string][] = [
    [
      'a definition with an unknown field',
      (c) => created(c, machineOf({ P: { Type: 'Pass', End: true, Foo: 1 } })),
      'InvalidDefinition',
    ],
    [
      'a bad expression',
      (c) => created(c, machineOf({ P: { Type: 'Pass', End: true, Output: '{% 1 + %}' } })),
      'InvalidDefinition',
    ],
    ['a bad name', (c) => created(c, pass, 'a b'), 'InvalidName'],
    [
      'an express machine',
      (c) =>
        c.send(
          new CreateStateMachineCommand({ name: 'm', definition: pass, roleArn: role, type: 'EXPRESS' }),
        ),
      'StateMachineTypeNotSupported',
    ],
    [
      'an unknown machine',
      (c) => c.send(new StartExecutionCommand({ stateMachineArn: missing })),
      'StateMachineDoesNotExist',
    ],
    [
      'an ARN that is none',
      (c) => c.send(new DescribeExecutionCommand({ executionArn: 'none' })),
      'InvalidArn',
    ],
    [
      'an unknown execution',
      (c) =>
        c.send(
          new DescribeExecutionCommand({
            executionArn: missing.replace('stateMachine', 'execution').concat(':x'),
          }),
        ),
      'ExecutionDoesNotExist',
    ],
    [
      'garbage for a token',
      (c) => c.send(new SendTaskSuccessCommand({ taskToken: 'garbage', output: '1' })),
      'InvalidToken',
    ],
    [
      'a token that is too long',
      (c) => c.send(new SendTaskSuccessCommand({ taskToken: 'x'.repeat(2049), output: '1' })),
      'ValidationException',
    ],
    [
      'a cause that is too long',
      (c) => c.send(new SendTaskFailureCommand({ taskToken: 'x', cause: 'x'.repeat(32_769) })),
      'ValidationException',
    ],
    [
      'a page that is too large',
      (c) => c.send(new ListStateMachinesCommand({ maxResults: 1001 })),
      'ValidationException',
    ],
    [
      'a page that nobody gave out',
      (c) => c.send(new ListStateMachinesCommand({ nextToken: 'x' })),
      'InvalidToken',
    ],
    [
      'a machine that is there with another definition',
      async (c) => {
        await created(c);
        await created(c, machineOf({ Q: { Type: 'Succeed' } }));
      },
      'StateMachineAlreadyExists',
    ],
    [
      'a name that is taken',
      async (c) => {
        const stateMachineArn = await created(c);
        await c.send(new StartExecutionCommand({ stateMachineArn, name: 'n' }));
        await c.send(new StartExecutionCommand({ stateMachineArn, name: 'n' }));
      },
      'ExecutionAlreadyExists',
    ],
    [
      'an input over 256 KiB',
      async (c) =>
        c.send(
          new StartExecutionCommand({ stateMachineArn: await created(c), input: `"${'x'.repeat(262_143)}"` }),
        ),
      'InvalidExecutionInput',
    ],
  ];
  for (const [what, request, name] of cases) {
    it(`${what}: ${name}`, async () => {
      const { client } = await openClient();
      await expect(request(client)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
    });
  }

  it('a second callback: TaskTimedOut', async () => {
    let token = '';
    const { client, clock } = await openClient({
      ask: (given) => {
        token = String(given);
      },
    });
    await client.send(
      new StartExecutionCommand({
        stateMachineArn: await created(client, machineOf({ A: tokenTaskOf('ask') })),
      }),
    );
    await clock.advance(0);
    const send = () => client.send(new SendTaskSuccessCommand({ taskToken: token, output: '{' }));
    await expect(send()).rejects.toMatchObject({ name: 'InvalidOutput' });
    await client.send(new SendTaskSuccessCommand({ taskToken: token, output: '1' }));
    await expect(
      client.send(new SendTaskSuccessCommand({ taskToken: token, output: '1' })),
    ).rejects.toMatchObject({ name: 'TaskTimedOut' });
  });

  it('a full disk: the service is unavailable', async () => {
    const { client } = await openClient({}, { journal: journalFile(), maxPages: 20 });
    const stateMachineArn = await created(client, machineOf({ W: { Type: 'Wait', Seconds: 9, End: true } }));
    const input = JSON.stringify('x'.repeat(200_000));
    const start = () => client.send(new StartExecutionCommand({ stateMachineArn, input }));
    await expect(start()).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
  });

  it('a request that no SDK makes is refused, not answered with a failure of ours', async () => {
    const { engine } = await openBench();
    const service = statesService(engine);
    const request = {
      method: 'POST',
      path: '/',
      query: new URLSearchParams(),
      headers: {},
      body: Buffer.from('{}'),
    };
    await expect(service.handle(request)).rejects.toMatchObject({ fault: 'UnknownOperationException' });
    const target = { 'x-amz-target': 'AWSStepFunctions.constructor' };
    await expect(service.handle({ ...request, headers: target })).rejects.toMatchObject({
      fault: 'UnknownOperationException',
    });
    const headers = { 'x-amz-target': 'AWSStepFunctions.ListStateMachines' };
    await expect(service.handle({ ...request, headers, body: Buffer.from('{') })).rejects.toMatchObject({
      fault: 'SerializationException',
    });
    await expect(service.handle({ ...request, headers, body: Buffer.from('7') })).rejects.toMatchObject({
      fault: 'ValidationException',
    });
  });
});
