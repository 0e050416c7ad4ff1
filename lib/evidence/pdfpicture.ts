import { Bitmap, isWhole, type Packing, type Raster } from './bitmap.ts';
import { combined, matrixOf } from './matrix.ts';
import type { Painting } from './paintings.ts';
import type { PdfPage } from './pdfpage.ts';

/** What a page shows beside its words. */
export interface PagePicture {
  /** Whether it is a picture of a page, rather than a page with a picture on it. */
  readonly scanned: boolean;
  /** The picture as PNG, the right way up; nothing where it cannot be decoded. */
  readonly png?: Uint8Array | undefined;
}

/** The longest side, in dots: two hundred to the inch on A4, which is what reading letters takes. */
const longestSides = [2200, 1500];
/** What Bedrock takes of one image is 3.75 MB. */
export const largestPicture = 3_500_000;
/** The share of the page that images must cover before it is a picture of a page. */
const covering = 0.35;

type Image = Extract<Painting, { matrix: unknown }>;

/** The images of a page, laid out as the page lays them out. */
export async function pictureOf(page: PdfPage, paintings: readonly Painting[]): Promise<PagePicture> {
  const images = paintings.filter((painting) => 'matrix' in painting);
  if (claimedShare(page, images) < covering) return { scanned: false };
  const rasters = await Promise.all(
    images.map(async (image) => ({ image, raster: await rasterOf(page, image) })),
  );
  for (const longest of longestSides) {
    const { width, height } = page.getViewport({ scale: 1 });
    const view = page.getViewport({ scale: longest / Math.max(width, height) });
    const sheet = new Bitmap(view.width, view.height);
    for (const { image, raster } of rasters) {
      if (raster === undefined) continue;
      const stencil = image.kind === 'mask' ? shadeOf(image.colour) : undefined;
      sheet.draw(raster, combined(matrixOf(view.transform), image.matrix), stencil);
    }
    if (sheet.covered < covering) return { scanned: true };
    const png = sheet.png();
    if (png.length <= largestPicture) return { scanned: true, png };
  }
  return { scanned: true };
}

/** The share of the page that the images cover by their places alone, whether or not they can be decoded. */
function claimedShare(page: PdfPage, images: readonly Image[]): number {
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const whole = Math.max(1, (right - left) * (top - bottom));
  return images.reduce((sum, { matrix: [a, b, c, d] }) => sum + Math.abs(a * d - b * c) / whole, 0);
}

interface PdfImage {
  readonly width?: unknown;
  readonly height?: unknown;
  readonly kind?: unknown;
  readonly data?: unknown;
}

// The kinds of pdf.js: one bit of grey, three bytes, four bytes.
const packings: ReadonlyMap<unknown, Packing> = new Map([
  [1, 'bit'],
  [2, 'rgb'],
  [3, 'rgba'],
]);

async function rasterOf(page: PdfPage, { image, kind }: Image): Promise<Raster | undefined> {
  const given = typeof image === 'string' ? await objectOf(page, image) : (image as PdfImage | null);
  // The dots of a stencil may themselves be kept aside under a name.
  const kept = typeof given?.data === 'string' ? await objectOf(page, given.data) : given;
  const packing = kind === 'mask' ? 'bit' : packings.get(kept?.kind);
  const { width, height } = { ...kept, ...given };
  const data = kept?.data;
  if (packing === undefined || typeof width !== 'number' || typeof height !== 'number') return undefined;
  if (!(data instanceof Uint8Array || data instanceof Uint8ClampedArray)) return undefined;
  const raster: Raster = { width, height, packing, data };
  return isWhole(raster) ? raster : undefined;
}

/** What pdf.js keeps under a name. It calls back with nothing for an image that it could not decode. */
function objectOf(page: PdfPage, name: string): Promise<PdfImage | null> {
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => {
    objects.get(name, (object: unknown) => resolve(object as PdfImage | null));
  });
}

function shadeOf(colour: string): number {
  const channels = /^#(..)(..)(..)$/.exec(colour)?.slice(1) ?? ['00'];
  return channels.reduce((sum, channel) => sum + Number.parseInt(channel, 16), 0) / channels.length || 0;
}
