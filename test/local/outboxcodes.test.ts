import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Outbox } from '../../lib/local/endpoints/outbox.ts';
import { mailedLinks } from '../../lib/local/outboxcodes.ts';
import { temporaryDirectory } from '../support/endpoints.ts';
import { rawMail } from '../support/maildelivery.ts';

const at = '2027-03-01T09:00:00.000Z';
let folder: string;
let outbox: Outbox;
let count = 0;
beforeEach(async () => {
  folder = join(await temporaryDirectory(), 'outbox');
  outbox = await Outbox.open(folder);
});

const linkOf = (claims: unknown) =>
  `https://care.example/a/head.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
async function mail(lines: readonly string[], when = at): Promise<void> {
  count += 1;
  const envelope = { id: `id-${count}`, at: when, source: 'caregate@inbox.example' };
  const raw = rawMail('From: caregate@inbox.example', 'Content-Type: text/plain', '', ...lines, '');
  await outbox.keep({ ...envelope, destinations: ['maya@family.example'], tags: { notice: 'a' } }, raw);
}
const asked = (approval: string, code: string, when = at, person = 'maya') =>
  mail([linkOf({ approval, person }), `Your code: ${code}`], when);

describe('the links of an outbox', () => {
  it('are none in one that is empty or not there', async () => {
    expect(await mailedLinks(folder)).toEqual([]);
    expect(await mailedLinks(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('are given with whom they are for and their code', async () => {
    await asked('one', '012345');
    const url = linkOf({ approval: 'one', person: 'maya' });
    expect(await mailedLinks(folder)).toEqual([{ approval: 'one', person: 'maya', url, code: '012345', at }]);
  });

  it('are sorted from the newest, also where two left at the same instant', async () => {
    await asked('one', '111111', '2027-03-01T10:00:00.000Z');
    await asked('one', '222222');
    await asked('one', '333333');
    expect((await mailedLinks(folder)).map(({ code }) => code)).toEqual(['111111', '333333', '222222']);
  });

  it.each([
    ['a link without a code', [linkOf({ approval: 'a', person: 'b' })]],
    ['a code without a link', ['Your code: 123456']],
    ['a code that stands inside a line', [linkOf({ approval: 'a', person: 'b' }), '> Your code: 123456']],
    ['a code of seven digits', [linkOf({ approval: 'a', person: 'b' }), 'Your code: 1234567']],
    ['a link that says nothing of a person', [linkOf({ approval: 'a' }), 'Your code: 123456']],
    ['a link of null', [linkOf(null), 'Your code: 123456']],
    ['a link that is not JSON', ['https://care.example/a/head.e30x.signature', 'Your code: 123456']],
  ])('are not made of %s', async (_name, lines) => {
    await mail(lines);
    expect(await mailedLinks(folder)).toEqual([]);
  });
});
