import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { modelSettings } from '../../lib/model/models.ts';
import { loadDeployment, modelSetting, modelsOf } from '../../lib/stacks/deployment.ts';

const folder = mkdtempSync(join(tmpdir(), 'caregate-deployment-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const example = readFileSync('deployment.example.yaml', 'utf8');
const household = readFileSync('rules/circle.example.yaml', 'utf8');
let written = 0;

function write(text: string): string {
  written += 1;
  const file = join(folder, `${written}.yaml`);
  writeFileSync(file, text);
  return file;
}

/** The example with one text replaced, which must be in it. */
function changed(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

/** What is said of the example deployment after a change of it. */
function complaint(from: string, to: string): string {
  return complaintOf(write(changed(example, from, to)));
}

/** The example deployment after a change of it. */
function loadedWith(from: string, to: string) {
  return loadDeployment(write(changed(example, from, to)));
}

function complaintOf(file: string): string {
  const load = () => loadDeployment(file);
  expect(load).toFailWithCode('CONFIGURATION_INVALID');
  try {
    load();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
}

/** What is said of a deployment with the example's circle, changed. */
function circleComplaint(from: string, to: string): string {
  const circle = write(changed(household, from, to));
  return complaintOf(write(changed(example, 'rules/circle.example.yaml', circle)));
}

describe('the example', () => {
  const deployment = loadDeployment('deployment.example.yaml');

  it('is a deployment of the example circle', () => {
    expect(deployment.circles.map(({ circle }) => circle.id)).toEqual(['example-household']);
    expect(deployment.mail).toMatchObject({ displace: false, sending: 'off' });
  });

  it('hands each stage the settings of its model, without what only the policies need', () => {
    const { id, choice } = modelSettings(modelSetting(deployment.models.plan));
    expect({ id, choice }).toEqual({ id: 'eu.amazon.nova-2-lite-v1:0', choice: 'any' });
    expect(modelSetting(deployment.models.plan)).not.toContain('regions');
  });
});

describe('a field that is wrong', () => {
  it.each([
    ['region: eu-west-1', 'region: eu-nowhere-1', /line 6, column 1: `region`: write a region .*`eu-west-1`/],
    ['name: caregate', 'name: Caregate!', /`name`: write a name/],
    ['domain: inbox.example', 'domain: not a domain', /`mail\.domain`: write the domain .*`care\.example`/],
    ['sending: off', 'sending: maybe', /`mail\.sending`: write `on` or `off`/],
    ['displace: false', 'displace: perhaps', /`mail\.displace`: write `true` or `false`/],
    [
      'operator@family.example',
      'operator',
      /`operator\.email`: write the address .*`operator@family\.example`/,
    ],
    ['monthlyBudget: 20', 'monthlyBudget: 0', /`operator\.monthlyBudget`: write US dollars .* from 1 to/],
    ['caseFileDays: 365', 'caseFileDays: ever', /`retention\.caseFileDays`: write the days .* whole number/],
    ['logDays: "90"', 'logDays: "91"', /`retention\.logDays`: write `30` or `90` or `180` or `365`/],
    ['sweepMinutes: 15', 'sweepMinutes: 1', /`sweepMinutes`: write the minutes .* from 5 to 60/],
    ['# account: "111122223333"', 'account: 12', /`account`: write the twelve digits/],
    ['mailFrom: bounce', 'sender: bounce', /column 3: the key `sender` is unknown/],
    ['  - rules/circle.example.yaml', '  []', /`circles`: write at least one circle file/],
  ])('is refused with its path and what to write: %s → %s', (from, to, what) => {
    expect(complaint(from, to)).toMatch(what);
  });

  it('is refused when it is missing, and when the file is', () => {
    expect(complaint('rules: rules\n', '')).toMatch(/`rules`: write the path of the folder/);
    expect(complaintOf(join(folder, 'absent.yaml'))).toMatch(
      /name a readable file with `-c deployment=FILE`/,
    );
  });
});

describe('a model', () => {
  const triage = /triage: \{.*\}/.exec(example)?.[0] ?? '';

  it('that cannot be forced to use a tool is refused', () => {
    const free = 'triage: { id: amazon.nova-2-lite-v1:0, choice: auto }';
    expect(complaint(triage, free)).toMatch(
      /`models\.triage\.choice`: this model cannot be forced .*write an id whose choice is `tool` or `any`/,
    );
  });

  it('whose capabilities are not understood is refused where it stands', () => {
    const odd = 'triage: { id: amazon.nova-2-lite-v1:0, choice: sometimes }';
    expect(complaint(triage, odd)).toMatch(/line \d+, column \d+: `models\.triage`: /);
  });

  it('that cannot be forced is taken if that is said to be meant', () => {
    const free = { id: 'other.model', choice: 'auto', unforced: true };
    const { models } = loadedWith(triage, `triage: ${JSON.stringify(free)}`);
    expect(modelSettings(modelSetting(models.triage))).toMatchObject(free);
  });

  it('that is fallen back on is held to the same, and is asked by the same stage', () => {
    const first = 'id: amazon.nova-2-lite-v1:0, fallback';
    expect(complaint(triage, `triage: { ${first}: { id: amazon.nova-pro-v1:0, choice: auto } }`)).toMatch(
      /`models\.triage\.fallback\.choice`: this model cannot be forced/,
    );
    expect(complaint(triage, `triage: { ${first}: { id: eu.amazon.nova-pro-v1:0 } }`)).toMatch(
      /`models\.triage\.fallback\.regions`: missing/,
    );
    const regions = ['eu-west-1'];
    const { models } = loadedWith(
      triage,
      `triage: { ${first}: { id: eu.amazon.nova-pro-v1:0, regions: [eu-west-1] } }`,
    );
    expect(modelsOf(models.triage)).toMatchObject([
      { id: 'amazon.nova-2-lite-v1:0' },
      { id: 'eu.amazon.nova-pro-v1:0', regions },
    ]);
    expect(modelSettings(modelSetting(models.triage)).fallback).toMatchObject({
      id: 'eu.amazon.nova-pro-v1:0',
    });
  });

  it('behind an inference profile needs the regions of the profile', () => {
    expect(complaint(triage, 'triage: { id: eu.amazon.nova-2-lite-v1:0 }')).toMatch(
      /`models\.triage\.regions`: missing; write the regions/,
    );
    expect(complaint(triage, 'triage: { id: eu.amazon.nova-2-lite-v1:0, regions: [europe] }')).toMatch(
      /`models\.triage\.regions\.0`: write a region/,
    );
  });
});

describe('pages of a domain of their own', () => {
  const certificate = 'arn:aws:acm:eu-west-1:111122223333:certificate/00000000-0000-0000-0000-000000000000';

  it('need a certificate of the same region', () => {
    expect(complaint('  # domain: care.family.example', '  domain: care.family.example')).toMatch(
      /`pages\.certificate`: missing; write the ARN/,
    );
    const elsewhere = certificate.replace('eu-west-1', 'us-east-1');
    expect(complaint(`  # certificate: ${certificate}`, `  certificate: ${elsewhere}`)).toMatch(
      /`pages\.certificate`: is in another region; write one of `eu-west-1`/,
    );
  });
});

describe('a circle', () => {
  it('without an owner is refused in its own file', () => {
    expect(circleComplaint('[owner, caregiver]', '[caregiver]')).toMatch(
      /line \d+, column \d+: `people`: nobody is the owner; write `owner` among the roles of one person/,
    );
  });

  it('with a wrong address is refused in its own file', () => {
    expect(circleComplaint('maya@family.example', 'maya at family')).toMatch(/line \d+.*`people\.0\.email`/);
  });

  it('that cannot be read is refused', () => {
    expect(complaint('rules/circle.example.yaml', 'rules/absent.yaml')).toMatch(
      /circle `rules\/absent\.yaml` cannot be read/,
    );
  });

  it('receives and sends at the domain of the deployment', () => {
    expect(circleComplaint('inbox: care@inbox.example', 'inbox: care@elsewhere.example')).toMatch(
      /line 11, column \d+: `inbox` of .* write one that ends in `@inbox\.example`/,
    );
  });

  it('sends letters from another address than notices', () => {
    expect(circleComplaint('rosa.winterbourne@inbox.example', 'caregate@inbox.example')).toMatch(
      /`senders` of .* are one address; write another for `letters`/,
    );
  });

  it('is told from the other circles by its id, its inbox and its senders', () => {
    const second = (text: string): string => {
      const both = `rules/circle.example.yaml\n  - ${write(text)}`;
      return complaintOf(write(changed(example, 'rules/circle.example.yaml', both)));
    };
    expect(second(household)).toMatch(/line 12, column \d+: `id` of .* is the one of/);
    const renamed = changed(household, 'id: example-household', 'id: another-household');
    expect(second(renamed)).toMatch(/`inbox` of .* is the one of/);
    const moved = changed(renamed, 'inbox: care@', 'inbox: other@');
    const swapped = changed(
      changed(moved, 'caregate@inbox.example', 'second@inbox.example'),
      'letters: rosa.winterbourne@inbox.example',
      'letters: caregate@inbox.example',
    );
    expect(second(swapped)).toMatch(/`senders` of .* for the other purpose/);
  });

  it('may be one of several', () => {
    const text = changed(
      changed(household, 'id: example-household', 'id: another-household'),
      'inbox: care@',
      'inbox: other@',
    );
    const both = `rules/circle.example.yaml\n  - ${write(text)}`;
    const deployment = loadDeployment(write(changed(example, 'rules/circle.example.yaml', both)));
    expect(deployment.circles.map(({ circle }) => circle.id)).toEqual([
      'example-household',
      'another-household',
    ]);
  });
});
