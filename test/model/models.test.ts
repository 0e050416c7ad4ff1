import { describe, expect, it } from 'vitest';
import { modelSettings } from '../../lib/model/models.ts';

describe('what is known of a configured model', () => {
  it('Nova takes a forced choice, but not by name, and a temperature', () => {
    expect(modelSettings('eu.amazon.nova-2-lite-v1:0')).toEqual({
      id: 'eu.amazon.nova-2-lite-v1:0',
      family: 'nova',
      choice: 'any',
      temperature: true,
      longestAnswer: 2000,
    });
  });

  it('Claude takes a choice by name', () => {
    const { family, choice, temperature } = modelSettings('anthropic.claude-haiku-4-5-20251001-v1:0');
    expect([family, choice, temperature]).toEqual(['claude', 'tool', true]);
  });

  it('a newer Claude is asked without a temperature', () => {
    expect(modelSettings('us.anthropic.claude-haiku-5-5-v1:0').temperature).toBe(false);
  });

  it('an unknown model is taken as one that reads plain JSON Schema', () => {
    expect(modelSettings(' caregate.offline-reader ')).toMatchObject({
      id: 'caregate.offline-reader',
      family: 'other',
    });
  });

  it('a capability that is written down wins over what is known', () => {
    const text = '{"id":"anthropic.claude-next-9-v1:0","choice":"auto","longestAnswer":500}';
    expect(modelSettings(text)).toEqual({
      id: 'anthropic.claude-next-9-v1:0',
      family: 'claude',
      choice: 'auto',
      temperature: false,
      longestAnswer: 500,
    });
  });

  it.each([
    '',
    '   ',
    'two words',
    '{',
    '{"id":7}',
    '{"choice":"any"}',
    '{"id":"a","choice":"all"}',
    '{"id":"a","x":1}',
  ])('refuses %j', (text) => {
    expect(() => modelSettings(text)).toFailWithCode('CONFIGURATION_INVALID');
  });
});
