import type { Bindings, Expression, Expressions } from './expression.ts';
import { expressionSource } from './expression.ts';
import { QueryError } from './failure.ts';
import { Payload } from './payload.ts';
import { type Steps, waitFor } from './steps.ts';

/** A field in which any string may be an expression, at any depth. */
export type Template =
  | { readonly kind: 'constant'; readonly payload: Payload }
  | { readonly kind: 'expression'; readonly expression: Expression; readonly location: string }
  | { readonly kind: 'array'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Template])[] };

/**
 * @param location how events and causes name the field: `Output/result`
 * @param path how a refusal names it: `/States/Start/Output/result`
 */
export function template(value: unknown, location: string, path: string, expressions: Expressions): Template {
  const source = typeof value === 'string' ? expressionSource(value) : undefined;
  if (source !== undefined) {
    return { kind: 'expression', expression: expressions.parse(source, path), location };
  }
  if (Array.isArray(value)) {
    const items = value.map((item, index) =>
      template(item, `${location}/${index}`, `${path}/${index}`, expressions),
    );
    return items.every(isConstant) ? constant(value) : { kind: 'array', items };
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, member]) =>
        [key, template(member, `${location}/${key}`, `${path}/${key}`, expressions)] as const,
    );
    return members.every(([, member]) => isConstant(member)) ? constant(value) : { kind: 'object', members };
  }
  return constant(value);
}

function constant(value: unknown): Template {
  return { kind: 'constant', payload: Payload.of(value) };
}

export function isConstant(of: Template): boolean {
  return of.kind === 'constant';
}

/** Evaluates a template; a constant takes no time. @throws QueryError into the steps */
export function* evaluate(of: Template, bindings: () => Bindings): Steps<unknown> {
  switch (of.kind) {
    case 'constant':
      return of.payload.value;
    case 'expression':
      return yield* waitFor(of.expression.evaluate(bindings(), of.location));
    case 'array': {
      const items: unknown[] = [];
      for (const item of of.items) items.push(yield* evaluate(item, bindings));
      return items;
    }
    case 'object': {
      const members: [string, unknown][] = [];
      for (const [key, member] of of.members) members.push([key, yield* evaluate(member, bindings)]);
      return Object.fromEntries(members);
    }
  }
}

/** As {@link evaluate}, with the JSON text; a constant's text is made once, at load. */
export function* evaluatePayload(of: Template, bindings: () => Bindings): Steps<Payload> {
  if (of.kind === 'constant') return of.payload;
  return Payload.of(yield* evaluate(of, bindings));
}

/** Checks that the result of a template has the type that its field asks for. */
export function expectType<T>(
  of: Template,
  value: unknown,
  type: string,
  fits: (value: unknown) => value is T,
): T {
  if (fits(value)) return value;
  const was = `Expected '${type}', but was '${typeName(value)}' for value: ${JSON.stringify(value)}`;
  if (of.kind !== 'expression') throw new QueryError(was);
  throw new QueryError(
    `The JSONata expression '${of.expression.source}' specified for the field '${of.location}' returned an unexpected result type. ${was}`,
    of.location,
  );
}

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
