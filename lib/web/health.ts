import {
  DescribeActiveReceiptRuleSetCommand,
  GetAccountSendingEnabledCommand,
  type SESClient,
} from '@aws-sdk/client-ses';
import { Hono } from 'hono';
import { html } from 'hono/html';
import * as z from 'zod';
import type { Clock } from '../provenance/clock.ts';
import { digestOf } from '../provenance/digest.ts';
import { withEndings, withHeaders } from './middleware.ts';
import { type Html, shell } from './shell.ts';

/** What runs, for whoever wants to compare it with what was to run. No person, no address and no circle is in it. */
export const healthSchema = z.strictObject({
  status: z.literal('ok'),
  /** The commit that the functions were built from, or `none` where nobody said. */
  commit: z.string(),
  /** A model's id by the stage that asks it. */
  models: z.record(z.string(), z.string()),
  /** Whether letters leave: the deployment may say that they do not, and the account may be stopped. */
  sending: z.enum(['on', 'off', 'unknown']),
  /** Whether the set of receiving rules that is active is this deployment's. */
  ruleSet: z.enum(['active', 'inactive', 'unknown']),
  /** The digest of the policy; of the list of them where there are several circles. */
  policy: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Health = z.infer<typeof healthSchema>;

export interface HealthDeps {
  readonly ses: SESClient;
  readonly clock: Clock;
  readonly commit: string;
  readonly models: Readonly<Record<string, string>>;
  /** Whether letters leave, as far as the deployment says it. */
  readonly sending: 'on' | 'off';
  /** The name of this deployment's set of receiving rules. */
  readonly ruleSet: string | undefined;
  /** The policy digest of each circle. */
  readonly policies: readonly string[];
  /** Told of a failure by its kind alone. */
  readonly log?: (code: string) => void;
}

/** How long the mail service's answer holds, in milliseconds: it takes one question a second, and anybody may ask us. */
const freshFor = 60_000;

type MailState = Pick<Health, 'sending' | 'ruleSet'>;

/** The page that says what runs, as JSON, and for a browser as a page. It reads, and changes nothing. */
export function createHealth(deps: HealthDeps): Hono {
  const app = new Hono();
  withHeaders(app);
  withEndings(app, deps);
  app.get('/healthz', async (context) => {
    const health = await healthOf(deps);
    const wanted = context.req.header('accept') ?? '';
    return wanted.includes('text/html') ? context.html(healthPage(health)) : context.json(health);
  });
  return app;
}

async function healthOf(deps: HealthDeps): Promise<Health> {
  const { commit, models, policies } = deps;
  const [only, ...others] = [...policies].sort();
  const policy = only !== undefined && others.length === 0 ? only : digestOf([...policies].sort());
  const state = await mailStateOf(deps);
  const sending = deps.sending === 'off' ? 'off' : state.sending;
  return { status: 'ok', commit, models: { ...models }, sending, ruleSet: state.ruleSet, policy };
}

const kept = new WeakMap<SESClient, { readonly until: number; readonly state: Promise<MailState> }>();

/** The mail service is asked once a minute, however often the page is. */
async function mailStateOf(deps: HealthDeps): Promise<MailState> {
  const now = deps.clock.now();
  const before = kept.get(deps.ses);
  if (before !== undefined && now < before.until) return before.state;
  const state = askMailService(deps);
  kept.set(deps.ses, { until: now + freshFor, state });
  return state;
}

/** A mail service that does not answer makes the page say so, not fail: what runs is known all the same. */
async function askMailService({ ses, ruleSet }: HealthDeps): Promise<MailState> {
  const [sending, active] = await Promise.allSettled([
    ses.send(new GetAccountSendingEnabledCommand({})),
    ses.send(new DescribeActiveReceiptRuleSetCommand({})),
  ]);
  const isOurs = (name: string | undefined) => name !== undefined && name === ruleSet;
  return {
    sending: sending.status === 'rejected' ? 'unknown' : sending.value.Enabled === true ? 'on' : 'off',
    ruleSet:
      active.status === 'rejected' ? 'unknown' : isOurs(active.value.Metadata?.Name) ? 'active' : 'inactive',
  };
}

function healthPage({ commit, models, sending, ruleSet, policy }: Health): Html {
  const rows: readonly (readonly [string, string])[] = [
    ['Commit', commit],
    ...Object.entries(models).map(([stage, id]): [string, string] => [`Model for ${stage}`, id]),
    ['Sending mail', sending],
    ['Receiving rules', ruleSet],
    ['Policy', policy],
  ];
  return shell(
    'What runs',
    html`<h1>What runs</h1>
<div class="card"><dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></div>`,
  );
}
