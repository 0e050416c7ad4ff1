import { describe, expect, it, vi } from 'vitest';
import { loadFunctions } from '../../lib/local/functions.ts';
import { functionNames, placeholder } from '../../lib/local/names.ts';

describe('the functions of the office', () => {
  it('are all there, run as they do on Lambda, and are listened to', async () => {
    const heard = { called: vi.fn(), failed: vi.fn() };
    const { registry, idle } = await loadFunctions(heard);
    for (const name of functionNames) expect(registry.has(name)).toBe(true);
    const payload = { case: 'no case' };
    const invoked = await registry.invoke('gate', payload);
    expect(invoked).toMatchObject({ error: { errorType: 'INVALID_INPUT' } });
    expect(heard.called).toHaveBeenCalledExactlyOnceWith({ name: 'gate', payload });
    expect(heard.failed).toHaveBeenCalledExactlyOnceWith(
      'gate',
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
    await idle();
  });

  it('have placeholders in a state machine by their names', () => {
    const expected = '$'.concat('{RequestApprovalFunction}');
    expect(placeholder('request-approval')).toBe(expected);
    expect(new Set(functionNames.map(placeholder)).size).toBe(functionNames.length);
  });
});
