import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SESClient } from '@aws-sdk/client-ses';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { answer } from '../../lib/stacks/activation/answer.ts';
import { activate } from '../../lib/stacks/activation/ruleset.ts';

// A mail service of one region, and the place where CloudFormation awaits answers, behind one real connection.
let active: string | undefined;
let broken = false;
let takesAnswers = true;
let answers: { type: string | undefined; body: Record<string, unknown> }[] = [];

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function serve(parameters: URLSearchParams): string {
  const action = parameters.get('Action') ?? '';
  const metadata = active === undefined ? '' : `<Metadata><Name>${active}</Name></Metadata>`;
  if (action === 'SetActiveReceiptRuleSet') active = parameters.get('RuleSetName') ?? undefined;
  const result = action === 'DescribeActiveReceiptRuleSet' ? metadata : '';
  return `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
}

const server = createServer(async (request, response) => {
  const text = await textOf(request);
  if (request.method === 'PUT') {
    answers.push({ type: request.headers['content-type'], body: JSON.parse(text) });
    response.writeHead(takesAnswers ? 200 : 403).end();
    return;
  }
  if (broken) {
    response.writeHead(400, { 'content-type': 'text/xml' });
    response.end(
      '<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>',
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/xml' }).end(serve(new URLSearchParams(text)));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const ses = new SESClient({
  endpoint,
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  maxAttempts: 1,
});
afterAll(() => {
  ses.destroy();
  server.close();
});

beforeEach(() => {
  active = undefined;
  broken = false;
  takesAnswers = true;
  answers = [];
});

const change = (RequestType: 'Create' | 'Update' | 'Delete', Displace: 'true' | 'false' = 'false') => ({
  RequestType,
  ResourceProperties: { RuleSet: 'caregate', Displace },
});

describe('activation', () => {
  it('activates our rule set where none is active', async () => {
    await activate(ses, change('Create'));
    expect(active).toBe('caregate');
  });

  it('leaves it active when it is so already', async () => {
    active = 'caregate';
    await activate(ses, change('Update'));
    expect(active).toBe('caregate');
  });

  it("refuses to displace another's, and names it", async () => {
    active = 'somebody-elses';
    await expect(activate(ses, change('Create'))).toFailWithCode('RULE_SET_TAKEN');
    await expect(activate(ses, change('Update'))).rejects.toThrow(/`somebody-elses`.*`mail\.displace`/);
    expect(active).toBe('somebody-elses');
  });

  it("displaces another's when it is told to", async () => {
    active = 'somebody-elses';
    await activate(ses, change('Create', 'true'));
    expect(active).toBe('caregate');
  });

  it('deactivates on deletion what is ours', async () => {
    active = 'caregate';
    await activate(ses, change('Delete'));
    expect(active).toBeUndefined();
  });

  it("leaves another's alone on deletion, even if it may displace", async () => {
    active = 'somebody-elses';
    await activate(ses, change('Delete', 'true'));
    expect(active).toBe('somebody-elses');
  });
});

describe('the answer to CloudFormation', () => {
  const request = (type: 'Create' | 'Delete', before?: string) => ({
    ...change(type),
    ResponseURL: `${endpoint}/answer?signature=x`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'Activation',
    ...(before === undefined ? {} : { PhysicalResourceId: before }),
  });

  it('says that it was done, by a name that changes with the rule set, without a content type', async () => {
    await answer(ses, request('Create'));
    expect(answers).toEqual([
      {
        type: undefined,
        body: {
          Status: 'SUCCESS',
          StackId: 'stack',
          RequestId: 'request',
          LogicalResourceId: 'Activation',
          PhysicalResourceId: 'active-rule-set-caregate',
        },
      },
    ]);
  });

  it('keeps the name of what is deleted', async () => {
    await answer(ses, request('Delete', 'active-rule-set-older'));
    expect(answers[0]?.body).toMatchObject({
      Status: 'SUCCESS',
      PhysicalResourceId: 'active-rule-set-older',
    });
  });

  it('says why it was refused', async () => {
    active = 'somebody-elses';
    await answer(ses, request('Create'));
    expect(answers[0]?.body).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringMatching(/^RULE_SET_TAKEN: /),
    });
  });

  it('names the kind of what went wrong elsewhere, and not its text', async () => {
    broken = true;
    await answer(ses, request('Create'));
    expect(answers[0]?.body).toMatchObject({
      Status: 'FAILED',
      Reason: 'the mail service refused: AccessDenied',
    });
  });

  it('fails aloud if there is nobody to answer', async () => {
    await expect(answer(ses, { RequestType: 'Create' })).toFailWithCode('INVALID_INPUT');
    takesAnswers = false;
    await expect(answer(ses, request('Create'))).toFailWithCode('CLOUD_UNAVAILABLE');
  });
});
