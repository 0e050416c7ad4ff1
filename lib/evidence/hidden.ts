import { black, type Colour, colourOf, isUnseenOn, white } from './colours.ts';
import { type Declarations, rulesFor, type StyleRules } from './stylesheets.ts';

/** How text in an element looks, as far as it decides whether people can see it. A child takes it over and may change it. */
export interface Look {
  /** Whether the element and all in it is gone, whatever its children say. */
  readonly gone: boolean;
  /** In pixels. */
  readonly size: number;
  readonly invisible: boolean;
  /** Nothing where it is not known, as behind a picture. */
  readonly colour: Colour | undefined;
  readonly ground: Colour | undefined;
}

export const plainLook: Look = { gone: false, size: 16, invisible: false, colour: black, ground: white };

/** Text smaller than this, in pixels, is read by nobody. */
const smallest = 3;

/** Whether people see text of this look. */
export function isSeen({ gone, size, invisible, colour, ground }: Look): boolean {
  if (gone || invisible || size < smallest) return false;
  if (colour !== undefined && colour.alpha <= 0.1) return false;
  return colour === undefined || ground === undefined || !isUnseenOn(colour, ground);
}

/**
 * How an element looks within its parent. A selector counts by its last part, so that more is taken for gone than a
 * browser would hide; a colour that only such a selector sets is not known.
 *
 * @param attributes attacker-controlled, as are the rules
 */
export function lookOf(
  name: string,
  attributes: Record<string, string>,
  rules: StyleRules,
  parent: Look,
): Look {
  let look: Look = { ...parent, ...attributeColours(name, attributes) };
  if (hiddenByAttribute(name, attributes)) look = { ...look, gone: true };
  for (const { declarations, narrowed } of rulesFor(name, attributes, rules)) {
    if (declarations.size > 0) look = declared(look, declarations, parent, narrowed);
  }
  return look;
}

function hiddenByAttribute(name: string, attributes: Record<string, string>): boolean {
  if ('hidden' in attributes) return true;
  return (name === 'dialog' && !('open' in attributes)) || attributes.type?.toLowerCase() === 'hidden';
}

function attributeColours(name: string, attributes: Record<string, string>): Partial<Look> {
  const colour = name === 'font' || name === 'body' ? (attributes.color ?? attributes.text) : undefined;
  const look: { colour?: Colour | undefined; ground?: Colour | undefined } = {};
  if (colour !== undefined) look.colour = colourOf(colour.toLowerCase());
  if (attributes.bgcolor !== undefined) look.ground = colourOf(attributes.bgcolor.toLowerCase());
  if (attributes.background !== undefined) look.ground = undefined;
  return look;
}

function declared(look: Look, declarations: Declarations, parent: Look, narrowed: boolean): Look {
  const size = sizeOf(declarations.get('font-size'), parent.size);
  const visibility = declarations.get('visibility');
  return {
    gone: look.gone || takesAway(declarations),
    // Only to be taken for smaller: a selector that may not apply makes nothing readable.
    size: size === undefined || (narrowed && size > look.size) ? look.size : size,
    invisible: declaredInvisible(look.invisible, visibility, narrowed),
    colour: declaredColour(look.colour, declarations, narrowed),
    ground: declaredGround(look.ground, declarations, narrowed),
  };
}

function declaredInvisible(before: boolean, visibility: string | undefined, narrowed: boolean): boolean {
  if (visibility === undefined || /^(?:inherit|unset)/.test(visibility)) return before;
  return /^(?:hidden|collapse)/.test(visibility) || (narrowed && before);
}

function declaredColour(
  before: Colour | undefined,
  declarations: Declarations,
  narrowed: boolean,
): Colour | undefined {
  const value = declarations.get('-webkit-text-fill-color') ?? declarations.get('color');
  if (value === undefined || /^(?:inherit|unset|currentcolor)/.test(value)) return before;
  return narrowed ? undefined : colourOf(value);
}

function declaredGround(
  before: Colour | undefined,
  declarations: Declarations,
  narrowed: boolean,
): Colour | undefined {
  if (/url\(|gradient\(/.test(declarations.get('background-image') ?? '')) return undefined;
  const value = declarations.get('background-color') ?? declarations.get('background');
  if (value === undefined || /^(?:none|inherit|initial|unset)/.test(value)) return before;
  if (narrowed || /url\(|gradient\(/.test(value)) return undefined;
  const ground = colourOf(value.split(/\s(?![^(]*\))/)[0] ?? '');
  return ground !== undefined && ground.alpha < 0.5 ? before : ground;
}

const far = String.raw`-\s*\d{3,}`;
const offScreen = [
  'text-indent', 'left', 'right', 'top', 'bottom', 'inset', 'margin', 'margin-left', 'margin-top', 'margin-right',
]; // biome-ignore format: a list

/** What no child can undo: not displayed, moved out of the page, cut off, or without any cover. */
function takesAway(declarations: Declarations): boolean {
  const is = (property: string, pattern: RegExp): boolean => pattern.test(declarations.get(property) ?? '');
  if (is('display', /^none/) || is('content-visibility', /^hidden/)) return true;
  if (offScreen.some((property) => is(property, new RegExp(`(?:^|\\s)${far}`)))) return true;
  const placed = is('position', /^(?:absolute|fixed)/);
  if (placed && ['left', 'top'].some((property) => is(property, /^\d{4,}(?:\.\d*)?px/))) return true;
  if (is('transform', new RegExp(`translate[xy3d]*\\(\\s*${far}|scale[xy3d]*\\(\\s*0(?:\\.0\\d*)?\\s*[,)]`)))
    return true;
  if (
    is('clip', /^rect\(\s*(?:0|1px)/) ||
    is(
      'clip-path',
      /^(?:inset\(\s*(?:[5-9]\d|100)%|(?:circle|ellipse)\(\s*0|polygon\(\s*0\D{1,3}0\D{1,3}0\D{1,3}0\D)/,
    )
  )
    return true;
  if (
    isTiny(declarations, 'opacity') ||
    isTiny(declarations, 'zoom') ||
    is('filter', /opacity\(\s*0?(?:\.0\d*)?%?\s*\)/)
  )
    return true;
  const clipped =
    is('overflow', /^(?:hidden|clip)/) ||
    is('overflow-x', /^(?:hidden|clip)/) ||
    is('overflow-y', /^(?:hidden|clip)/);
  return (
    clipped &&
    ['height', 'max-height', 'width', 'max-width', 'line-height'].some((property) =>
      isTiny(declarations, property),
    )
  );
}

/** The largest measure of each unit that nobody can read. */
const tiny: Readonly<Record<string, number>> = { px: 2, pt: 2, '%': 10, em: 0.1, rem: 0.1, '': 0.1 };

function isTiny(declarations: Declarations, property: string): boolean {
  const [, number, unit = ''] = /^(\d*\.?\d+)\s*([a-z%]*)/.exec(declarations.get(property) ?? '') ?? [];
  return number !== undefined && Number(number) <= (tiny[unit] ?? 0.1);
}

const pixels: Readonly<Record<string, number>> = {
  px: 1,
  '': 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  rem: 16,
  vw: 6,
  vh: 8,
};

/** The size of letters in pixels; what is no size, as a word for one, is that of a letter. */
function sizeOf(value: string | undefined, parent: number): number | undefined {
  if (value === undefined || /^(?:inherit|unset)/.test(value)) return undefined;
  const [, number, unit = ''] = /^(\d*\.?\d+)\s*([a-z%]*)/.exec(value) ?? [];
  if (number === undefined) return 16;
  if (unit === 'em' || unit === 'ex' || unit === 'ch') return Number(number) * parent;
  if (unit === '%') return (Number(number) / 100) * parent;
  return Number(number) * (pixels[unit] ?? 1);
}
