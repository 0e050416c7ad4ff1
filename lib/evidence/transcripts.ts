import * as z from 'zod';
import { type CaseKey, layout } from '../casefile/layout.ts';
import { findRecord, writeRecord } from '../casefile/record.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { isCaregateError } from '../errors.ts';
import { ModelFailure } from '../model/failure.ts';
import { type Sha256, sha256 } from '../provenance/digest.ts';
import type { Picture } from './pages.ts';
import { limits } from './schema.ts';
import { type Transcription, type TranscriptionParts, transcribe } from './transcription.ts';

const transcriptSchema = z.strictObject({
  text: z.string().max(limits.page),
  model: z.string().max(2048),
  attempts: z.int().positive(),
});

/** Reads pictures: gives the text of one, or nothing where nobody could read it. */
export interface Transcriber {
  read(picture: Picture): Promise<string | undefined>;
}

export interface TranscriptBounds {
  /** How many calls of the model may be made. */
  readonly callsLeft: number;
  /** When there is no time left. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Has a model read the pictures of a case, each once: what was read is recorded under the picture's digest, so that a
 * repeated step asks for none of it again. A picture that the model cannot read, or that there is no call or time left
 * for, is left to a person; the next run of the case tries it again.
 */
export class CaseTranscriber implements Transcriber {
  readonly #parts: TranscriptionParts & { readonly store: ObjectStore };
  readonly #key: CaseKey;
  readonly #signal: AbortSignal | undefined;
  #left: number;
  /** How many calls of the model were made. */
  calls = 0;

  constructor(
    parts: TranscriptionParts & { readonly store: ObjectStore },
    key: CaseKey,
    { callsLeft, signal }: TranscriptBounds,
  ) {
    this.#parts = parts;
    this.#key = key;
    this.#left = callsLeft;
    this.#signal = signal;
  }

  async read(picture: Picture): Promise<string | undefined> {
    const digest = sha256(picture.bytes);
    const before = await this.#recorded(digest);
    if (before !== undefined) return before.text;
    const transcription = await this.#ask(picture);
    if (transcription === undefined) return undefined;
    return this.#record(digest, transcription);
  }

  #recorded(picture: Sha256): Promise<Transcription | undefined> {
    return findRecord(this.#parts.store, layout.transcript(this.#key, picture), transcriptSchema);
  }

  /** A model reads a picture a little differently each time: what was recorded first stands. */
  async #record(picture: Sha256, transcription: Transcription): Promise<string> {
    try {
      await writeRecord(this.#parts.store, layout.transcript(this.#key, picture), transcription);
      return transcription.text;
    } catch (error) {
      const first = isCaregateError(error, 'CREATE_CONFLICT') ? await this.#recorded(picture) : undefined;
      if (first === undefined) throw error;
      return first.text;
    }
  }

  async #ask(picture: Picture): Promise<Transcription | undefined> {
    if (this.#left <= 0 || this.#signal?.aborted === true) return undefined;
    try {
      const bounds = { callsLeft: this.#left, signal: this.#signal };
      const transcription = await transcribe(this.#parts, picture, bounds);
      this.#count(transcription.attempts);
      return transcription;
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      this.#count(error.attempts);
      // A model that is not there will not be there for the next picture either.
      if (error.code === 'MODEL_UNAVAILABLE') this.#left = 0;
      return undefined;
    }
  }

  #count(calls: number): void {
    this.calls += calls;
    this.#left -= calls;
  }
}
