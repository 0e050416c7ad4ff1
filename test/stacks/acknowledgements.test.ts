import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks, HIPAASecurityChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { acknowledgements, checkStacks } from '../../lib/stacks/acknowledgements.ts';
import { CaseFileStack } from '../../lib/stacks/casefile.ts';
import { loadDeployment } from '../../lib/stacks/deployment.ts';
import { stackNames, synthesis } from './synthesized.ts';

interface Noted {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Every acknowledgement that stands on a resource of the synthesized stacks. */
function noted(): { id: string; reason: string }[] {
  return stackNames.flatMap((stack) => {
    const file = join(synthesis.output, `caregate-${stack}.metadata.json`);
    const metadata: Record<string, Noted[]> = JSON.parse(readFileSync(file, 'utf8'));
    return Object.values(metadata)
      .flat()
      .filter(({ type }) => type === 'aws:cdk:acknowledged-rules')
      .flatMap(({ data }) => Object.entries(data).map(([id, reason]) => ({ id, reason })));
  });
}

describe('an acknowledgement', () => {
  it('has a reason, and something that it is about', () => {
    const reasons = new Set(noted().map(({ reason }) => reason));
    for (const { reason } of acknowledgements) {
      expect(reason.length).toBeGreaterThan(40);
      expect(reasons).toContain(reason);
    }
  });

  it('of a wildcard is of an action without resources, of executions, or of one kind of object', () => {
    const wildcards = noted().filter(({ id }) => id.includes('IAM5'));
    expect(wildcards.length).toBeGreaterThan(0);
    for (const { id } of wildcards) {
      expect(id).toMatch(/Resource::(?:\*|arn:[^[\]]+:execution:[\w-]+:\*|[^*[\]]+\/[\w*/.-]+)\]$/);
      // Never a whole bucket.
      expect(id).not.toMatch(/(?:Arn>|Arn[0-9A-F]{8})\/\*\]$/);
    }
  });
});

describe('a finding that nobody acknowledged', () => {
  it('is left over, and no other, for the checks that synthesis runs', () => {
    const outdir = mkdtempSync(join(tmpdir(), 'caregate-nag-'));
    const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
    const app = new App({ outdir, context });
    const deployment = loadDeployment('deployment.example.yaml');
    const caseFile = new CaseFileStack(app, 'caregate-case-file', { deployment });
    new Bucket(new Stack(app, 'caregate-stray'), 'Open');
    checkStacks(app, 'caregate', caseFile);
    const found = [new AwsSolutionsChecks(app), new HIPAASecurityChecks(app)].map((pack) => {
      const paths = pack
        .validateScope(app)
        .violations.flatMap(({ violatingResources }) => violatingResources);
      return [pack.name, [...new Set(paths.map(({ constructPath }) => constructPath))]];
    });
    rmSync(outdir, { recursive: true, force: true });
    const stray = ['caregate-stray/Open/Resource'];
    expect(app.policyValidationBeta1.map(({ name }) => name)).toEqual(['AwsSolutions', 'HIPAA.Security']);
    expect(found).toEqual([
      ['AwsSolutions', stray],
      ['HIPAA.Security', stray],
    ]);
  });
});

// CloudFormation's own rules take three seconds to load.
describe.runIf(process.env.CAREGATE_FULL === '1')('a template that CloudFormation would refuse', () => {
  it('fails synthesis where its own rules are asked for', () => {
    const outdir = mkdtempSync(join(tmpdir(), 'caregate-rules-'));
    const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
    const broken = (builtinCloudFormationValidation: boolean) => () => {
      const app = new App({ outdir, context, builtinCloudFormationValidation });
      new CfnResource(new Stack(app, 'broken'), 'Queue', {
        type: 'AWS::SQS::Queue',
        properties: { VisibilityTimeout: 'for ever' },
      });
      app.synth();
    };
    expect(broken(false)).not.toThrow();
    expect(broken(true)).toThrow();
    rmSync(outdir, { recursive: true, force: true });
  }, 60_000);
});
