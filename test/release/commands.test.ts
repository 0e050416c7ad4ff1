import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { check, deploy, plan, smoke, type Workshop } from '../../lib/release/commands.ts';
import { readPlan } from '../../lib/release/planfile.ts';
import { buildReleaseProgram } from '../../lib/release/program.ts';
import { credentials, temporaryDirectory } from '../support/endpoints.ts';
import { writeAssembly } from './assemblies.ts';
import { arnOf, type FakeCloud, fakeCloud } from './cloud.ts';

const printed: string[] = [];
beforeEach(() => {
  printed.length = 0;
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      printed.push(String(text));
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
const said = () => printed.join('');

/** A repository of its own, the account of a test, and a toolkit that hands over an assembly that was written before. */
async function workshop(): Promise<{
  shop: Workshop;
  cloud: FakeCloud;
  options: { plan: string; assembly: string; deployment: string };
  commit: string;
}> {
  const cloud = await fakeCloud();
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', cloud.urls.cloudformation);
  vi.stubEnv('AWS_ENDPOINT_URL_SES', cloud.urls.ses);
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
  const root = await temporaryDirectory();
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=Invented', '-c', 'user.email=nobody@family.example', ...args], {
      cwd: root,
      encoding: 'utf8',
    }).stdout.trim();
  git('init', '--quiet');
  writeFileSync(join(root, '.gitignore'), 'dist/\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  const assembly = join(root, 'dist', 'assembly');
  const source = await writeAssembly({ approvals: {} });
  mkdirSync(join(root, 'dist'));
  const script = `if (process.argv.includes('synth')) require('node:fs').cpSync(${JSON.stringify(source)}, ${JSON.stringify(assembly)}, { recursive: true })`;
  cpSync('deployment.example.yaml', join(root, 'dist', 'deployment.yaml'));
  cloud.identities.set('inbox.example', 'Success');
  cloud.changeSets.set('approvals', {
    changes: [{ Action: 'Add', ResourceType: 'AWS::IAM::Role', LogicalResourceId: 'Role' }],
  });
  return {
    cloud,
    commit: git('rev-parse', 'HEAD'),
    shop: { root, command: [process.execPath, '-e', script, '--'], pause: async () => {} },
    options: { plan: join(root, 'dist', 'plan.json'), assembly, deployment: 'deployment.example.yaml' },
  };
}

/** Serves a `/healthz` that names a commit, and says so in the outputs of the stack. */
async function serveHealth(cloud: FakeCloud, commit: string, ruleSet = 'active'): Promise<void> {
  const health = { status: 'ok', commit, models: {}, sending: 'on', ruleSet, policy: 'a'.repeat(64) };
  const server = createServer((_, response) => response.end(JSON.stringify(health)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  cloud.outputs.set('approvals', { PublicUrl: `http://127.0.0.1:${port}` });
}

describe('planning and deploying', () => {
  it('explains, keeps the plan, executes it and confirms what runs', async () => {
    const { shop, cloud, options, commit } = await workshop();
    expect(await plan(options, shop)).toBe(0);
    expect(said()).toContain('domain `inbox.example` is verified');
    expect(said()).toContain('approvals: 1 added');
    expect(readPlan(options.plan)).toMatchObject({ commit, stacks: [{ state: 'planned' }] });
    await serveHealth(cloud, commit);
    expect(await deploy(options, shop)).toBe(0);
    expect(cloud.executed).toEqual([arnOf('approvals')]);
    expect(said()).toContain(`runs commit ${commit}: sending on, rule set active`);
  });

  it('fails where the plan would take something away, and executes nothing', async () => {
    const { shop, cloud, options } = await workshop();
    const table = { Action: 'Remove', ResourceType: 'AWS::DynamoDB::Table', LogicalResourceId: 'Cases' };
    cloud.changeSets.set('approvals', { changes: [table] });
    expect(await plan({ ...options, json: true }, shop)).toBe(1);
    expect(JSON.parse(printed.find((line) => line.startsWith('{')) ?? '')).toMatchObject({ refused: true });
    await expect(deploy(options, shop)).toFailWithCode('RELEASE_REFUSED');
    expect(cloud.executed).toEqual([]);
  });

  it('refuses a release whose page names another commit', async () => {
    const { shop, cloud, options } = await workshop();
    await plan(options, shop);
    await serveHealth(cloud, 'b'.repeat(40));
    await expect(deploy(options, shop)).toFailWithCode('RELEASE_REFUSED');
    await expect(check(options, shop)).toFailWithCode('RELEASE_REFUSED');
  });

  it('fails where no mail can come in', async () => {
    const { shop, cloud, options, commit } = await workshop();
    await plan(options, shop);
    await serveHealth(cloud, commit, 'inactive');
    expect(await check(options, shop)).toBe(1);
    expect(said()).toContain('The receiving rules are not active');
  });

  it('says what is left to plan, or goes on with it', async () => {
    const { shop, cloud, options, commit } = await workshop();
    await plan(options, shop);
    const written = readFileSync(options.plan, 'utf8');
    const waiting = {
      ...JSON.parse(written),
      stacks: [{ stack: 'approvals', state: 'waits', missing: ['x'] }],
    };
    writeFileSync(options.plan, JSON.stringify(waiting));
    expect(await deploy(options, shop)).toBe(1);
    expect(said()).toContain('Not deployed yet: approvals');
    await serveHealth(cloud, commit);
    expect(await deploy({ ...options, new: true }, shop)).toBe(0);
    expect(cloud.executed).toEqual([arnOf('approvals')]);
  });

  it('refuses a tree that is not the commit, whichever it is asked for', async () => {
    const { shop, options } = await workshop();
    await plan(options, shop);
    writeFileSync(join(shop.root, 'draft.txt'), '');
    await expect(plan(options, shop)).toFailWithCode('RELEASE_REFUSED');
    await expect(deploy(options, shop)).toFailWithCode('RELEASE_REFUSED');
  });
});

describe('the smoke test', () => {
  it('wants to know where', async () => {
    await expect(smoke({ plan: 'x' })).toFailWithCode('INVALID_INPUT');
    await expect(smoke({ plan: 'x', circle: 'rules/circle.example.yaml' })).toFailWithCode('INVALID_INPUT');
  });

  it('takes a circle of the deployment alone', async () => {
    const other = join(await temporaryDirectory(), 'circle.yaml');
    writeFileSync(
      other,
      readFileSync('rules/circle.example.yaml', 'utf8').replace('id: example-household', 'id: another'),
    );
    const asked = smoke({ plan: 'x', circle: other, deployment: 'deployment.example.yaml' });
    await expect(asked).toFailWithCode('INVALID_INPUT');
  });
});

describe('the command line', () => {
  const run = async (...args: string[]): Promise<number | string | undefined> => {
    await buildReleaseProgram().parseAsync(['node', 'release', ...args]);
    const code = process.exitCode;
    process.exitCode = undefined;
    return code ?? undefined;
  };

  it('says what it can do', () => {
    const help = buildReleaseProgram().helpInformation();
    for (const name of ['plan', 'deploy', 'check', 'smoke']) expect(help).toContain(name);
  });

  it('ends with 2 for what cannot be done, and says why, as JSON too', async () => {
    expect(await run('check', '--plan', 'absent.json')).toBe(2);
    expect(said()).toContain('npm run deploy:plan');
    printed.length = 0;
    expect(await run('smoke', '--json')).toBe(2);
    expect(JSON.parse(printed[0] ?? '')).toMatchObject({ error: 'INVALID_INPUT' });
  });
});
