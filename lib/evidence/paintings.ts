import { combined, identity, type Matrix, mapped, matrixOf, type Point, scaleOf } from './matrix.ts';

/** What a page's content does with the pen, as far as it decides what a person sees. All of it is attacker-controlled. */
export type Painting =
  | {
      readonly kind: 'words';
      readonly text: string;
      readonly from: Point;
      readonly to: Point;
      /** The height of the letters, in points on the page. */
      readonly height: number;
      /** Text rendering mode: 3 paints nothing, 7 only clips. */
      readonly mode: number;
      readonly colour: string;
      readonly alpha: number;
      /** Whether it stands in a layer that is switched off. */
      readonly off: boolean;
    }
  | { readonly kind: 'area'; readonly corners: readonly [Point, Point]; readonly colour: string }
  | {
      readonly kind: 'image' | 'mask';
      readonly image: unknown;
      readonly matrix: Matrix;
      readonly colour: string;
    };

/** A page's operators, as pdf.js gives them. */
export interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

interface State {
  readonly map: Matrix;
  readonly colour: string;
  readonly alpha: number;
  readonly mode: number;
  readonly size: number;
  readonly width: number;
  readonly rise: number;
  readonly leading: number;
  readonly letterGap: number;
  readonly wordGap: number;
}

const initial: State = {
  map: identity,
  colour: '#000000',
  alpha: 1,
  mode: 0,
  size: 0,
  width: 1,
  rise: 0,
  leading: 0,
  letterGap: 0,
  wordGap: 0,
};

interface Glyph {
  readonly unicode?: unknown;
  readonly width?: unknown;
  readonly isSpace?: unknown;
}

const deepest = 200;

/**
 * Follows the operators of a page and says what each of them paints, with the state of the pen at that moment.
 * @param names the name of each operator's number, by pdf.js
 * @param isOff whether a layer is switched off, by what the operator says of it
 */
export class PaintWalk {
  readonly #names: ReadonlyMap<number, string>;
  readonly #isOff: (layer: unknown) => boolean;
  #state: State = initial;
  readonly #saved: State[] = [];
  readonly #layers: boolean[] = [];
  #text: Matrix = identity;
  #line: Matrix = identity;

  constructor(names: ReadonlyMap<number, string>, isOff: (layer: unknown) => boolean) {
    this.#names = names;
    this.#isOff = isOff;
  }

  paintings({ fnArray, argsArray }: Operators): Painting[] {
    return fnArray.flatMap((number, index) => {
      const args = (argsArray[index] ?? []) as ArrayLike<unknown>;
      const name = this.#names.get(number) ?? '';
      if (this.#keepsState(name, args) || this.#setsText(name, args) || this.#setsPen(name, args)) return [];
      return this.#paints(name, args);
    });
  }

  #keepsState(name: string, args: ArrayLike<unknown>): boolean {
    switch (name) {
      case 'save':
      case 'beginGroup':
        if (this.#saved.length < deepest) this.#saved.push(this.#state);
        return true;
      case 'paintFormXObjectBegin':
        if (this.#saved.length < deepest) this.#saved.push(this.#state);
        this.#set({ map: combined(this.#state.map, matrixOf(args[0])) });
        return true;
      case 'restore':
      case 'endGroup':
      case 'paintFormXObjectEnd':
        this.#state = this.#saved.pop() ?? this.#state;
        return true;
      case 'transform':
        this.#set({ map: combined(this.#state.map, matrixOf(args)) });
        return true;
      case 'beginMarkedContent':
      case 'beginMarkedContentProps':
        this.#layers.push(args[0] === 'OC' && this.#isOff(args[1]));
        return true;
      case 'endMarkedContent':
        this.#layers.pop();
        return true;
      default:
        return false;
    }
  }

  #setsText(name: string, args: ArrayLike<unknown>): boolean {
    switch (name) {
      case 'beginText':
        this.#place(identity);
        return true;
      case 'setTextMatrix':
        this.#place(matrixOf(args[0]));
        return true;
      case 'setLeadingMoveText':
        this.#set({ leading: numeric(args[1]) });
        this.#move(numeric(args[0]), numeric(args[1]));
        return true;
      case 'moveText':
        this.#move(numeric(args[0]), numeric(args[1]));
        return true;
      case 'nextLine':
        this.#move(0, this.#state.leading);
        return true;
      default:
        return false;
    }
  }

  #setsPen(name: string, args: ArrayLike<unknown>): boolean {
    const change = penChange(name, args);
    if (change !== undefined) this.#set(change);
    return change !== undefined;
  }

  #paints(name: string, args: ArrayLike<unknown>): Painting[] {
    const { map, colour } = this.#state;
    switch (name) {
      case 'showText':
        return this.#words((args[0] ?? []) as ArrayLike<unknown>);
      case 'constructPath':
        return fillOperators.has(this.#names.get(numeric(args[0])) ?? '') ? this.#area(args[2]) : [];
      case 'paintImageXObject':
      case 'paintInlineImageXObject':
        return [{ kind: 'image', image: args[0], matrix: map, colour }];
      case 'paintImageMaskXObject':
        return [{ kind: 'mask', image: args[0], matrix: map, colour }];
      default:
        return [];
    }
  }

  #words(glyphs: ArrayLike<unknown>): Painting[] {
    const { size, width, rise, letterGap, wordGap, map } = this.#state;
    let text = '';
    let advance = 0;
    for (const glyph of Array.from(glyphs)) {
      if (typeof glyph === 'number') advance -= (glyph / 1000) * size * width;
      if (typeof glyph !== 'object' || glyph === null) continue;
      const { unicode, width: wide, isSpace } = glyph as Glyph;
      text += typeof unicode === 'string' ? unicode : '';
      const gap = letterGap + (isSpace === true ? wordGap : 0);
      advance += ((numeric(wide) / 1000) * size + gap) * width;
    }
    const place = combined(map, this.#text);
    this.#text = combined(this.#text, [1, 0, 0, 1, advance, 0]);
    const { mode, colour, alpha } = this.#state;
    return [
      {
        kind: 'words',
        text,
        from: mapped(place, { x: 0, y: rise }),
        to: mapped(place, { x: advance, y: rise }),
        height: Math.abs(size) * scaleOf(place),
        mode,
        colour,
        alpha,
        off: this.#layers.includes(true),
      },
    ];
  }

  #area(bounds: unknown): Painting[] {
    const [left, bottom, right, top] = Array.from((bounds ?? []) as ArrayLike<number>);
    if (left === undefined || bottom === undefined || right === undefined || top === undefined) return [];
    const { map, colour, alpha } = this.#state;
    if (alpha < 0.5) return [];
    const corners = [mapped(map, { x: left, y: bottom }), mapped(map, { x: right, y: top })] as const;
    return [{ kind: 'area', corners, colour }];
  }

  #set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
  }

  #place(matrix: Matrix): void {
    this.#text = matrix;
    this.#line = matrix;
  }

  #move(x: number, y: number): void {
    this.#place(combined(this.#line, [1, 0, 0, 1, x, y]));
  }
}

const fillOperators: ReadonlySet<string> = new Set([
  'fill',
  'eoFill',
  'fillStroke',
  'eoFillStroke',
  'closeFillStroke',
  'closeEOFillStroke',
]);

/** What an operator changes of the pen; nothing for one that does something else. A pattern is no colour that could hide words. */
function penChange(name: string, args: ArrayLike<unknown>): Partial<State> | undefined {
  switch (name) {
    case 'setFillRGBColor':
      return { colour: typeof args[0] === 'string' ? args[0] : 'pattern' };
    case 'setFillColorN':
    case 'setFillTransparent':
      return { colour: 'pattern' };
    case 'setTextRenderingMode':
      return { mode: numeric(args[0]) };
    case 'setFont':
      return { size: numeric(args[1]) };
    case 'setHScale':
      return { width: numeric(args[0]) / 100 };
    case 'setTextRise':
      return { rise: numeric(args[0]) };
    case 'setLeading':
      return { leading: -numeric(args[0]) };
    case 'setCharSpacing':
      return { letterGap: numeric(args[0]) };
    case 'setWordSpacing':
      return { wordGap: numeric(args[0]) };
    case 'setGState':
      return graphicsState(args[0]);
    default:
      return undefined;
  }
}

function graphicsState(entries: unknown): Partial<State> {
  const list = Array.isArray(entries) ? (entries as readonly unknown[]) : [];
  const alpha = list.find((entry) => Array.isArray(entry) && entry[0] === 'ca') as
    | [string, unknown]
    | undefined;
  return alpha === undefined ? {} : { alpha: numeric(alpha[1]) };
}

function numeric(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
