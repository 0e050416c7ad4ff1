import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import { cannotBeForced, modelSettings } from '../model/models.ts';
import { type Configuration, readConfiguration, readConfigurationText } from '../provenance/configuration.ts';
import { circleFaults, type DeployedCircle, readCircle } from './circles.ts';
import { modelRegionPattern, receivingRegions } from './regions.ts';

/** A problem is said with what to write instead, whether the value is missing, of another type, or of no good form. */
const text = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error });
const whole = (least: number, most: number, what: string) => {
  const error = `write ${what} as a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
};
const choice = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: `write ${values.map((value) => `\`${value}\``).join(' or ')}` });
const domain = (what: string) =>
  text(
    /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    `write ${what} in lower case, such as \`care.example\``,
  );
const path = (what: string) => text(/./, `write the path of ${what}`);
const name = (what: string) =>
  text(
    /^[a-z][a-z0-9-]{1,20}$/,
    `write ${what}: 2 to 21 lower-case letters, digits and hyphens, a letter first`,
  );

const oneModel = z.looseObject({
  id: text(
    /^[\w.:/-]+$/,
    'write the id of a model or of an inference profile, such as `eu.amazon.nova-2-lite-v1:0`',
  ),
  /** An inference profile's: where it may have its model run. */
  regions: z
    .array(text(modelRegionPattern, 'write a region, such as `eu-central-1`'), {
      error: 'write the list of regions whose models the inference profile `id` uses',
    })
    .min(1, { error: 'write at least one region' })
    .optional(),
});
/** The model of a stage, and the one that is asked while that one is throttled or away. */
const model = oneModel.extend({ fallback: oneModel.optional() });

const deploymentSchema = z.strictObject(
  {
    name: name('a name that goes before the name of every function'),
    region: z.enum(receivingRegions, {
      error: `write a region that SES receives mail in: ${receivingRegions.map((one) => `\`${one}\``).join(', ')}`,
    }),
    account: text(/^\d{12}$/, 'write the twelve digits of the account in quotes, or leave it out').optional(),
    circles: z
      .array(path("a circle's file"), { error: "write the list of the circles' files" })
      .min(1, { error: 'write at least one circle file' }),
    rules: path('the folder of `policy.yaml` and `constitution.yaml`'),
    mail: z.strictObject(
      {
        domain: domain('the domain that mail comes to'),
        mailFrom: text(/^[a-z0-9-]{1,63}$/, 'write one label, such as `bounce`').default('bounce'),
        ruleSet: text(/^[A-Za-z0-9_-]{1,64}$/, 'write a name of letters, digits, `_` and `-`'),
        displace: z.boolean({ error: 'write `true` or `false`' }).default(false),
        sending: choice(['on', 'off']),
      },
      { error: 'write `domain`, `ruleSet` and `sending`' },
    ),
    pages: z
      .strictObject({
        domain: domain("the pages' own domain").optional(),
        certificate: text(
          /^arn:aws:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]{36}$/,
          "write the ARN of a certificate for `pages.domain` in the deployment's region",
        ).optional(),
        requestsPerSecond: whole(1, 1000, "the pages' throttle").default(10),
      })
      .prefault({}),
    models: z.strictObject(
      { triage: model, evidence: model, plan: model },
      { error: 'write `triage`, `evidence` and `plan`, each with an `id`' },
    ),
    retention: z
      .strictObject({
        caseFileDays: whole(1, 36_500, 'the days in which nothing of the case file can be deleted').default(
          365,
        ),
        inboxDays: whole(30, 3650, 'the days that the inbox keeps a mail').default(180),
        logDays: choice(['30', '90', '180', '365']).default('90'),
      })
      .prefault({}),
    operator: z.strictObject(
      {
        email: z.email({ error: 'write the address that alarms go to, such as `operator@family.example`' }),
        monthlyBudget: whole(1, 100_000, 'US dollars a month').default(20),
      },
      { error: 'write `email`, and `monthlyBudget` if 20 US dollars a month are not right' },
    ),
    sweepMinutes: whole(5, 60, 'the minutes between two sweeps').default(15),
  },
  { error: 'write the keys of deployment.example.yaml' },
);

/** What one deployment is configured with, and the circles that it serves. */
export type Deployment = Omit<z.infer<typeof deploymentSchema>, 'circles'> & {
  readonly circles: readonly DeployedCircle[];
};
/** One stage's model as it is configured: `id`, `regions`, and whatever `modelSettings` takes. */
export type StageModel = Deployment['models']['plan'];
export const modelStages = ['triage', 'evidence', 'plan'] as const;
export type ModelStage = (typeof modelStages)[number];

/**
 * Reads the deployment's configuration from a YAML file, and the circles that it names. Paths in it are relative to
 * the working directory.
 * @throws CaregateError `CONFIGURATION_INVALID` with the path of the field, line, column, and what to write instead
 */
export function loadDeployment(file: string): Deployment {
  const configuration = readConfiguration(
    readConfigurationText(
      file,
      `deployment \`${file}\` cannot be read; name a readable file with \`-c deployment=FILE\``,
    ),
    file,
    deploymentSchema,
  );
  const { value } = configuration;
  requireReachable(configuration);
  for (const stage of modelStages) requireForced(configuration, stage);
  const circles = value.circles.map((each) => readCircle(each));
  for (const { at, what } of circleFaults(circles, value.mail.domain)) throw configuration.invalid(at, what);
  return { ...value, circles };
}

/** What `CAREGATE_PLAN_MODEL` and the like are set to: what the stage's function knows of its model. */
export function modelSetting({ regions: _regions, fallback, ...settings }: StageModel): string {
  const { regions: _others, ...other } = fallback ?? { id: '' };
  return JSON.stringify(fallback === undefined ? settings : { ...settings, fallback: other });
}

/** Every model that a stage may ask. */
export function modelsOf({
  fallback,
  ...first
}: StageModel): readonly { id: string; regions?: string[] | undefined }[] {
  return fallback === undefined ? [first] : [first, fallback];
}

type Read = Configuration<z.infer<typeof deploymentSchema>>;

function requireReachable({ value, invalid }: Read): void {
  const { domain: own, certificate } = value.pages;
  if (own !== undefined && certificate === undefined) {
    throw invalid(
      ['pages', 'domain'],
      '`pages.certificate`: missing; write the ARN of a certificate, or leave `domain` out',
    );
  }
  if (certificate !== undefined && certificate.split(':')[3] !== value.region) {
    throw invalid(
      ['pages', 'certificate'],
      `\`pages.certificate\`: is in another region; write one of \`${value.region}\``,
    );
  }
}

/** A model that answers in prose when it likes would park every second mail: each stage has one that can be forced. */
function requireForced({ value, invalid }: Read, stage: ModelStage): void {
  const configured = value.models[stage];
  const settings = settingsOf(configured, (what) =>
    invalid(['models', stage], `\`models.${stage}\`: ${what}`),
  );
  requireUsable(configured, settings, ['models', stage], invalid);
  if (configured.fallback !== undefined && settings.fallback !== undefined) {
    requireUsable(configured.fallback, settings.fallback, ['models', stage, 'fallback'], invalid);
  }
}

function requireUsable(
  { id, regions }: { id: string; regions?: string[] | undefined },
  settings: Parameters<typeof cannotBeForced>[0],
  at: readonly string[],
  invalid: Read['invalid'],
): void {
  const name = at.join('.');
  if (cannotBeForced(settings)) {
    throw invalid(
      [...at, 'choice'],
      `\`${name}.choice\`: this model cannot be forced to use a tool; write an id whose choice is \`tool\` or \`any\`, or \`unforced: true\` beside it if that is meant`,
    );
  }
  if (/^(?:us|eu|apac|jp|au|ca|global|us-gov)\./.test(id) && regions === undefined) {
    throw invalid(
      at,
      `\`${name}.regions\`: missing; write the regions of the inference profile, such as \`[eu-central-1, eu-west-1]\``,
    );
  }
}

function settingsOf(configured: StageModel, invalid: (what: string) => CaregateError) {
  try {
    return modelSettings(modelSetting(configured));
  } catch (error) {
    throw error instanceof CaregateError ? invalid(error.message) : error;
  }
}
