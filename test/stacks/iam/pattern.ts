const expressions = new Map<string, RegExp>();

/** Whether a text is what a pattern with `*` and `?` describes. */
export function isLike(pattern: string, text: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === text;
  return expressionOf(pattern).test(text);
}

function expressionOf(pattern: string): RegExp {
  const known = expressions.get(pattern);
  if (known !== undefined) return known;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const made = new RegExp(`^${source}$`, 's');
  expressions.set(pattern, made);
  return made;
}

/** Whether an action, such as `s3:GetObject`, is what an `Action` element names. Letters' case does not count. */
export function isAction(pattern: string, action: string): boolean {
  return pattern === '*' || isLike(pattern.toLowerCase(), action.toLowerCase());
}

/**
 * Whether an ARN is what a `Resource` element or an ARN condition names. Each of the six parts between the first five
 * colons is compared with its own: a wildcard never reaches into the next.
 */
export function isArn(pattern: string, arn: string): boolean {
  if (pattern === '*') return true;
  const wanted = partsOf(pattern);
  const given = partsOf(arn);
  return wanted.every((part, at) => isLike(part, given[at] ?? ''));
}

function partsOf(arn: string): string[] {
  const parts = arn.split(':');
  if (parts.length < 6) throw new Error(`\`${arn}\` is not an ARN of six parts`);
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}
