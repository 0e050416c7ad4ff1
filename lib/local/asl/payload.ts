import { limits } from './limits.ts';

/** A JSON value with its text. Either is made from the other only when somebody asks, and then once. */
export class Payload {
  readonly text: string;
  #value: unknown;
  #parsed: boolean;

  private constructor(text: string, value: unknown, parsed: boolean) {
    this.text = text;
    this.#value = value;
    this.#parsed = parsed;
  }

  /** Of a plain JSON value. */
  static of(value: unknown): Payload {
    return new Payload(JSON.stringify(value), value, true);
  }

  /** Of JSON text that was written by us, or has been checked by {@link isJson}. */
  static parse(text: string): Payload {
    return new Payload(text, undefined, false);
  }

  get value(): unknown {
    if (!this.#parsed) {
      this.#value = JSON.parse(this.text);
      this.#parsed = true;
    }
    return this.#value;
  }

  get isTooLarge(): boolean {
    return isTooLarge(this.text, limits.payloadBytes);
  }
}

/** Whether a text takes more UTF-8 bytes than `limit`; counts bytes only where the length leaves it open. */
export function isTooLarge(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
