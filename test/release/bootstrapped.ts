import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { element } from '../../lib/local/endpoints/xml.ts';

/** One request that the toolkit made: the service, what it asked, and the fields of its form. */
export interface Asked {
  readonly service: string;
  readonly action: string;
  readonly form: URLSearchParams;
}

export const account = '111122223333';
export const changeSetArn = `arn:aws:cloudformation:eu-west-1:${account}:changeSet/probe/1`;

/** An account that was bootstrapped, as far as the CDK's own command line asks after it. It answers whoever asks. */
export async function bootstrappedAccount(): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const question = await read(request);
    asked.push(question);
    const { status = 200, type = 'text/xml', body } = answer(question, asked, request);
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
}

async function read(request: IncomingMessage): Promise<Asked> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const form = new URLSearchParams(body);
  const [, service = ''] = /\/([a-z0-9-]+)\/aws4_request/.exec(request.headers.authorization ?? '') ?? [];
  const action = form.get('Action') ?? request.headers['x-amz-target'] ?? `${request.method}`;
  return { service, action: String(action), form };
}

function answer(
  { service, action, form }: Asked,
  asked: readonly Asked[],
  { url = '' }: IncomingMessage,
): Answer {
  if (service === 's3') return storage(action, url);
  if (service === 'ssm') {
    const parameter = { Name: 'version', Type: 'String', Value: '30', Version: 1 };
    return { type: 'application/x-amz-json-1.1', body: JSON.stringify({ Parameter: parameter }) };
  }
  const result = service === 'sts' ? identity(action, form) : stacks(action, form, asked);
  if (result !== undefined)
    return { body: element(`${action}Response`, [element(`${action}Result`, result)]) };
  const error = element('Error', [
    element('Type', 'Sender'),
    element('Code', 'ValidationError'),
    element('Message', `Stack with id ${form.get('StackName')} does not exist`),
  ]);
  return { status: 400, body: element('ErrorResponse', [error]) };
}

function storage(method: string, url: string): Answer {
  if (method === 'PUT') return { body: '' };
  if (url.includes('list-type')) return { body: element('ListBucketResult', [element('KeyCount', 0)]) };
  if (url.includes('location')) return { body: element('LocationConstraint', 'eu-west-1') };
  const byDefault = element('ApplyServerSideEncryptionByDefault', [element('SSEAlgorithm', 'AES256')]);
  return { body: element('ServerSideEncryptionConfiguration', [element('Rule', [byDefault])]) };
}

function identity(action: string, form: URLSearchParams): string[] | undefined {
  if (action === 'GetCallerIdentity') {
    return [
      element('Account', account),
      element('Arn', `arn:aws:iam::${account}:user/u`),
      element('UserId', 'U'),
    ];
  }
  if (action !== 'AssumeRole') return undefined;
  const credentials = [
    element('AccessKeyId', 'ASIAOFATEST'),
    element('SecretAccessKey', 's'),
    element('SessionToken', 't'),
    element('Expiration', '2099-01-01T00:00:00Z'),
  ];
  const user = [element('Arn', form.get('RoleArn') ?? ''), element('AssumedRoleId', 'A:b')];
  return [element('Credentials', credentials), element('AssumedRoleUser', user)];
}

function stacks(action: string, form: URLSearchParams, asked: readonly Asked[]): string[] | undefined {
  const stack = [element('StackId', `arn:aws:cloudformation:eu-west-1:${account}:stack/probe/1`)];
  switch (action) {
    case 'DescribeStacks': {
      if (!asked.some((each) => each.action === 'CreateChangeSet')) return undefined;
      const described = [
        element('StackName', 'probe'),
        element('StackStatus', 'REVIEW_IN_PROGRESS'),
        element('CreationTime', '2027-01-01T00:00:00Z'),
      ];
      return [element('Stacks', [element('member', described)])];
    }
    case 'CreateChangeSet':
      return [element('Id', changeSetArn), ...stack];
    case 'DescribeChangeSet': {
      const change = [
        element('Action', 'Add'),
        element('ResourceType', 'AWS::S3::Bucket'),
        element('LogicalResourceId', 'Store'),
      ];
      return [
        element('ChangeSetId', changeSetArn),
        element('ChangeSetName', form.get('ChangeSetName') ?? ''),
        ...stack,
        element('StackName', 'probe'),
        element('Status', 'CREATE_COMPLETE'),
        element('ExecutionStatus', 'AVAILABLE'),
        element('Changes', [
          element('member', [element('Type', 'Resource'), element('ResourceChange', change)]),
        ]),
      ];
    }
    default:
      return undefined;
  }
}
