import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { columns, createOutput, exitCodes, reportError } from '../../lib/cli/output.ts';
import { CaregateError, type ErrorCode } from '../../lib/errors.ts';

let out: string;
let err: string;
beforeEach(() => {
  [out, err] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

describe('output', () => {
  it('is lines for people, and no object among them', () => {
    const output = createOutput(false);
    output.line('one');
    output.line();
    output.object({ a: 1 });
    output.progress('going on');
    expect([out, err]).toEqual(['one\n\n', 'going on\n']);
  });

  it('is an object a line under --json, and nothing else on standard output', () => {
    const output = createOutput(true);
    output.line('one');
    output.object({ a: 'two\nlines' });
    output.progress('going on');
    expect([out, err]).toEqual(['{"a":"two\\nlines"}\n', 'going on\n']);
  });
});

describe('an error', () => {
  it.each<[ErrorCode, number]>([
    ['INVALID_INPUT', exitCodes.usage],
    ['PORT_IN_USE', exitCodes.usage],
    ['STORE_UNAVAILABLE', exitCodes.failed],
    ['DIGEST_MISMATCH', exitCodes.failed],
  ])('%s is said in our own words and ends with %i', (code, exit) => {
    expect(reportError(new CaregateError(code, 'it is so'), false)).toBe(exit);
    expect(out).toBe('');
    expect(err).toContain('caregate:');
    expect(err).toMatch(/it is so\n$/);
  });

  it.each([
    ['an error', new RangeError('out of range'), 'out of range'],
    ['one without a stack', Object.assign(new RangeError('bare'), { stack: undefined }), 'bare'],
    ['no error at all', 'a text', 'a text'],
  ])('that is not ours, as %s, is unexpected and fails', (_name, error, text) => {
    expect(reportError(error, true)).toBe(exitCodes.failed);
    const said = JSON.parse(out);
    expect(said.error).toBe('UNEXPECTED');
    expect(said.message).toMatch(/^unexpected: /);
    expect(said.message).toContain(text);
  });
});

describe('columns', () => {
  it('are as wide as their longest cell, the last one as it is, without spaces at the end', () => {
    expect(
      columns([
        ['A', 'LONG', 'X'],
        ['longer', 'b', ''],
        ['c', '', 'y z'],
      ]),
    ).toEqual(['A       LONG  X', 'longer  b', 'c             y z']);
  });

  it('of no rows are none', () => {
    expect(columns([])).toEqual([]);
  });
});
