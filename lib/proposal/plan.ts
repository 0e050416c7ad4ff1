import { ask } from '../model/attempts.ts';
import type { Usage } from '../model/usage.ts';
import type { Category } from './catalogue.ts';
import { materialsText, type PastAction } from './materials.ts';
import { planPrompt } from './prompt.ts';
import { type Proposal, parseProposal, toolSpecifications } from './schema.ts';
import { attemptsPerStage, type TriageOptions } from './triage.ts';

export interface PlanOptions extends TriageOptions {
  readonly category: Category;
  /** Everything that was proposed in this case, refused proposals included. */
  readonly actions: readonly PastAction[];
  /** The reason code of the refusal that this is a new attempt after. */
  readonly denied: string | undefined;
  readonly callsLeft: number;
}

export interface Plan {
  readonly proposal: Proposal;
  readonly attempts: number;
  readonly usage: Usage;
  readonly model: string;
}

/**
 * Asks a model for the one next action of a case, at most twice. The proposal is valid for its tool and otherwise
 * not to be believed: nothing in it has been resolved, decided or consented to.
 * @throws ModelFailure one of the four failures of an answer after two attempts, `MODEL_UNAVAILABLE`,
 *   `MODEL_CALLS_SPENT`
 */
export async function plan(options: PlanOptions): Promise<Plan> {
  const { client, model, circle, clock, signal, callsLeft } = options;
  const answer = await ask({
    client,
    model,
    system: planPrompt(circle, clock),
    input: (failed) => materialsText({ ...options, failed }),
    tools: toolSpecifications(model.family),
    parse: parseProposal,
    attempts: Math.min(attemptsPerStage, callsLeft),
    signal,
  });
  const { value, ...rest } = answer;
  return { proposal: value, ...rest };
}
