import type { ConverseRequest, ConverseResponse } from '@aws-sdk/client-bedrock-runtime';
import { digestOf } from '../../provenance/digest.ts';
import type { LocalModel } from '../endpoints/bedrock.ts';
import { categoryOf } from './category.ts';
import { type Desk, type Draft, type Intent, readDesk } from './desk.ts';
import { factsToRecord } from './facts.ts';
import { appointments } from './intents/appointments.ts';
import { clinical } from './intents/clinical.ts';
import { closing, unclear } from './intents/closing.ts';
import { filing } from './intents/filing.ts';
import { requests } from './intents/requests.ts';
import { pictureReader, picturesOf } from './pictures.ts';

/** What the reader knows how to do, in the order in which it looks for it. */
const intents: readonly Intent[] = [clinical, appointments, filing, requests, unclear, closing];

/**
 * The offline model. It decides from the request alone, by words and by the facts that it is shown, and is the same for
 * the same request. It is deliberately gullible: what a document asks for, it proposes. Nothing that protects the
 * household may depend on it.
 */
export const offlineReader: LocalModel = async (request) => {
  if (offers(request, 'record_facts')) {
    return toolUse({ tool: 'record_facts', input: { facts: factsToRecord(request) } });
  }
  if (offers(request, 'record_page_text')) return transcription(request);
  const desk = readDesk(request);
  if (desk === undefined) return prose('I see no materials to read in this message.');
  if (desk.tools.has('classify_mail')) {
    return toolUse({ tool: 'classify_mail', input: { category: categoryOf(desk) } });
  }
  const draft = firstDraft(desk);
  return draft === undefined ? prose('None of the offered tools is one that I can use.') : toolUse(draft);
};

function offers({ toolConfig }: ConverseRequest, tool: string): boolean {
  return toolConfig?.tools?.some(({ toolSpec }) => toolSpec?.name === tool) ?? false;
}

async function transcription(request: ConverseRequest): Promise<ConverseResponse> {
  const text = await pictureReader.read(picturesOf(request));
  return text === undefined
    ? prose('I cannot open this picture.')
    : toolUse({ tool: 'record_page_text', input: { text } });
}

function firstDraft(desk: Desk): Draft | undefined {
  for (const intent of intents) {
    const draft = intent(desk);
    if (draft !== undefined && desk.tools.has(draft.tool)) return draft;
  }
  return undefined;
}

function prose(text: string): ConverseResponse {
  return {
    output: { message: { role: 'assistant', content: [{ text }] } },
    stopReason: 'end_turn',
    usage: undefined,
    metrics: undefined,
  };
}

function toolUse({ tool, input }: Draft): ConverseResponse {
  const toolUseId = `tooluse_${digestOf({ tool, input }).slice(0, 24)}`;
  const use = { toolUseId, name: tool, input: structuredClone(input) as Record<string, never> };
  return {
    output: { message: { role: 'assistant', content: [{ toolUse: use }] } },
    stopReason: 'tool_use',
    usage: undefined,
    metrics: undefined,
  };
}
