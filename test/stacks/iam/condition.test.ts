import { describe, expect, it } from 'vitest';
import { type Context, holds } from './condition.ts';

const one = (operator: string, wanted: string[], context: Context): boolean =>
  holds({ [operator]: { 'x:Key': wanted } }, context);

describe('a condition on one value', () => {
  it('holds for any of the values that it names', () => {
    expect(one('StringEquals', ['a', 'b'], { 'x:Key': 'b' })).toBe(true);
    expect(one('StringEquals', ['a', 'b'], { 'x:Key': 'B' })).toBe(false);
    expect(one('StringEqualsIgnoreCase', ['a', 'b'], { 'x:Key': 'B' })).toBe(true);
    expect(one('StringLike', ['a/*'], { 'x:Key': 'a/b/c' })).toBe(true);
    expect(one('ArnLike', ['arn:aws:iam::*:role/cdk-*'], { 'x:Key': 'arn:aws:iam::1:role/cdk-x' })).toBe(
      true,
    );
    expect(one('Bool', ['true'], { 'x:Key': 'TRUE' })).toBe(true);
    expect(one('NumericLessThan', ['5'], { 'x:Key': '4' })).toBe(true);
    expect(one('NumericLessThanEquals', ['5'], { 'x:Key': '6' })).toBe(false);
    expect(one('NumericGreaterThan', ['5'], { 'x:Key': '6' })).toBe(true);
    expect(one('NumericGreaterThanEquals', ['5'], { 'x:Key': '5' })).toBe(true);
    expect(one('NumericEquals', ['5'], { 'x:Key': 'five' })).toBe(false);
  });

  it('that is negated holds if none of the values is it', () => {
    expect(one('StringNotEquals', ['a', 'b'], { 'x:Key': 'b' })).toBe(false);
    expect(one('StringNotEquals', ['a', 'b'], { 'x:Key': 'c' })).toBe(true);
    expect(one('StringNotLike', ['a*'], { 'x:Key': 'b' })).toBe(true);
    expect(one('ArnNotEquals', ['arn:aws:iam::1:role/a'], { 'x:Key': 'arn:aws:iam::1:role/b' })).toBe(true);
    expect(one('NumericNotEquals', ['5'], { 'x:Key': '5' })).toBe(false);
  });

  it('does not hold for a key that is not there, unless it is negated or asks only if the key exists', () => {
    expect(one('StringEquals', ['a'], {})).toBe(false);
    expect(one('Bool', ['false'], {})).toBe(false);
    expect(one('StringNotEquals', ['a'], {})).toBe(true);
    expect(one('StringEqualsIfExists', ['a'], {})).toBe(true);
    expect(one('StringEqualsIfExists', ['a'], { 'x:Key': 'b' })).toBe(false);
    expect(one('BoolIfExists', ['true'], {})).toBe(true);
  });

  it('asks with Null whether a key is there', () => {
    expect(one('Null', ['true'], {})).toBe(true);
    expect(one('Null', ['false'], {})).toBe(false);
    expect(one('Null', ['false'], { 'x:Key': 'a' })).toBe(true);
    expect(one('Null', ['true'], { 'x:Key': [] })).toBe(true);
  });
});

describe('a condition on several values', () => {
  it('for all holds if each is one of those named, and if there is none', () => {
    const operator = 'ForAllValues:StringEquals';
    expect(one(operator, ['a', 'b'], { 'x:Key': ['a', 'b', 'a'] })).toBe(true);
    expect(one(operator, ['a', 'b'], { 'x:Key': ['a', 'c'] })).toBe(false);
    expect(one(operator, ['a'], {})).toBe(true);
    expect(one('ForAllValues:StringNotEquals', ['a'], { 'x:Key': ['b', 'c'] })).toBe(true);
    expect(one('ForAllValues:StringNotEquals', ['a'], { 'x:Key': ['a', 'c'] })).toBe(false);
  });

  it('for any holds if one of them is, and not if there is none', () => {
    expect(one('ForAnyValue:StringEquals', ['a'], { 'x:Key': ['b', 'a'] })).toBe(true);
    expect(one('ForAnyValue:StringEquals', ['a'], {})).toBe(false);
    expect(one('ForAnyValue:StringNotEquals', ['a'], { 'x:Key': ['a', 'b'] })).toBe(true);
    expect(one('ForAnyValue:StringNotEquals', ['a', 'b'], { 'x:Key': ['a', 'b'] })).toBe(false);
    expect(one('ForAnyValue:StringNotEquals', ['a'], {})).toBe(false);
  });
});

describe('conditions together', () => {
  it('hold if each operator and each key holds, whatever the case of the keys', () => {
    const both = { StringEquals: { 'x:A': ['1'], 'x:B': ['2'] }, Bool: { 'x:C': ['true'] } };
    expect(holds(both, { 'X:a': '1', 'x:b': '2', 'x:c': 'true' })).toBe(true);
    expect(holds(both, { 'x:a': '1', 'x:b': '3', 'x:c': 'true' })).toBe(false);
    expect(holds(both, { 'x:a': '1', 'x:b': '2', 'x:c': 'false' })).toBe(false);
    expect(holds(undefined, {})).toBe(true);
  });

  it('that are not known are an error and never passed over', () => {
    expect(() => one('IpAddress', ['10.0.0.0/8'], {})).toThrow(/not known/);
    expect(() => one('ForSomeValues:StringEquals', ['a'], {})).toThrow(/not known/);
    expect(() => one('StringEquals', [`$\{aws:username}`], {})).toThrow(/policy variable/);
    expect(() => one('StringEquals', ['a'], { 'x:Key': ['a', 'b'] })).toThrow(/compares one value/);
    expect(() => one('Null', ['perhaps'], {})).toThrow(/takes/);
  });
});
