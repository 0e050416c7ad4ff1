import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { store } from '../../lambdas/parts/casefile.ts';
import { circle } from '../../lambdas/parts/circles.ts';
import { presentable, step } from '../../lambdas/step.ts';
import { CaregateError } from '../../lib/errors.ts';

const secret = 'Dear Rosa, your results are in';
const settings = {
  CAREGATE_CIRCLES: 'rules/circle.example.yaml',
  CAREGATE_RULES_DIR: 'rules',
  CAREGATE_CASE_BUCKET: 'cases',
  CAREGATE_INBOX_BUCKET: 'inbox',
  CAREGATE_CASE_TABLE: 'cases',
  CAREGATE_APPROVAL_TABLE: 'approvals',
  CAREGATE_SIGNING_KEY: 'alias/links',
  CAREGATE_STATE_MACHINE: 'arn:aws:states:eu-west-1:000000000000:stateMachine:cases',
  CAREGATE_NOTIFY_FUNCTION: 'notify',
  CAREGATE_PUBLIC_URL: 'https://care.example',
  CAREGATE_TRIAGE_MODEL: 'amazon.nova-micro-v1:0',
  CAREGATE_EVIDENCE_MODEL: 'amazon.nova-micro-v1:0',
  CAREGATE_PLAN_MODEL: 'amazon.nova-micro-v1:0',
  CAREGATE_GENERATION: 'a test of the steps',
  AWS_REGION: 'eu-west-1',
};
const logged: string[] = [];
beforeEach(() => {
  logged.length = 0;
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    logged.push(String(line));
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const schema = z.object({ action: z.int(), about: z.object({ text: z.string().max(3) }).optional() });
const failing = (error: unknown) => step(schema, {}, () => Promise.reject(error))({ action: 1 });
const thrown = async (error: unknown): Promise<CaregateError> => failing(error).catch((caught) => caught);

describe('a step', () => {
  it('gets its input and the parts of the environment, the same for every call', async () => {
    const named = schema.extend({ circle: z.string() });
    const run = step(named, { store, circle }, async (parts, input) => ({ parts, input }));
    const event = (action: number) => run({ action, circle: 'example-household', more: 2 });
    const [first, second] = [await event(1), await event(2)];
    expect(first.input).toEqual({ action: 1, circle: 'example-household' });
    expect(first.parts.circle.id).toBe('example-household');
    expect(second.parts.store).toBe(first.parts.store);
    expect(second.parts.circle).toBe(first.parts.circle);
    vi.stubEnv('CAREGATE_GENERATION', 'another test of the steps');
    expect((await event(3)).parts.store).not.toBe(first.parts.store);
  });

  it.each([
    ['action', { action: 'one' }],
    ['about.text', { action: 1, about: { text: secret } }],
    ['event', null],
  ])('names the field `%s` of an input that is wrong, and does not quote it', async (field, event) => {
    const error = await step(schema, {}, async () => 'ran')(event).catch((caught) => caught);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', name: 'INVALID_INPUT' });
    expect(error.message).toContain(`\`${field}\``);
    expect(String(error.stack)).not.toContain(secret);
  });

  it('fails with the code of a setting that is missing', async () => {
    vi.stubEnv('CAREGATE_GENERATION', 'a broken one');
    vi.stubEnv('CAREGATE_CASE_BUCKET', '');
    await expect(step(schema, { store }, async () => 'ran')({ action: 1 })).toFailWithCode(
      'CONFIGURATION_INVALID',
    );
  });

  it('lets an error of ours leave with its code and text, without its cause and stack', async () => {
    const error = await thrown(
      new CaregateError('NOT_FOUND', 'object `deliveries/1.json` does not exist', {
        cause: new Error(secret),
      }),
    );
    expect(error).toMatchObject({
      name: 'NOT_FOUND',
      message: 'object `deliveries/1.json` does not exist',
    });
    expect(error.cause).toBeUndefined();
    expect(error.stack).toBe('NOT_FOUND: object `deliveries/1.json` does not exist');
  });

  it.each([
    ['RangeError', new RangeError(secret)],
    ['string', secret],
    ['object', { secret }],
    ['undefined', undefined],
  ])('lets another error leave as unexpected, by its kind alone: %s', async (kind, given) => {
    const error = await thrown(given);
    expect(error).toMatchObject({ name: 'UNEXPECTED', code: 'UNEXPECTED' });
    expect(error.message).toContain(`\`${kind}\``);
    expect(`${error.message}${error.stack}${error.cause}`).not.toContain(secret);
    expect(logged.join('')).toContain(`"kind":"${kind}"`);
    expect(logged.join('')).not.toContain(secret);
  });

  it('cuts a kind short that is longer than a name', () => {
    const error = Object.assign(new Error(secret), { name: 'E'.repeat(300) });
    expect(presentable(error).message.length).toBeLessThan(150);
  });
});
