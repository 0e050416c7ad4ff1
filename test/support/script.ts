import type {
  ContentBlock,
  ConverseRequest,
  ConverseResponse,
  StopReason,
} from '@aws-sdk/client-bedrock-runtime';
import type { LocalModel } from '../../lib/local/endpoints/bedrock.ts';
import { ServiceFault } from '../../lib/local/endpoints/fault.ts';

/** One tool use that a script plays. */
export interface ScriptedUse {
  readonly tool: string;
  readonly input: unknown;
}

/** One answer of a scripted model. */
export type Step =
  | ({ readonly does: 'use'; readonly text?: string } & ScriptedUse)
  | { readonly does: 'use-several'; readonly uses: readonly ScriptedUse[] }
  | { readonly does: 'say'; readonly text: string }
  | { readonly does: 'say-nothing' }
  /** A tool use that is cut off, as at the limit of tokens, or garbled. */
  | ({ readonly does: 'break-off'; readonly stop: StopReason } & ScriptedUse)
  | { readonly does: 'refuse'; readonly status: number; readonly fault: string; readonly message?: string }
  /** Decides from the request, for a planner that adapts. */
  | { readonly does: 'decide'; readonly use: (request: ConverseRequest) => ScriptedUse };

export interface ScriptedModel extends LocalModel {
  /** What it was asked, in order. */
  readonly requests: readonly ConverseRequest[];
}

/**
 * A model that plays a script, one step a request, and says nothing more when it is through. It is no part of the
 * product's decisions: tests use it to make the model do wrong.
 */
export function scriptedModel(steps: readonly Step[]): ScriptedModel {
  const requests: ConverseRequest[] = [];
  const model: LocalModel = async (request) => {
    const step = steps[requests.length] ?? ({ does: 'say', text: 'The script is over.' } as const);
    requests.push(request);
    return played(step, request, requests.length);
  };
  return Object.assign(model, { requests });
}

function played(step: Step, request: ConverseRequest, turn: number): ConverseResponse {
  switch (step.does) {
    case 'use':
      return answer([...said(step.text), used(step, `${turn}`)], 'tool_use');
    case 'use-several':
      return answer(
        step.uses.map((use, index) => used(use, `${turn}-${index}`)),
        'tool_use',
      );
    case 'say':
      return answer(said(step.text), 'end_turn');
    case 'say-nothing':
      return answer([], 'end_turn');
    case 'break-off':
      return answer([used(step, `${turn}`)], step.stop);
    case 'refuse':
      throw new ServiceFault(
        step.status,
        step.fault,
        step.message ?? 'the script refuses; play another step',
      );
    case 'decide':
      return answer([used(step.use(request), `${turn}`)], 'tool_use');
  }
}

const said = (text: string | undefined): ContentBlock[] => (text === undefined ? [] : [{ text }]);

function used({ tool, input }: ScriptedUse, id: string): ContentBlock {
  return { toolUse: { toolUseId: `use-${id}`, name: tool, input: input as Record<string, never> } };
}

function answer(content: ContentBlock[], stopReason: StopReason): ConverseResponse {
  return {
    output: { message: { role: 'assistant', content } },
    stopReason,
    usage: { inputTokens: 100, outputTokens: 10, totalTokens: 110 },
    metrics: undefined,
  };
}
