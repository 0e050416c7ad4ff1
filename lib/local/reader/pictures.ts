import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Worker as Thread } from 'node:worker_threads';
import type { ConverseRequest, ImageBlock } from '@aws-sdk/client-bedrock-runtime';
import type { Worker } from 'tesseract.js';

/** The languages in which letters are read, all at once: that takes a third longer than one, and nobody has to say which. */
const languages = ['eng', 'spa', 'deu', 'fra'] as const;

/** The pictures of a request, as they came over the wire: base64, whatever the SDK's type says of them. */
export function picturesOf(request: ConverseRequest): Uint8Array[] {
  const content = request.messages?.at(-1)?.content ?? [];
  return content.flatMap(({ image }) => (image === undefined ? [] : [bytesOf(image)]));
}

function bytesOf({ source }: ImageBlock): Uint8Array {
  const bytes: unknown = source?.bytes;
  return typeof bytes === 'string'
    ? Buffer.from(bytes, 'base64')
    : ((bytes as Uint8Array) ?? new Uint8Array());
}

/**
 * Reads pictures on this machine, with language data that were installed with it: nothing is fetched. It is started for
 * the first picture, kept for the next ones, and does not keep the process alive.
 */
export class PictureReader {
  #worker: Promise<Worker> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #folder: string | undefined;

  /** The text of pictures, one after the other; nothing at all if one of them cannot be opened. Attacker-controlled. */
  async read(pictures: readonly Uint8Array[]): Promise<string | undefined> {
    try {
      const texts: string[] = [];
      for (const picture of pictures) texts.push(await this.#readOne(picture));
      return texts.filter((text) => text !== '').join('\n\n');
    } catch {
      // A picture that broke the reader may have broken it for the next one: that gets a new one.
      await this.close();
      return undefined;
    }
  }

  async close(): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined);
    this.#worker = undefined;
    await worker?.terminate();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  /** One reader reads one picture at a time. */
  #readOne(picture: Uint8Array): Promise<string> {
    const turn = this.#last.then(() => this.#recognise(picture));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #recognise(picture: Uint8Array): Promise<string> {
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    const thread = threadOf(worker);
    thread?.ref();
    try {
      const { data } = await worker.recognize(Buffer.from(picture), { rotateAuto: true }, { text: true });
      return data.text.replace(/\n{2,}/g, '\n\n').trim();
    } finally {
      thread?.unref();
    }
  }

  async #start(): Promise<Worker> {
    const { createWorker, OEM } = await import('tesseract.js');
    this.#folder = languageFolder();
    const worker = await createWorker([...languages], OEM.LSTM_ONLY, {
      langPath: this.#folder,
      cacheMethod: 'none',
      // What goes wrong rejects; printed, it would quote the picture.
      errorHandler: () => undefined,
    });
    // Without it the reader prints what it makes of each picture.
    await worker.setParameters({ user_defined_dpi: '200' });
    threadOf(worker)?.unref();
    return worker;
  }
}

/** The thread behind a reader. The library's types do not tell of it. */
function threadOf(worker: Worker): Thread | undefined {
  return (worker as unknown as { worker?: Thread }).worker;
}

/** All languages in one folder, where the reader looks for them; each comes in a package of its own. */
function languageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'caregate-languages-'));
  const require = createRequire(import.meta.url);
  for (const language of languages) {
    const home = dirname(require.resolve(`@tesseract.js-data/${language}/package.json`));
    const file = `${language}.traineddata.gz`;
    symlinkSync(join(home, '4.0.0_best_int', file), join(folder, file));
  }
  return folder;
}

/** The one reader of this process: it takes 200 MB, and reads one picture at a time anyway. */
export const pictureReader = new PictureReader();
