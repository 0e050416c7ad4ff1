import { createTransport } from 'nodemailer';
import { describe, expect, it } from 'vitest';
import { openDataDirectory } from '../../lib/local/datadirectory.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import { samples } from '../../samples/index.ts';
import { exampleCircle } from '../support/cases.ts';
import { caregate, freshData, startOffice } from '../support/office.ts';
import { readOutbox } from '../support/outbox.ts';
import { seededRandomness } from '../support/time.ts';

const seed = Number(process.env.CAREGATE_SEED ?? 7);
const kills = process.env.CAREGATE_FULL === '1' ? 12 : 1;

interface Case {
  readonly case: string;
  readonly status: string;
  readonly actions: readonly {
    readonly tool: string;
    readonly status: string;
    readonly effect?: { readonly key: string };
  }[];
}

/** What an office that nobody killed makes of the samples, without what differs from run to run. */
function shape(cases: readonly Case[]): string[] {
  return cases
    .map(
      ({ status, actions }) =>
        `${status}: ${actions.map((action) => `${action.tool} ${action.status} ${action.effect?.key ?? ''}`).join(', ')}`,
    )
    .sort();
}

async function finished(data: string): Promise<Case[]> {
  const ran = await caregate(['start', '--once', '--json', '--data', data, '--port', '0', '--smtp', '0']);
  expect(ran.code, ran.stderr).toBe(0);
  const listed = await caregate(['cases', '--json', '--data', data]);
  return listed.objects as unknown as Case[];
}

/** Hands the samples over and kills the office as soon as its inbox has answered for the last of them. */
async function handOver(data: string): Promise<void> {
  const office = await startOffice(data, ['--circle', 'rules/circle.example.yaml']);
  const transport = createTransport({
    host: '127.0.0.1',
    port: office.connection.file.smtp,
    ignoreTLS: true,
  });
  for (const { raw, from } of await samples(systemClock, exampleCircle)) {
    await transport.sendMail({ envelope: { from, to: exampleCircle.inbox }, raw: Buffer.from(raw) });
  }
  transport.close();
  await office.kill();
}

describe('an office that is killed while it works', () => {
  it(`ends every case as one that was not, after ${kills} more kills (seed ${seed})`, async () => {
    const calm = await finished(freshData());
    const data = freshData();
    await handOver(data);
    const randomness = seededRandomness(seed);
    for (let kill = 0; kill < kills; kill += 1) {
      const office = await startOffice(data);
      const [low = 0, high = 0] = randomness.bytes(2);
      await new Promise((resolve) => setTimeout(resolve, ((high * 256 + low) % 4000) + 200));
      await office.kill();
    }
    // A step that was cut off as often as a step is tried leaves its case to a person, who takes it up again.
    for (const { case: id, status } of await finished(data)) {
      if (status !== 'parked') continue;
      const resumed = await caregate(['resume', id, '--data', data]);
      expect(resumed.code, resumed.stderr).toBe(0);
    }
    expect(shape(await finished(data))).toEqual(shape(calm));
    const audit = await caregate(['audit', '--all', '--data', data]);
    expect(audit.code, audit.stdout).toBe(0);
    const letters = (await readOutbox(openDataDirectory(data).outbox)).filter(({ source }) =>
      source.startsWith('rosa.'),
    );
    expect(letters).toHaveLength(0);
  }, 600_000);
});
