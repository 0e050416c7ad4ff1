import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemRandomness } from '../../../lib/provenance/randomness.ts';
import { type Bench, evaluateIn, openBench } from './fixture.ts';

async function output(bench: Bench, expression: string, input: unknown = {}): Promise<unknown> {
  const ran = await evaluateIn(bench, expression, input);
  return ran.status === 'SUCCEEDED' ? JSON.parse(ran.output ?? '') : ran.cause;
}

const once = async (expression: string, input: unknown = {}) => output(await openBench(), expression, input);

describe("AWS's dialect of JSONata", () => {
  it('$partition cuts an array into chunks', async () => {
    expect(await once('$partition([1..5], 2)')).toEqual([[1, 2], [3, 4], [5]]);
    expect(await once('$partition([1..5], 0)')).toContain('the chunk size must be a positive integer');
  });

  it('$range counts up and down', async () => {
    expect(await once('$range(0, 10, 5)')).toEqual([0, 5, 10]);
    expect(await once('$range(3, 1, -1)')).toEqual([3, 2, 1]);
    expect(await once('$range(1, 0, 1)')).toEqual([]);
    expect(await once('$range(1, 2, 0)')).toContain('must not be 0');
    expect(await once('$range(1, 2000, 1)')).toContain('at most 1000');
  });

  it('$hash is the digest in hexadecimal', async () => {
    const expected = createHash('sha384').update('care').digest('hex');
    expect(await once('$hash("care", "SHA-384")')).toBe(expected);
    expect(await once('$hash("care", "MD5")')).toBe(createHash('md5').update('care').digest('hex'));
    expect(await once('$hash("care", "CRC")')).toContain('CRC is not supported');
  });

  it('$random with a seed is the same every time, and in [0, 1)', async () => {
    const [one, other, free] = (await once('[$random(7), $random(8), $random()]')) as number[];
    expect(await once('$random(7)')).toBe(one);
    expect(one).not.toBe(other);
    for (const value of [one, other, free])
      expect(value).toSatisfy((number: number) => number >= 0 && number < 1);
  });

  it('$uuid is a version 4 UUID', async () => {
    const bench = await openBench({}, { randomness: systemRandomness });
    expect(await output(bench, '$uuid()')).toMatch(
      /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    );
  });

  it('$parse reads JSON, and $eval is not there', async () => {
    expect(await once('$parse("{\\"a\\": [1]}").a[0]')).toBe(1);
    expect(await once('$parse("{")')).toContain('the text to parse is not JSON');
    expect(await once('$eval("1 + 1")')).toContain('T1006');
  });

  it('$now and $millis are the time of the engine', async () => {
    const { engine, clock } = await openBench();
    expect(await output({ engine, clock }, '$now()')).toBe('2026-03-01T08:00:00.000Z');
    expect(await once('$now("[Y0001]")')).toBe('2026');
    expect(await once('$millis()')).toBe(Date.parse('2026-03-01T08:00:00Z'));
  });
});

describe('an expression that gives no JSON value fails its state, never the engine', () => {
  const cases: readonly [string, string, string][] = [
    ['nothing', '$nothing', 'returned nothing (undefined).'],
    ['a function', '$sum', 'returned an unsupported result type.'],
    ['a function inside', '{"f": function($x) { $x }}', 'returned an unsupported result type.'],
    ['an error', '1 + "a"', 'threw an error during evaluation. T2002'],
    ['an error of its own', '$error("no")', 'threw an error during evaluation. D3137: no'],
    ['a number that is none', '$power(10, 400)', 'D3061'],
  ];
  for (const [what, expression, cause] of cases) {
    it(`${what}`, async () => {
      const ran = await evaluateIn(await openBench(), expression);
      expect(ran.error).toBe('States.QueryEvaluationError');
      expect(ran.cause).toContain(cause);
    });
  }

  it('an endless recursion ends', { timeout: 60_000 }, async () => {
    const ran = await evaluateIn(await openBench(), '($f := function($n) { $f($n + 1) }; $f(0))');
    expect(ran.cause).toContain('the expression takes too many steps');
  });
});

describe('values pass through unchanged', () => {
  it('any JSON value comes out of $states.input as it went in', async () => {
    const bench = await openBench();
    let run = 0;
    const { arn } = await bench.engine.createStateMachine(
      'same',
      '{"QueryLanguage":"JSONata","StartAt":"A","States":{"A":{"Type":"Pass","Output":{"v":"{% $states.input.v %}"},"End":true}}}',
      'arn:aws:iam::000000000000:role/test',
    );
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (v) => {
        run += 1;
        // JSONata's own rules: a sequence of one inside of a path collapses; a bare array of one stays.
        const value = JSON.parse(JSON.stringify(v)) as unknown;
        const started = await bench.engine.startExecution({
          stateMachineArn: arn,
          name: `v-${run}`,
          input: JSON.stringify({ v: value }),
        });
        await bench.clock.advance(0);
        const row = await bench.engine.execution(started.arn);
        expect(JSON.parse(row.output ?? '')).toEqual({ v: value });
      }),
      { numRuns: 60 },
    );
  });

  it('a result of one stays an array where the template says so', async () => {
    expect(await once('$states.input.a[x = 1]', { a: [{ x: 1 }, { x: 2 }] })).toEqual({ x: 1 });
    expect(await once('[$states.input.a[x = 1]]', { a: [{ x: 1 }, { x: 2 }] })).toEqual([{ x: 1 }]);
  });
});
