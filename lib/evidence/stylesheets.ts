/** What is declared for an element: property to value, both in lower case; the last of a property counts. */
export type Declarations = ReadonlyMap<string, string>;

interface Rule {
  readonly declarations: Declarations;
  /** Whether the selector says more than its last part, so that it may not apply. */
  readonly narrowed: boolean;
}

/** What a mail's own style sheets say, by element name, class and id, or an element name with one of these. */
export type StyleRules = ReadonlyMap<string, readonly Rule[]>;

const mostRules = 50;

/**
 * Reads style sheets. What stands inside a media query does not count: it holds on some screens only.
 * @param css attacker-controlled
 */
export function styleRules(css: string): StyleRules {
  const rules = new Map<string, Rule[]>();
  for (const { selector, declarations } of blocksOf(withoutComments(css))) {
    const parsed = declarationsOf(declarations);
    for (const each of selector.split(',')) {
      const parts = each.trim().split(/[\s>+~]+/);
      const last = parts.at(-1) ?? '';
      if (!/^(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)?$/i.test(last) || last === '') continue;
      const key = last.toLowerCase();
      const found = rules.get(key) ?? [];
      if (found.length < mostRules) found.push({ declarations: parsed, narrowed: parts.length > 1 });
      rules.set(key, found);
    }
  }
  return rules;
}

const mostNames = 100;

/** The rules that apply to an element, or may, the weaker first; what its own attribute declares is the strongest. */
export function rulesFor(
  name: string,
  attributes: Record<string, string>,
  rules: StyleRules,
): readonly Rule[] {
  const own = { declarations: declarationsOf(withoutComments(attributes.style ?? '')), narrowed: false };
  if (rules.size === 0) return [own];
  const classes = (attributes.class ?? '').split(/\s+/, mostNames).map((each) => `.${each}`);
  const names = [...classes, `#${attributes.id ?? ''}`].map((each) => each.toLowerCase());
  const keys = [name, ...names.flatMap((each) => [each, `${name}${each}`])];
  return [...keys.flatMap((key) => rules.get(key) ?? []), own];
}

export function declarationsOf(text: string): Declarations {
  const declarations = new Map<string, string>();
  for (const each of text.toLowerCase().split(';')) {
    const colon = each.indexOf(':');
    if (colon === -1) continue;
    declarations.set(each.slice(0, colon).trim(), each.slice(colon + 1).trim());
  }
  return declarations;
}

interface Block {
  readonly selector: string;
  readonly declarations: string;
}

/** The rules of a sheet. At-rules are passed over with all that they hold. */
function blocksOf(css: string): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < css.length) {
    const open = css.indexOf('{', at);
    if (open === -1) break;
    const selector = css.slice(at, open).split(';').at(-1) ?? '';
    const conditional = selector.trim().startsWith('@');
    const close = conditional ? blockEnd(css, open) : css.indexOf('}', open);
    if (close === -1) break;
    if (!conditional) blocks.push({ selector, declarations: css.slice(open + 1, close) });
    at = close + 1;
  }
  return blocks;
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
