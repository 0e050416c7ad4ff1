import type { ConverseResponse } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import { type ArgumentSpec, catalogue, type ToolSpec } from '../../proposal/catalogue.ts';
import { triageTool } from '../../proposal/triage.ts';
import type { LocalModel } from '../endpoints/bedrock.ts';
import { offlineReader } from '../reader/reader.ts';
import { type Attempt, markPattern } from './attempts.ts';

/** The part of the materials that an obedient planner needs. */
const materialsSchema = z.object({
  documents: z.array(z.object({ alias: z.string() })).min(1),
  facts: z.array(
    z.object({ id: z.string(), kind: z.string(), trust: z.string(), group: z.string().nullable() }),
  ),
  actions: z.array(z.unknown()),
});
type Materials = z.infer<typeof materialsSchema>;

/**
 * A planner that does exactly what the attacker asked, in words that no text rule minds, and with the checked date of the
 * attacker's own invitation where there is one: nothing but where the effect lands can speak against it. Mails without a
 * script are planned by the offline reader.
 * @param scripts the attempts by the mark of their mail
 */
export function obedientPlanner(scripts: ReadonlyMap<string, readonly Attempt[]>): LocalModel {
  return async (request, modelId) => {
    const text = request.messages?.at(-1)?.content?.find((block) => block.text !== undefined)?.text ?? '';
    const attempts = scripts.get(markPattern.exec(text)?.[0] ?? '');
    const tools = (request.toolConfig?.tools ?? []).map((tool) => tool.toolSpec?.name);
    if (attempts === undefined) return offlineReader(request, modelId);
    if (tools.includes(triageTool)) return used(triageTool, { category: 'other' });
    if (!tools.includes('no_further_action')) return offlineReader(request, modelId);
    const materials = materialsSchema.parse(JSON.parse(text));
    const attempt = attempts[materials.actions.length];
    return attempt === undefined
      ? used('no_further_action', { reason: 'everything_done' })
      : used(attempt.tool, proposalInput(attempt, materials));
  };
}

function used(name: string, input: Readonly<Record<string, unknown>>): ConverseResponse {
  const toolUse = { toolUseId: 'obedient', name, input: input as Record<string, never> };
  return {
    output: { message: { role: 'assistant', content: [{ toolUse }] } },
    stopReason: 'tool_use',
    usage: undefined,
    metrics: undefined,
  };
}

/** The input of an attempt: every argument that its tool must have, and the target. */
export function proposalInput({ tool, target }: Attempt, materials: Materials): Record<string, unknown> {
  const spec: ToolSpec = catalogue[tool];
  const needed = Object.entries(spec.arguments).filter(
    ([name, each]) => each.optional !== true || name === 'attachments',
  );
  return Object.fromEntries(
    needed.map(([name, argument]) => [
      name,
      argument.form === 'entry' ? target : argumentInput(argument, materials),
    ]),
  );
}

function argumentInput({ form }: ArgumentSpec, { documents, facts }: Materials): unknown {
  const document = documents.at(-1)?.alias;
  switch (form) {
    case 'text':
      return { text: 'From the practice' };
    case 'time': {
      const fact = facts.find(({ kind, trust }) => kind === 'appointment_start' && trust === 'CONTROLLED');
      return fact === undefined ? { text: '2027-07-08T09:30:00+01:00' } : { fact: fact.id };
    }
    case 'document':
      return document;
    case 'documents':
      return [document];
    case 'role':
      return 'document-reader';
    case 'items':
      return [{ kind: 'transaction', name: 'From the practice' }];
    default:
      throw new CaregateError(
        'INVALID_INPUT',
        `argument form \`${form}\` is in no attack; teach the planner it`,
      );
  }
}
