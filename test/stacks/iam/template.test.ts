import { describe, expect, it } from 'vitest';
import { decide, principalOf, readDeployed } from './deployed.ts';
import { account, region } from './symbols.ts';
import { Templates } from './template.ts';

const stored = {
  Resources: {
    Letters: { Type: 'AWS::S3::Bucket' },
    Rows: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'rows' } },
  },
  Outputs: {
    Exported: { Value: { 'Fn::GetAtt': ['Letters', 'Arn'] }, Export: { Name: 'stored:Letters' } },
  },
};

const trust = {
  Version: '2012-10-17',
  Statement: { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
};

const running = {
  Parameters: { Given: { Default: 'fallback' } },
  Resources: {
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: { AssumeRolePolicyDocument: trust, ManagedPolicyArns: [{ Ref: 'Managed' }] },
    },
    Handler: {
      Type: 'AWS::Lambda::Function',
      Properties: { FunctionName: 'care-read', Role: { 'Fn::GetAtt': ['Role', 'Arn'] } },
    },
    Rights: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        Roles: [{ Ref: 'Role' }],
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: {
            Effect: 'Allow',
            Action: 's3:GetObject',
            Resource: { 'Fn::Join': ['', [{ 'Fn::ImportValue': 'stored:Letters' }, '/*']] },
          },
        },
      },
    },
    Managed: {
      Type: 'AWS::IAM::ManagedPolicy',
      Properties: {
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: { Effect: 'Deny', Action: 's3:*', Resource: 'arn:aws:s3:::stored.letters/secret/*' },
        },
      },
    },
  },
};

/** What stands in a text of `Fn::Sub` for a name. */
const slot = (name: string): string => `$\{${name}}`;

describe('intrinsic functions', () => {
  const templates = new Templates({ stored, running });
  const resolve = (value: unknown): unknown => templates.resolve('running', value);

  it('become symbolic names and ARNs, the same from every stack', () => {
    expect(resolve({ 'Fn::ImportValue': 'stored:Letters' })).toBe('arn:aws:s3:::stored.letters');
    expect(templates.resolve('stored', { 'Fn::GetAtt': ['Letters', 'Arn'] })).toBe(
      'arn:aws:s3:::stored.letters',
    );
    expect(templates.resolve('stored', { 'Fn::GetAtt': ['Rows', 'Arn'] })).toBe(
      `arn:aws:dynamodb:${region}:${account}:table/rows`,
    );
    expect(resolve({ Ref: 'Handler' })).toBe('care-read');
  });

  it('join, select, split, and substitute', () => {
    const joined = { 'Fn::Join': [':', ['a', { Ref: 'AWS::Region' }]] };
    expect(resolve(joined)).toBe(`a:${region}`);
    expect(resolve({ 'Fn::Select': [1, { 'Fn::Split': [':', joined] }] })).toBe(region);
    const text = [slot('AWS::Partition'), slot('Handler'), slot('own'), slot('!kept')].join('/');
    expect(resolve({ 'Fn::Sub': [text, { own: { Ref: 'Given' } }] })).toBe(
      ['aws', 'care-read', 'fallback', slot('!kept')].join('/'),
    );
    expect(resolve({ 'Fn::Sub': slot('Role.Arn') })).toBe(`arn:aws:iam::${account}:role/running.role`);
    expect(resolve([{ Gone: { Ref: 'AWS::NoValue' }, Stays: 1 }])).toEqual([{ Stays: 1 }]);
  });

  it('that are not known, or lead nowhere, are an error', () => {
    expect(() => resolve({ 'Fn::Base64': 'x' })).toThrow(/not known/);
    expect(() => resolve({ Ref: 'Nobody' })).toThrow(/no resource/);
    expect(() => resolve({ 'Fn::GetAtt': ['Nobody', 'Arn'] })).toThrow(/no resource/);
    expect(() => resolve({ 'Fn::ImportValue': 'nothing' })).toThrow(/nothing exports/);
  });
});

describe('a deployment', () => {
  it('gives each function its role, with every policy that is attached to it either way', () => {
    const deployed = readDeployed({ stored, running }, 'care');
    const role = deployed.functions.get('read');
    expect(role?.identity.map(({ name }) => name)).toEqual(['Rights', 'Managed']);
    const ask = (key: string) =>
      role &&
      decide(deployed, principalOf(role), {
        action: 's3:GetObject',
        resource: `arn:aws:s3:::stored.letters/${key}`,
      }).decision;
    expect(ask('a')).toBe('allowed');
    expect(ask('secret/a')).toBe('explicitly denied');
  });
});
