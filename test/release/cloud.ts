import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { SESClient } from '@aws-sdk/client-ses';
import { onTestFinished } from 'vitest';
import type { Service, ServiceResponse } from '../../lib/local/endpoints/service.ts';
import { element } from '../../lib/local/endpoints/xml.ts';
import { clientConfig, serve } from '../support/endpoints.ts';

/** A resource's change as CloudFormation writes it. */
export interface FakeChange {
  readonly Action: string;
  readonly ResourceType: string;
  readonly LogicalResourceId: string;
  readonly Replacement?: string;
  readonly PolicyAction?: string;
  /** Properties that change. */
  readonly properties?: readonly string[];
}

export interface FakeChangeSet {
  readonly changes: readonly FakeChange[];
  readonly arn?: string;
  readonly status?: string;
  readonly execution?: string;
  readonly reason?: string;
}

/** An account with only as much of CloudFormation and of the mail service as a release talks to. */
export interface FakeCloud {
  readonly cloudformation: CloudFormationClient;
  readonly ses: SESClient;
  readonly urls: { readonly cloudformation: string; readonly ses: string };
  /** Change sets by `stack`. What is put in here is what the service describes from then on. */
  readonly changeSets: Map<string, FakeChangeSet>;
  /** Statuses that a stack goes through, the last one for ever. */
  readonly statuses: Map<string, string[]>;
  readonly exports: Set<string>;
  readonly outputs: Map<string, Record<string, string>>;
  readonly identities: Map<string, string>;
  /** ARNs that were executed, in order. */
  readonly executed: string[];
}

export const arnOf = (stack: string, id = '1'): string =>
  `arn:aws:cloudformation:us-east-1:111122223333:changeSet/${stack}/${id}`;

/** How many changes one page of a description holds, so that paging is really done. */
const pageSize = 3;

/** Serves the fakes over HTTP, in the wire format of the services, until the test ends. */
export async function fakeCloud(): Promise<FakeCloud> {
  const state = {
    changeSets: new Map<string, FakeChangeSet>(),
    statuses: new Map<string, string[]>(),
    exports: new Set<string>(),
    outputs: new Map<string, Record<string, string>>(),
    identities: new Map<string, string>(),
    executed: [] as string[],
  };
  const stacks = await serve(queryService('cloudformation', (form) => cloudFormation(state, form)));
  const mail = await serve(queryService('ses', (form) => mailService(state, form)));
  const cloudformation = new CloudFormationClient(clientConfig(stacks.url));
  const ses = new SESClient(clientConfig(mail.url));
  onTestFinished(() => {
    cloudformation.destroy();
    ses.destroy();
  });
  return { ...state, cloudformation, ses, urls: { cloudformation: stacks.url, ses: mail.url } };
}

type Form = URLSearchParams;
type State = Omit<FakeCloud, 'cloudformation' | 'ses' | 'urls'>;

/** A service of the query protocol: a form in, XML out. */
function queryService(name: string, answer: (form: Form) => readonly string[] | undefined): Service {
  return {
    name,
    handle: async ({ body }): Promise<ServiceResponse> => {
      const form = new URLSearchParams(Buffer.from(body).toString('utf8'));
      const action = form.get('Action') ?? '';
      const result = answer(form);
      const headers = { 'content-type': 'text/xml' };
      if (result === undefined) return { status: 400, headers, body: refusal(action) };
      const metadata = element('ResponseMetadata', [element('RequestId', 'b7d1')]);
      return {
        status: 200,
        headers,
        body: element(`${action}Response`, [element(`${action}Result`, result), metadata]),
      };
    },
  };
}

const refusal = (action: string): string =>
  element('ErrorResponse', [
    element('Error', [
      element('Type', 'Sender'),
      element('Code', 'ValidationError'),
      element('Message', `${action} refused`),
    ]),
    element('RequestId', 'b7d1'),
  ]);

function cloudFormation(state: State, form: Form): readonly string[] | undefined {
  switch (form.get('Action')) {
    case 'DescribeChangeSet':
      return describeChangeSet(state, form);
    case 'ExecuteChangeSet': {
      const arn = form.get('ChangeSetName') ?? '';
      state.executed.push(arn);
      return [];
    }
    case 'DescribeStacks':
      return describeStack(state, form.get('StackName') ?? '');
    case 'ListExports':
      return [
        element(
          'Exports',
          [...state.exports].map((name) => element('member', [element('Name', name)])),
        ),
      ];
    default:
      return undefined;
  }
}

function describeChangeSet(state: State, form: Form): readonly string[] | undefined {
  const stack = form.get('StackName') ?? '';
  const set = state.changeSets.get(stack);
  if (set === undefined) return undefined;
  const from = Number(form.get('NextToken') ?? 0);
  const next = from + pageSize < set.changes.length ? [element('NextToken', String(from + pageSize))] : [];
  return [
    element('ChangeSetId', set.arn ?? arnOf(stack)),
    element('StackName', stack),
    element('Status', set.status ?? 'CREATE_COMPLETE'),
    element('ExecutionStatus', set.execution ?? 'AVAILABLE'),
    ...(set.reason === undefined ? [] : [element('StatusReason', set.reason)]),
    element('Changes', set.changes.slice(from, from + pageSize).map(changeXml)),
    ...next,
  ];
}

function changeXml({ properties = [], ...change }: FakeChange): string {
  const details = properties.map((name) =>
    element('member', [
      element('Target', [
        element('Attribute', 'Properties'),
        element('Name', name),
        element('RequiresRecreation', change.Replacement === 'True' ? 'Always' : 'Never'),
      ]),
      element('Evaluation', 'Static'),
      element('ChangeSource', 'DirectModification'),
    ]),
  );
  const fields = Object.entries(change).map(([name, value]) => element(name, value));
  return element('member', [
    element('Type', 'Resource'),
    element('ResourceChange', [...fields, element('Scope', []), element('Details', details)]),
  ]);
}

function describeStack(state: State, stack: string): readonly string[] | undefined {
  const statuses = state.statuses.get(stack) ?? ['UPDATE_COMPLETE'];
  const [status = ''] = statuses;
  if (statuses.length > 1) statuses.shift();
  const outputs = Object.entries(state.outputs.get(stack) ?? {}).map(([key, value]) =>
    element('member', [element('OutputKey', key), element('OutputValue', value)]),
  );
  const described = [
    element('StackName', stack),
    element('StackStatus', status),
    element('CreationTime', '2027-01-01T00:00:00Z'),
    element('Outputs', outputs),
  ];
  return [element('Stacks', [element('member', described)])];
}

function mailService(state: State, form: Form): readonly string[] | undefined {
  if (form.get('Action') !== 'GetIdentityVerificationAttributes') return undefined;
  const asked = [...form].filter(([name]) => name.startsWith('Identities.member.')).map(([, value]) => value);
  const entries = asked.flatMap((name) => {
    const status = state.identities.get(name);
    if (status === undefined) return [];
    return [
      element('entry', [element('key', name), element('value', [element('VerificationStatus', status)])]),
    ];
  });
  return [element('VerificationAttributes', entries)];
}
