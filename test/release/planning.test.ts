import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deployRelease } from '../../lib/release/deploying.ts';
import type { DeployingParts } from '../../lib/release/execution.ts';
import { deployNewStacks } from '../../lib/release/newstacks.ts';
import { type ReleasePlan, readPlan, writePlan } from '../../lib/release/planfile.ts';
import { planRelease } from '../../lib/release/planning.ts';
import { publicUrlOf } from '../../lib/release/stackoutputs.ts';
import { temporaryDirectory } from '../support/endpoints.ts';
import { ManualClock } from '../support/time.ts';
import { type GivenStack, writeAssembly } from './assemblies.ts';
import { arnOf, type FakeChange, type FakeCloud, fakeCloud } from './cloud.ts';

const commit = 'a'.repeat(40);
const clock = new ManualClock('2027-02-03T04:05:06.000Z');
const role: FakeChange = { Action: 'Add', ResourceType: 'AWS::IAM::Role', LogicalResourceId: 'Role' };
const table: FakeChange = {
  Action: 'Modify',
  ResourceType: 'AWS::DynamoDB::Table',
  LogicalResourceId: 'CaseTable',
  Replacement: 'False',
  properties: ['Tags'],
};
const two: Record<string, GivenStack> = {
  workflow: { dependencies: ['case-file'], resources: { Role: { Type: 'AWS::IAM::Role' } } },
  'case-file': {},
};

async function plan(
  cloud: FakeCloud,
  stacks: Record<string, GivenStack> = two,
  made: Record<string, Parameters<FakeCloud['changeSets']['set']>[1]> = {},
) {
  const said: string[] = [];
  const prepared: string[] = [];
  cloud.identities.set('inbox.example', 'Success');
  const { plan: planned, refused } = await planRelease(
    {
      ...cloud,
      clock,
      say: (line) => said.push(line),
      prepare: async (stack, name) => {
        prepared.push(`${stack} ${name}`);
        cloud.changeSets.set(stack, made[stack] ?? { changes: [role] });
      },
    },
    {
      commit,
      region: 'us-east-1',
      deployment: 'mine.yaml',
      assembly: await writeAssembly(stacks),
      domains: ['inbox.example'],
    },
  );
  return { plan: planned, refused, said, prepared };
}

function deploying(cloud: FakeCloud): { parts: DeployingParts; said: string[] } {
  const said: string[] = [];
  return {
    said,
    parts: { cloudformation: cloud.cloudformation, say: (line) => said.push(line), pause: async () => {} },
  };
}

describe('a plan', () => {
  it('makes a change set for each stack, in the order in which they need each other, and names it after the commit', async () => {
    const { plan: made, prepared, refused } = await plan(await fakeCloud());
    expect(prepared).toEqual(['case-file caregate-aaaaaaaaaaaa', 'workflow caregate-aaaaaaaaaaaa']);
    expect(made).toMatchObject({
      commit,
      region: 'us-east-1',
      deployment: 'mine.yaml',
      at: '2027-02-03T04:05:06.000Z',
    });
    expect(made.stacks).toMatchObject([
      { stack: 'case-file', state: 'planned', changeSet: arnOf('case-file') },
      { stack: 'workflow', state: 'planned', changeSet: arnOf('workflow') },
    ]);
    expect(refused).toBe(false);
  });

  it('reads every page of a change set and explains each change', async () => {
    const changes = Array.from({ length: 8 }, (_, at) => ({ ...role, LogicalResourceId: `Role${at}` }));
    const { said } = await plan(await fakeCloud(), two, { 'case-file': { changes } });
    expect(said).toContain('case-file: 8 added');
    expect(said.filter((line) => line.includes('added role'))).toHaveLength(9);
  });

  it.each([
    ['True', 'replaced'],
    ['Conditional', 'perhaps replaced'],
  ])('is refused where a table is replaced: %s', async (Replacement, words) => {
    const { said, refused } = await plan(await fakeCloud(), two, {
      'case-file': { changes: [{ ...table, Replacement, properties: ['KeySchema'] }] },
    });
    expect(refused).toBe(true);
    expect(said.join('\n')).toContain(`! ${words} table \`CaseTable\` (KeySchema)`);
  });

  it('knows a stack without changes from a change set that could not be made', async () => {
    const none = {
      changes: [],
      status: 'FAILED',
      execution: 'UNAVAILABLE',
      reason:
        "The submitted information didn't contain changes. Submit different information to create a change set.",
    };
    const { plan: made, said } = await plan(await fakeCloud(), two, { 'case-file': none });
    expect(made.stacks[0]).toEqual({ stack: 'case-file', state: 'unchanged' });
    expect(said).toContain('case-file: nothing changes');
    const broken = plan(await fakeCloud(), two, {
      'case-file': { ...none, reason: 'No export named x found' },
    });
    await expect(broken).toFailWithCode('CLOUD_UNAVAILABLE');
  });

  it('leaves for later what needs an export that is not there yet', async () => {
    const imports = {
      Role: { Type: 'AWS::IAM::Role', Properties: { Path: [{ 'Fn::ImportValue': 'case-file:Key' }] } },
    };
    const stacks = { ...two, workflow: { dependencies: ['case-file'], resources: imports } };
    const cloud = await fakeCloud();
    const first = await plan(cloud, stacks);
    expect(first.plan.stacks[1]).toEqual({ stack: 'workflow', state: 'waits', missing: ['case-file:Key'] });
    expect(first.said.at(-1)).toMatch(/^workflow: cannot be planned yet: it needs `case-file:Key`/);
    cloud.exports.add('case-file:Key');
    expect((await plan(cloud, stacks)).plan.stacks[1]).toMatchObject({ state: 'planned' });
  });

  it('says that the service cannot be asked', async () => {
    const cloud = await fakeCloud();
    const parts = { ...cloud, clock, say: () => {}, prepare: async () => {} };
    const input = {
      commit,
      region: 'us-east-1',
      deployment: 'mine.yaml',
      assembly: await writeAssembly(two),
      domains: [],
    };
    await expect(planRelease(parts, input)).toFailWithCode('CLOUD_UNAVAILABLE');
  });
});

describe('a domain', () => {
  it.each(['Pending', 'Failed', 'TemporaryFailure', undefined])(
    'that is not verified (%s) is said before anything is made',
    async (status) => {
      const cloud = await fakeCloud();
      if (status !== undefined) cloud.identities.set('inbox.example', status);
      const said: string[] = [];
      let prepared = 0;
      const planning = planRelease(
        {
          ...cloud,
          clock,
          say: (line) => said.push(line),
          prepare: async () => {
            prepared += 1;
          },
        },
        {
          commit,
          region: 'us-east-1',
          deployment: 'mine.yaml',
          assembly: await writeAssembly(two),
          domains: ['inbox.example'],
        },
      );
      await expect(planning).toFailWithCode('RELEASE_REFUSED');
      expect(prepared).toBe(0);
      expect(said[0]).toContain(`domain \`inbox.example\` is not verified (${status ?? 'absent'})`);
    },
  );

  it.each([
    ['itself', 'inbox.example'],
    ['as part of one above it', 'example'],
  ])('is verified %s', async (_, name) => {
    const cloud = await fakeCloud();
    cloud.identities.set(name, 'Success');
    const parts = { ...cloud, clock, say: () => {}, prepare: async () => {} };
    const input = {
      commit,
      region: 'us-east-1',
      deployment: 'mine.yaml',
      assembly: await writeAssembly({}),
      domains: ['inbox.example'],
    };
    const planning = planRelease(parts, input);
    if (name === 'example')
      await expect(planning).toFailWithCode('RELEASE_REFUSED'); // a top-level name is nobody's
    else expect((await planning).refused).toBe(false);
  });

  it('that this release registers is announced with what to do', async () => {
    const cloud = await fakeCloud();
    const said: string[] = [];
    const identity = { Type: 'AWS::SES::EmailIdentity', Properties: { EmailIdentity: 'care.example' } };
    const parts = {
      ...cloud,
      clock,
      say: (line: string) => said.push(line),
      prepare: async () => {
        cloud.changeSets.set('mailbox', { changes: [role] });
      },
    };
    const assembly = await writeAssembly({ mailbox: { resources: { Identity: identity } } });
    await planRelease(parts, {
      commit,
      region: 'us-east-1',
      deployment: 'mine.yaml',
      assembly,
      domains: ['inbox.care.example'],
    });
    expect(said[0]).toContain('`inbox.care.example` is registered by this release; publish the DNS records');
  });
});

describe('executing a plan', () => {
  it('executes the very change sets that were explained, one after the other', async () => {
    const cloud = await fakeCloud();
    const { plan: made } = await plan(cloud);
    cloud.statuses.set('case-file', ['CREATE_IN_PROGRESS', 'CREATE_IN_PROGRESS', 'CREATE_COMPLETE']);
    cloud.statuses.set('workflow', ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', 'UPDATE_COMPLETE']);
    const { parts, said } = deploying(cloud);
    expect(await deployRelease(parts, made, commit)).toEqual([]);
    expect(cloud.executed).toEqual([arnOf('case-file'), arnOf('workflow')]);
    expect(said).toEqual([
      'deploying case-file: 1 added',
      'deployed case-file',
      'deploying workflow: 1 added',
      'deployed workflow',
    ]);
  });

  it.each([
    ['another change set of that name', { arn: arnOf('workflow', '2'), changes: [role] }],
    ['other changes', { changes: [role, { ...role, LogicalResourceId: 'Other' }] }],
    ['one that is out of date', { execution: 'OBSOLETE', changes: [role] }],
    ['one that was executed already', { execution: 'EXECUTE_COMPLETE', changes: [role] }],
  ])('refuses %s, and executes nothing, not even what comes before it', async (_, set) => {
    const cloud = await fakeCloud();
    const { plan: made } = await plan(cloud);
    cloud.changeSets.set('workflow', set);
    await expect(deployRelease(deploying(cloud).parts, made, commit)).toFailWithCode('RELEASE_REFUSED');
    expect(cloud.executed).toEqual([]);
  });

  it('refuses a stateful replacement even where the plan was written by hand', async () => {
    const cloud = await fakeCloud();
    const { plan: made } = await plan(cloud, two, {
      'case-file': { changes: [{ ...table, Replacement: 'Conditional' }] },
    });
    await expect(deployRelease(deploying(cloud).parts, made, commit)).toFailWithCode('RELEASE_REFUSED');
    expect(cloud.executed).toEqual([]);
  });

  it('refuses a plan for another commit', async () => {
    const cloud = await fakeCloud();
    const { plan: made } = await plan(cloud);
    await expect(deployRelease(deploying(cloud).parts, made, 'b'.repeat(40))).toFailWithCode(
      'RELEASE_REFUSED',
    );
    expect(cloud.executed).toEqual([]);
  });

  it.each(['UPDATE_ROLLBACK_COMPLETE', 'ROLLBACK_COMPLETE', 'CREATE_FAILED'])(
    'stops at a stack that ends as %s',
    async (status) => {
      const cloud = await fakeCloud();
      const { plan: made } = await plan(cloud);
      cloud.statuses.set('case-file', ['UPDATE_IN_PROGRESS', status]);
      await expect(deployRelease(deploying(cloud).parts, made, commit)).toFailWithCode('CLOUD_UNAVAILABLE');
      expect(cloud.executed).toEqual([arnOf('case-file')]);
    },
  );

  it('names what could not be planned yet, and leaves out what does not change', async () => {
    const cloud = await fakeCloud();
    const made: ReleasePlan = {
      version: 1,
      commit,
      region: 'us-east-1',
      deployment: 'mine.yaml',
      at: '2027-02-03T04:05:06.000Z',
      stacks: [
        { stack: 'case-file', state: 'unchanged' },
        { stack: 'workflow', state: 'waits', missing: ['x'] },
      ],
    };
    expect(await deployRelease(deploying(cloud).parts, made, commit)).toEqual(['workflow']);
    expect(cloud.executed).toEqual([]);
  });
});

describe('stacks that are new', () => {
  const importing = (name: string) => ({
    Role: { Type: 'AWS::IAM::Role', Properties: { Path: { 'Fn::ImportValue': name } } },
  });
  const three: Record<string, GivenStack> = {
    'case-file': {},
    approvals: { dependencies: ['case-file'], resources: importing('case-file:Key') },
    workflow: { dependencies: ['approvals'] },
  };

  async function began() {
    const cloud = await fakeCloud();
    const first = await plan(cloud, three);
    const { parts, said } = deploying(cloud);
    const waiting = await deployRelease(parts, first.plan, commit);
    cloud.exports.add('case-file:Key');
    const go = (made: FakeChange = role) =>
      writeAssembly(three).then((assembly) =>
        deployNewStacks(
          {
            ...parts,
            prepare: async (stack) => {
              cloud.changeSets.set(stack, { changes: [made] });
            },
          },
          { assembly, commit },
          waiting,
        ),
      );
    return { cloud, waiting, go, said };
  }

  it('wait for those before them, and are then planned, explained and made in turn', async () => {
    const { cloud, waiting, go, said } = await began();
    expect(waiting).toEqual(['approvals', 'workflow']);
    expect(cloud.executed).toEqual([arnOf('case-file')]);
    await go();
    expect(cloud.executed).toEqual(['case-file', 'approvals', 'workflow'].map((name) => arnOf(name)));
    expect(said.indexOf('approvals: 1 added')).toBeLessThan(said.indexOf('deployed approvals'));
  });

  it('are left to a plan that somebody reads where they change anything', async () => {
    const { cloud, go } = await began();
    await expect(go({ ...role, Action: 'Modify' })).toFailWithCode('RELEASE_REFUSED');
    expect(cloud.executed).toEqual([arnOf('case-file')]);
  });

  it('are refused where what they need is still not there', async () => {
    const { cloud, go } = await began();
    cloud.exports.clear();
    await expect(go()).toFailWithCode('RELEASE_REFUSED');
  });
});

describe('the file of a plan', () => {
  it('is read as it was written, and nothing else is taken for one', async () => {
    const cloud = await fakeCloud();
    const { plan: made } = await plan(cloud);
    const file = join(await temporaryDirectory(), 'dist', 'plan.json');
    expect(() => readPlan(file)).toFailWithCode('NOT_FOUND');
    writePlan(file, made);
    expect(readPlan(file)).toEqual(made);
    expect(readFileSync(file, 'utf8')).toContain('"version": 1');
    writePlan(file, { ...made, commit: 'main' });
    expect(() => readPlan(file)).toFailWithCode('INVALID_INPUT');
  });
});

describe('where the pages are', () => {
  it('is an output of one of the stacks', async () => {
    const cloud = await fakeCloud();
    cloud.outputs.set('approvals', { PublicUrl: 'https://care.example' });
    expect(await publicUrlOf(cloud.cloudformation, ['case-file', 'approvals'])).toBe('https://care.example');
    await expect(publicUrlOf(cloud.cloudformation, ['case-file'])).toFailWithCode('NOT_FOUND');
  });
});
