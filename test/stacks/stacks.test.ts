import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readSettings } from '../../lambdas/settings.ts';
import { deploy } from '../../lib/stacks/application.ts';
import { handlerNames, placeholderOf } from '../../lib/stacks/bundles.ts';
import { dutyOf } from '../../lib/stacks/duties.ts';
import { synthesis, templateOf } from './synthesized.ts';

const { app, output } = synthesis;
const stored = templateOf('case-file');
const approving = templateOf('approvals');
const running = templateOf('workflow');
const file = readFileSync('statemachines/care-event.asl.json', 'utf8');
const handlers = handlerNames('lambdas');

const functionSchema = z.object({
  Properties: z.object({
    FunctionName: z.string(),
    Timeout: z.number(),
    MemorySize: z.number(),
    Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
  }),
});
const functions = Object.values(running.findResources('AWS::Lambda::Function')).map(
  (resource) => functionSchema.parse(resource).Properties,
);

describe('the machine', () => {
  const [machine] = Object.values(running.findResources('AWS::StepFunctions::StateMachine'));

  it('is the one of the file, word for word, so that a change of it shows in the template', () => {
    expect(machine?.Properties.DefinitionString).toBe(file);
  });

  it('has a function for every placeholder of the file', () => {
    const substitutions = Object.keys(machine?.Properties.DefinitionSubstitutions);
    const placeholders = [...file.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
    expect(placeholders.length).toBeGreaterThan(0);
    for (const name of placeholders) expect(substitutions).toContain(name);
  });

  it('logs every event, but no data: a token would be in it', () => {
    running.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      LoggingConfiguration: { Level: 'ALL', IncludeExecutionData: false },
      TracingConfiguration: { Enabled: true },
    });
  });
});

describe('the functions', () => {
  it('are one for each handler, on Node 24 and ARM', () => {
    expect(functions.map(({ FunctionName }) => FunctionName).sort()).toEqual(
      handlers.map((name) => `caregate-${name}`),
    );
    running.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'handler.handler',
    });
  });

  it('end before the machine gives up on them', () => {
    const machine: { States: Record<string, { TimeoutSeconds?: number }> } = JSON.parse(file);
    const states = Object.values(machine.States).map(({ TimeoutSeconds = 300 }) => TimeoutSeconds);
    for (const { Timeout } of functions) expect(Timeout).toBeLessThan(Math.min(...states));
  });

  it('get every setting that they read', () => {
    for (const { Environment } of functions) {
      // What the template fills in at deployment is an object here, and a text by then.
      const settings = Object.entries(Environment.Variables).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : 'https://filled-in.example',
      ]);
      expect(readSettings(Object.fromEntries(settings)).CAREGATE_RULES_DIR).toBe('/opt/rules');
    }
  });

  it('are bundled whole: each loads where nothing is installed, and exports a handler', () => {
    const urls = handlers.map((name) => pathToFileURL(join(output, 'bundles', name, 'handler.mjs')).href);
    const program = `for (const url of ${JSON.stringify(urls)}) console.log(typeof (await import(url)).handler)`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: output,
      encoding: 'utf8',
    });
    expect(child.stderr).toBe('');
    expect(child.stdout.trim().split('\n')).toEqual(handlers.map(() => 'function'));
  }, 120_000);

  it('come with the circle and the rules beside them', () => {
    for (const path of ['circles/example-household.yaml', 'rules/policy.yaml', 'rules/constitution.yaml']) {
      expect(existsSync(join(output, 'configuration', path)), path).toBe(true);
    }
  });
});

describe('handlers', () => {
  it('have a duty each, and one that has none is refused', () => {
    for (const name of handlers) expect(dutyOf(name).memory).toBeGreaterThan(0);
    expect(() => dutyOf('stranger')).toFailWithCode('CONFIGURATION_INVALID');
  });
});

describe('what must outlive a release', () => {
  it('is kept when a stack goes', () => {
    for (const type of ['AWS::S3::Bucket', 'AWS::DynamoDB::Table', 'AWS::KMS::Key']) {
      stored.allResources(type, {
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
      });
    }
  });

  it('is three buckets with versions and no public way in', () => {
    stored.resourceCountIs('AWS::S3::Bucket', 3);
    stored.allResourcesProperties('AWS::S3::Bucket', {
      VersioningConfiguration: { Status: 'Enabled' },
      PublicAccessBlockConfiguration: Match.objectLike({
        BlockPublicPolicy: true,
        RestrictPublicBuckets: true,
      }),
    });
  });

  it('is the tables that the code describes', () => {
    stored.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: 'circle', KeyType: 'HASH' },
        { AttributeName: 'case', KeyType: 'RANGE' },
      ],
    });
    stored.hasResourceProperties('AWS::DynamoDB::Table', {
      GlobalSecondaryIndexes: [
        Match.objectLike({
          IndexName: 'queue',
          Projection: { ProjectionType: 'KEYS_ONLY' },
        }),
      ],
    });
  });

  it('is a key that signs as the links are signed', () => {
    approving.hasResourceProperties('AWS::KMS::Key', {
      KeySpec: 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
    });
  });
});

describe('synthesis', () => {
  it('runs as cdk.json says, with nothing to complain about', () => {
    expect(app).toBe('node lib/app.ts');
    expect(synthesis.stderr).toBe('');
  });

  it('names the file and the line of a bad deployment', () => {
    const bad = (deployment: string) => () =>
      deploy(new App({ outdir: output, context: { deployment } }), '.');
    expect(bad('absent.yaml')).toFailWithCode('CONFIGURATION_INVALID');
    expect(bad('rules/circle.example.yaml')).toThrow(
      /`rules\/circle\.example\.yaml` line 1, column 1: `name`/,
    );
  });

  it('names a function by its folder in the way of the file', () => {
    expect(placeholderOf('dispatch')).toBe('DispatchFunction');
    expect(placeholderOf('request-approval')).toBe('RequestApprovalFunction');
  });
});
