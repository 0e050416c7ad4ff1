import type { ConverseResponse } from '@aws-sdk/client-bedrock-runtime';

/** What calls of a model have cost. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** As the service measured it. */
  readonly latencyMs: number;
  /** How many times the SDK sent a call again. */
  readonly retries: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, latencyMs: 0, retries: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    latencyMs: a.latencyMs + b.latencyMs,
    retries: a.retries + b.retries,
  };
}

/** The usage that a response reports. What it leaves out counts as nothing. */
export function usageOf(
  response: Pick<ConverseResponse, 'usage' | 'metrics'> & {
    readonly $metadata?: { readonly attempts?: number | undefined };
  },
): Usage {
  return {
    inputTokens: response.usage?.inputTokens ?? 0,
    outputTokens: response.usage?.outputTokens ?? 0,
    latencyMs: response.metrics?.latencyMs ?? 0,
    retries: Math.max(0, (response.$metadata?.attempts ?? 1) - 1),
  };
}
