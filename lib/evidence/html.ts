import { convert } from 'html-to-text';
import { Parser } from 'htmlparser2';
import { cutText, visibleText } from '../mail/characters.ts';
import { isSeen, type Look, lookOf, plainLook } from './hidden.ts';
import { invisibleTexts } from './invisible.ts';
import { type Reading, readingOf, unreadable, withHidden } from './pages.ts';
import { limits } from './schema.ts';
import { type StyleRules, styleRules } from './stylesheets.ts';

const longestHtml = 3_000_000;
const longestVisible = 1_000_000;
const longestStyle = 200_000;
const deepestNesting = 400;

/**
 * The text of an HTML page that a person would see. What is hidden from people (not displayed, without size, without
 * opacity, in the colour of its ground, out of the page) speaks to programs: it is set aside, for whoever looks into
 * the case. The bytes are kept whole.
 *
 * @param html attacker-controlled
 */
export function readHtml(html: string): Reading {
  if (html.length > longestHtml) return unreadable('too_large');
  const page = splitHtml(html);
  if (page === undefined) return unreadable('damaged');
  // Before anything else: what lays out the text takes a zero-width space for one that parts words.
  const visible = visibleText(page.visible);
  const text = convert(visible.slice(0, longestVisible), {
    wordwrap: false,
    limits: { maxDepth: deepestNesting + 50, maxInputLength: longestVisible + 1 },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
      { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
    ],
  });
  return withHidden(readingOf([text.replace(/[^\S\n]+/gu, ' ')]), [
    ...hiddenRuns(page.hidden),
    ...invisibleTexts(page.visible),
  ]);
}

const mostHidden = 50;
const mostRuns = 1000;

/** What is hidden, run by run, without the invisible filling that senders put behind a preview. */
function hiddenRuns(runs: readonly string[]): string[] {
  const texts = runs.map((run) => visibleText(run).replace(/\s+/gu, ' ').trim());
  return texts
    .filter((text) => /[\p{L}\p{N}]/u.test(text))
    .slice(0, mostHidden)
    .map((text) => cutText(text, limits.hidden));
}

/** Elements whose text no reader is shown; that of programs and style sheets is not even set aside. */
const unshown = new Set(
  'title template noscript iframe object audio video canvas datalist noframes noembed'.split(' '),
);
const mute = new Set('head script style svg math'.split(' '));
const alone = new Set('br hr img input meta link col area base wbr source embed'.split(' '));

interface SplitPage {
  readonly visible: string;
  readonly hidden: readonly string[];
}

/**
 * The page without what is hidden, and that. Nothing for one that nests deeper than any letter does: taking it apart
 * would cost time that grows with the square of its depth.
 */
function splitHtml(html: string): SplitPage | undefined {
  try {
    const sheets = new StyleSheets();
    parseInto(html, sheets);
    const filter = new VisibleFilter(styleRules(sheets.css));
    parseInto(html, filter);
    return { visible: filter.output.join(''), hidden: filter.hidden };
  } catch (error) {
    if (error === tooDeep) return undefined;
    throw error;
  }
}

const tooDeep = Symbol('nested too deep');

interface TagHandler {
  onopentag(name: string, attributes: Record<string, string>): void;
  ontext(text: string): void;
  onclosetag(name: string): void;
}

function parseInto(html: string, handler: TagHandler): void {
  let depth = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      if (depth > deepestNesting) throw tooDeep;
      handler.onopentag(name, attributes);
    },
    ontext: (text) => handler.ontext(text),
    onclosetag(name) {
      depth -= 1;
      handler.onclosetag(name);
    },
  });
  parser.end(html);
}

/** Gathers what stands in the style sheets of a page. */
class StyleSheets implements TagHandler {
  css = '';
  #inside = false;

  onopentag(name: string): void {
    this.#inside = name === 'style';
  }

  ontext(text: string): void {
    if (this.#inside && this.css.length < longestStyle) this.css += text;
  }

  onclosetag(): void {
    this.#inside = false;
  }
}

interface OpenElement {
  readonly name: string;
  readonly look: Look;
  readonly muted: boolean;
  /** Whether it was handed on, and is to be closed there. */
  readonly shown: boolean;
}

const outermost: OpenElement = { name: '', look: plainLook, muted: false, shown: true };

class VisibleFilter implements TagHandler {
  readonly output: string[] = [];
  readonly hidden: string[] = [];
  readonly #rules: StyleRules;
  readonly #open: OpenElement[] = [];
  #hiding = false;

  constructor(rules: StyleRules) {
    this.#rules = rules;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    const above = this.#open.at(-1) ?? outermost;
    const look = lookOf(name, attributes, this.#rules, above.look);
    const folded = above.name === 'details' && name !== 'summary';
    const gone = look.gone || unshown.has(name) || folded;
    const muted = above.muted || mute.has(name);
    const shown = !gone && !muted;
    // A closed `details` hides its text and all but its summary.
    const closed = name === 'details' && !('open' in attributes);
    this.#open.push({ name: closed ? name : '', look: { ...look, gone }, muted, shown });
    if (shown) this.output.push(`<${name}>`);
  }

  ontext(text: string): void {
    const { look, muted, name } = this.#open.at(-1) ?? outermost;
    if (muted) return;
    if (isSeen(look) && name !== 'details') {
      this.#hiding = this.#hiding && text.trim() === '';
      this.output.push(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
    } else {
      this.#setAside(text);
    }
  }

  onclosetag(name: string): void {
    const closed = this.#open.pop();
    if (closed?.shown === true && !alone.has(name)) this.output.push(`</${name}>`);
  }

  /** Pieces that nothing visible stands between are one run, as a sentence may be cut into elements. */
  #setAside(text: string): void {
    const last = this.hidden.length - 1;
    if (this.#hiding && last >= 0) this.hidden[last] += text;
    else if (text.trim() !== '' && last < mostRuns) this.hidden.push(text);
    this.#hiding ||= text.trim() !== '';
  }
}
