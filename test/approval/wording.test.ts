import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  caseReason,
  dayAndTime,
  endingWords,
  statusWords,
  toolTitles,
  visible,
  whyAsked,
} from '../../lib/approval/wording.ts';
import { actionStatuses } from '../../lib/casefile/schemas.ts';
import { type ReasonCode, reasonCodes } from '../../lib/policy/decision.ts';
import { toolNames } from '../../lib/proposal/catalogue.ts';
import { exampleCircle } from '../support/cases.ts';

describe('words for people', () => {
  it('say why one is asked, for each reason that asks', () => {
    const asks = [
      'DATES_NOT_CONTROLLED',
      'LEAVES_THE_HOUSEHOLD',
      'CHANGES_AN_APPOINTMENT',
      'GIVES_ACCESS',
      'CONSTITUTION_REVIEW',
    ];
    expect(new Set(asks.map((reason) => whyAsked(reason as ReasonCode))).size).toBe(asks.length);
    for (const reason of Object.keys(reasonCodes) as ReasonCode[]) expect(whyAsked(reason)).toMatch(/\.$/);
  });

  it('exist for every tool and status', () => {
    expect(Object.keys(toolTitles)).toEqual(toolNames);
    expect(Object.keys(statusWords).sort()).toEqual([...actionStatuses].sort());
  });

  it('leave a code that has none as the code that it is', () => {
    expect(caseReason('SPAM_FOUND')).toBe('it looks like unwanted mail');
    expect(caseReason('A_CODE_OF_ITS_OWN')).toBe('`A_CODE_OF_ITS_OWN`');
  });
});

describe('a moment in words', () => {
  it.each([
    ['2027-03-04T10:30:00+01:00', 'Thursday, 4 March 2027 at 09:30'],
    ['2027-07-04T10:30:00Z', 'Sunday, 4 July 2027 at 11:30'],
    ['2027-03-04', 'Thursday, 4 March 2027'],
    ['some day', 'some day'],
  ])('of %s is %s', (moment, words) => {
    expect(dayAndTime(moment, exampleCircle)).toBe(words);
  });

  it('of a day is the same day in every zone', () => {
    for (const timezone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      expect(dayAndTime('2027-03-04', { locale: 'en-GB', timezone })).toBe('Thursday, 4 March 2027');
    }
  });
});

it('nothing that cannot be seen is left of any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visible(text)).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(visible(text).replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
    }),
  );
});

describe('how an action ended', () => {
  it('is said with the reason where it was refused', () => {
    expect(endingWords({ status: 'refused', reason: 'CALL_CHANGED' })).toMatch(
      /^not done: an entry of your household/,
    );
    expect(endingWords({ status: 'refused', reason: 'DESTINATION_NOT_TRUSTED' })).toMatch(
      /^not done: it would go to/,
    );
    expect(endingWords({ status: 'refused', reason: 'toString' })).toBe('not done: the rules refuse it');
    expect(endingWords({ status: 'expired', reason: 'CALL_CHANGED' })).toBe(
      'not done: nobody decided in time',
    );
  });
});
