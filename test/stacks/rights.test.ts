import { App, Stack } from 'aws-cdk-lib';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { parseCircle } from '../../lib/provenance/circle.ts';
import type { Sha256 } from '../../lib/provenance/digest.ts';
import type { CaseId, CircleId } from '../../lib/provenance/identifiers.ts';
import { denialsOf } from '../../lib/stacks/denies.ts';
import { duties } from '../../lib/stacks/duties.ts';
import { modelAccess } from '../../lib/stacks/models.ts';
import { listings, places } from '../../lib/stacks/places.ts';
import { type Estate, grantsOf } from '../../lib/stacks/rights.ts';
import { isLike } from './iam/pattern.ts';

function circle(id: string) {
  return parseCircle(
    `
id: ${id}
patient: { name: Rosa Winterbourne }
timezone: Europe/London
locale: en-GB
currency: GBP
inbox: ${id}@inbox.example
senders: { notices: notices-${id}@inbox.example, letters: letters-${id}@inbox.example }
people: [{ id: maya, name: Maya, email: maya@${id}.example, roles: [owner] }]
contacts: [{ id: clinic, name: Clinic, email: clinic@${id}.example }]
folders: [{ id: records, name: Records }]
calendars: [{ id: family, name: Family }]
`,
    `${id}.yaml`,
  );
}

function estateOf(): Estate {
  const stack = new Stack(new App(), 'estate', { env: { region: 'eu-west-1', account: '111122223333' } });
  const table = (id: string) =>
    new Table(stack, id, { partitionKey: { name: 'id', type: AttributeType.STRING } });
  return {
    stack,
    cases: new Bucket(stack, 'Cases'),
    inbox: new Bucket(stack, 'Inbox'),
    caseTable: table('CaseTable'),
    approvalTable: table('ApprovalTable'),
    signingKey: new Key(stack, 'SigningKey'),
    dataKey: new Key(stack, 'DataKey'),
    inboxKey: new Key(stack, 'InboxKey'),
    machineArn: 'arn:aws:states:eu-west-1:111122223333:stateMachine:m',
    notifyArn: 'arn:aws:lambda:eu-west-1:111122223333:function:notify',
    log: 'arn:aws:logs:eu-west-1:111122223333:log-group:l:*',
    models: {
      triage: [{ id: 'amazon.nova-micro-v1:0' }],
      plan: [{ id: 'eu.amazon.nova-2-lite-v1:0', regions: ['eu-west-1', 'eu-west-3'] }],
    },
    circles: [circle('one'), circle('two')],
    configurationSet: 'letters',
  };
}

const estate = estateOf();
const textOf = (value: unknown): string => JSON.stringify(estate.stack.resolve(value));

describe('the rights of several circles', () => {
  it('are the union of their contacts for letters, and of their people for notices', () => {
    const letters = textOf(grantsOf('execute', estate).find(({ sid }) => sid === 'SendMails')?.conditions);
    const notices = textOf(grantsOf('notify', estate).find(({ sid }) => sid === 'SendMails')?.conditions);
    for (const id of ['one', 'two']) {
      expect(letters).toContain(`clinic@${id}.example`);
      expect(letters).toContain(`letters-${id}@inbox.example`);
      expect(letters).not.toContain(`maya@${id}.example`);
      expect(notices).toContain(`maya@${id}.example`);
      expect(notices).toContain(`notices-${id}@inbox.example`);
      expect(notices).not.toContain(`clinic@${id}.example`);
    }
  });
});

describe('the models', () => {
  it('are each their own function’s: another’s stands in no grant and under no exception', () => {
    const given = (name: string) => textOf([grantsOf(name, estate), denialsOf(name, estate, undefined)]);
    expect(given('triage')).toContain('nova-micro');
    expect(given('triage')).not.toContain('nova-2-lite');
    expect(given('plan')).toContain('nova-2-lite');
    expect(given('plan')).not.toContain('nova-micro');
    for (const name of Object.keys(duties).filter((one) => !['triage', 'plan'].includes(one))) {
      expect(given(name), name).not.toContain('foundation-model');
    }
  });

  it('behind a profile are named in each of its regions, and for a global one without a region too', () => {
    const { stack } = estate;
    const foundation = (region: string) =>
      `arn:aws:bedrock:${region}::foundation-model/amazon.nova-2-lite-v1:0`;
    const named = (id: string) =>
      stack.resolve(modelAccess(stack, { id, regions: ['eu-west-1', 'eu-west-3'] }));
    expect(JSON.stringify(named('eu.amazon.nova-2-lite-v1:0').behind)).toContain('eu-west-3');
    expect(named('eu.amazon.nova-2-lite-v1:0').behind).toHaveLength(2);
    expect(named('global.amazon.nova-2-lite-v1:0').behind).toHaveLength(3);
    expect(named('amazon.nova-2-lite-v1:0').behind).toEqual([]);
    expect(textOf(named('amazon.nova-2-lite-v1:0').entry)).toContain(
      foundation('eu-west-1').split(':bedrock')[1],
    );
    const arn = 'arn:aws:bedrock:eu-west-1:111122223333:application-inference-profile/own';
    expect(named(arn)).toMatchObject({ entry: arn, behind: { length: 2 } });
    expect(named('arn:aws:bedrock:eu-west-1:111122223333:provisioned-model/own').behind).toEqual([]);
  });
});

describe('the patterns of keys', () => {
  const key = { circle: 'one' as CircleId, case: 'c-1' as CaseId };
  const digest = 'd'.repeat(64) as Sha256;

  it('describe the keys that the layout gives, also above the thousandth', () => {
    expect(isLike(places.proposal, layout.proposal(key, 7))).toBe(true);
    expect(isLike(places.proposal, layout.proposal(key, 12_345))).toBe(true);
    expect(isLike(places.consent, layout.consent(key, 7, 'maya'))).toBe(true);
    expect(isLike(places.letter, layout.letter(key, 7))).toBe(true);
    expect(isLike(places.document, layout.document(key, digest))).toBe(true);
    expect(isLike(listings.consents, layout.consents(key, 12_345))).toBe(true);
  });

  it('are one for each kind of object: none describes what another is for', () => {
    const names = Object.keys(places) as (keyof typeof places)[];
    const samples = names.map((name) => ({ name, sample: places[name].replaceAll('*', 'x') }));
    for (const { name, sample } of samples) {
      expect(
        names.filter((other) => isLike(places[other], sample)),
        name,
      ).toEqual([name]);
    }
  });

  it('leave nothing of a duty that no grant says', () => {
    for (const [name, { reads, writes }] of Object.entries(duties)) {
      const given = textOf(grantsOf(name, estate));
      for (const place of [...reads, ...writes]) expect(given, `${name} ${place}`).toContain(places[place]);
    }
  });
});
