import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/provenance/clock.ts';
import { samples } from '../../samples/index.ts';
import { exampleCircle } from '../support/cases.ts';
import { caregate, freshData, type OfficeProcess, startOffice } from '../support/office.ts';

describe('the same mail handed over several times', () => {
  const data = freshData();
  const file = join(dirname(data), 'receipt.eml');
  let office: OfficeProcess;

  beforeAll(async () => {
    mkdirSync(dirname(data), { recursive: true });
    mkdirSync(data, { recursive: true });
    // A circle of its own file, so that the office forwards no samples.
    const circle = exampleCircle;
    writeFileSync(join(data, 'circle.yaml'), JSON.stringify(circle));
    const sample = (await samples(systemClock, circle)).find(({ name }) => name.includes('receipt'));
    writeFileSync(file, sample?.raw ?? '');
    office = await startOffice(data);
  }, 120_000);

  afterAll(() => office?.stop());

  it('five times one after the other and five times at once are one case', async () => {
    for (let time = 0; time < 5; time += 1) {
      expect((await caregate(['mail', file, '--data', data])).code).toBe(0);
    }
    const atOnce = await Promise.all(
      Array.from({ length: 5 }, () => caregate(['mail', file, '--data', data, '--json'])),
    );
    expect(atOnce.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(new Set(atOnce.map(({ objects }) => objects[0]?.case)).size).toBe(1);
    const listed = await caregate(['cases', '--data', data, '--json']);
    expect(listed.objects).toHaveLength(1);
  }, 120_000);
});
