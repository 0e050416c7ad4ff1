import { expect, it } from 'vitest';
import { Closers } from '../../lib/local/closers.ts';

it('what was started last is stopped first, once', async () => {
  const closers = new Closers();
  const stopped: string[] = [];
  const stop = (part: string) => {
    stopped.push(part);
  };
  expect(closers.add('first', stop)).toBe('first');
  closers.add('second', async (part) => stop(part));
  await closers.close();
  await closers.close();
  expect(stopped).toEqual(['second', 'first']);
});

it('a part that cannot be stopped does not keep the others running, and is reported', async () => {
  const closers = new Closers();
  const stopped: string[] = [];
  closers.add('first', (part) => {
    stopped.push(part);
  });
  for (const name of ['second', 'third'])
    closers.add(name, () => {
      throw new TypeError(name);
    });
  await expect(closers.close()).rejects.toThrow('third');
  expect(stopped).toEqual(['first']);
});
