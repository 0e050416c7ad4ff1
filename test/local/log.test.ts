import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CaregateError } from '../../lib/errors.ts';
import { OfficeLog } from '../../lib/local/log.ts';
import { temporaryDirectory } from '../support/endpoints.ts';
import { ManualClock } from '../support/time.ts';

const at = '2027-03-01T09:00:00.000Z';
const secret = 'Dear Rosa, your results are in';
let file: string;
let log: OfficeLog;
beforeEach(async () => {
  file = join(await temporaryDirectory(), 'office.log');
  log = new OfficeLog(file, new ManualClock(at));
});
const lines = () =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe("the office's log", () => {
  it('keeps our own words of a failure, and of another only its kind', () => {
    log.failure('gate', new CaregateError('NOT_FOUND', 'object `x` does not exist'));
    log.failure('plan', new RangeError(secret));
    log.failure('plan', secret);
    log.note('started');
    expect(lines()).toEqual([
      { at, function: 'gate', error: 'NOT_FOUND', text: 'object `x` does not exist' },
      { at, function: 'plan', error: 'RangeError' },
      { at, function: 'plan', error: 'string' },
      { at, text: 'started' },
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is put aside once it is large, so that there are never more than two', () => {
    writeFileSync(file, 'old');
    truncateSync(file, 5_000_000);
    log.note('still the same');
    expect(existsSync(`${file}.old`)).toBe(false);
    log.note('a new one');
    expect(lines()).toEqual([{ at, text: 'a new one' }]);
    expect(statSync(`${file}.old`).size).toBeGreaterThan(5_000_000);
  });

  it('that cannot be written fails nothing else', () => {
    const nowhere = new OfficeLog(join(file, 'below', 'a-file'), new ManualClock(at));
    expect(() => nowhere.note('lost')).not.toThrow();
    expect(existsSync(file)).toBe(false);
  });
});
