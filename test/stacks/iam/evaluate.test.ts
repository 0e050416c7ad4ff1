import { describe, expect, it } from 'vitest';
import { type Access, evaluate } from './evaluate.ts';
import { type Policy, readPolicy } from './policy.ts';

const bucket = 'arn:aws:s3:::letters';
const object = `${bucket}/a/b.txt`;
const role = 'arn:aws:iam::111122223333:role/reader';

function policy(name: string, ...statements: object[]): Policy {
  return readPolicy(name, { Version: '2012-10-17', Statement: statements });
}

const read = { Sid: 'Read', Effect: 'Allow', Action: 's3:GetObject', Resource: `${bucket}/*` };

interface Given {
  readonly identity?: Policy[];
  readonly boundary?: Policy;
  readonly resourcePolicy?: Policy;
  readonly request?: Partial<Pick<Access, 'action' | 'resource' | 'context'>>;
}

function decisionOf({ identity = [], boundary, resourcePolicy, request }: Given): string {
  const principal = { kind: 'role', arn: role, identity, boundary } as const;
  return evaluate({ principal, action: 's3:GetObject', resource: object, resourcePolicy, ...request })
    .decision;
}

describe('a decision', () => {
  it('is no where nothing allows', () => {
    expect(decisionOf({})).toBe('implicitly denied');
    expect(decisionOf({ identity: [policy('p', { ...read, Action: 's3:PutObject' })] })).toBe(
      'implicitly denied',
    );
  });

  it('is yes where an identity policy allows, and names the statement', () => {
    const principal = { kind: 'role', arn: role, identity: [policy('p', read)] } as const;
    expect(evaluate({ principal, action: 's3:GetObject', resource: object })).toEqual({
      decision: 'allowed',
      by: 'p/Read',
    });
  });

  it('is no wherever a Deny matches, whatever allows beside it and in whatever order', () => {
    const deny = { ...read, Effect: 'Deny' };
    const all = policy('all', { Effect: 'Allow', Action: '*', Resource: '*' });
    const denial = policy('denial', deny);
    for (const identity of [[all, denial], [denial, all], [policy('both', read, deny)]]) {
      expect(decisionOf({ identity })).toBe('explicitly denied');
    }
    expect(
      decisionOf({ identity: [all], boundary: policy('boundary', { ...read, Resource: '*' }, deny) }),
    ).toBe('explicitly denied');
    const guard = policy('guard', { ...deny, Principal: '*' });
    expect(decisionOf({ identity: [all], resourcePolicy: guard })).toBe('explicitly denied');
  });

  it('is no where a boundary does not allow what an identity policy does, and the boundary alone gives nothing', () => {
    const boundary = policy('boundary', { ...read, Action: 's3:PutObject' });
    expect(decisionOf({ identity: [policy('p', read)], boundary })).toBe('implicitly denied');
    expect(decisionOf({ boundary: policy('boundary', read) })).toBe('implicitly denied');
    expect(decisionOf({ identity: [policy('p', read)], boundary: policy('boundary', read) })).toBe('allowed');
  });

  it('is yes where the policy of the resource names the role, within its boundary', () => {
    const resourcePolicy = policy('guard', { ...read, Principal: { AWS: role } });
    expect(decisionOf({ resourcePolicy })).toBe('allowed');
    expect(decisionOf({ resourcePolicy, boundary: policy('boundary', { ...read, Action: 'ses:*' }) })).toBe(
      'implicitly denied',
    );
    const other = policy('guard', { ...read, Principal: { AWS: `${role}s` } });
    expect(decisionOf({ resourcePolicy: other })).toBe('implicitly denied');
  });

  it('of a bucket is the account’s, and of a key is the key policy’s to hand over', () => {
    const key = 'arn:aws:kms:eu-west-1:111122223333:key/k';
    const request = { action: 'kms:Sign', resource: key };
    const sign = policy('p', { Effect: 'Allow', Action: 'kms:Sign', Resource: key });
    const closed = policy('key', {
      Effect: 'Allow',
      Action: 'kms:Sign',
      Resource: '*',
      Principal: { AWS: `${role}s` },
    });
    const handed = policy('key', {
      Effect: 'Allow',
      Action: 'kms:*',
      Resource: '*',
      Principal: { AWS: 'arn:aws:iam::111122223333:root' },
    });
    expect(decisionOf({ identity: [sign], request })).toBe('implicitly denied');
    expect(decisionOf({ identity: [sign], request, resourcePolicy: closed })).toBe('implicitly denied');
    expect(decisionOf({ identity: [sign], request, resourcePolicy: handed })).toBe('allowed');
    expect(decisionOf({ request, resourcePolicy: handed })).toBe('implicitly denied');
    expect(
      decisionOf({
        identity: [policy('p', read)],
        resourcePolicy: policy('guard', {
          ...read,
          Effect: 'Allow',
          Principal: { AWS: role },
          Action: 's3:PutObject',
        }),
      }),
    ).toBe('allowed');
  });

  it('for a service is the policy of the resource, and a Deny for everybody meets a service too', () => {
    const principal = { kind: 'service', name: 'ses.amazonaws.com' } as const;
    const put = {
      Effect: 'Allow',
      Action: 's3:PutObject',
      Resource: `${bucket}/*`,
      Principal: { Service: 'ses.amazonaws.com' },
    };
    const ask = (resourcePolicy: Policy) =>
      evaluate({ principal, action: 's3:PutObject', resource: object, resourcePolicy }).decision;
    expect(ask(policy('guard', put))).toBe('allowed');
    expect(ask(policy('guard', { ...put, Principal: { Service: 'logs.amazonaws.com' } }))).toBe(
      'implicitly denied',
    );
    expect(ask(policy('guard', put, { ...put, Effect: 'Deny', Principal: '*' }))).toBe('explicitly denied');
  });
});

describe('a statement', () => {
  const allowed = (statement: object, request: Given['request'] = {}) =>
    decisionOf({ identity: [policy('p', { Effect: 'Allow', Resource: '*', ...statement })], request }) ===
    'allowed';

  it('takes wildcards in actions, without regard to case', () => {
    expect(allowed({ Action: 's3:Get*' })).toBe(true);
    expect(allowed({ Action: 'S3:getobject' })).toBe(true);
    expect(allowed({ Action: 's3:GetObject?' })).toBe(false);
    expect(allowed({ Action: ['ses:*', 's3:*'] })).toBe(true);
  });

  it('with NotAction or NotResource is about everything else', () => {
    expect(allowed({ NotAction: 's3:Get*' })).toBe(false);
    expect(allowed({ NotAction: 'ses:*' })).toBe(true);
    const elsewhere = { Action: '*', NotResource: `${bucket}/a/*` };
    expect(decisionOf({ identity: [policy('p', { Effect: 'Allow', ...elsewhere })] })).toBe(
      'implicitly denied',
    );
    expect(
      decisionOf({
        identity: [policy('p', { Effect: 'Allow', ...elsewhere })],
        request: { resource: `${bucket}/c.txt` },
      }),
    ).toBe('allowed');
  });

  it('takes wildcards in resources, which no part of an ARN lets through to the next', () => {
    expect(allowed({ Action: '*', Resource: `${bucket}/*/b.txt` })).toBe(true);
    expect(allowed({ Action: '*', Resource: `${bucket}/?/b.txt` })).toBe(true);
    expect(allowed({ Action: '*', Resource: 'arn:aws:s3:::*' })).toBe(true);
    const queue = { action: 'sqs:SendMessage', resource: 'arn:aws:sqs:eu-west-1:111122223333:q' };
    expect(allowed({ Action: '*', Resource: 'arn:aws:sqs:*:*:q' }, queue)).toBe(true);
    expect(allowed({ Action: '*', Resource: 'arn:aws:sqs:*::q' }, queue)).toBe(false);
  });

  it('for named resources is not about an action that has none', () => {
    const request = { action: 'states:SendTaskSuccess', resource: '*' };
    expect(allowed({ Action: '*', Resource: `${bucket}/*` }, request)).toBe(false);
    expect(allowed({ Action: '*' }, request)).toBe(true);
  });

  it('with what is not understood is an error and never passed over', () => {
    expect(() => policy('p', { ...read, NotPrincipal: '*' })).toThrow(/not understood/);
    expect(() => policy('p', { ...read, NotAction: 's3:*' })).toThrow(/not understood/);
    expect(() => policy('p', { Effect: 'Allow', Resource: '*' })).toThrow(/not understood/);
    expect(() => allowed({ Action: '*', Resource: 'arn:aws:s3' })).toThrow(/six parts/);
  });
});
