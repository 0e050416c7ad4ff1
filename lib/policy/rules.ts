import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import { catalogue as ownCatalogue } from '../proposal/catalogue.ts';
import { type Circle, circleDigest, circleRoles, circleSchema } from '../provenance/circle.ts';
import { readConfiguration } from '../provenance/configuration.ts';
import { digestOf, type Sha256 } from '../provenance/digest.ts';
import { compileWhen, type Predicate, whenSchema } from './conditions.ts';
import { type MatchedRule, precedence } from './decide.ts';
import { type Outcome, outcomes, type ReasonCode, reasonCodes, reasonRank } from './decision.ts';
import { lintFile, lintMeaning } from './lint.ts';
import { normaliserVersion } from './normalisation.ts';
import type { Catalogue } from './request.ts';
import { type CompiledConstitution, compileConstitution } from './textrules.ts';

/** Counted up with every change of how rules are evaluated. */
export const engineVersion = 1;

const reason = z.enum(Object.keys(reasonCodes) as [ReasonCode, ...ReasonCode[]]);
const ruleSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  decision: z.enum(outcomes),
  reason,
  /** Why there is this rule, for the catalogue of rules. */
  because: z.string().trim().min(1),
  when: whenSchema,
  consent: z
    .strictObject({ people: z.int().positive().max(10), roles: z.array(z.enum(circleRoles)).min(1) })
    .optional(),
});
export const policyFileSchema = z.strictObject({ version: z.literal(1), rules: z.array(ruleSchema).min(1) });
export type PolicyFile = z.infer<typeof policyFileSchema>;

/** What a policy is compiled from. All of it is recorded, so that every decision can be taken again. */
export interface PolicySources {
  /** YAML text. */
  readonly policy: string;
  /** YAML text. */
  readonly constitution: string;
  readonly circle: Circle;
  /** The tools that it is about; Caregate's own unless another agent brings its own. */
  readonly catalogue?: Catalogue | undefined;
}

/**
 * How the engine works. There is one way; the others exist so that tests can show what each part of it is good for,
 * and no production code names one.
 */
export interface Engine {
  readonly precedence: readonly Outcome[];
  /** Whether a literal destination stays UNTRUSTED, as it must, or is taken at its word. */
  readonly literals: 'untrusted' | 'promoted';
  /** Whether a policy that fails its checks is refused at load. */
  readonly lint: 'strict' | 'off';
}
export const shippedEngine: Engine = Object.freeze({ precedence, literals: 'untrusted', lint: 'strict' });

export interface CompiledRule extends MatchedRule {
  readonly matches: Predicate;
}

/** A policy, ready to decide. */
export interface CompiledPolicy {
  /** Over policy, constitution, circle, catalogue, and the versions of engine and normaliser. */
  readonly digest: Sha256;
  readonly sources: PolicySources;
  readonly circle: Circle;
  readonly catalogue: Catalogue;
  readonly constitution: CompiledConstitution;
  readonly engine: Engine;
  /** Sorted by id, so that the order in the file makes no difference. */
  readonly rules: readonly CompiledRule[];
  /** Of these, the ones that may match a tool. */
  readonly byTool: ReadonlyMap<string, readonly CompiledRule[]>;
}

/**
 * Compiles a policy once, and refuses one that could surprise its owner.
 * @throws CaregateError `CONFIGURATION_INVALID` with line and column
 */
export function compilePolicy(sources: PolicySources, engine: Engine = shippedEngine): CompiledPolicy {
  const { policy, circle, catalogue = ownCatalogue } = sources;
  const file = readConfiguration(policy, 'policy.yaml', policyFileSchema);
  const limit = circle.limits.actionsPerMail;
  const rules = file.value.rules
    .map(({ id, decision, reason, when, consent }): CompiledRule => {
      return { id, decision, reason, rank: reasonRank(reason), consent, matches: compileWhen(when, limit) };
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  if (engine.lint === 'strict') {
    lintFile(file, catalogue);
    lintMeaning(file, rules, { catalogue, conditions: file.value.rules.map((rule) => rule.when), limit });
  }
  const constitution = compileConstitution(sources.constitution, catalogue);
  const shared = rules.find((rule) => constitution.ids.has(rule.id));
  if (shared !== undefined) throw sharedId(shared.id);
  const digest = policyDigest(sources, engine);
  return {
    digest,
    sources,
    circle,
    catalogue,
    constitution,
    engine,
    rules,
    byTool: indexByTool(file.value, rules, catalogue),
  };
}

function indexByTool({ rules: written }: PolicyFile, rules: readonly CompiledRule[], catalogue: Catalogue) {
  const tools = new Map(written.map((rule) => [rule.id, rule.when.tool]));
  return new Map(
    Object.keys(catalogue).map((tool) => [
      tool,
      rules.filter(({ id }) => tools.get(id)?.includes(tool) ?? true),
    ]),
  );
}

/** Everything that decides is in it, whole: a text, not what was read out of it. */
function policyDigest(
  { policy, constitution, circle, catalogue = ownCatalogue }: PolicySources,
  engine: Engine,
): Sha256 {
  return digestOf({
    policy,
    constitution,
    circle: circleDigest(circle),
    catalogue: digestOf(catalogue),
    engine: { version: engineVersion, ...engine },
    normaliser: normaliserVersion,
  });
}

const recordSchema = z.looseObject({ policy: z.string(), constitution: z.string(), circle: circleSchema });

/**
 * Compiles a policy from its record. Compare the digest with the recorded one: it differs if engine, normaliser or
 * catalogue have changed since.
 * @throws CaregateError `INVALID_INPUT` for what is no such record, `CONFIGURATION_INVALID`
 */
export function recompilePolicy(record: unknown): CompiledPolicy {
  const result = recordSchema.safeParse(record);
  if (!result.success) {
    throw new CaregateError('INVALID_INPUT', 'the `policy` record does not have its form; restore it', {
      cause: result.error,
    });
  }
  const { policy, constitution, circle } = result.data;
  return compilePolicy({ policy, constitution, circle });
}

function sharedId(id: string): CaregateError {
  return new CaregateError(
    'CONFIGURATION_INVALID',
    `\`policy.yaml\` and \`constitution.yaml\` both have a rule \`${id}\`; rename one`,
  );
}
