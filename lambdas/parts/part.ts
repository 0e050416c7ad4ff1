import { readSetting, type Settings } from '../settings.ts';

/**
 * What handlers are wired from. Each part stands in a small module of its own in this folder, and a handler imports
 * those that it hands to `step`: what it does not name is not in its bundle, no client of a service it has no use for.
 *
 * To add one, write `export const name = part((source) => …)` into a module of this folder; it may ask other parts by
 * calling them with `source`, read settings with `source.setting('CAREGATE_…')` (declared in `settings.ts`), and
 * return a promise, which `step` waits for. Use `circlePart` for what belongs to the circle that the event is about.
 * One module, one client: a bundler keeps every `part(…)` of a module that it takes.
 */
export type Part<T> = (source: Source) => T;

/** What a part is made from. */
export interface Source {
  /** @throws CaregateError `CONFIGURATION_INVALID` naming the setting that is missing or wrong */
  setting<Name extends keyof Settings>(name: Name): Settings[Name];
  /** The circle that the event names, if it names one. Nothing has checked yet that there is such a circle. */
  readonly circle: string | undefined;
  /** What was made before under this part and key in this generation, or what is made now. */
  keep<T>(part: Part<T>, key: string, make: () => T): T;
}

export type Needs = Readonly<Record<string, Part<unknown>>>;
export type PartsOf<N extends Needs> = { readonly [Name in keyof N]: Awaited<ReturnType<N[Name]>> };

/** A part that is made once for an environment, when it is first asked for. */
export function part<T>(make: Part<T>): Part<T> {
  const own: Part<T> = (source) => source.keep(own, '', () => make(source));
  return own;
}

/** A part that is made once for each circle. */
export function circlePart<T>(make: Part<T>): Part<T> {
  const own: Part<T> = (source) => source.keep(own, source.circle ?? '', () => make(source));
  return own;
}

/** The parts that were named, for one event. */
export async function gatherParts<N extends Needs>(needs: N, event: unknown): Promise<PartsOf<N>> {
  const source = sourceFor(event);
  const made = Object.entries(needs).map(async ([name, each]) => [name, await each(source)] as const);
  return Object.fromEntries(await Promise.all(made)) as PartsOf<N>;
}

interface Generation {
  readonly name: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly kept: Map<Part<unknown>, Map<string, unknown>>;
}
let current: Generation | undefined;

/** The environment as it is now. Each start of the embedded office in one process is a generation of its own. */
function currentGeneration(): Generation {
  const name = process.env.CAREGATE_GENERATION ?? '';
  if (current?.name !== name) current = { name, environment: { ...process.env }, kept: new Map() };
  return current;
}

function sourceFor(event: unknown): Source {
  const { environment, kept } = currentGeneration();
  return {
    setting: (name) => readSetting(environment, name),
    circle: circleOf(event),
    keep: (part, key, make) => keep(kept, part, key, make),
  };
}

function keep<T>(kept: Generation['kept'], part: Part<T>, key: string, make: () => T): T {
  const own = kept.get(part) ?? new Map<string, unknown>();
  kept.set(part, own);
  if (own.has(key)) return own.get(key) as T;
  const made = make();
  own.set(key, made);
  // Asked for again the next time, instead of failing for ever.
  if (made instanceof Promise) made.catch(() => own.delete(key));
  return made;
}

function circleOf(event: unknown): string | undefined {
  const named = typeof event === 'object' && event !== null && 'circle' in event ? event.circle : undefined;
  return typeof named === 'string' ? named : undefined;
}
