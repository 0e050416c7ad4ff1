// A child of `s3-crash.test.ts`: it puts one object and is killed at a named point of the write.
import { Buffer } from 'node:buffer';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { systemClock } from '../../lib/provenance/clock.ts';

const [directory = '', point = ''] = process.argv.slice(2);
const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  // The signal is on its way; nothing may happen until it is here.
  for (;;);
};

const { link } = fs;
fs.link = async (from, to) => {
  if (point === 'before the name') die();
  await link(from, to);
  if (point === 'after the name') die();
};
syncBuiltinESMExports();

const probe = await fs.open(process.execPath, 'r');
const handle = Object.getPrototypeOf(probe) as fs.FileHandle;
await probe.close();
const { sync, writeFile } = handle;
let synced = 0;
handle.sync = async function (this: fs.FileHandle) {
  synced += 1;
  if (point === 'before the bytes are on disk' && synced === 1) die();
  if (point === 'before the directory is on disk' && synced === 2) die();
  await sync.call(this);
};
handle.writeFile = async function (this: fs.FileHandle, data, options) {
  if (point === 'half way through the bytes' && data instanceof Uint8Array && data.length > 10_000) {
    await writeFile.call(this, Buffer.from(data).subarray(0, data.length / 2), options);
    die();
  }
  await writeFile.call(this, data, options);
};

const { s3Service } = await import('../../lib/local/endpoints/s3.ts');
const service = await s3Service({ directory, clock: systemClock });
await service.handle({
  method: 'PUT',
  path: '/case-files/the-key',
  query: new URLSearchParams(),
  headers: { 'if-none-match': '*' },
  body: Buffer.alloc(100_000, 'x'),
});
console.log('answered');
