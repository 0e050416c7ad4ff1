import { describe, expect, it } from 'vitest';
import { readSettings } from '../../lambdas/settings.ts';

const complete = {
  CAREGATE_CIRCLES: 'circle.yaml',
  CAREGATE_RULES_DIR: 'rules',
  CAREGATE_CASE_BUCKET: 'cases',
  CAREGATE_INBOX_BUCKET: 'inbox',
  CAREGATE_CASE_TABLE: 'cases',
  CAREGATE_APPROVAL_TABLE: 'approvals',
  CAREGATE_SIGNING_KEY: 'alias/links',
  CAREGATE_STATE_MACHINE: 'arn:aws:states:eu-west-1:000000000000:stateMachine:cases',
  CAREGATE_NOTIFY_FUNCTION: 'notify',
  CAREGATE_PUBLIC_URL: 'https://care.example',
  CAREGATE_TRIAGE_MODEL: 'a-model',
  CAREGATE_EVIDENCE_MODEL: 'a-model',
  CAREGATE_PLAN_MODEL: 'a-model',
};

describe('settings', () => {
  it('are read from the environment and nothing else of it is taken along', () => {
    const read = readSettings({ ...complete, AWS_SECRET_ACCESS_KEY: 'secret' });
    expect(read).toEqual({
      ...complete,
      CAREGATE_MODEL_SECONDS: 60,
      CAREGATE_LISTING: 'off',
      CAREGATE_SENDING: 'on',
      CAREGATE_COMMIT: 'none',
    });
  });

  it.each(Object.keys(complete))('without %s are refused by its name', (name) => {
    for (const value of [undefined, '']) {
      const read = () => readSettings({ ...complete, [name]: value });
      expect(read).toFailWithCode('CONFIGURATION_INVALID');
      expect(read).toThrow(`\`${name}\``);
    }
  });

  it('may turn the listing on, and are refused where it is neither on nor off', () => {
    expect(readSettings({ ...complete, CAREGATE_LISTING: 'on' }).CAREGATE_LISTING).toBe('on');
    expect(() => readSettings({ ...complete, CAREGATE_LISTING: 'yes' })).toThrow('CAREGATE_LISTING');
  });

  it('are not quoted where they are wrong', () => {
    const read = () => readSettings({ ...complete, CAREGATE_PUBLIC_URL: 'no url at all' });
    expect(read).toThrow('CAREGATE_PUBLIC_URL');
    expect(read).not.toThrow('no url at all');
  });
});
