import { expect, it, onTestFinished } from 'vitest';
import { caregate, freshData, startOffice } from '../support/office.ts';

it('an address is given beside a running office, answers, is listed and is taken back', async () => {
  const data = freshData();
  const own = ['--patient', 'Rosa', '--owner', 'Maya <maya@home.example>', '--inbox', 'care@home.example'];
  await caregate(['init', ...own, '--data', data]);
  const office = await startOffice(data);
  onTestFinished(() => office.stop());
  const [given] = (await caregate(['calendar', 'add', 'maya', '--data', data, '--json'])).objects;
  const { url, id } = given as unknown as { url: string; id: string };
  const feed = await fetch(url);
  expect([feed.status, await feed.text()]).toEqual([200, expect.stringMatching(/^BEGIN:VCALENDAR\r\n/)]);

  const listed = await caregate(['calendar', 'list', '--data', data]);
  expect(listed.stdout).toMatch(new RegExp(`^${id.slice(0, 12)} +maya +\\S+ +open$`, 'm'));
  expect(listed.stdout).not.toContain(new URL(url).pathname);
  expect((await caregate(['calendar', 'revoke', id.slice(0, 12), '--data', data])).code).toBe(0);
  expect((await fetch(url)).status).toBe(404);
  expect((await caregate(['calendar', 'add', 'nobody', '--data', data])).code).toBe(2);
}, 120_000);
