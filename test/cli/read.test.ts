import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { read } from '../../lib/cli/read.ts';
import { factLines, wrapped } from '../../lib/cli/reading.ts';
import { PictureCopyist } from '../../lib/cli/readpictures.ts';
import { modelSettings } from '../../lib/model/models.ts';
import { sha256 } from '../../lib/provenance/digest.ts';

const circle = 'rules/circle.example.yaml';
const letters = 'test/evidence/letters';
const folder = mkdtempSync(join(tmpdir(), 'caregate-read-'));
afterEach(() => vi.restoreAllMocks());

async function printed(file: string, json = false, pictures = false): Promise<string[]> {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text).trimEnd()) > 0);
  await read(file, { data: folder, json, circle, pictures });
  return lines.flatMap((line) => line.split('\n'));
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('caregate read', () => {
  it('prints documents, and facts with quote and trust, within 80 columns and without colours', async () => {
    const lines = await printed(`${letters}/nhs-rescheduled.eml`);
    const text = lines.join('\n');
    expect(text).toContain('subject  Change to your appointment');
    expect(text).toContain('1 documents\n  d1  text  Message text');
    expect(text).toContain('appointment change: moved');
    expect(text).toContain('the offline reader added 0 of these facts; 0 were dropped');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).not.toContain('\u001b');
  });

  it('prints one object a line with --json', async () => {
    const lines = await printed(`${letters}/nhs-outpatient.eml`, true);
    const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(new Set(objects.flatMap((each) => Object.keys(each)))).toEqual(
      new Set(['mail', 'document', 'fact', 'recording']),
    );
    expect(objects.at(-1)).toEqual({
      recording: { model: 'caregate.offline-reader', attempts: 1, added: 1, dropped: {} },
    });
  });

  it('reads a file that is no mail as one that was attached, and says what it could not read', async () => {
    const invitation = file('a.ics', 'BEGIN:VCALENDAR\nnonsense');
    expect((await printed(invitation)).join('\n')).toContain(
      'damaged: it could not be taken apart as a whole',
    );
    const note = file('b.txt', 'Your eye check is on Thursday 4 March 2088 at 10:30am.');
    const text = (await printed(note)).join('\n');
    expect(text).toContain('appointment start: 2088-03-04T10:30+00:00');
    expect(text).not.toMatch(/^(?:from|subject|date) /m); // a document has no sender
  });

  it('reads a photograph, and says before that it takes time', async () => {
    const told: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0);
    const text = (await printed(`${letters}/gb-photographed-letter.eml`, false, true)).join('\n');
    expect(text).toContain('read from a picture: page 1');
    expect(text).toMatch(
      /appointment start: 2027-03-04T10:30\+00:00\n +UNTRUSTED, to be asked: it (?:was read|is over)/,
    );
    expect(told).toEqual(['reading picture 1, which takes some seconds …\n']);
  });

  it('leaves a photograph unread where it is told to, and says so', async () => {
    const text = (await printed(`${letters}/gb-photographed-letter.eml`)).join('\n');
    expect(text).toContain('not read: it is a picture of text');
    expect(text).toContain('a picture that nothing has read: page 1');
    expect(text).not.toContain('appointment start');
  });

  it('says of a picture that cannot be opened that it was not read', async () => {
    const parts = { bedrock: { send: () => Promise.reject(new TypeError('gone')) } as never };
    const evidenceModel = modelSettings('caregate.offline-reader');
    const copyist = new PictureCopyist({ ...parts, evidenceModel }, { progress: () => undefined });
    const picture = { page: 1, format: 'png', bytes: new Uint8Array(1) } as const;
    await expect(copyist.read(picture)).resolves.toBeUndefined();
  });

  it('refuses what is not there and what is no file', async () => {
    const options = { data: folder, circle };
    await expect(() => read('no/such.eml', options)).toFailWithCode('NOT_FOUND');
    await expect(() => read(folder, options)).toFailWithCode('INVALID_INPUT');
  });
});

describe('lines for a terminal', () => {
  it('hold every word, and cut what is longer than a line', () => {
    const text = `  word ${'x'.repeat(200)} and ${'several words '.repeat(12)}`;
    expect(wrapped(text).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    expect(Math.max(...wrapped(text).map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(wrapped('a\u001b[31m\u202eb')).toEqual(['a [31m b']);
  });

  it('say what raised a fact, or what a person has to settle', () => {
    const source = { document: sha256('x'), page: 1, quote: 'on 4 March' };
    const fact = { id: 'f1', kind: 'deadline', value: '2027-03-04', source } as const;
    const raised = { ...fact, trust: 'CONTROLLED', validator: 'certain-date' } as const;
    expect(factLines(raised, 'd1')[1]).toContain('CONTROLLED by certain-date');
    const doubted = { ...fact, trust: 'UNTRUSTED', doubt: 'year_missing' } as const;
    expect(factLines(doubted, 'd1')[1]).toContain('UNTRUSTED, to be asked: the year is not given');
  });
});

it('a reader of the output that has read enough is no failure', () => {
  const command = `"${process.execPath}" bin/caregate.js read ${letters}/nhs-three-appointments.eml --circle ${circle} | head -n 1`;
  const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
});
