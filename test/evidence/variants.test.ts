import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { isCaregateError } from '../../lib/errors.ts';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import { evidenceSchema } from '../../lib/evidence/schema.ts';
import { judgeBytes } from '../../lib/mail/dispatch.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import type { Message } from '../../lib/mail/types.ts';
import { deliveryOf } from '../support/maildelivery.ts';
import { circle, clock } from '../support/reading.ts';
import { hasSharedMail, sharedMails } from '../support/sharedmail.ts';

const full = process.env.CAREGATE_FULL !== undefined;
/** In all, over the kinds of damage. */
const runs = full ? 5000 : 90;
/** How long one mail may take, in milliseconds of the processor, so that a busy machine does not count. */
const most = 5000;
/** How long it may take by the clock before it counts as hanging, in milliseconds. */
const patience = 60_000;
vi.setConfig({ testTimeout: full ? 3_600_000 : 120_000 });

type Mails = Awaited<ReturnType<typeof sharedMails>>;
let mails: Mails = [];
beforeAll(async () => {
  mails = hasSharedMail ? await sharedMails() : [];
});

const refusals = ['MAIL_UNREADABLE', 'MAIL_TOO_LARGE'];

/** Reads bytes as the office does. They are judged in any case, and what is a mail has a document that says so. */
async function take(raw: Uint8Array): Promise<Message | undefined> {
  const { judgement } = await judgeBytes(raw, deliveryOf('maya@family.example'), circle);
  let message: Message;
  try {
    message = await parseMessage(raw);
  } catch (error) {
    if (!isCaregateError(error)) throw error;
    expect(refusals).toContain(error.code);
    expect(judgement).toEqual({ standing: 'quarantined', reason: 'NOT_A_MAIL' });
    return undefined;
  }
  expect(judgement.reason).not.toBe('NOT_A_MAIL');
  expect(message.parts.length).toBeGreaterThan(0);
  const { evidence, bytes } = await readEvidence(message, { circle, clock });
  expect(evidence.documents.length).toBeGreaterThan(0);
  for (const { id } of evidence.documents) expect(bytes.has(id)).toBe(true);
  evidenceSchema.parse(JSON.parse(JSON.stringify(evidence)));
  return message;
}

function flipped(raw: Uint8Array, places: readonly (readonly [number, number])[]): Uint8Array {
  const damaged = Uint8Array.from(raw);
  for (const [share, bit] of places) {
    const at = Math.floor(share * (raw.length - 1));
    damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
  }
  return damaged;
}

const some = fc.nat(10_000).map((number) => mails[number % mails.length]?.raw ?? new Uint8Array());
const share = fc.double({ min: 0, max: 1, noNaN: true });
const bits = fc.array(fc.tuple(share, fc.nat(7)), { minLength: 1, maxLength: 30 });

const damages: readonly (readonly [string, fc.Arbitrary<() => Uint8Array>])[] = [
  [
    'cut',
    fc.tuple(some, share).map(
      ([raw, part]) =>
        () =>
          raw.subarray(0, Math.floor(part * raw.length)),
    ),
  ],
  [
    'flipped',
    fc.tuple(some, bits).map(
      ([raw, places]) =>
        () =>
          flipped(raw, places),
    ),
  ],
  [
    'joined',
    fc.tuple(some, some, bits).map(
      ([one, two, places]) =>
        () =>
          flipped(Buffer.concat([one, two]), places),
    ),
  ],
];

describe.skipIf(!hasSharedMail)('the collected mails (skipped where the collection is absent)', () => {
  it('each are judged and read, and none is lost', async () => {
    for (const { raw } of mails) expect(await take(raw)).toBeDefined();
  });

  it.each(damages)('%s are judged and read in time, or refused by name', async (_, damaged) => {
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        const raw = bytes();
        const before = process.cpuUsage();
        await take(raw);
        const { user, system } = process.cpuUsage(before);
        expect((user + system) / 1000).toBeLessThan(most);
      }),
      { numRuns: Math.ceil(runs / damages.length), timeout: patience, ...(full ? {} : { seed: 2027 }) },
    );
  });

  it('with another mail behind them lose nothing but what their last part takes in', async () => {
    for (const [index, { raw }] of mails.entries()) {
      const other = mails[(index + 1) % mails.length]?.raw ?? raw;
      const alone = await parseMessage(raw);
      const joined = await parseMessage(Buffer.concat([raw, other]));
      const found = new Set(joined.parts.map(({ digest }) => digest));
      const lost = alone.parts
        .slice(0, -1)
        .filter(({ digest, path }) => !found.has(digest) && !isAround(path, alone));
      expect(lost.map(({ path }) => path)).toEqual([]);
    }
  });
});

/** Whether a part holds the last one, so that it grows with it. */
function isAround(path: string, { parts }: Message): boolean {
  return parts.at(-1)?.path.startsWith(`${path}.`) === true;
}
