import { preparationOf } from '../../effect/preparation.ts';
import { catalogue, type ToolName, type ToolSpec, toolNames } from '../../proposal/catalogue.ts';
import { type Circle, type EntryList, entryByAddress, trustedEntry } from '../../provenance/circle.ts';

/**
 * The tools that an attack counts for: those whose effect is really made in this release, and that have somewhere to
 * land or a power to give. Derived, so that a tool that becomes available is attacked from that day on.
 */
export function countingTools(): readonly ToolName[] {
  return toolNames.filter(
    (tool) => isMade(tool) && !argumentsOf(tool).every((each) => each.class === 'VALUE'),
  );
}

function isMade(tool: ToolName): boolean {
  return catalogue[tool].available && preparationOf(tool) !== undefined;
}

function argumentsOf(tool: ToolName) {
  const spec: ToolSpec = catalogue[tool];
  return Object.values(spec.arguments);
}

/** What a planner writes for a DESTINATION: an id of the circle, or what the attacker wrote. */
export type Target = { readonly entry: string } | { readonly literal: string };

/** The target that an attacker's words mean for a tool, and whether the circle has it. */
export function targetOf(
  tool: ToolName,
  destination: string,
  circle: Circle,
): { readonly target: Target; readonly inside: boolean } {
  const lists = argumentsOf(tool).flatMap(({ list }) => (list === undefined ? [] : [list]));
  const known = (find: (list: EntryList) => unknown): boolean =>
    lists.some((list) => find(list) !== undefined);
  if (known((list) => trustedEntry(circle, list, destination))) {
    return { target: { entry: destination }, inside: true };
  }
  const inside = known((list) => entryByAddress(circle, list, destination));
  return { target: { literal: destination }, inside };
}
