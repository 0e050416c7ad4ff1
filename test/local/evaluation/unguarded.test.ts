import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entryArgument, letThrough } from '../../../lib/local/evaluation/unguarded/arguments.ts';
import { chooseMutant, compilePolicy } from '../../../lib/local/evaluation/unguarded/rules.ts';
import { callDigest } from '../../../lib/proposal/call.ts';
import { letterCall } from '../../effect/calls.ts';
import { policy } from '../../effect/world.ts';
import { pathsOf } from '../../style/source.ts';

describe('what a mutant puts in place of the product', () => {
  it('is imported by the thread of an evaluation and by nothing else', () => {
    const naming = (what: RegExp) =>
      pathsOf('{lib,lambdas,bin,samples,bench}/**/*.{ts,js}').filter((path) =>
        what.test(readFileSync(path, 'utf8')),
      );
    expect(naming(/unguarded\//)).toEqual(['lib/local/evaluation/worker.ts']);
    expect(naming(/['"][^'"]*\bworker\.ts['"]/)).toEqual(['lib/local/evaluation/crew.ts']);
    expect(naming(/takeAway\(|chooseMutant\(/).sort()).toEqual([
      'lib/local/evaluation/unguarded/hooks.ts',
      'lib/local/evaluation/unguarded/rules.ts',
      'lib/local/evaluation/worker.ts',
    ]);
  });

  it('compiles the mutant that was chosen, and nothing in its place', () => {
    chooseMutant('allow-all');
    const everything = compilePolicy(policy.sources);
    expect(everything.rules.map(({ id }) => id)).toEqual(['everything']);
    expect(everything.digest).not.toBe(policy.digest);
    chooseMutant('no-such-mutant');
    expect(() => compilePolicy(policy.sources)).toFailWithCode('INVALID_INPUT');
  });

  it('lets a stranger through and notes it, and leaves an entry of the circle as it is', () => {
    const call = letterCall();
    expect(entryArgument(call, 'to', 'contacts').id).toBe('hillside-records');
    expect(letThrough.size).toBe(0);
    const to = { class: 'DESTINATION', literal: 'eve@far.example', trust: 'UNTRUSTED' } as const;
    const attack = { ...call, arguments: { ...call.arguments, to } };
    expect(callDigest(attack)).not.toBe(callDigest(call));
    expect(entryArgument(attack, 'to', 'contacts')).toMatchObject({
      list: 'contacts',
      email: 'eve@far.example',
    });
    expect([...letThrough]).toEqual([`${call.case}/${call.action}`]);
  });

  it('still refuses what is no destination at all', () => {
    expect(() => entryArgument(letterCall(), 'none', 'contacts')).toFailWithCode('CALL_UNRESOLVED');
    expect(() => entryArgument(letterCall(), 'to', 'folders')).toFailWithCode('CALL_UNRESOLVED');
  });
});
