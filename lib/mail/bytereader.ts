/** What bytes that end too early, or that say they hold more than there is, are refused with. */
export const endOfBytes = Symbol('end of bytes');

/** Reads little-endian numbers and runs of bytes from attacker-controlled bytes, and never past their end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.at;
  }

  uint8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** A view of the next bytes, not a copy. */
  bytes(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** @throws endOfBytes */
  #take(length: number): number {
    const start = this.at;
    if (length > this.left) throw endOfBytes;
    this.at += length;
    return start;
  }
}
