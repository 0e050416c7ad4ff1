import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCall } from '../../lib/policy/callfile.ts';
import { renderCall, renderToolCall } from '../../lib/policy/rendering.ts';
import { exampleCircle } from './shipped.ts';

describe('a rendered tool call', () => {
  it('has a line for every leaf, and names once more as plain words', () => {
    const input = {
      service: 'billing',
      change: 'disable\nlogging',
      dryRun: false,
      steps: [{ at: 'step_one' }, null, 3],
    };
    expect(renderToolCall('update_config', input)).toBe(
      [
        'tool: update_config',
        'arguments:',
        'service: billing',
        'change: disable logging',
        'dryRun: false',
        'steps[0].at: step_one',
        'steps[1]: null',
        'steps[2]: 3',
        'words: update config | dry Run | step one',
      ].join('\n'),
    );
  });

  it('shows where a letter goes and what is attached', () => {
    const { call } = readCall(
      {
        tool: 'send_email',
        arguments: {
          to: { entry: 'hillside-records' },
          subject: { value: 'Records' },
          body: { value: 'Dear\r\n  colleagues' },
          attachments: { documents: [{ name: 'scan.pdf', sha256: 'a1'.repeat(32) }] },
        },
      },
      exampleCircle,
    );
    expect(renderCall(call)).toBe(
      [
        'tool: send_email',
        'arguments:',
        'to.list: contacts',
        'to.id: hillside-records',
        'to.name: Hillside Clinic records office',
        'to.email: records@hillside-clinic.example',
        'subject: Records',
        'body: Dear colleagues',
        'attachments[0].name: scan.pdf',
        `attachments[0].digest: ${'a1'.repeat(32)}`,
        'words: send email | hillside records',
      ].join('\n'),
    );
  });

  it('shows the items that are staged, leaf by leaf', () => {
    const items = [{ kind: 'transaction', name: 'Kettle', amount: 2999, currency: 'GBP' }];
    const { call } = readCall({ tool: 'stage_items', arguments: { items: { items } } }, exampleCircle);
    expect(renderCall(call)).toContain('items[0].name: Kettle\n');
  });

  it('cannot be given a line by a value or a name', () => {
    const line = fc.string({
      unit: fc.constantFrom('a', '\n', '\r', '\u2028', '\u2029', '\u0085', '\v', ':', ' '),
    });
    fc.assert(
      fc.property(fc.dictionary(line, line, { maxKeys: 4 }), line, (input, tool) => {
        const lines = renderToolCall(tool, input).split(/[\n\r\u2028\u2029\u0085\v]/);
        expect(lines).toHaveLength(3 + Object.keys(input).length);
      }),
    );
  });

  it('leaves nothing out', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (input) => {
        const text = renderToolCall('tool', input);
        for (const leaf of leavesOf(input)) expect(text).toContain(leaf.replace(/\s+/g, ' ').trim());
      }),
    );
  });

  it.each([
    ['a function', { a: () => 1 }],
    ['a big integer', { a: 1n }],
    ['a symbol', { a: Symbol('s') }],
    ['what contains itself', cycle()],
    ['what is nested for ever', JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)],
  ])('does not exist for %s', (_, input) => {
    expect(() => renderToolCall('tool', input)).toFailWithCode('INVALID_INPUT');
  });
});

function leavesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.values(value).flatMap(leavesOf);
}

function cycle(): unknown {
  const self: Record<string, unknown> = {};
  self.self = self;
  return self;
}
