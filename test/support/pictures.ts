import { encode } from 'fast-png';

/** A picture of lines that look like writing from afar, and say nothing. */
export function pictureOfText(width = 600, height = 800): Uint8Array {
  const data = new Uint8Array(width * height).fill(255);
  for (let y = 40; y < height - 40; y += 24) {
    for (let x = 40; x < width - 40; x += 1) if (x % 9 < 6) data.fill(0, y * width + x, y * width + x + 1);
  }
  return encode({ width, height, data, channels: 1, depth: 8 });
}
