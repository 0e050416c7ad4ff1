import { describe, expect, it } from 'vitest';
import { readAssembly } from '../../lib/release/assembly.ts';
import { kindOf, kinds } from '../../lib/release/resources.ts';
import { signals } from '../../lib/signals.ts';
import { stackNames, synthesis, templateOf } from '../stacks/synthesized.ts';
import { writeAssembly } from './assemblies.ts';

const stacks = readAssembly(synthesis.output);

describe('the synthesized stacks', () => {
  it('are read in the order in which they need each other', () => {
    const names = stacks.map(({ name }) => name);
    expect([...names].sort()).toEqual(stackNames.map((name) => `caregate-${name}`).sort());
    for (const { name, dependencies } of stacks) {
      for (const other of dependencies) expect(names.indexOf(other), name).toBeLessThan(names.indexOf(name));
    }
    expect(stacks.flatMap(({ identities }) => identities)).toEqual(['inbox.example']);
  });

  it('are made of kinds that are listed, so that a plan says of each what would be lost', () => {
    const types = [...new Set(stacks.flatMap((stack) => stack.types))].filter(
      (type) => !type.startsWith('Custom::'),
    );
    expect(types.length).toBeGreaterThan(15);
    expect(types.filter((type) => kinds[type] === undefined)).toEqual([]);
  });

  it('retain whatever a release may not replace', () => {
    for (const name of stackNames) {
      const resources: Record<string, { Type: string; DeletionPolicy?: string }> =
        templateOf(name).toJSON().Resources;
      const lost = Object.entries(resources).filter(
        ([, { Type, DeletionPolicy }]) =>
          /^AWS::(?:S3::Bucket|DynamoDB::Table|KMS::Key|Logs::LogGroup)$/.test(Type) &&
          kindOf(Type).holds !== undefined &&
          DeletionPolicy !== 'Retain',
      );
      expect(
        lost.map(([id]) => id),
        name,
      ).toEqual([]);
    }
  });
});

describe('the log groups', () => {
  const groups = stackNames.flatMap((name) =>
    Object.values(templateOf(name).findResources('AWS::Logs::LogGroup')),
  );

  it('are encrypted, kept for as long as the deployment says, and masked', () => {
    expect(groups.length).toBeGreaterThanOrEqual(3);
    for (const { Properties } of groups) {
      expect(Properties.RetentionInDays).toBe(90);
      expect(Properties.KmsKeyId).toBeDefined();
      const [audit, mask] = Properties.DataProtectionPolicy.Statement;
      for (const what of ['EmailAddress', 'Name', 'Address', 'PhoneNumber-GB']) {
        expect(JSON.stringify(mask.DataIdentifier)).toContain(`data-identifier/${what}"`);
      }
      expect(mask.Operation).toEqual({ Deidentify: { MaskConfig: {} } });
      expect(audit.DataIdentifier).toEqual(mask.DataIdentifier);
    }
  });

  it('have every signal counted once', () => {
    const filters = stackNames.flatMap((name) =>
      Object.values(templateOf(name).findResources('AWS::Logs::MetricFilter')),
    );
    const names = filters.map(({ Properties }) => Properties.MetricTransformations[0].MetricName);
    expect(names.sort()).toEqual(Object.values(signals).sort());
  });
});

describe('an assembly', () => {
  it('that is none is refused', () => {
    expect(() => readAssembly('docs')).toFailWithCode('CONFIGURATION_INVALID');
  });

  it('is read without what it does not deploy, each stack with what it imports', async () => {
    const nested = {
      A: {
        Type: 'AWS::X',
        Properties: { a: [{ b: { 'Fn::ImportValue': 'one' } }], c: { 'Fn::ImportValue': 'two' } },
      },
    };
    const read = readAssembly(
      await writeAssembly({ later: { dependencies: ['first'], resources: nested }, first: {} }),
    );
    expect(read.map(({ name, imports, dependencies }) => ({ name, imports, dependencies }))).toEqual([
      { name: 'first', imports: [], dependencies: [] },
      { name: 'later', imports: ['one', 'two'], dependencies: ['first'] },
    ]);
  });
});
