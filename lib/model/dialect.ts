import type { Json } from '../provenance/canonical.ts';
import type { ModelFamily } from './models.ts';

/** JSON as the AWS SDK types a document. */
type Document = null | boolean | number | string | Document[] | { [key: string]: Document };

const bounds: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'minItems', 'maxItems']);

/**
 * A tool's JSON Schema as the model's family accepts it. Nothing is lost by what is left out, because zod enforces
 * every rule on the answer.
 *
 * - `nova`: the top level holds `type`, `properties` and `required` only; a choice between objects becomes one object
 *   of which exactly one property is asked for in words
 * - `claude`: no lengths and counts, which its strict mode refuses
 * - `other`: the schema as it is
 */
export function rendered(schema: { readonly [key: string]: Json }, family: ModelFamily): Document {
  switch (family) {
    case 'nova':
      return mapped(schema, (node) => without(merged(node), (key) => key === 'additionalProperties'));
    case 'claude':
      return mapped(schema, (node) => without(node, (key) => bounds.has(key)));
    case 'other':
      return mapped(schema, (node) => node);
  }
}

type Node = { readonly [key: string]: Json | undefined };

function mapped(value: Json, change: (node: Node) => Node): Document {
  if (Array.isArray(value)) return value.map((element: Json) => mapped(element, change));
  if (typeof value !== 'object' || value === null) return value as Document;
  const members = Object.entries(change(value as Node)).flatMap(([key, member]) =>
    member === undefined ? [] : [[key, mapped(member, change)] as const],
  );
  return Object.fromEntries(members);
}

function without(node: Node, drop: (key: string) => boolean): Node {
  return Object.fromEntries(Object.entries(node).filter(([key]) => !drop(key)));
}

function merged(node: Node): Node {
  const { anyOf, ...rest } = node;
  if (!Array.isArray(anyOf)) return node;
  const properties: Record<string, Json | undefined> = {};
  for (const way of anyOf as readonly Node[]) Object.assign(properties, way.properties);
  const names = Object.keys(properties).join(' or ');
  return { ...rest, type: 'object', properties, description: `${rest.description}; give either ${names}` };
}
