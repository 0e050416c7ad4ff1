/** A colour as red, green, blue from 0 to 255, and how much of it covers from 0 to 1. */
export interface Colour {
  readonly channels: readonly [number, number, number];
  readonly alpha: number;
}

export const white: Colour = { channels: [255, 255, 255], alpha: 1 };
export const black: Colour = { channels: [0, 0, 0], alpha: 1 };

const names: Readonly<Record<string, string>> = {
  white: 'ffffff', black: '000000', snow: 'fffafa', ivory: 'fffff0', ghostwhite: 'f8f8ff', whitesmoke: 'f5f5f5',
  floralwhite: 'fffaf0', azure: 'f0ffff', mintcream: 'f5fffa', silver: 'c0c0c0', gray: '808080', grey: '808080',
  lightgray: 'd3d3d3', lightgrey: 'd3d3d3', gainsboro: 'dcdcdc', red: 'ff0000', green: '008000', lime: '00ff00',
  blue: '0000ff', navy: '000080', yellow: 'ffff00', aqua: '00ffff', cyan: '00ffff', fuchsia: 'ff00ff', magenta: 'ff00ff',
  maroon: '800000', olive: '808000', purple: '800080', teal: '008080', orange: 'ffa500',
}; // biome-ignore format: a table

/** Reads a colour as style sheets and old attributes write it. Nothing for what is none, or is not known. */
export function colourOf(text: string): Colour | undefined {
  const plain = text.replace('!important', '').trim();
  if (plain === 'transparent') return { channels: [0, 0, 0], alpha: 0 };
  const hex = names[plain] ?? /^#?([0-9a-f]{3,8})$/.exec(plain)?.[1];
  return hex === undefined ? mixedColour(plain) : hexColour(hex);
}

function hexColour(hex: string): Colour | undefined {
  const digits = hex.length <= 4 ? [...hex].map((digit) => `${digit}${digit}`).join('') : hex;
  if (digits.length !== 6 && digits.length !== 8) return undefined;
  const at = (start: number): number => Number.parseInt(digits.slice(start, start + 2), 16);
  return { channels: [at(0), at(2), at(4)], alpha: digits.length === 8 ? at(6) / 255 : 1 };
}

/** `rgb(…)` and `hsl(…)`, with or without how much they cover. */
function mixedColour(text: string): Colour | undefined {
  const match = /^(rgb|hsl)a?\(([^()]{1,100})\)$/.exec(text);
  const parts = (match?.[2] ?? '').split(/[\s,/]+/).filter((part) => part !== '');
  const numbers = parts.map(Number.parseFloat);
  if (match === null || numbers.length < 3 || numbers.some(Number.isNaN)) return undefined;
  const [one = 0, two = 0, three = 0, cover = 1] = numbers;
  const alpha = parts[3]?.endsWith('%') === true ? cover / 100 : cover;
  if (match[1] === 'hsl') return { channels: fromHue(one, two / 100, three / 100), alpha };
  const scale = (value: number, part = ''): number => (part.endsWith('%') ? value * 2.55 : value);
  return { channels: [scale(one, parts[0]), scale(two, parts[1]), scale(three, parts[2])], alpha };
}

function fromHue(hue: number, saturation: number, lightness: number): [number, number, number] {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const k = (((offset + hue / 30) % 12) + 12) % 12;
    return 255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return [channel(0), channel(8), channel(4)];
}

/** How far two colours may lie apart, in each channel, for nobody to see one on the other. */
const unseen = 20;

/** Whether text of a colour cannot be seen on a ground. */
export function isUnseenOn(text: Colour, ground: Colour): boolean {
  if (text.alpha <= 0.1) return true;
  return text.channels.every(
    (channel, index) => Math.abs(channel - (ground.channels[index] ?? 0)) * text.alpha <= unseen,
  );
}
