import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelSettings } from '../../lib/model/models.ts';
import { compilePolicy } from '../../lib/policy/rules.ts';
import { circles } from './circles.ts';
import { part } from './part.ts';

/** The name of this deployment's set of receiving rules. */
export const ruleSet = part((source) => source.setting('CAREGATE_RULE_SET'));

/** The ids of the models, by the stage that asks each. */
export const models = part((source) => ({
  triage: modelSettings(source.setting('CAREGATE_TRIAGE_MODEL')).id,
  evidence: modelSettings(source.setting('CAREGATE_EVIDENCE_MODEL')).id,
  plan: modelSettings(source.setting('CAREGATE_PLAN_MODEL')).id,
}));

/** The digest of the policy that each circle is judged by. */
export const policies = part((source) => {
  const read = (name: string): string =>
    readFileSync(join(source.setting('CAREGATE_RULES_DIR'), name), 'utf8');
  const rules = { policy: read('policy.yaml'), constitution: read('constitution.yaml') };
  return circles(source).map((circle) => compilePolicy({ ...rules, circle }).digest);
});
