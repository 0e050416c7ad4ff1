import { registerHooks } from 'node:module';

/**
 * What a mutant takes away: the rules, for the functions, and the effects' own check of where they land. Only in the
 * thread that calls {@link takeAway}; there is no setting for it and no code of the product that asks for it.
 */
const replacements = [
  {
    importers: new URL('../../../../lambdas/', import.meta.url).href,
    original: new URL('../../../policy/rules.ts', import.meta.url).href,
    replacement: new URL('./rules.ts', import.meta.url).href,
  },
  {
    importers: new URL('../../../effect/', import.meta.url).href,
    original: new URL('../../../effect/arguments.ts', import.meta.url).href,
    replacement: new URL('./arguments.ts', import.meta.url).href,
  },
] as const;

/** Has the functions that this thread loads from now on import the replacements. */
export function takeAway(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      const found = replacements.find(
        ({ importers, original }) =>
          resolved.url === original && context.parentURL?.startsWith(importers) === true,
      );
      return found === undefined ? resolved : { ...resolved, url: found.replacement };
    },
  });
}
