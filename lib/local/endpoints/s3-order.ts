/**
 * Compares keys as S3 sorts them: by UTF-8 bytes. That is the order of UTF-16 code units, which JavaScript compares by,
 * but for the surrogates: they stand for code points above all others and come last.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return weight(left) - weight(right);
  }
  return a.length - b.length;
}

function weight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Keys in S3's order, kept in it while keys are added. */
export class SortedKeys {
  readonly #keys: string[] = [];

  static of(keys: Iterable<string>): SortedKeys {
    const sorted = new SortedKeys();
    sorted.#keys.push(...[...keys].sort(compareKeys));
    return sorted;
  }

  get length(): number {
    return this.#keys.length;
  }

  at(index: number): string | undefined {
    return this.#keys[index];
  }

  add(key: string): void {
    const index = this.first((present) => compareKeys(present, key) >= 0);
    if (this.#keys[index] !== key) this.#keys.splice(index, 0, key);
  }

  /** The index of the first key for which `holds`, which must hold for all after it too. */
  first(holds: (key: string) => boolean): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(this.#keys[middle] ?? '')) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
