import { describe, expect, it } from 'vitest';
import { Progress } from '../../lib/cli/progress.ts';

const [one, two] = [`c-${'1'.repeat(32)}`, `q-${'2'.repeat(32)}`];
function progressOn(isTTY: boolean, quiet = false) {
  const written: string[] = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  return { progress: new Progress({ isTTY, write }, quiet), written };
}
const call = (name: string, id: string, more = {}) => ({ name, payload: { case: id, ...more } });

describe('progress', () => {
  it('is a line a step where it is no terminal, with the action that a step is about', () => {
    const { progress, written } = progressOn(false);
    progress.expect(one, 'letter.eml');
    progress.called(call('triage', one));
    progress.called(call('execute', one, { action: 2 }));
    expect(written).toEqual(['letter.eml: finding out what it is about\n', 'letter.eml: action 2: acting\n']);
  });

  it('is a line a mail that changes in place on a terminal', () => {
    const { progress, written } = progressOn(true);
    progress.expect(one, 'a');
    progress.expect(two, 'b');
    progress.called(call('dispatch', one));
    progress.called(call('dispatch', two));
    progress.called(call('close', one));
    expect(written).toEqual([
      '\u001b[2Ka: judging the sender\n',
      '\u001b[1A\u001b[2Ka: judging the sender\n\u001b[2Kb: judging the sender\n',
      '\u001b[2A\u001b[2Ka: closing\n\u001b[2Kb: judging the sender\n',
    ]);
  });

  it('waits with steps that were called before their mail had a name', () => {
    const { progress, written } = progressOn(false);
    progress.called(call('dispatch', one));
    progress.called(call('dispatch', two));
    expect(written).toEqual([]);
    progress.expect(two, 'b');
    expect(written).toEqual(['b: judging the sender\n']);
    progress.expect(one, 'a');
    expect(written).toEqual(['b: judging the sender\n', 'a: judging the sender\n']);
  });

  it.each([
    ['a function that is worth no line', call('sweep', one)],
    ['a payload without a case', { name: 'gate', payload: {} }],
    ['a case that is none', call('gate', 'somebody')],
    ['no payload', { name: 'gate', payload: undefined }],
  ])('says nothing of %s', (_name, given) => {
    const { progress, written } = progressOn(false);
    progress.expect(one, 'a');
    progress.called(given);
    expect(written).toEqual([]);
  });

  it('says nothing where it is to be quiet', () => {
    const { progress, written } = progressOn(false, true);
    progress.called(call('gate', one));
    progress.expect(one, 'a');
    progress.called(call('gate', one));
    expect(written).toEqual([]);
  });

  it('draws nothing between the results once it has ended, not even what waited for a name', () => {
    const { progress, written } = progressOn(false);
    progress.called(call('gate', one));
    progress.end();
    progress.called(call('close', one));
    progress.expect(one, 'a');
    expect(written).toEqual([]);
  });
});
