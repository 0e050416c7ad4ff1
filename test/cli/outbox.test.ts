import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { type OutboxOptions, outbox } from '../../lib/cli/outbox.ts';
import { openDataDirectory } from '../../lib/local/datadirectory.ts';
import { Outbox } from '../../lib/local/endpoints/outbox.ts';
import { temporaryDirectory } from '../support/endpoints.ts';

afterEach(() => vi.restoreAllMocks());

/** What the command prints. */
async function printedBy(options: OutboxOptions): Promise<string> {
  let printed = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  await outbox(options);
  write.mockRestore();
  return printed;
}

const at = '2027-03-01T09:00:00.000Z';

it('what a server reported of a mail stands beside how it left', async () => {
  const data = await temporaryDirectory();
  const folder = openDataDirectory(data).outbox;
  const box = await Outbox.open(folder);
  await mkdir(join(folder, 'relay'));
  for (const id of ['lost', 'late', 'fine']) {
    const envelope = { id, at, source: 'care@home.example', destinations: ['info@clinic.example'], tags: {} };
    await box.keep(envelope, Buffer.from('Subject: x\r\n\r\n'));
    await writeFile(join(folder, 'relay', `${id}.end.json`), JSON.stringify({ outcome: 'taken', at }));
  }
  const report = (id: string, bounce: object): Promise<void> =>
    writeFile(join(folder, 'relay', `${id}.bounce.json`), JSON.stringify({ at, ...bounce }));
  await report('lost.failed', { action: 'failed', status: '5.1.1' });
  await report('late.delayed', { action: 'delayed' });

  const stands = (await printedBy({ data })).split('\n').map((line) => line.replace(/^.*example {2}/, ''));
  expect(stands.slice(1, 4)).toEqual([
    'left 2027-03-01 09:00; reported as not arrived (5.1.1)',
    'left 2027-03-01 09:00; reported as late, still tried',
    'left 2027-03-01 09:00',
  ]);
  const printed = await printedBy({ data, json: true });
  expect(JSON.parse(printed.split('\n')[0] ?? '')).toMatchObject({
    id: 'lost',
    bounce: { action: 'failed', status: '5.1.1' },
  });
});

it('a mail whose envelope is damaged is said beside the others', async () => {
  const data = await temporaryDirectory();
  const folder = openDataDirectory(data).outbox;
  const box = await Outbox.open(folder);
  for (const id of ['torn', 'whole']) {
    const envelope = { id, at, source: 'care@home.example', destinations: ['info@clinic.example'], tags: {} };
    await box.keep(envelope, Buffer.from('Subject: x\r\n\r\n'));
  }
  await writeFile(join(folder, '000001-torn.json'), '{');
  expect(await printedBy({ data })).toMatch(
    /info@clinic\.example +kept here\n\? +\? +\? +damaged: torn; restore it/,
  );
  expect(
    (await printedBy({ data, json: true }))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { id: 'whole', stands: 'kept here' },
    { id: 'torn', stands: 'damaged' },
  ]);
});
