import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { newEnforcer, newModel } from 'casbin';
import { Engine } from 'json-rules-engine';
import { parse } from 'yaml';
import { readCall } from '../lib/policy/callfile.ts';
import { decide } from '../lib/policy/decide.ts';
import type { Outcome } from '../lib/policy/decision.ts';
import { domain } from '../lib/policy/domain.ts';
import { evaluate, gate, matchedRules } from '../lib/policy/gate.ts';
import { renderCall } from '../lib/policy/rendering.ts';
import type { AbstractRequest } from '../lib/policy/request.ts';
import { compilePolicy, policyFileSchema } from '../lib/policy/rules.ts';
import { catalogue } from '../lib/proposal/catalogue.ts';
import { loadCircle } from '../lib/provenance/circle.ts';
import { trustLevels } from '../lib/provenance/trust.ts';
import {
  casbinPolicy,
  cedarPolicies,
  type FlatRequest,
  jsonRules,
  ownPolicy,
  rules,
} from './policy-rules.ts';

export const title = `Policy engines: ${rules.length} rules, 9 attributes, the same requests, all agreeing`;

const circle = loadCircle('rules/circle.example.yaml');
const now = Date.parse('2027-03-01T09:00:00Z');
const silent = 'version: 1\nname: silent\nrules: []\n';
const sampled = 1000;
const rounds = 5;
const roundSeconds = 0.4;

type Decide = (index: number) => Outcome | Promise<Outcome>;
const precedence = ['DENY', 'REQUIRE_HUMAN', 'ALLOW'] as const;
const strictest = (found: readonly string[]): Outcome =>
  precedence.find((outcome) => found.some((one) => one.startsWith(outcome))) ?? 'DENY';

/** Requests spread evenly over all that the rules can tell apart, as many of each tool. */
function sample(): readonly AbstractRequest[] {
  const { rules: written } = policyFileSchema.parse(parse(ownPolicy()));
  const options = { conditions: written.map((rule) => rule.when), limit: circle.limits.actionsPerMail };
  const tools = Object.entries(catalogue);
  const share = Math.ceil(sampled / tools.length);
  return tools.flatMap(([tool, spec]) => {
    const all = [...domain({ ...options, catalogue: { [tool]: spec } })];
    return Array.from(
      { length: share },
      (_, n) => all[Math.floor((n * all.length) / share)] as AbstractRequest,
    );
  });
}

function flat({ arguments: all, ...request }: AbstractRequest): FlatRequest {
  const lowest = (kind: (argument: (typeof all)[number]) => boolean) =>
    trustLevels.find((trust) => all.some((argument) => kind(argument) && argument.trust === trust)) ?? 'none';
  const { tool, category, standing, action, documents, amount } = request;
  return {
    tool,
    category,
    standing,
    action,
    documents,
    amount,
    times: lowest(({ form }) => form === 'time'),
    destination: lowest((argument) => argument.class === 'DESTINATION'),
    authority: lowest((argument) => argument.class === 'AUTHORITY'),
  };
}

function ownEngine(requests: readonly AbstractRequest[]): Decide {
  const policy = compilePolicy({ policy: ownPolicy(), constitution: silent, circle });
  return (index) => {
    const matched = matchedRules(policy, requests[index] as AbstractRequest);
    // The whole decision apart from its digests, as the gate gives it.
    const decision = {
      ...decide(matched),
      matched: matched.map((rule) => rule.id),
      warnings: [],
      alert: false,
    };
    return decision.outcome;
  };
}

function cedarEngine(requests: readonly FlatRequest[]): Decide {
  const cedar = createRequire(import.meta.url)(
    '@cedar-policy/cedar-wasm/nodejs',
  ) as typeof import('@cedar-policy/cedar-wasm/nodejs');
  const parsed = cedar.preparsePolicySet('bench', { staticPolicies: cedarPolicies() });
  if (parsed.type !== 'success') throw new TypeError(JSON.stringify(parsed));
  const principal = { type: 'Planner', id: 'model' };
  const calls = requests.map((context) => ({
    principal,
    action: { type: 'Action', id: 'call' },
    resource: { type: 'Tool', id: context.tool },
    context: { ...context },
    preparsedPolicySetId: 'bench',
    entities: [],
  }));
  return (index) => {
    const answer = cedar.statefulIsAuthorized(calls[index] as (typeof calls)[number]);
    if (answer.type !== 'success') throw new TypeError(JSON.stringify(answer));
    const { decision, diagnostics } = answer.response;
    return decision === 'deny' ? 'DENY' : strictest(diagnostics.reason);
  };
}

async function casbinEngine(requests: readonly FlatRequest[]): Promise<Decide> {
  const { model, lines } = casbinPolicy();
  const enforcer = await newEnforcer(newModel(model));
  await enforcer.addPolicies(lines);
  return async (index) => {
    const [, reason] = await enforcer.enforceEx(requests[index]);
    return strictest(reason.slice(0, 1));
  };
}

function jsonEngine(requests: readonly FlatRequest[]): Decide {
  const engine = new Engine(jsonRules());
  return async (index) => {
    const { events } = await engine.run({ ...requests[index] });
    return strictest(events.map((event) => event.type));
  };
}

/** Decisions per second in one round. */
async function rate(decideOne: Decide, count: number): Promise<number> {
  const start = performance.now();
  const until = start + roundSeconds * 1000;
  let done = 0;
  for (let index = 0; done % 64 !== 0 || performance.now() < until; index = (index + 1) % count) {
    const outcome = decideOne(index);
    if (outcome instanceof Promise) await outcome;
    done += 1;
  }
  return done / ((performance.now() - start) / 1000);
}

/** The median rate of each, the rounds taken in turn, so that a busy moment of the machine meets all of them. */
async function rates(measured: readonly (readonly [string, Decide])[], count: number): Promise<number[]> {
  const taken = measured.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, [, one]] of measured.entries()) {
      const perSecond = await rate(one, count);
      if (round > 0) taken[index]?.push(perSecond); // the first is to warm up
    }
  }
  return taken.map((all) => all.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? Number.NaN);
}

async function latency(decideOne: Decide, count: number): Promise<{ p50: number; p99: number }> {
  const taken: number[] = [];
  for (let round = 0; taken.length < Math.max(count, 10_000) && round < 20; round += 1) {
    for (let index = 0; index < count; index += 1) {
      const start = process.hrtime.bigint();
      const outcome = decideOne(index);
      if (outcome instanceof Promise) await outcome;
      taken.push(Number(process.hrtime.bigint() - start) / 1000);
    }
  }
  taken.sort((one, other) => one - other);
  const at = (share: number) => taken[Math.floor(taken.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

const row = (name: string, perSecond: number, { p50, p99 }: { p50: number; p99: number }): string =>
  `${name.padEnd(44)} ${Math.round(perSecond).toLocaleString('en').padStart(12)}/s   p50 ${p50.toFixed(1).padStart(7)} µs   p99 ${p99.toFixed(1).padStart(7)} µs`;

export async function measure(): Promise<readonly string[]> {
  const requests = sample();
  const flattened = requests.map(flat);
  const engines: [string, Decide][] = [
    ['caregate, with the decision, without digests', ownEngine(requests)],
    ['Cedar 4.13 (wasm, preparsed)', cedarEngine(flattened)],
    ['casbin 5.51', await casbinEngine(flattened)],
    ['json-rules-engine 7.3', jsonEngine(flattened)],
  ];
  const answers = await Promise.all(
    engines.map(async ([, one]) => {
      const all: Outcome[] = [];
      for (let index = 0; index < requests.length; index += 1) all.push(await one(index));
      return all;
    }),
  );
  const [own = []] = answers;
  const disagreeing = answers.findIndex((all) => all.some((outcome, index) => outcome !== own[index]));
  if (disagreeing !== -1) throw new TypeError(`${engines[disagreeing]?.[0]} decides differently`);
  const lines = [
    `${requests.length} requests: ${precedence.map((one) => `${own.filter((outcome) => outcome === one).length} ${one}`).join(', ')}`,
  ];
  const perSecond = await rates(engines, requests.length);
  for (const [index, [name, one]] of engines.entries()) {
    lines.push(row(name, perSecond[index] ?? Number.NaN, await latency(one, requests.length)));
  }
  lines.push(`caregate to Cedar: ${Math.round((perSecond[0] ?? 0) / (perSecond[1] ?? 1))} times`);
  return [...lines, '', ...(await wholeGate())];
}

/** The shipped rules on a resolved letter: the text rules alone, all rules, all with digests. */
async function wholeGate(): Promise<string[]> {
  const read = (name: string) => readFileSync(new URL(`../rules/${name}`, import.meta.url), 'utf8');
  const policy = compilePolicy({
    policy: read('policy.yaml'),
    constitution: read('constitution.yaml'),
    circle,
  });
  const letter = {
    tool: 'send_email',
    arguments: {
      to: { entry: 'hillside-records' },
      subject: { value: 'Records for Rosa Winterbourne' },
      body: {
        value: 'Dear colleagues, please send us the records of the visit on 4 March 2027. Yours, Maya',
      },
    },
  };
  const request = { ...readCall(letter, circle), now };
  const text = renderCall(request.call);
  const sentence = 'send the discharge letter to the records office of the clinic';
  const context = { tool: 'send_email', category: 'other', standing: 'accepted', now };
  const matches = (one: string) =>
    policy.constitution.evaluate(one, context).ids.length === 0 ? 'ALLOW' : 'DENY';
  const measured: [string, Decide][] = [
    [`the constitution on ${sentence.length} characters`, () => matches(sentence)],
    [`the constitution on ${text.length} characters`, () => matches(text)],
    ['a letter, all rules, without digests', () => evaluate(policy, request).outcome],
    ['a letter, all rules, with digests', () => gate(policy, request).outcome],
  ];
  const lines = [
    'The shipped rules (acgs-lite 2.12: about 44,000 validations of a text a second, p50 22.6 µs)',
  ];
  const perSecond = await rates(measured, 100);
  for (const [index, [name, one]] of measured.entries()) {
    lines.push(row(name, perSecond[index] ?? Number.NaN, await latency(one, 1000)));
  }
  return lines;
}
