import { inboxListing, places } from '../../../lib/stacks/places.ts';
import { shownAttributes } from '../../../lib/stacks/rights.ts';
import type { Context } from './condition.ts';
import { type Estate, queueIndexes } from './estate.ts';
import { sampleOf, sending } from './probes.ts';
import type { Asked, ModelEntry } from './requests.ts';
import { account, region } from './symbols.ts';

/**
 * A claim of the product about who may do what. For each request: those in `only` may, and no other role may, even if it
 * were given everything.
 */
export interface Claim {
  readonly name: string;
  /** Names of functions, and `forget`. */
  readonly only: readonly string[];
  readonly asked: readonly Asked[];
  /** Whether the claim holds against administrators of the account too, because it stands at the data. */
  readonly forAll?: true;
  /** Whether a denial alone can say it: a grant's pattern of keys, or an Allow, cannot. */
  readonly byDenial?: true;
  /** The roles that the claim is about, where it is not about all. */
  readonly among?: readonly string[];
}

const askers = ['request-approval', 'request-answer', 'request-release'];
const created = { 's3:if-none-match': '*', 's3:ObjectCreationOperation': 'true' };

/** What a claim is stated with. */
class Requests {
  readonly #estate: Estate;
  constructor(estate: Estate) {
    this.#estate = estate;
  }

  /** Actions that have no resource, or are asked of any. */
  all(...actions: string[]): Asked[] {
    return actions.map((action) => ({ action, resource: '*' }));
  }

  on(resource: string, ...actions: string[]): Asked[] {
    return actions.map((action) => ({ action, resource }));
  }

  /** One action on objects of the case bucket. */
  objects(action: string, keys: readonly string[], context: Context = {}): Asked[] {
    const { cases } = this.#estate.resources;
    return keys.map((key) => ({ action, resource: `${cases}/${key}`, context }));
  }

  put(...keys: string[]): Asked[] {
    return this.objects('s3:PutObject', keys, created);
  }
}

/** Every claim, in the order of the page. */
export function claimsOf(estate: Estate): Claim[] {
  const requests = new Requests(estate);
  return [
    ...mailClaims(estate, requests),
    ...modelClaims(estate),
    ...effectClaims(estate, requests),
    ...approvalClaims(estate, requests),
    ...recordClaims(estate, requests),
    ...accountClaims(estate, requests),
  ];
}

function mailClaims({ contacts, people, senders }: Estate, requests: Requests): Claim[] {
  const [contact = ''] = contacts;
  const [person = ''] = people;
  const stranger = 'stranger@elsewhere.example';
  const { letters, notices } = senders;
  return [
    {
      name: 'only `execute` writes letters to the circles’ contacts',
      only: ['execute'],
      asked: [sending(letters, [contact]), sending(letters, contacts)],
    },
    {
      name: 'only `notify` writes to the circles’ own people',
      only: ['notify'],
      asked: [sending(notices, [person]), sending(notices, people)],
    },
    {
      name: 'nobody writes to anybody else, and nobody is hidden among the recipients',
      only: [],
      asked: [letters, notices].flatMap((from) => [
        sending(from, [stranger]),
        sending(from, [stranger, from === letters ? contact : person]),
        sending(from, [from === letters ? person : contact]),
        sending(from, []),
      ]),
    },
    {
      name: 'letters come from the circles’ sender of letters, and notices from the sender of notices',
      only: [],
      asked: [
        sending(notices, [contact]),
        sending(letters, [person]),
        sending('someone@inbox.example', [contact]),
        sending('someone@inbox.example', [person]),
      ],
    },
    {
      name: 'no other way to send a mail is open',
      only: [],
      asked: requests.all(
        'ses:SendEmail',
        'ses:SendTemplatedEmail',
        'ses:SendBulkEmail',
        'ses:SendBulkTemplatedEmail',
        'ses:SendBounce',
        'ses:SendCustomVerificationEmail',
        'sns:Publish',
      ),
    },
  ];
}

const invoke = (resource: string, through?: string): Asked => ({
  action: 'bedrock:InvokeModel',
  resource,
  ...(through === undefined ? {} : { context: { 'bedrock:InferenceProfileArn': through } }),
});

function modelClaims({ resources: { models, fallbacks } }: Estate): Claim[] {
  const configured = [...Object.entries(models), ...Object.entries(fallbacks)];
  const holders = (entry: string): string[] => [
    ...new Set(configured.flatMap(([stage, model]) => (model.entry === entry ? [stage] : []))),
  ];
  const asked = (name: string, { entry, behind }: ModelEntry): Claim => ({
    name,
    only: holders(entry),
    asked: [invoke(entry), ...behind.map((resource) => invoke(resource, entry))],
  });
  return [
    ...Object.entries(models).map(([stage, model]) =>
      asked(`the model of ${stage} is asked by those alone that are configured with it`, model),
    ),
    ...Object.entries(fallbacks).map(([stage, model]) =>
      asked(`the fallback model of ${stage} is asked by those alone that are configured with it`, model),
    ),
    ...otherModelClaims(configured.map(([, model]) => model)),
  ];
}

function otherModelClaims(all: readonly ModelEntry[]): Claim[] {
  const otherProfile = `arn:aws:bedrock:${region}:${account}:inference-profile/eu.other.model-v1:0`;
  const otherModel = `arn:aws:bedrock:${region}::foundation-model/other.model-v1:0`;
  const entries = [...new Set(all.map(({ entry }) => entry))];
  const crossed = all.flatMap(({ entry, behind }) =>
    entries.filter((other) => other !== entry).flatMap((other) => behind.map((one) => invoke(one, other))),
  );
  return [
    {
      name: 'nobody asks any other model, nor goes past the profile',
      only: [],
      asked: [
        invoke(otherProfile),
        invoke(otherModel, otherProfile),
        ...all.flatMap(({ behind }) => behind.flatMap((one) => [invoke(one), invoke(one, otherProfile)])),
        ...entries.map((entry) => invoke(otherModel, entry)),
        ...crossed,
      ],
    },
    {
      name: 'nobody asks a model by the streaming call',
      only: [],
      asked: entries.map((resource) => ({ action: 'bedrock:InvokeModelWithResponseStream', resource })),
    },
  ];
}

function effectClaims(_: Estate, requests: Requests): Claim[] {
  const effects = [places.filed, places.appointment, places.letter, 'circles/*/effects/else'].map(sampleOf);
  return [
    {
      name: 'only `execute` writes effects',
      only: ['execute'],
      asked: requests.put(...effects.slice(0, 3)),
      forAll: true,
    },
    {
      name: 'nobody writes anything else among the effects',
      only: [],
      asked: requests.put(...effects.slice(3)),
    },
    {
      name: 'nobody puts an object where one is, or without asking whether one is',
      only: [],
      byDenial: true,
      asked: requests.objects('s3:PutObject', ['circles/x1/cases/x1/case.json', 'budgets/x1.json'], {
        's3:ObjectCreationOperation': 'true',
      }),
      forAll: true,
    },
  ];
}

function approvalClaims({ resources }: Estate, requests: Requests): Claim[] {
  const { signingKey, approvalTable, machine } = resources;
  const signing = { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' };
  const execution = `${machine.replace(':stateMachine:', ':execution:')}:x1`;
  const row = (action: string, context: Context = {}): Asked => ({
    action: `dynamodb:${action}`,
    resource: approvalTable,
    context,
  });
  return [
    {
      name: 'only `decide` writes consents, and `sweep` those that `decide` could not finish',
      only: ['decide', 'sweep'],
      asked: requests.put(sampleOf(places.consent)),
      forAll: true,
    },
    {
      name: 'nobody writes anything else among the consents',
      only: [],
      byDenial: true,
      asked: requests.put('circles/x1/cases/x1/actions/0001/consents/documents/x1'),
    },
    {
      name: 'only those that ask people sign links',
      only: askers,
      asked: [{ action: 'kms:Sign', resource: signingKey, context: signing }],
      forAll: true,
    },
    {
      name: 'nobody lends the key of links to another, disables it or deletes it',
      only: [],
      asked: requests.on(signingKey, 'kms:CreateGrant'),
      forAll: true,
    },
    {
      name: 'only `decide` and `sweep` end a wait',
      only: ['decide', 'sweep'],
      asked: requests.all('states:SendTaskSuccess'),
    },
    {
      name: 'nobody fails a wait or keeps one alive',
      only: [],
      asked: requests.all('states:SendTaskFailure', 'states:SendTaskHeartbeat'),
    },
    {
      name: 'only those that ask and decide read an approval with its token, codes and links',
      only: ['decide', 'sweep', ...askers],
      asked: [
        row('GetItem'),
        row('GetItem', { 'dynamodb:Attributes': [...shownAttributes, 'token', 'secrets'] }),
      ],
    },
    {
      name: 'only those that ask and decide change an approval',
      only: ['decide', 'sweep', ...askers],
      asked: [row('UpdateItem')],
    },
    {
      name: 'only `audit` reads histories, where tokens stand',
      only: ['audit'],
      asked: requests.on(execution, 'states:GetExecutionHistory'),
    },
    {
      name: 'nobody describes or stops a run',
      only: [],
      asked: requests.on(
        execution,
        'states:DescribeExecution',
        'states:StopExecution',
        'states:RedriveExecution',
      ),
    },
    {
      name: 'the pages that show write nothing and start nothing',
      only: [],
      among: ['web', 'health'],
      asked: [
        ...requests.put(...Object.values(places).map(sampleOf)),
        ...['PutItem', 'UpdateItem', 'DeleteItem'].map((action) => row(action)),
        ...requests.on(machine, 'states:StartExecution'),
        ...requests.on(resources.functionArn('notify'), 'lambda:InvokeFunction'),
        ...requests.all('states:SendTaskSuccess', 'ses:SendRawEmail'),
      ],
    },
  ];
}

function recordClaims({ resources }: Estate, requests: Requests): Claim[] {
  const { cases, inbox, caseTable, approvalTable } = resources;
  const deletions = ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:BypassGovernanceRetention'];
  const content = [places.mail, places.document, places.transcript, places.evidence].map(sampleOf);
  const isContent = (name: string): boolean => ['mail', 'document', 'transcript', 'evidence'].includes(name);
  const records = Object.entries(places).flatMap(([name, key]) => (isContent(name) ? [] : [sampleOf(key)]));
  const rules = [
    'PutLifecycleConfiguration',
    'PutBucketVersioning',
    'PutBucketPolicy',
    'DeleteBucketPolicy',
    'DeleteBucket',
    'PutBucketObjectLockConfiguration',
  ];
  const overTables = [
    'DeleteItem',
    'BatchWriteItem',
    'DeleteTable',
    'UpdateTable',
    'PartiQLDelete',
    'Scan',
    'UpdateContinuousBackups',
  ];
  return [
    {
      name: 'only `forget` deletes mails, documents, and what was read from them',
      only: ['forget'],
      asked: [
        ...deletions.flatMap((action) => requests.objects(action, content)),
        ...requests.on(`${inbox}/${inboxListing}x1`, ...deletions),
      ],
      forAll: true,
    },
    {
      name: 'nobody deletes any other object or version',
      only: [],
      asked: [
        ...deletions.flatMap((action) => requests.objects(action, records)),
        ...requests.on(`${inbox}/other`, ...deletions),
      ],
      forAll: true,
    },
    {
      name: 'nobody changes lifecycle, versions, retention or policy of a bucket',
      only: [],
      asked: [cases, inbox].flatMap((bucket) => requests.on(bucket, ...rules.map((rule) => `s3:${rule}`))),
      forAll: true,
    },
    {
      name: 'nobody deletes rows or tables, or reads a table through',
      only: [],
      asked: [caseTable, approvalTable].flatMap((table) =>
        requests.on(table, ...overTables.map((action) => `dynamodb:${action}`)),
      ),
    },
    {
      name: '`forget` does nothing but find and delete content',
      only: [],
      among: ['forget'],
      asked: [
        ...requests.objects('s3:GetObject', content),
        ...requests.put(sampleOf(places.mail)),
        ...queueIndexes.flatMap((index) => requests.on(`${approvalTable}/index/${index}`, 'dynamodb:Query')),
        ...requests.all('iam:CreateUser', 'kms:ScheduleKeyDeletion', 'ses:SendRawEmail'),
      ],
    },
  ];
}

function accountClaims({ log, deployed }: Estate, requests: Requests): Claim[] {
  return [
    {
      name: 'nobody unmasks logs',
      only: [],
      asked: [...requests.on(log, 'logs:Unmask'), ...requests.all('logs:Unmask')],
    },
    {
      name: 'nobody reads, shortens or deletes logs',
      only: [],
      asked: requests.on(
        log,
        'logs:GetLogEvents',
        'logs:FilterLogEvents',
        'logs:StartQuery',
        'logs:PutRetentionPolicy',
        'logs:DeleteLogGroup',
        'logs:DeleteDataProtectionPolicy',
      ),
    },
    {
      name: 'no function changes rights, code, keys or the machine, or becomes another role',
      only: [],
      asked: requests.all(
        'iam:PutRolePolicy',
        'iam:AttachRolePolicy',
        'iam:DetachRolePolicy',
        'iam:PassRole',
        'sts:AssumeRole',
        'lambda:UpdateFunctionCode',
        'lambda:UpdateFunctionConfiguration',
        'lambda:AddPermission',
        'states:UpdateStateMachine',
        'kms:PutKeyPolicy',
        'kms:ScheduleKeyDeletion',
        'kms:DisableKey',
        'cloudformation:UpdateStack',
        'secretsmanager:GetSecretValue',
        'ses:SetActiveReceiptRuleSet',
        'ses:UpdateConfigurationSetSendingEnabled',
      ),
    },
    {
      name: 'nothing reaches a bucket, a queue or a topic without TLS, or with one that is too old',
      only: [],
      byDenial: true,
      asked: deployed.guarded.flatMap(({ arn }) => unencrypted(arn)),
      forAll: true,
    },
  ];
}

function unencrypted(arn: string): Asked[] {
  const plain = { 'aws:SecureTransport': 'false' };
  switch (arn.split(':')[2]) {
    case 's3':
      return [
        { action: 's3:ListBucket', resource: arn, context: { ...plain, 's3:TlsVersion': '1.2' } },
        { action: 's3:ListBucket', resource: arn, context: { 's3:TlsVersion': '1.1' } },
      ];
    case 'sqs':
      return [{ action: 'sqs:SendMessage', resource: arn, context: plain }];
    case 'sns':
      return [{ action: 'sns:Publish', resource: arn, context: plain }];
    default:
      return [];
  }
}
