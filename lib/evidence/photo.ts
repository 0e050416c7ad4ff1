import { decode as decodePng } from 'fast-png';
import { imageSize } from 'image-size';
import jpeg from 'jpeg-js';
import { Bitmap, isWhole, type Packing, type Raster } from './bitmap.ts';
import { combined, type Matrix } from './matrix.ts';
import { largestPicture } from './pdfpicture.ts';
import { type PictureFormat, pictureFormat } from './pictureformat.ts';

/** A picture as a model can be shown it, or why it cannot. */
export type Photo =
  | { readonly format: PictureFormat; readonly bytes: Uint8Array }
  | { readonly unread: 'unsupported' | 'damaged' | 'too_large' | 'too_small' };

/** Smaller ones are logos and smileys. */
const smallestSide = 150;
const smallestArea = 60_000;
/** What Bedrock takes of one side. */
const largestSide = 8_000;
/** What is decoded at all: a photograph of 50 million dots. */
const largestArea = 50_000_000;
const shownSide = 2_200;

/**
 * Makes a picture ready to be shown: as it is where it fits; else smaller, and turned as the camera was held.
 * @param bytes attacker-controlled: called where time and memory are bounded
 */
export async function preparePhoto(bytes: Uint8Array): Promise<Photo> {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const format = pictureFormat(head);
  if (format === undefined) return { unread: 'unsupported' };
  const size = sizeOf(bytes);
  if (size === undefined) return { unread: 'damaged' };
  const { width, height, orientation } = size;
  if (Math.min(width, height) < smallestSide || width * height < smallestArea) return { unread: 'too_small' };
  const fits = bytes.length <= largestPicture && Math.max(width, height) <= largestSide;
  if (fits && orientation === 1) return { format, bytes };
  if (width * height > largestArea || (format !== 'png' && format !== 'jpeg')) {
    return fits ? { format, bytes } : { unread: 'too_large' };
  }
  return smaller(rasterOf(format, bytes), orientation);
}

function sizeOf(bytes: Uint8Array): { width: number; height: number; orientation: number } | undefined {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    return { width, height, orientation };
  } catch {
    return undefined;
  }
}

const packings: ReadonlyMap<number, Packing> = new Map([
  [1, 'grey'],
  [3, 'rgb'],
  [4, 'rgba'],
]);

function rasterOf(format: 'png' | 'jpeg', bytes: Uint8Array): Raster | undefined {
  try {
    if (format === 'jpeg') {
      const { width, height, data } = jpeg.decode(bytes, { useTArray: true, maxMemoryUsageInMB: 600 });
      return { width, height, data, packing: 'rgba' };
    }
    const { width, height, data, channels, depth } = decodePng(bytes);
    const packing = packings.get(channels);
    const plain = depth === 8 && data instanceof Uint8Array && packing !== undefined;
    return plain ? { width, height, data, packing } : undefined;
  } catch {
    return undefined;
  }
}

// How the eight orientations of EXIF (2.32, 4.6.4) turn the unit square in which PDF, and Bitmap, draw an image.
const turned: Readonly<Record<number, Matrix>> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
};

function smaller(raster: Raster | undefined, orientation: number): Photo {
  if (raster === undefined || !isWhole(raster)) return { unread: 'damaged' };
  const lying = orientation >= 5 && orientation <= 8;
  const [width, height] = lying ? [raster.height, raster.width] : [raster.width, raster.height];
  for (const longest of [shownSide, 1_500]) {
    const scale = Math.min(1, longest / Math.max(width, height));
    const sheet = new Bitmap(width * scale, height * scale);
    const upright: Matrix = [sheet.width, 0, 0, -sheet.height, 0, sheet.height];
    sheet.draw(raster, combined(upright, turned[orientation] ?? [1, 0, 0, 1, 0, 0]));
    const bytes = sheet.png();
    if (bytes.length <= largestPicture) return { format: 'png', bytes };
  }
  return { unread: 'too_large' };
}
