/** What a mail's own style sheets hide: by class, id or element name. */
export interface HiddenRules {
  readonly selectors: ReadonlySet<string>;
}

/**
 * Reads from style sheets what they hide. Only the last part of a selector counts, so that more is taken for hidden
 * than a browser would hide. What stands inside a media query does not count: it is hidden from some screens only.
 *
 * @param css attacker-controlled
 */
export function hiddenRules(css: string): HiddenRules {
  const selectors = new Set<string>();
  for (const { selector, declarations } of rulesOf(withoutComments(css))) {
    if (!hides(declarations)) continue;
    for (const each of selector.split(',')) {
      const last =
        each
          .trim()
          .split(/[\s>+~]+/)
          .at(-1) ?? '';
      if (/^(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)?$/i.test(last) && last !== '')
        selectors.add(last.toLowerCase());
    }
  }
  return { selectors };
}

/** Whether an element is hidden by its attributes or by a rule. */
export function hiddenByStyle(name: string, attributes: Record<string, string>, rules: HiddenRules): boolean {
  if ('hidden' in attributes || (name === 'input' && attributes.type?.toLowerCase() === 'hidden'))
    return true;
  if (hides(attributes.style ?? '')) return true;
  if (rules.selectors.size === 0) return false;
  const names = [
    ...(attributes.class ?? '').split(/\s+/).map((each) => `.${each}`),
    `#${attributes.id ?? ''}`,
  ].map((each) => each.toLowerCase());
  return ['', ...names].some((each) => rules.selectors.has(`${name}${each}`) || rules.selectors.has(each));
}

const hiding = [
  /(?:^|;)\s*display\s*:\s*none/,
  /(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)/,
  /(?:^|;)\s*text-indent\s*:\s*-\d{3,}/,
  /(?:^|;)\s*(?:left|right|top|margin-left|margin-top)\s*:\s*-\d{3,}/,
  /(?:^|;)\s*(?:clip\s*:\s*rect\(\s*(?:0|1px)|clip-path\s*:\s*inset\(\s*(?:50|100)%)/,
  /(?:^|;)\s*color\s*:\s*transparent\b/,
];

function hides(declarations: string): boolean {
  const plain = withoutComments(declarations).toLowerCase();
  if (hiding.some((pattern) => pattern.test(plain))) return true;
  if (isTiny(plain, 'opacity') || isTiny(plain, 'font-size')) return true;
  const clipped = /(?:^|;)\s*overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/.test(plain);
  return clipped && ['height', 'max-height', 'width', 'max-width'].some((name) => isTiny(plain, name));
}

/** The largest length of each unit that nobody can read; a number alone is an opacity, or pixels to old mail programs. */
const tiny: Readonly<Record<string, number>> = { px: 2, pt: 2, '%': 10, '': 0.1 };

function isTiny(declarations: string, property: string): boolean {
  const match = new RegExp(`(?:^|;)\\s*${property}\\s*:\\s*(\\d*\\.?\\d+)\\s*([a-z%]*)`).exec(declarations);
  const [, number, unit = ''] = match ?? [];
  return number !== undefined && Number(number) <= (tiny[unit] ?? 0.1);
}

interface Rule {
  readonly selector: string;
  readonly declarations: string;
}

/** The rules of a sheet. At-rules are passed over with all that they hold. */
function rulesOf(css: string): Rule[] {
  const rules: Rule[] = [];
  let at = 0;
  while (at < css.length) {
    const open = css.indexOf('{', at);
    if (open === -1) break;
    const selector = css.slice(at, open).split(';').at(-1) ?? '';
    const conditional = selector.trim().startsWith('@');
    const close = conditional ? blockEnd(css, open) : css.indexOf('}', open);
    if (close === -1) break;
    if (!conditional) rules.push({ selector, declarations: css.slice(open + 1, close) });
    at = close + 1;
  }
  return rules;
}

function blockEnd(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at += 1) {
    if (css[at] === '{') depth += 1;
    if (css[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function withoutComments(css: string): string {
  const pieces = css.split('/*');
  const [first = ''] = pieces;
  let plain = first;
  for (const piece of pieces.slice(1)) {
    const end = piece.indexOf('*/');
    plain += end === -1 ? '' : ` ${piece.slice(end + 2)}`;
  }
  return plain.replaceAll('<!--', ' ').replaceAll('-->', ' ');
}
