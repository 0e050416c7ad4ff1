/**
 * The moments between which a process may die, in the order in which an effect passes them. A test kills a process
 * at each of them; nothing else ever happens there.
 */
export const faultPoints = [
  'before_intent',
  'after_intent',
  'after_object',
  'after_attempt',
  'after_reply',
  'after_sent',
  'before_receipt',
  'after_receipt',
] as const;
export type FaultPoint = (typeof faultPoints)[number];

/** What a test wants to happen at each point. */
export type FaultRegistry = { readonly [point in FaultPoint]?: () => void | Promise<void> };

/** Tells the registry, if there is one, that a point was reached. */
export async function reach(registry: FaultRegistry | undefined, point: FaultPoint): Promise<void> {
  await registry?.[point]?.();
}

/**
 * The registry that `CAREGATE_FAULT` names: `die` at that one point. It takes effect only where the caller puts it
 * into an effect's context, so that no environment variable alone can make a deployment fail.
 */
export function faultsNamedIn(
  environment: { readonly CAREGATE_FAULT?: string | undefined },
  die: () => void,
): FaultRegistry {
  const point = faultPoints.find((name) => name === environment.CAREGATE_FAULT);
  return point === undefined ? {} : { [point]: die };
}
