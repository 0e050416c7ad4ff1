import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EventLog, eventLog } from '../../lambdas/log.ts';
import { maskText } from '../../lambdas/masking.ts';
import { CaregateError } from '../../lib/errors.ts';
import { functionNames } from '../../lib/local/names.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import { signals } from '../../lib/signals.ts';
import { places } from '../../lib/stacks/places.ts';
import { samples } from '../../samples/index.ts';
import { exampleCircle } from '../support/cases.ts';
import { type EmbeddedOffice, embeddedOffice } from '../support/embedded.ts';

// Everything that the functions would log on AWS is heard here. The logger reads this when it is loaded.
vi.hoisted(() => {
  process.env.POWERTOOLS_LOG_LEVEL = 'DEBUG';
});

const secrets = {
  name: 'Rosalind Featherstone-Haugh',
  address: 'rosalind.featherstone@family.example',
  street: '17 Quince Tree Lane, Ashcombe ZX1 9QQ',
  mail: 'the biopsy of the left kidney showed nothing unusual',
  token: 'AAAAKgAAAAIAAAAAAAAAAa-task-token-of-this-test',
  code: '736251',
  person: 'rosalind-f',
  household: 'featherstone-haugh-household',
} as const;
const personal = [
  ...Object.values(secrets),
  exampleCircle.id,
  exampleCircle.patient.name,
  exampleCircle.inbox,
  ...exampleCircle.people.flatMap(({ id, name, email }) => [
    `/${id}.json`,
    name,
    email,
    name.split(' ')[0] ?? '',
  ]),
  ...exampleCircle.contacts.flatMap(({ id, name, email }) => [id, name, email]),
];

const lines: string[] = [];
const thrown: string[] = [];
const heard = (text: unknown): true => {
  lines.push(String(text));
  return true;
};

/** What of the personal data stands in a text, as it is, as Base64 or percent-encoded. */
function foundIn(text: string): string[] {
  const lower = text.toLowerCase();
  return personal.filter((each) => {
    const forms = [
      each,
      encodeURIComponent(each),
      Buffer.from(each).toString('base64').replace(/=+$/, '').slice(0, -1),
    ];
    return forms.some((form) => lower.includes(form.toLowerCase()));
  });
}

let office: EmbeddedOffice;
const invoke = async (name: string, event: unknown): Promise<void> => {
  const { handler } = await import(`../../lambdas/${name}/handler.ts`);
  try {
    await handler(event, { functionName: name, awsRequestId: 'b7d1' });
  } catch (error) {
    // The runtime logs what a function throws, so it is examined as if it were a line.
    thrown.push(
      error instanceof Error
        ? `${error.name} ${error.message} ${error.stack} ${JSON.stringify(error)}`
        : String(error),
    );
  }
};

const caseId = `c-${'0a'.repeat(16)}`;
const digest = 'ab'.repeat(32);
const all = Object.values(secrets).join(' ');

/** Events that no function can work on, with personal data wherever an event may hold a text. */
const hostile: readonly (readonly [string, unknown])[] = [
  ['a text', all],
  ['nothing', null],
  [
    'fields of no form',
    { circle: secrets.name, case: secrets.address, execution: all, action: all, token: secrets.token },
  ],
  ['fields that are not ours', { [secrets.name]: secrets.mail, nested: { [all]: [all] } }],
  [
    'a circle that is not there',
    { circle: secrets.household, case: caseId, execution: caseId, action: 1, round: 1, token: secrets.token },
  ],
  [
    'a case that is not there',
    {
      circle: exampleCircle.id,
      case: caseId,
      execution: `${caseId}-r1`,
      action: 1,
      round: 1,
      attempt: 1,
      calls: 1,
      run: 1,
      message: digest,
      delivery: { key: `deliveries/${secrets.person}.json`, sha256: digest },
      token: secrets.token,
      reason: secrets.name,
      status: 'verified',
      person: secrets.person,
      kind: 'failed_run',
    },
  ],
  [
    'a mail',
    {
      Records: [
        {
          ses: {
            mail: { messageId: 'm1', source: secrets.address, commonHeaders: { subject: secrets.mail } },
            receipt: { recipients: [secrets.address] },
          },
        },
      ],
    },
  ],
  [
    'news of a run',
    {
      detail: {
        executionArn: `arn:${secrets.name}`,
        name: `${caseId}-r1`,
        status: 'FAILED',
        input: JSON.stringify({ circle: secrets.household, note: all }),
      },
    },
  ],
  [
    'a request',
    {
      version: '2.0',
      rawPath: `/a/${secrets.token}`,
      rawQueryString: '',
      headers: { host: 'care.example', cookie: all },
      requestContext: { http: { method: 'POST', path: `/a/${secrets.token}` } },
      body: `code=${secrets.code}&choice=approve&reason=${encodeURIComponent(all)}`,
      isBase64Encoded: false,
    },
  ],
];

beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockImplementation(heard);
  vi.spyOn(process.stderr, 'write').mockImplementation(heard);
  // The runner listens to the console itself, and on AWS it is a part of the log.
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation(
      (...said: unknown[]) => void heard(`${said.map(String).join(' ')}\n`),
    );
  }
  office = await embeddedOffice();
  const mails = await samples(systemClock, exampleCircle);
  for (const part of ['records', 'stranger']) {
    const sample = mails.find(({ name }) => name.includes(part));
    const report = await office.hand(sample?.raw ?? new Uint8Array(), sample?.from ?? '');
    const [approval] = report.approvals;
    if (approval !== undefined) {
      const link = await office.link(approval.id);
      await office.submit(link, { code: '000000', choice: 'decline', reason: all });
      await office.submit(link, { code: link.code, choice: 'decline', reason: all });
    }
  }
  await office.running.idle();
  for (const name of functionNames) {
    for (const [, event] of hostile) await invoke(name, event);
  }
  vi.restoreAllMocks();
}, 180_000);
afterAll(() => office.running.close());

const parsed = () =>
  lines
    .join('')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('what the functions log', () => {
  it('is one JSON object a line, with service, level and step', () => {
    expect(parsed().length).toBeGreaterThan(100);
    for (const line of parsed())
      expect(line).toMatchObject({ service: 'caregate', level: expect.any(String) });
    const steps = new Set(parsed().map(({ step }) => step));
    for (const name of functionNames.filter((each) => !['web', 'decide', 'health'].includes(each))) {
      expect([...steps], name).toContain(name);
    }
  });

  it('names the case and the run of every event that has them, so that a case is found whole', () => {
    const ended = parsed().filter(({ message, step }) => message === 'a step ended' && step === 'gate');
    expect(ended.length).toBeGreaterThan(0);
    for (const line of ended)
      expect(line).toMatchObject({
        case: expect.stringMatching(/^c-[0-9a-f]{32}$/),
        execution: expect.any(String),
      });
    expect(parsed()).toContainEqual(
      expect.objectContaining({ message: 'a step failed', case: caseId, execution: `${caseId}-r1` }),
    );
  });

  it('holds nothing of a person, a mail, a token or a code, through every function and every failure', () => {
    expect(lines.flatMap((line) => foundIn(line).map((found) => `${found} in ${line}`))).toEqual([]);
  });

  it('nor does what they throw, which the runtime logs', () => {
    expect(thrown.length).toBeGreaterThan(functionNames.length);
    expect(thrown.flatMap((text) => foundIn(text).map((found) => `${found} in ${text}`))).toEqual([]);
  });

  it('is searched by a search that finds', () => {
    expect(foundIn(`{"text":"${secrets.name}"}`)).toContain(secrets.name);
    expect(foundIn(Buffer.from(secrets.mail).toString('base64'))).toContain(secrets.mail);
    expect(foundIn('{"case":"c-00"}')).toEqual([]);
  });
});

describe('a masked text', () => {
  it('keeps codes, digests, numbers, fields and the words of keys, and nothing else', () => {
    expect(
      maskText(`object \`circles/smith-family/cases/${caseId}/consents/maya.json\` does not exist`),
    ).toBe(`object \`circles/…/cases/${caseId}/consents/….json\` does not exist`);
    expect(maskText('field `about.text` of the event')).toBe('field `about.text` of the event');
    expect(maskText('setting `CAREGATE_CASE_BUCKET` is missing')).toBe(
      'setting `CAREGATE_CASE_BUCKET` is missing',
    );
    expect(maskText('contact `maya` has no address')).toBe('contact `…` has no address');
    expect(maskText('notice `maya.smith.json`')).toBe('notice `…`');
  });

  it('keeps of every kind of key the words that say what it is', () => {
    for (const [kind, pattern] of Object.entries(places)) {
      const key = pattern.replaceAll('*', 'somebody');
      const shown = maskText(`\`${key}\``);
      expect(shown, kind).not.toContain('somebody');
      expect(shown.split('/')[0], kind).toBe(`\`${key.split('/')[0]}`);
    }
  });
});

describe('signals', () => {
  /** The signals of the lines that are logged, one at most in each. */
  const signalsOf = (step: string, log: (own: EventLog) => void): unknown[] => {
    const written: string[] = [];
    const listen = (text: unknown): true => written.push(String(text)) > 0 || true;
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation(listen),
    );
    log(eventLog({ circle: 'a', case: caseId }, { functionName: step }));
    for (const spy of spies) spy.mockRestore();
    const lines = written.join('').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line).signal);
  };
  const signalOf = (step: string, log: (own: EventLog) => void): unknown => {
    const [signal, ...others] = signalsOf(step, log);
    expect(others).toEqual([]);
    return signal;
  };
  const throttled = Object.assign(new Error(secrets.mail), { name: 'ThrottlingException' });
  const unavailable = (cause: unknown) =>
    new CaregateError('MODEL_UNAVAILABLE', 'the `model` did not answer', { cause });

  it.each([
    ['a case that was parked', 'park', { status: 'parked' }, signals.caseParked],
    ['a mail that was put off', 'dispatch', { standing: 'deferred' }, signals.caseDeferred],
    ['a case that hangs', 'sweep', { started: 0, unassigned: 0, stuck: 1 }, signals.caseStuck],
    ['a mail for none of the circles', 'ingest', { unassigned: 1 }, signals.mailUnassigned],
    ['a sweep that found nothing', 'sweep', { started: 2, unassigned: 0, stuck: 0 }, undefined],
    ['a step that went well', 'gate', { decision: 'ALLOW' }, undefined],
    ['a step that says nothing', 'close', undefined, undefined],
  ])('are given for %s', (_, step, result, signal) => {
    expect(signalOf(step, (own) => own.ended(result, 1))).toBe(signal);
  });

  it.each([
    [
      'a model that throttles',
      unavailable(new CaregateError('MODEL_UNAVAILABLE', '`x` failed', { cause: throttled })),
      signals.modelThrottled,
    ],
    ['a model that is away', unavailable(new Error('socket')), signals.stepFailed],
    [
      'calls that are spent',
      new CaregateError('MODEL_CALLS_SPENT', 'no call of the `model` is left'),
      signals.budgetRefused,
    ],
    ['an error that is not ours', throttled, signals.stepFailed],
    ['what is no error', 'text', signals.stepFailed],
  ])('are given for %s', (_, error, signal) => {
    expect(signalOf('plan', (own) => own.failed(error, 1))).toBe(signal);
  });

  it('are given each in a line of its own, where there are several', () => {
    const swept = { unassigned: 2, stuck: 1 };
    expect(signalsOf('sweep', (own) => own.ended(swept, 1))).toEqual([
      signals.caseStuck,
      signals.mailUnassigned,
    ]);
  });

  it('have names that are good for metrics, each its own', () => {
    const names = Object.values(signals);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
  });
});
