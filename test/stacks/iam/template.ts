import { arnOf, nameOf, pseudo } from './symbols.ts';

/** One resource of a template, as far as rights need it. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** A synthesized template. */
export interface TemplateJson {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>
  >;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
}

/** A resource with the stack and the logical id that it has. */
export interface Located {
  readonly stack: string;
  readonly id: string;
  readonly resource: Resource;
}

/**
 * The templates of one deployment. Intrinsic functions become symbolic names and ARNs: the same resource gives the
 * same text wherever it is referred to, so that a policy and a request can be compared.
 */
export class Templates {
  readonly #templates: Readonly<Record<string, TemplateJson>>;
  readonly #exports = new Map<string, { stack: string; value: unknown }>();

  /** @param templates by the name of their stack */
  constructor(templates: Readonly<Record<string, TemplateJson>>) {
    this.#templates = templates;
    for (const [stack, { Outputs = {} }] of Object.entries(templates)) {
      for (const { Value, Export } of Object.values(Outputs)) {
        if (typeof Export?.Name === 'string') this.#exports.set(Export.Name, { stack, value: Value });
      }
    }
  }

  /** Every resource of a type, in all stacks. */
  all(type: string): Located[] {
    return Object.entries(this.#templates).flatMap(([stack, { Resources }]) =>
      Object.entries(Resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([id, resource]) => ({ stack, id, resource })),
    );
  }

  /** The resource that a reference leads to, in whichever stack it lies. */
  locate(stack: string, reference: unknown): Located | undefined {
    const imported = property(reference, 'Fn::ImportValue');
    if (imported !== undefined) {
      const found = this.#exports.get(String(this.resolve(stack, imported)));
      return found === undefined ? undefined : this.locate(found.stack, found.value);
    }
    const target = property(reference, 'Ref') ?? property(reference, 'Fn::GetAtt');
    const id = Array.isArray(target) ? target[0] : target;
    const resource = typeof id === 'string' ? this.#templates[stack]?.Resources[id] : undefined;
    return resource === undefined ? undefined : { stack, id: id as string, resource };
  }

  /** The name that `Ref` gives of a resource. */
  name({ stack, id, resource }: Located): string {
    return nameOf(resource.Type, `${stack}.${id}`, (key) => this.#given(stack, resource, key));
  }

  /** The ARN of a resource. */
  arn({ stack, id, resource }: Located): string {
    return arnOf(resource.Type, `${stack}.${id}`, (key) => this.#given(stack, resource, key));
  }

  #given(stack: string, resource: Resource, key: string): string | undefined {
    const value = resource.Properties?.[key];
    return value === undefined ? undefined : String(this.resolve(stack, value));
  }

  /** A value with every intrinsic function resolved. One that is not known is an error. */
  resolve(stack: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.resolve(stack, one));
    if (typeof value !== 'object' || value === null) return value;
    const [[key, argument] = ['', undefined], ...others] = Object.entries(value);
    if (others.length === 0 && (key === 'Ref' || key.startsWith('Fn::')))
      return this.#call(stack, key, argument);
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, inner]) => [name, this.resolve(stack, inner)] as const)
        .filter(([, inner]) => inner !== undefined),
    );
  }

  #call(stack: string, name: string, argument: unknown): unknown {
    const list = (): unknown[] => this.resolve(stack, argument) as unknown[];
    switch (name) {
      case 'Ref':
        return this.#reference(stack, String(argument));
      case 'Fn::GetAtt':
        return this.#attribute(stack, ...((argument as [string, string]) ?? []));
      case 'Fn::ImportValue': {
        const exported = this.#exports.get(String(this.resolve(stack, argument)));
        if (exported === undefined) throw new Error(`nothing exports \`${JSON.stringify(argument)}\``);
        return this.resolve(exported.stack, exported.value);
      }
      case 'Fn::Join': {
        const [separator, values] = list() as [string, unknown[]];
        return values.map(String).join(separator);
      }
      case 'Fn::Select': {
        const [index, values] = list() as [string | number, unknown[]];
        return values[Number(index)];
      }
      case 'Fn::Split': {
        const [separator, text] = list() as [string, string];
        return text.split(separator);
      }
      case 'Fn::Sub':
        return this.#substitute(stack, argument);
      default:
        throw new Error(`intrinsic function \`${name}\` is not known`);
    }
  }

  #substitute(stack: string, argument: unknown): string {
    const [text, given] = (Array.isArray(argument) ? argument : [argument, {}]) as [
      string,
      Record<string, unknown>,
    ];
    return text.replace(/\$\{([^!}][^}]*)\}/g, (_, name: string) => {
      if (Object.hasOwn(given, name)) return String(this.resolve(stack, given[name]));
      const [id = '', attribute] = name.split('.');
      return String(
        attribute === undefined ? this.#reference(stack, name) : this.#attribute(stack, id, attribute),
      );
    });
  }

  #reference(stack: string, id: string): unknown {
    if (id === 'AWS::NoValue') return undefined;
    if (Object.hasOwn(pseudo, id)) return pseudo[id];
    if (id === 'AWS::StackName') return stack;
    const template = this.#templates[stack];
    const parameter = template?.Parameters?.[id];
    if (parameter !== undefined) return parameter.Default ?? `parameter.${id}`;
    const resource = template?.Resources[id];
    if (resource === undefined) throw new Error(`stack \`${stack}\` has no resource \`${id}\``);
    return this.name({ stack, id, resource });
  }

  #attribute(stack: string, id: string, attribute: string): string {
    const resource = this.#templates[stack]?.Resources[id];
    if (resource === undefined) throw new Error(`stack \`${stack}\` has no resource \`${id}\``);
    const located = { stack, id, resource };
    return attribute === 'Arn' ? this.arn(located) : `${stack}.${id}.${attribute}`;
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
