import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCallFile } from '../../lib/policy/callfile.ts';
import { gate } from '../../lib/policy/gate.ts';
import { exampleCircle, now, shippedPolicy } from './shipped.ts';

const page = readFileSync('docs/gate-for-other-agents.md', 'utf8');
const blockOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

describe('docs/gate-for-other-agents.md', () => {
  it('has an example that runs as it stands, and prints what it says', () => {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module-typescript', '--eval', blockOf('ts')],
      {
        encoding: 'utf8',
      },
    );
    expect(stderr).not.toContain('Error');
    expect(stdout).toBe(blockOf('text'));
  });

  it('has a call that can be gated', () => {
    const request = parseCallFile(blockOf('json'), exampleCircle);
    expect(gate(shippedPolicy, { ...request, now })).toMatchObject({
      outcome: 'REQUIRE_HUMAN',
      matched: ['letter-leaves'],
    });
  });
});
