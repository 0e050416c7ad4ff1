import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { startS3, temporaryDirectory } from '../support/endpoints.ts';

const Bucket = 'case-files';
const child = fileURLToPath(new URL('./killed-put.ts', import.meta.url));

function run(directory: string, point: string): Promise<{ signal: string | null; output: string }> {
  return new Promise((resolve) => {
    const running = spawn(process.execPath, [child, directory, point], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    running.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    running.on('close', (_code, signal) => resolve({ signal, output }));
  });
}

async function afterwards(point: string) {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, Bucket));
  const { signal, output } = await run(directory, point);
  const { client } = await startS3({ directory });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
  const left = readdirSync(join(directory, Bucket)).filter((name) => name.startsWith('new-'));
  return { client, signal, output, keys: Contents.map(({ Key }) => Key), left };
}

describe('a put that is killed', () => {
  it.each(['half way through the bytes', 'before the bytes are on disk', 'before the name'])(
    '%s leaves nothing, and the key free',
    async (point) => {
      const { client, signal, output, keys, left } = await afterwards(point);
      expect({ signal, output, keys, left }).toEqual({ signal: 'SIGKILL', output: '', keys: [], left: [] });
      await client.send(new PutObjectCommand({ Bucket, Key: 'the-key', Body: 'y', IfNoneMatch: '*' }));
    },
  );

  it.each(['after the name', 'before the directory is on disk', 'never'])(
    '%s leaves the whole object, and the key taken',
    async (point) => {
      const { client, signal, output, keys, left } = await afterwards(point);
      const survived = point === 'never';
      expect({ signal, output }).toEqual(
        survived ? { signal: null, output: 'answered\n' } : { signal: 'SIGKILL', output: '' },
      );
      expect({ keys, left }).toEqual({ keys: ['the-key'], left: [] });
      const found = await client.send(new GetObjectCommand({ Bucket, Key: 'the-key' }));
      expect(await found.Body?.transformToString()).toBe('x'.repeat(100_000));
      const again = client.send(
        new PutObjectCommand({ Bucket, Key: 'the-key', Body: 'y', IfNoneMatch: '*' }),
      );
      await expect(again).rejects.toMatchObject({ name: 'PreconditionFailed' });
    },
  );
});
