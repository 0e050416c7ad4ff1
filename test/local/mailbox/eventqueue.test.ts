import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { EventQueue } from '../../../lib/local/mailbox/eventqueue.ts';

describe('the queue of events', () => {
  let directory: string;
  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'caregate-events-')), 'events');
  });

  it('gives back what was kept and not removed, also to another office', async () => {
    const queue = new EventQueue(directory);
    await queue.keep('one', { mail: 1 });
    await queue.keep('two', { mail: 2 });
    await queue.remove('one');
    expect(await new EventQueue(directory).left()).toEqual([{ id: 'two', event: { mail: 2 } }]);
  });

  it('is empty where nothing was ever kept', async () => {
    expect(await new EventQueue(directory).left()).toEqual([]);
  });

  it('leaves out what a power cut left half written', async () => {
    const queue = new EventQueue(directory);
    await queue.keep('whole', {});
    await writeFile(join(directory, 'half.json'), '{"mail":');
    expect((await queue.left()).map(({ id }) => id)).toEqual(['whole']);
  });
});
