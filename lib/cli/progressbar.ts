import type { WriteStream } from 'node:tty';

const width = 28;

/** How far long work has come, as one line that changes in place. Outside of a terminal it stays quiet. */
export class ProgressBar {
  readonly #stream: Pick<WriteStream, 'isTTY' | 'write'>;
  readonly #total: number;
  #done = 0;
  #drawn = '';

  constructor(stream: Pick<WriteStream, 'isTTY' | 'write'>, total: number) {
    this.#stream = stream;
    this.#total = Math.max(1, total);
  }

  /** One more is done. @param doing what it was part of, in a few words */
  step(doing: string): void {
    this.#done = Math.min(this.#total, this.#done + 1);
    const filled = Math.floor((this.#done / this.#total) * width);
    const share = `${Math.floor((this.#done / this.#total) * 100)} %`.padStart(5);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`;
    this.#draw(`${bar} ${share}  ${this.#done} of ${this.#total} mails  ${doing}`);
  }

  /** Takes the line away: what follows is the result. */
  end(): void {
    if (this.#drawn !== '') this.#stream.write('\r\u001b[2K');
    this.#drawn = '';
  }

  #draw(line: string): void {
    if (!this.#stream.isTTY || line === this.#drawn) return;
    this.#stream.write(`\r\u001b[2K${line}`);
    this.#drawn = line;
  }
}
