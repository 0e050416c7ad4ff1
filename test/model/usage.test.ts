import { describe, expect, it } from 'vitest';
import { addUsage, noUsage, usageOf } from '../../lib/model/usage.ts';

describe('what a call of a model has cost', () => {
  it('is what the response reports, and nothing where it reports nothing', () => {
    const reported = {
      usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12 },
      metrics: { latencyMs: 9 },
      $metadata: { attempts: 3 },
    };
    expect(usageOf(reported)).toEqual({ inputTokens: 5, outputTokens: 7, latencyMs: 9, retries: 2 });
    expect(usageOf({ usage: undefined, metrics: undefined })).toEqual(noUsage);
  });

  it('adds up', () => {
    const one = { inputTokens: 1, outputTokens: 2, latencyMs: 3, retries: 4 };
    expect(addUsage(one, one)).toEqual({ inputTokens: 2, outputTokens: 4, latencyMs: 6, retries: 8 });
    expect(addUsage(one, noUsage)).toEqual(one);
  });
});
