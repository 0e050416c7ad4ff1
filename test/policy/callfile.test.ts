import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCaregateError } from '../../lib/errors.ts';
import { parseCallFile, readCall } from '../../lib/policy/callfile.ts';
import { gate } from '../../lib/policy/gate.ts';
import { isTrustedEntry } from '../../lib/provenance/circle.ts';
import { exampleCircle, now, shippedPolicy } from './shipped.ts';

const letter = {
  tool: 'send_email',
  arguments: {
    to: { entry: 'hillside-records' },
    subject: { value: 'Records' },
    body: { value: 'Dear all' },
  } as Record<string, object>,
};
const read = (changed: object) => readCall({ ...letter, ...changed }, exampleCircle);
const withArguments = (changed: Record<string, unknown>) =>
  read({ arguments: { ...letter.arguments, ...changed } });

describe('a call in a file', () => {
  it('is read with its defaults', () => {
    const { call, category, standing } = parseCallFile(JSON.stringify(letter), exampleCircle);
    expect({ category, standing, action: call.action, tool: call.tool }).toEqual({
      category: 'other',
      standing: 'accepted',
      action: 1,
      tool: 'send_email',
    });
    const { to } = call.arguments;
    expect(to !== undefined && 'entry' in to && isTrustedEntry(to.entry)).toBe(true);
  });

  it('may name a contact by address, and anything else stays what it is', () => {
    expect(
      withArguments({ to: { literal: 'records@hillside-clinic.example' } }).call.arguments.to?.trust,
    ).toBe('TRUSTED');
    expect(withArguments({ to: { literal: 'x@elsewhere.example' } }).call.arguments.to?.trust).toBe(
      'UNTRUSTED',
    );
  });

  it('may say that a value was checked, and no more', () => {
    expect(withArguments({ body: { value: 'a', trust: 'CONTROLLED' } }).call.arguments.body?.trust).toBe(
      'CONTROLLED',
    );
    expect(() => withArguments({ body: { value: 'a', trust: 'TRUSTED' } })).toFailWithCode('INVALID_INPUT');
  });

  it('reads every form of every tool', () => {
    const sha256 = 'a1'.repeat(32);
    const calls = [
      {
        tool: 'file_document',
        arguments: {
          document: { documents: [{ name: 'a', sha256 }] },
          title: { value: 'a' },
          folder: { entry: 'letters' },
        },
      },
      {
        tool: 'grant_access',
        arguments: {
          documents: { documents: [{ name: 'a', sha256 }] },
          expires: { value: '2027-03-04' },
          grantee: { entry: 'hillside-records' },
          role: { role: 'document-reader' },
        },
      },
      { tool: 'stage_items', arguments: { items: { items: [{ kind: 'transaction', name: 'Kettle' }] } } },
      { tool: 'ask_person', arguments: { question: { value: 'what_to_do' } } },
      { tool: 'no_further_action', arguments: { reason: { value: 'cannot_tell' } } },
      {
        tool: 'book_appointment',
        arguments: {
          reason: { value: 'a' },
          start: { value: '2027-03-04' },
          end: { value: '2027-03-04' },
          provider: { entry: 'hillside-clinic' },
        },
      },
    ];
    const outcomes = calls.map(
      (call) => gate(shippedPolicy, { ...readCall(call, exampleCircle), now }).outcome,
    );
    expect(outcomes).toEqual(['ALLOW', 'REQUIRE_HUMAN', 'ALLOW', 'ALLOW', 'ALLOW', 'REQUIRE_HUMAN']);
  });

  it.each([
    ['an unknown key', { mood: 'fair' }],
    ['an unknown category', { category: 'gossip' }],
    ['a standing that no call has', { standing: 'quarantined' }],
    ['action 0', { action: 0 }],
    ['no arguments', { arguments: undefined }],
  ])('is refused for %s', (_, changed) => {
    expect(() => read(changed)).toFailWithCode('INVALID_INPUT');
  });

  it.each([
    ['an unknown tool', () => read({ tool: 'erase' })],
    ['a tool that every object has', () => read({ tool: 'constructor' })],
    ['an unknown argument', () => withArguments({ cc: { value: 'a' } })],
    ['a missing argument', () => read({ arguments: {} })],
    ['an entry that there is not', () => withArguments({ to: { entry: 'nobody' } })],
    ['a destination that is a value', () => withArguments({ to: { value: 'a' } })],
    ['a value that is an entry', () => withArguments({ body: { entry: 'hillside-records' } })],
    ['documents as a text', () => withArguments({ attachments: { value: 'a' } })],
    ['a text as documents', () => withArguments({ body: { documents: [] } })],
    [
      'a time that is none',
      () =>
        readCall(
          {
            tool: 'add_appointment',
            arguments: { title: { value: 'a' }, start: { value: 'soon' }, calendar: { entry: 'family' } },
          },
          exampleCircle,
        ),
    ],
    [
      'a role that is none',
      () =>
        readCall(
          {
            tool: 'grant_access',
            arguments: {
              documents: { documents: [] },
              expires: { value: '2027-03-04' },
              grantee: { entry: 'hillside-records' },
              role: { value: 'owner' },
            },
          },
          exampleCircle,
        ),
    ],
  ])('is unresolved for %s', (_, action) => {
    expect(action).toFailWithCode('CALL_UNRESOLVED');
  });

  it('is refused if it is not JSON', () => {
    expect(() => parseCallFile('tool: send_email', exampleCircle)).toFailWithCode('INVALID_INPUT');
    expect(() => parseCallFile('', exampleCircle)).toFailWithCode('INVALID_INPUT');
  });

  it('is read or refused, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        try {
          parseCallFile(text, exampleCircle);
          expect.unreachable('no drawn value is a call');
        } catch (error) {
          expect(isCaregateError(error, 'INVALID_INPUT')).toBe(true);
        }
      }),
    );
  });
});
