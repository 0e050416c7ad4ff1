import type { Picture } from '../evidence/pages.ts';
import { type TranscriptionParts, transcribe } from '../evidence/transcription.ts';
import type { Transcriber } from '../evidence/transcripts.ts';
import { ModelFailure } from '../model/failure.ts';
import type { Output } from './output.ts';

/** Reads pictures as a run would, records nothing, and tells of each before it starts: one takes seconds. */
export class PictureCopyist implements Transcriber {
  readonly #parts: TranscriptionParts;
  readonly #output: Pick<Output, 'progress'>;
  #count = 0;

  constructor(parts: TranscriptionParts, output: Pick<Output, 'progress'>) {
    this.#parts = parts;
    this.#output = output;
  }

  /** The text of a picture, attacker-controlled like it; nothing where it could not be read. */
  async read(picture: Picture): Promise<string | undefined> {
    this.#count += 1;
    this.#output.progress(`reading picture ${this.#count}, which takes some seconds …`);
    try {
      return (await transcribe(this.#parts, picture)).text;
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      return undefined;
    }
  }
}
