import type { SMTPServerOptions } from 'smtp-server';
import { expect, it, onTestFinished } from 'vitest';
import { relayEnds } from '../../../lib/local/relay/ends.ts';
import { openTransport } from '../../../lib/local/relay/transport.ts';
import { embeddedOffice } from '../../support/embedded.ts';
import { mailOf } from '../../support/letters.ts';
import { provider, reply } from './provider.ts';

/** An office that hands its mails to a provider, and that Maya forwards a receipt to. */
async function officeWith(options: SMTPServerOptions = {}) {
  const { taken, port } = await provider(options);
  const office = await embeddedOffice({ transport: openTransport(`smtp://127.0.0.1:${port}`) });
  onTestFinished(() => office.running.close());
  const raw = await mailOf({
    from: 'Maya <maya@family.example>',
    to: 'care@inbox.example',
    subject: 'Receipt 7001',
    text: 'Receipt for your purchase\nLamp GBP 12.50\nOrder number 7001\n',
  });
  await office.hand(raw, 'maya@family.example');
  return { taken, office };
}

it('notices of an office with a mail provider leave through it, and stay in the outbox to look at', async () => {
  const { taken, office } = await officeWith();
  await expect.poll(() => taken.length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(taken[0]).toMatchObject({ from: 'caregate@inbox.example', to: ['maya@family.example'] });
  // The provider has a mail a moment before that it was taken is written down.
  const outcomes = async (): Promise<string[]> =>
    [...(await relayEnds(office.running.data.outbox)).values()].map(({ outcome }) => outcome);
  await expect.poll(async () => new Set(await outcomes()), { timeout: 20_000 }).toEqual(new Set(['taken']));
  const health = await fetch(new URL('/healthz', office.running.web), {
    headers: { accept: 'application/json' },
  });
  expect(await health.json()).toMatchObject({ sending: 'on' });
}, 60_000);

it('who can be reached is told, once, of a notice that the provider refuses', async () => {
  const { taken } = await officeWith({
    onRcptTo: ({ address }, _session, done) =>
      done(address === 'maya@family.example' ? reply(550) : undefined),
  });
  await expect.poll(() => taken.length, { timeout: 20_000 }).toBe(1);
  expect(taken[0]).toMatchObject({ to: ['tom@family.example'] });
  expect(taken[0]?.raw).toMatch(/^X-Caregate-Notice: undelivered\r$/m);
}, 60_000);
