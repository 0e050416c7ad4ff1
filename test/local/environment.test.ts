import { describe, expect, it } from 'vitest';
import { functionEnvironment } from '../../lib/local/environment.ts';

describe('the environment of an office’s functions', () => {
  const of = (generation: string): Record<string, string> =>
    functionEnvironment({
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      endpoints: { S3: `http://127.0.0.1/${generation}` },
      circles: 'circle.yaml',
      rulesDirectory: 'rules',
      signingKey: 'key',
      machine: 'machine',
      publicUrl: 'http://127.0.0.1',
      troubles: 'troubles.json',
      sending: false,
      modelSeconds: 60,
      models: { triage: 'reader', evidence: 'reader', plan: 'reader' },
      generation,
    });

  it('tells one start from the next, so that a second office in a process does not ask the first one’s services', () => {
    expect(of('first').AWS_ENDPOINT_URL_S3).not.toBe(of('second').AWS_ENDPOINT_URL_S3);
    expect(of('first').CAREGATE_GENERATION).toBe('first');
    expect(of('second').CAREGATE_GENERATION).toBe('second');
  });
});
