import { CaregateError } from '../../../errors.ts';
import { mutantsOf } from '../../../policy/mutants.ts';
import {
  type CompiledPolicy,
  compilePolicy as compileShipped,
  type PolicySources,
} from '../../../policy/rules.ts';

export * from '../../../policy/rules.ts';

let chosen = '';

/** Names the mutant that the functions get from now on. */
export function chooseMutant(name: string): void {
  chosen = name;
}

/** Stands in for the product's function of this name: what it compiles is the chosen mutant. */
export function compilePolicy(sources: PolicySources): CompiledPolicy {
  const mutant = mutantsOf(sources).find(({ name }) => name === chosen);
  if (mutant === undefined) {
    throw new CaregateError('INVALID_INPUT', `mutant \`${chosen}\` does not exist; see rules/MUTANTS.md`);
  }
  return compileShipped(mutant.sources, mutant.engine);
}
