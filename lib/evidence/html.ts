import { convert } from 'html-to-text';
import { Parser } from 'htmlparser2';
import { type HiddenRules, hiddenByStyle, hiddenRules } from './hidden.ts';
import { type Reading, readingOf, unreadable } from './pages.ts';

const longestHtml = 3_000_000;
const longestVisible = 1_000_000;
const longestStyle = 200_000;
const deepestNesting = 400;

/**
 * The text of an HTML page that a person would see. What is hidden from people (not displayed, without size, without
 * opacity) is dropped: it speaks to programs. The bytes are kept whole.
 *
 * @param html attacker-controlled
 */
export function readHtml(html: string): Reading {
  if (html.length > longestHtml) return unreadable('too_large');
  const visible = visibleHtml(html);
  if (visible === undefined) return unreadable('damaged');
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
  return readingOf([text.replace(/[^\S\n]+/gu, ' ')]);
}

const dropped = new Set([
  'head',
  'script',
  'style',
  'title',
  'template',
  'noscript',
  'iframe',
  'object',
  'svg',
  'math',
]);
const alone = new Set([
  'br',
  'hr',
  'img',
  'input',
  'meta',
  'link',
  'col',
  'area',
  'base',
  'wbr',
  'source',
  'embed',
]);

/**
 * The page without what is hidden. Nothing for one that nests deeper than any letter does: taking it apart would cost
 * time that grows with the square of its depth.
 */
function visibleHtml(html: string): string | undefined {
  try {
    const sheets = new StyleSheets();
    parseInto(html, sheets);
    const filter = new VisibleFilter(hiddenRules(sheets.css));
    parseInto(html, filter);
    return filter.output.join('');
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

class VisibleFilter implements TagHandler {
  readonly output: string[] = [];
  readonly #rules: HiddenRules;
  /** How many open elements stand inside the outermost hidden one, itself included. */
  #hidden = 0;

  constructor(rules: HiddenRules) {
    this.#rules = rules;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    if (this.#hidden > 0 || dropped.has(name) || hiddenByStyle(name, attributes, this.#rules)) {
      this.#hidden += 1;
      return;
    }
    this.output.push(`<${name}>`);
  }

  ontext(text: string): void {
    if (this.#hidden > 0) return;
    this.output.push(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
  }

  onclosetag(name: string): void {
    if (this.#hidden > 0) this.#hidden -= 1;
    else if (!alone.has(name)) this.output.push(`</${name}>`);
  }
}
