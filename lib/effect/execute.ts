import { type Clearance, requireClearance } from '../policy/clearance.ts';
import { catalogue, type ToolName, toolNames } from '../proposal/catalogue.ts';
import type { Sha256 } from '../provenance/digest.ts';
import type { EffectContext, Preparation } from './context.ts';
import { reach } from './faults.ts';
import { type Intent, recordIntent } from './intent.ts';
import { type EffectState, requireSameCase } from './observation.ts';
import { preparationOf } from './preparation.ts';

/**
 * - `applied`: the effect is there, now or already
 * - `unknown`: a letter may have been sent; it is never sent again
 * - `conflict`: something else is where the effect would be, or the intent is for something else
 * - `not_available`: this release cannot make such an effect
 */
export interface Execution {
  readonly state: EffectState | 'not_available';
  readonly key?: string | undefined;
  readonly sha256?: Sha256 | undefined;
}

/**
 * Makes the effect of a cleared call, once. It can be called again after a crash or a lost reply: what an earlier run
 * did is recognised, and only what is missing is done.
 * @param clearance anything; whatever the gate did not construct is refused
 * @throws CaregateError `CLEARANCE_REFUSED`, `CALL_UNRESOLVED`, `INVALID_INPUT`, `DIGEST_MISMATCH`,
 *   `LETTER_TOO_LARGE`, `LETTER_REJECTED`, `STORE_UNAVAILABLE`
 */
export async function execute(clearance: unknown, context: EffectContext): Promise<Execution> {
  const cleared = requireClearance(clearance, claimedTool(clearance));
  const { call } = cleared;
  requireSameCase(call, context);
  const prepare = preparationOf(call.tool);
  if (prepare === undefined || !catalogue[call.tool].available) return { state: 'not_available' };
  await reach(context.faults, 'before_intent');
  const recorded = await recordIntent(call, context, prepare);
  if (recorded === undefined) return { state: 'conflict' };
  const { intent, preparation } = recorded;
  await reach(context.faults, 'after_intent');
  return { state: await act(cleared, context, intent, preparation), key: intent.key, sha256: intent.sha256 };
}

async function act(
  clearance: Clearance,
  context: EffectContext,
  intent: Intent,
  { key, bytes, contentType }: Preparation,
): Promise<Execution['state']> {
  const metadata = { attempt: intent.attempt, case: intent.case, action: String(intent.action) };
  const { result } = await context.store.create(key, bytes, { contentType, metadata });
  if (result === 'conflict') return 'conflict';
  await reach(context.faults, 'after_object');
  if (intent.tool !== 'send_email') return 'applied';
  const { post } = await import('./posting.ts');
  return post(clearance, context, intent, bytes);
}

/** Which tool a value says that it clears. Believed for nothing but to ask whether it does. */
function claimedTool(clearance: unknown): ToolName {
  const call: unknown = property(clearance, 'call');
  const tool = property(call, 'tool');
  return toolNames.find((name) => name === tool) ?? 'no_further_action';
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
