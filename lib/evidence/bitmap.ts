import { encode } from 'fast-png';
import { inverse, type Matrix, mapped } from './matrix.ts';

/** How the bytes of an image are packed: a bit, a byte, three or four bytes for each dot. */
export type Packing = 'bit' | 'grey' | 'rgb' | 'rgba';

export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly packing: Packing;
  readonly data: Uint8Array | Uint8ClampedArray;
}

const bytesPerDot: Readonly<Record<Packing, number>> = { bit: 1 / 8, grey: 1, rgb: 3, rgba: 4 };

/** Whether there are as many bytes as the dots need. */
export function isWhole({ width, height, packing, data }: Raster): boolean {
  const row = packing === 'bit' ? Math.ceil(width / 8) : width * bytesPerDot[packing];
  return width > 0 && height > 0 && data.length >= row * height;
}

/** A sheet of white paper on which images are laid, in shades of grey: letters need no more. */
export class Bitmap {
  readonly width: number;
  readonly height: number;
  readonly #dots: Uint8Array;
  #covered = 0;

  constructor(width: number, height: number) {
    this.width = Math.max(1, Math.round(width));
    this.height = Math.max(1, Math.round(height));
    this.#dots = new Uint8Array(this.width * this.height).fill(255);
  }

  /** The share of the sheet under images; where they overlap it is counted twice. */
  get covered(): number {
    return this.#covered / this.#dots.length;
  }

  /**
   * Lays an image down.
   * @param matrix where the unit square goes, in which PDF draws an image, its first row at the top (8.9.5.1)
   * @param stencil the shade that is painted where a stencil's bit is 0; an image if there is none
   */
  draw(raster: Raster, matrix: Matrix, stencil?: number): void {
    const back = inverse(matrix);
    if (back === undefined) return;
    const corners = [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ].map(([x = 0, y = 0]) => mapped(matrix, { x, y }));
    const [left, right] = range(
      corners.map(({ x }) => x),
      this.width,
    );
    const [top, bottom] = range(
      corners.map(({ y }) => y),
      this.height,
    );
    const samples = this.#samples(raster, matrix);
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) {
        const shade = averaged(raster, back, { x, y, samples });
        if (shade === undefined) continue;
        this.#covered += 1;
        const at = y * this.width + x;
        const below = this.#dots[at] ?? 255;
        this.#dots[at] = stencil === undefined ? shade : stencil + ((below - stencil) * shade) / 255;
      }
    }
  }

  /** How many of the image's dots one dot of the sheet looks at, in each direction. */
  #samples({ width, height }: Raster, [a, b, c, d]: Matrix): number {
    const across = width / Math.max(1, Math.hypot(a, b));
    const down = height / Math.max(1, Math.hypot(c, d));
    return Math.min(4, Math.max(1, Math.round(Math.max(across, down))));
  }

  png(): Uint8Array {
    return encode({ width: this.width, height: this.height, data: this.#dots, channels: 1, depth: 8 });
  }
}

function range(values: readonly number[], most: number): [number, number] {
  return [Math.max(0, Math.floor(Math.min(...values))), Math.min(most, Math.ceil(Math.max(...values)))];
}

/** The shade of what lies under a dot of the sheet, from 0 to 255; nothing beside the image. */
function averaged(
  raster: Raster,
  [a, b, c, d, e, f]: Matrix,
  { x, y, samples }: { x: number; y: number; samples: number },
): number | undefined {
  let sum = 0;
  let count = 0;
  for (let down = 0; down < samples; down += 1) {
    for (let across = 0; across < samples; across += 1) {
      const px = x + (across + 0.5) / samples;
      const py = y + (down + 0.5) / samples;
      const u = a * px + c * py + e;
      const v = 1 - (b * px + d * py + f);
      if (u < 0 || u >= 1 || v < 0 || v >= 1) continue;
      sum += shadeAt(raster, Math.floor(u * raster.width), Math.floor(v * raster.height));
      count += 1;
    }
  }
  return count === 0 ? undefined : sum / count;
}

function shadeAt({ width, packing, data }: Raster, x: number, y: number): number {
  if (packing === 'bit') {
    const byte = data[y * Math.ceil(width / 8) + (x >> 3)] ?? 0;
    return (byte >> (7 - (x & 7))) & 1 ? 255 : 0;
  }
  const at = (y * width + x) * bytesPerDot[packing];
  const red = data[at] ?? 255;
  if (packing === 'grey') return red;
  const shade = 0.299 * red + 0.587 * (data[at + 1] ?? 255) + 0.114 * (data[at + 2] ?? 255);
  if (packing === 'rgb') return shade;
  const alpha = (data[at + 3] ?? 255) / 255;
  return shade * alpha + 255 * (1 - alpha);
}
