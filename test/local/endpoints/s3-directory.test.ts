import { appendFile, mkdir, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type S3Options, s3Service } from '../../../lib/local/endpoints/s3.ts';
import type { Service } from '../../../lib/local/endpoints/service.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';
import { ManualClock } from '../../support/time.ts';

const clock = new ManualClock('2027-01-01T00:00:00Z');

async function withObject(options: Partial<S3Options> = {}) {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'case-files'));
  const service = await s3Service({ directory, clock, ...options });
  await put(service, 'k');
  const [name = ''] = await readdir(join(directory, 'case-files'));
  return { directory, service, file: join(directory, 'case-files', name) };
}

const put = (service: Service, key: string) =>
  service.handle({
    method: 'PUT',
    path: `/case-files/${key}`,
    query: new URLSearchParams(),
    headers: { 'if-none-match': '*' },
    body: Buffer.from('body'),
  });

describe('the directory of the local S3', () => {
  it('is refused, by the name of the file, where a file of it is damaged', async () => {
    const damages: ((file: string) => Promise<void>)[] = [
      (file) => truncate(file, 10),
      (file) => truncate(file, 0),
      (file) => appendFile(file, 'more'),
      (file) => writeFile(file, '{"key":"k"}\nbody'),
      (file) => writeFile(file, `${'x'.repeat(5000)}`),
    ];
    for (const damage of damages) {
      const { directory, file } = await withObject();
      await damage(file);
      const opened = s3Service({ directory, clock });
      await expect(opened).toFailWithCode('DATA_DIRECTORY_INVALID');
      await expect(opened).rejects.toThrow(file);
    }
  });

  it('is refused where it is no directory', async () => {
    const file = join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    await expect(s3Service({ directory: file, clock })).toFailWithCode('DATA_DIRECTORY_INVALID');
  });

  it('tells of each new object, after it is there', async () => {
    const events: unknown[] = [];
    const { service } = await withObject({ onCreated: (event) => events.push(event) });
    expect(events).toEqual([{ bucket: 'case-files', key: 'k', size: 4 }]);
    await expect(put(service, 'k')).rejects.toMatchObject({ fault: 'PreconditionFailed' });
    expect(events).toHaveLength(1);
  });

  it('keeps its files from other users of the machine', async () => {
    const { directory, service, file } = await withObject();
    await service.handle({
      method: 'PUT',
      path: '/made-by-it',
      query: new URLSearchParams(),
      headers: {},
      body: new Uint8Array(),
    });
    for (const path of [file, join(directory, 'made-by-it')]) expect((await stat(path)).mode & 0o077).toBe(0);
  });

  it('does not take an object for written where the disk refuses it', async () => {
    const { directory, service } = await withObject();
    const bucket = join(directory, 'case-files');
    const files = await readdir(bucket);
    await rm(bucket, { recursive: true });
    await expect(put(service, 'other')).rejects.toThrow();
    await mkdir(bucket);
    await put(service, 'other');
    expect(files).toHaveLength(1);
    expect(await readdir(bucket)).toHaveLength(1);
  });

  it('reads a head of any length', async () => {
    const { directory, service } = await withObject();
    const key = encodeURIComponent('\u{1F600}'.repeat(256));
    await put(service, key);
    const metadata = {
      'if-none-match': '*',
      'x-amz-meta-long': 'x'.repeat(2000),
      'cache-control': 'y'.repeat(9000),
    };
    await service.handle({
      method: 'PUT',
      path: '/case-files/long',
      query: new URLSearchParams(),
      headers: metadata,
      body: Buffer.from('body'),
    });
    const again = await s3Service({ directory, clock });
    const found = await again.handle({
      method: 'GET',
      path: '/case-files/long',
      query: new URLSearchParams(),
      headers: {},
      body: new Uint8Array(),
    });
    expect(found).toMatchObject({ status: 200, headers: { 'x-amz-meta-long': 'x'.repeat(2000) } });
    expect(Buffer.from(found.body ?? '').toString()).toBe('body');
  });
});
