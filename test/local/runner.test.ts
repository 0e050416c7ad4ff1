import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { expect, it } from 'vitest';
import { openOffice } from '../../lib/local/office.ts';
import { mailOf } from '../support/letters.ts';
import { freshData } from '../support/office.ts';

it('what runs when an office is closed ends first, and the next office goes on from there', async () => {
  const data = freshData();
  const called = Promise.withResolvers<void>();
  const first = await openOffice({
    data,
    onCall: ({ name }) => name === 'evidence' && called.resolve(),
  });
  const raw = await mailOf({
    from: 'Maya <maya@family.example>',
    to: first.circle.inbox,
    subject: 'Receipt 7002',
    text: 'Receipt for your purchase\nLamp GBP 12.50\nOrder number 7002\n',
  });
  const smtp = createTransport({ host: '127.0.0.1', port: first.smtp, ignoreTLS: true });
  await smtp.sendMail({
    envelope: { from: 'maya@family.example', to: first.circle.inbox },
    raw: Buffer.from(raw),
  });
  smtp.close();
  await called.promise;
  await first.close();
  const again: string[] = [];
  const second = await openOffice({ data, onCall: ({ name }) => again.push(name) });
  await expect.poll(() => again, { timeout: 20_000 }).toContain('plan');
  await second.idle();
  await second.close();
  for (const name of ['dispatch', 'evidence', 'park']) expect(again).not.toContain(name);
  const log = join(data, 'office.log');
  expect(existsSync(log) ? readFileSync(log, 'utf8') : '').not.toContain('"function"');
}, 60_000);
