import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { prepareChangeSet } from '../../lib/release/toolkit.ts';
import { temporaryDirectory } from '../support/endpoints.ts';
import { bootstrappedAccount } from './bootstrapped.ts';

afterEach(() => vi.unstubAllEnvs());

// The CDK's own command line takes seconds to start, so that it is asked in the full run; the commands that it is given
// are looked at in every run.
describe.runIf(process.env.CAREGATE_FULL === '1')('the real toolkit', () => {
  it('uploads the assets and has a change set of that name made, and executes nothing', async () => {
    const directory = await temporaryDirectory();
    const assembly = join(directory, 'assembly');
    const app = new App({ outdir: assembly });
    new Bucket(new Stack(app, 'probe', { env: { region: 'eu-west-1' } }), 'Store');
    app.synth();
    const { url, asked } = await bootstrappedAccount();
    vi.stubEnv('AWS_ENDPOINT_URL', url);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAOFATEST');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 's');
    vi.stubEnv('HOME', directory);
    await prepareChangeSet({ root: process.cwd(), assembly }, 'probe', 'caregate-aaaaaaaaaaaa');
    const actions = asked.map(({ action }) => action);
    const made = asked.find(({ action }) => action === 'CreateChangeSet');
    expect(made?.form.get('ChangeSetName')).toBe('caregate-aaaaaaaaaaaa');
    expect(made?.form.get('RoleARN')).toContain('cfn-exec-role');
    expect(actions).toContain('PUT');
    expect(actions).not.toContain('ExecuteChangeSet');
    expect(actions.filter((action) => /^(?:Update|Delete|CreateStack)/.test(action))).toEqual([]);
  }, 120_000);
});
