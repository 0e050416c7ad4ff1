import { decode, encode } from 'fast-png';
import jpeg from 'jpeg-js';
import { describe, expect, it } from 'vitest';
import { readImage } from '../../lib/evidence/image.ts';
import { Patience } from '../../lib/evidence/patience.ts';
import { pictureOfText } from '../support/pictures.ts';

const read = (bytes: Uint8Array) => readImage(bytes, new Patience());

describe('a picture', () => {
  it('waits to be read, as it is', async () => {
    const png = pictureOfText();
    const reading = await read(png);
    expect(reading).toMatchObject({ unread: 'scanned', unseen: [1], pictures: [{ page: 1, format: 'png' }] });
    expect(Buffer.from(reading.pictures?.[0]?.bytes ?? []).equals(png)).toBe(true);
  });

  it.each([
    [
      'a logo',
      encode({ width: 120, height: 40, data: new Uint8Array(4800), channels: 1, depth: 8 }),
      'too_small',
    ],
    ['of a kind that models do not take', new Uint8Array(Buffer.from('II*\0nonsense')), 'unsupported'],
    ['broken', pictureOfText().slice(0, 12), 'damaged'],
    ['over 25 MB', new Uint8Array(26 * 1024 * 1024), 'too_large'],
    ['larger than any camera makes', hugePng(), 'too_large'],
  ])('is called what it is: %s', async (_, bytes, unread) => {
    expect(await read(bytes)).toEqual({ pages: [''], unread });
  });

  it('is turned upright where the camera was held sideways', async () => {
    // A black bar along what is the left side of the stored picture, and the top of the scene.
    const [width, height] = [400, 300];
    const data = Buffer.alloc(width * height * 4, 255);
    for (let y = 0; y < height; y += 1) data.fill(0, y * width * 4, y * width * 4 + 40 * 4);
    const stored = jpeg.encode({ width, height, data }, 90).data;
    const reading = await read(withOrientation(stored, 6));
    const [picture] = reading.pictures ?? [];
    const upright = decode(picture?.bytes ?? new Uint8Array());
    expect([picture?.format, upright.width, upright.height]).toEqual(['png', 300, 400]);
    expect(upright.data[150 + 10 * 300]).toBeLessThan(60);
    expect(upright.data[150 + 390 * 300]).toBeGreaterThan(200);
  });
});

/** A JPEG with an EXIF segment that says how the camera was held. */
function withOrientation(stored: Uint8Array, orientation: number): Uint8Array {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return new Uint8Array(Buffer.concat([stored.subarray(0, 2), head, body, stored.subarray(2)]));
}

/** A small file that says it is 30,000 dots wide and high. */
function hugePng(): Uint8Array {
  const png = Buffer.from(pictureOfText());
  png.writeUInt32BE(30_000, 16);
  png.writeUInt32BE(30_000, 20);
  return new Uint8Array(png);
}
