/** What one `Authentication-Results` field states (RFC 8601, 2.2), as far as it is well formed. */
export interface AuthResults {
  /** Who claims to have checked, in lower case. */
  readonly server: string;
  readonly results: readonly AuthResult[];
}

export interface AuthResult {
  readonly method: string;
  readonly result: string;
  /** By `ptype.property`, in lower case, such as `header.from`; the values as they were written. */
  readonly properties: ReadonlyMap<string, string>;
}

/** A word, a quoted string, or one of `; = . / @`. Comments and folding are gone. */
interface Token {
  readonly kind: 'word' | 'quoted' | 'mark';
  readonly text: string;
  /** Whether white space or a comment stood in front. */
  readonly apart: boolean;
}

const longest = 20_000;
const wordForm = /[^\s()<>@,;:\\"/[\]?=.\p{Cc}]+/uy;

/**
 * Reads a field's value by the grammar of RFC 8601, and gives nothing for a field that departs from it anywhere. What
 * stands in such a field is partly the sender's: a receiver repeats the envelope's sender in a property, and often once
 * more in a comment. A local part in quotes can hold parentheses and semicolons, which would end that comment early
 * and begin a result of the sender's own. A comment that holds a quote or a backslash therefore spoils the field, and so
 * does a property given twice.
 *
 * @param value the field's value, attacker-controlled unless its place in the mail says who wrote it
 */
export function parseAuthResults(value: string): AuthResults | undefined {
  const tokens = value.length > longest ? undefined : tokensOf(value);
  if (tokens === undefined) return undefined;
  const [head = [], ...clauses] = splitAt(tokens, ';');
  const server = serverOf(head);
  if (server === undefined || clauses.length === 0) return undefined;
  const trailing = clauses.at(-1)?.length === 0 ? clauses.slice(0, -1) : clauses;
  if (trailing.length === 1 && isNone(trailing[0] ?? [])) return { server, results: [] };
  const results = trailing.map(resultOf);
  if (results.some((result) => result === undefined)) return undefined;
  return { server, results: results.filter((result) => result !== undefined) };
}

function tokensOf(value: string): Token[] | undefined {
  const tokens: Token[] = [];
  let apart = false;
  for (let at = 0; at < value.length; ) {
    const char = value[at] ?? '';
    if (/\s/.test(char)) {
      apart = true;
      at += 1;
      continue;
    }
    if (char === '(') {
      const end = commentEnd(value, at);
      if (end === undefined) return undefined;
      apart = true;
      at = end;
      continue;
    }
    const token = tokenAt(value, at);
    if (token === undefined) return undefined;
    tokens.push({ kind: token.kind, text: token.text, apart });
    apart = false;
    at = token.end;
  }
  return tokens;
}

function tokenAt(value: string, at: number): { kind: Token['kind']; text: string; end: number } | undefined {
  const char = value[at] ?? '';
  if (';=./@:'.includes(char)) return { kind: 'mark', text: char, end: at + 1 };
  if (char === '"') {
    const [whole] = /^"(?:[^"\\\r\n]|\\[\x20-\x7e])*"/.exec(value.slice(at)) ?? [];
    if (whole === undefined) return undefined;
    const text = whole.slice(1, -1).replace(/\\(.)/g, '$1');
    return { kind: 'quoted', text, end: at + whole.length };
  }
  wordForm.lastIndex = at;
  const word = wordForm.exec(value)?.[0];
  return word === undefined ? undefined : { kind: 'word', text: word, end: at + word.length };
}

/** Where a comment ends, nested ones included; nothing for one that is open or holds a quote or a backslash. */
function commentEnd(value: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < value.length; at += 1) {
    const char = value[at];
    if (char === '"' || char === '\\') return undefined;
    if (char === '(') depth += 1;
    if (char === ')' && --depth === 0) return at + 1;
  }
  return undefined;
}

function splitAt(tokens: readonly Token[], mark: string): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (isMark(token, mark)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** The authserv-id, with an optional version, which can only be 1. */
function serverOf(tokens: readonly Token[]): string | undefined {
  const [first] = tokens;
  if (first?.kind === 'quoted') return tokens.length === 1 ? first.text.toLowerCase() : undefined;
  const name = joined(tokens);
  if (name === undefined || name.end === 0) return undefined;
  const rest = tokens.slice(name.end);
  const version = rest.length === 0 || (rest.length === 1 && rest[0]?.text === '1');
  return version ? name.text.toLowerCase() : undefined;
}

function isNone(tokens: readonly Token[]): boolean {
  return tokens.length === 1 && tokens[0]?.text.toLowerCase() === 'none';
}

/** `method[/version]=result [reason=value] [ptype.property=value …]` */
function resultOf(tokens: readonly Token[]): AuthResult | undefined {
  const [method, ...afterMethod] = tokens;
  if (method?.kind !== 'word') return undefined;
  const versioned = isMark(afterMethod[0], '/');
  const [equals, result, ...rest] = versioned ? afterMethod.slice(2) : afterMethod;
  if (!isMark(equals, '=') || result?.kind !== 'word') return undefined;
  const properties = propertiesOf(rest);
  return properties && { method: method.text.toLowerCase(), result: result.text.toLowerCase(), properties };
}

function propertiesOf(tokens: readonly Token[]): Map<string, string> | undefined {
  const properties = new Map<string, string>();
  for (let left = tokens; left.length > 0; ) {
    const [name, mark, property, equals] = left;
    if (name?.kind !== 'word' || !name.apart) return undefined;
    const named = isMark(mark, '=') && name.text.toLowerCase() === 'reason';
    if (!named && !(isMark(mark, '.') && property?.kind === 'word' && isMark(equals, '='))) return undefined;
    const key = named ? 'reason' : `${name.text}.${property?.text}`.toLowerCase();
    left = left.slice(named ? 2 : 4);
    const value = joined(left, 1);
    if (value === undefined || value.end === 0 || properties.has(key)) return undefined;
    properties.set(key, value.text);
    left = left.slice(value.end);
  }
  return properties;
}

/** Tokens that belong together, since nothing stands between them, as one text: `care@clinic.example`. */
function joined(tokens: readonly Token[], from = 0): { text: string; end: number } | undefined {
  let text = '';
  let end = 0;
  for (const token of tokens) {
    if (end > 0 && token.apart) break;
    if (isMark(token, '=') && from === 0) return undefined;
    text += token.text;
    end += 1;
  }
  return { text, end };
}

function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'mark' && token.text === mark;
}
