import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { pathsOf } from '../style/source.ts';

const permissions = z.record(z.string(), z.enum(['read', 'write', 'none']));
const workflowSchema = z.object({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions,
  jobs: z.record(
    z.string(),
    z.object({
      'runs-on': z.string(),
      'timeout-minutes': z.number(),
      environment: z.string().optional(),
      permissions: permissions.optional(),
      needs: z.string().optional(),
      if: z.string().optional(),
      steps: z.array(
        z.strictObject({
          uses: z.string().optional(),
          run: z.string().optional(),
          with: z.record(z.string(), z.unknown()).optional(),
          env: z.record(z.string(), z.string()).optional(),
        }),
      ),
    }),
  ),
});
const files = pathsOf('.github/workflows/*.yml');
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const read = (file: string) => workflowSchema.parse(parse(texts.get(file) ?? ''));
const workflows = files.map((file) => ({ file, text: texts.get(file) ?? '', workflow: read(file) }));
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ at: `${file} ${name}`, job, workflow })),
);
const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;

describe('the workflows', () => {
  it('are one that tests and one that deploys', () => {
    expect(files).toEqual(['.github/workflows/deploy.yml', '.github/workflows/test.yml']);
  });

  it('hold no secret and use none: an account is reached by OIDC alone', () => {
    for (const { file, text } of workflows) {
      expect(text, file).not.toMatch(/secrets\.|aws-access-key|aws-secret|AKIA|ASIA|password|ghp_/i);
      expect(text, file).not.toMatch(/\d{12}/);
    }
  });

  it('name every action by the full digest of its commit, with the version beside it', () => {
    for (const { file, text } of workflows) {
      const lines = text.split('\n').filter((line) => line.includes('uses:'));
      expect(lines.length, file).toBeGreaterThan(0);
      for (const line of lines)
        expect(line, file).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('name one version of each action', () => {
    const named = new Set(workflows.flatMap(({ text }) => text.match(/[\w-]+\/[\w-]+@[0-9a-f]{40}/g) ?? []));
    const actions = [...named].map((each) => each.split('@')[0]);
    expect(new Set(actions).size).toBe(actions.length);
  });

  it('may read the repository, and prove where they run only in jobs of an environment', () => {
    for (const { at, job, workflow } of jobs) {
      const granted = job.permissions ?? workflow.permissions;
      expect(granted.contents, at).toBe('read');
      const more = Object.keys(granted).filter((name) => name !== 'contents');
      expect(more, at).toEqual(job.environment === undefined ? [] : ['id-token']);
    }
  });

  it('leave no token behind in the checkout, and run no script of a dependency', () => {
    for (const { at, job } of jobs) {
      const checkout = job.steps.find(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkout?.with, at).toEqual({ 'persist-credentials': false });
      const installs = job.steps.flatMap(({ run }) => (run?.startsWith('npm ci') ? [run] : []));
      expect(installs, at).toEqual(['npm ci --ignore-scripts']);
    }
  });

  it('put nothing that others write into a command', () => {
    for (const { at, job } of jobs) {
      for (const { run } of job.steps) expect(run ?? '', at).not.toContain('${{');
    }
  });

  it('run scripts that there are', () => {
    for (const { at, job } of jobs) {
      for (const { run = '' } of job.steps) {
        const [, script] = /^npm (?:run )?([a-z:]+)/.exec(run) ?? [];
        if (script !== undefined && script !== 'ci') expect(Object.keys(scripts), at).toContain(script);
      }
    }
  });

  it('test what others propose, and let nothing of theirs near an account', () => {
    const proposing = workflows.filter(({ workflow }) => 'pull_request' in workflow.on);
    expect(proposing.map(({ file }) => file)).toEqual(['.github/workflows/test.yml']);
    for (const { text } of workflows) expect(text).not.toContain('pull_request_target');
    for (const { text } of proposing) expect(text).not.toContain('configure-aws-credentials');
  });

  it('deploy what was planned, after a person approved it', () => {
    const deploying = read('.github/workflows/deploy.yml');
    expect(deploying.jobs.deploy).toMatchObject({ needs: 'plan', environment: 'production' });
    const runs = (name: string) =>
      deploying.jobs[name]?.steps.flatMap(({ run }) => run ?? []).join('\n') ?? '';
    expect(runs('plan')).toContain('deploy:plan');
    expect(runs('plan')).not.toMatch(/npm run deploy$/m);
    expect(runs('deploy')).toMatch(/npm run deploy\n(?:.*\n)*.*deploy:smoke/);
    expect(runs('deploy')).not.toContain('deploy:plan');
  });
});
