import { beforeEach, expect, it } from 'vitest';
import { summarizeQuarantine } from '../../lib/approval/quarantine.ts';
import { closeCase } from '../../lib/casefile/closing.ts';
import type { CaseId } from '../../lib/provenance/identifiers.ts';
import { arrive, dispatched, type Intake, openIntake, started } from '../mail/intake.ts';
import type { Mailed } from '../support/approvals.ts';
import { rawMail } from '../support/maildelivery.ts';
import { bothPages, pageDeps } from '../support/pages.ts';
import { ManualClock } from '../support/time.ts';

let intake: Intake;
let mail: Mailed;
let id: CaseId;
beforeEach(async () => {
  intake = { ...(await openIntake()), clock: new ManualClock('2027-03-01T09:00:00.000Z') };
  const raw = rawMail('From: "<b>Bank</b>" <mallory@evil.example>', 'Subject: Pay <now>', '', 'Click.');
  await arrive(intake, { id: 'a', raw, source: 'mallory@evil.example' });
  [id] = (await started(intake)) as [CaseId];
  const { standing, reason } = await dispatched(intake, id);
  await closeCase(intake, { circle: intake.circle.id, case: id, execution: id, standing, reason });
  await summarizeQuarantine(intake);
  [mail] = (await intake.mails()) as [Mailed];
});

const request = (form?: Record<string, string>) =>
  bothPages(pageDeps(intake)).request(
    `/a/${mail.link}`,
    form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) },
  );
const statusOf = async () => (await intake.index.find({ circle: intake.circle.id, case: id }))?.status;

it('the page of a mail in quarantine shows who it says it is from, escaped, and changes nothing', async () => {
  const answer = await request();
  const text = await answer.text();
  expect(answer.status).toBe(200);
  for (const part of [
    'Read this mail?',
    '&lt;b&gt;Bank&lt;/b&gt;',
    'Pay &lt;now&gt;',
    'Anyone can write that',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain(mail.code);
  expect(text).not.toContain('Click.');
  expect(await statusOf()).toBe('quarantined');
});

it('the page releases with the right code alone, and once', async () => {
  const code = mail.code === '000000' ? '111111' : '000000';
  expect((await request({ choice: 'approve', code })).status).toBe(403);
  expect(await statusOf()).toBe('quarantined');
  const released = await request({ choice: 'approve', code: mail.code });
  expect(await released.text()).toContain('You released it');
  expect(await statusOf()).toBe('released');
  const again = await request();
  expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('Already decided')]);
});

it('the page leaves a mail where it is on a person’s word', async () => {
  const kept = await request({ choice: 'decline', code: mail.code });
  expect(await kept.text()).toContain('It stays in quarantine');
  expect(await statusOf()).toBe('quarantined');
});
