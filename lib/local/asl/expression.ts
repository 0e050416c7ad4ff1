import jsonata from 'jsonata';
import { QueryError } from './failure.ts';
import { DialectError, dialectFunctions, type Surroundings } from './functions.ts';
import { definitionRefused } from './refusal.ts';

/** The variables that an expression sees, without their dollar sign. */
export type Bindings = Readonly<Record<string, unknown>>;

/** A parsed JSONata expression. */
export interface Expression {
  /** Without its marks and the blanks around it, as causes quote it. */
  readonly source: string;
  /** @returns a plain JSON value; @throws QueryError for anything else */
  evaluate(bindings: Bindings, location: string): Promise<unknown>;
}

/** An evaluation visits at most this many nodes: an endless recursion ends as an error, not as a hang. */
const nodeLimit = 2_000_000;

/** `{% … %}`, without blanks outside; everything else is a literal. */
export function expressionSource(text: string): string | undefined {
  return text.startsWith('{%') && text.endsWith('%}') && text.length >= 4
    ? text.slice(2, -2).trim()
    : undefined;
}

/** Parses expressions once: parsing costs a hundred times an evaluation. */
export class Expressions {
  readonly #surroundings: Surroundings;
  readonly #parsed = new Map<string, Expression>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /**
   * @param path the field in the definition, for the refusal
   * @throws StatesRefusal `InvalidDefinition` for what is not JSONata
   */
  parse(source: string, path: string): Expression {
    const known = this.#parsed.get(source);
    if (known !== undefined) return known;
    let program: jsonata.Expression;
    try {
      program = jsonata(source);
    } catch (error) {
      throw definitionRefused(`The JSONata expression is not valid: ${describe(error)}`, path);
    }
    const expression = this.#expression(source, program);
    this.#parsed.set(source, expression);
    return expression;
  }

  #expression(source: string, program: jsonata.Expression): Expression {
    const meter = meterOf(program);
    adapt(program, this.#surroundings);
    return {
      source,
      async evaluate(bindings, location) {
        const start = `The JSONata expression '${source}' specified for the field '${location}' `;
        let result: unknown;
        meter.begin();
        try {
          result = await program.evaluate(undefined, bindings);
        } catch (error) {
          throw new QueryError(`${start}threw an error during evaluation. ${describe(error)}`, location);
        } finally {
          meter.end();
        }
        if (result === undefined) throw new QueryError(`${start}returned nothing (undefined).`, location);
        if (isFunction(result))
          throw new QueryError(`${start}returned an unsupported result type.`, location);
        return plain(result, () => new QueryError(`${start}returned an unsupported result type.`, location));
      },
    };
  }
}

/** AWS's dialect: JSONata without `$eval`, with functions of its own, and with the engine's clock. */
function adapt(program: jsonata.Expression, surroundings: Surroundings): void {
  program.assign('eval', undefined);
  for (const [name, { signature, implement }] of Object.entries(dialectFunctions)) {
    program.registerFunction(name, implement(surroundings) as (...values: unknown[]) => unknown, signature);
  }
  const format = jsonata('$fromMillis($millis, $picture, $zone)');
  program.registerFunction(
    'now',
    (picture?: string, zone?: string) =>
      format.evaluate(undefined, { millis: surroundings.clock.now(), picture, zone }),
    '<s?s?:s>',
  );
}

/** Counts the nodes that the evaluations of one expression visit. */
function meterOf(program: jsonata.Expression) {
  let running = 0;
  let left = 0;
  const visit = () => {
    left -= 1;
    if (left < 0) throw new DialectError('the expression takes too many steps');
  };
  // JSONata looks its hook up under this symbol, which the types of `assign` do not know.
  program.assign(Symbol.for('jsonata.__evaluate_entry') as unknown as string, visit);
  return {
    begin() {
      if (running === 0) left = nodeLimit;
      running += 1;
    },
    end() {
      running -= 1;
    },
  };
}

function describe(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? `${code}: ${String(message)}` : String(message);
}

function isFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null) return false;
  return '_jsonata_lambda' in value || '_jsonata_function' in value;
}

/** The same value without what JSONata hangs on its arrays; members that are undefined are left out. */
function plain(value: unknown, unsupported: () => QueryError): unknown {
  if (isFunction(value)) throw unsupported();
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item ?? null, unsupported));
  if (typeof value === 'number' && !Number.isFinite(value)) throw unsupported();
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, plain(member, unsupported)]));
}
