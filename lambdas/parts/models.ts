import { modelClient } from '../../lib/model/client.ts';
import { modelSettings } from '../../lib/model/models.ts';
import { part } from './part.ts';

export const bedrock = part((source) =>
  modelClient({ timeout: source.setting('CAREGATE_MODEL_SECONDS') * 1000 }),
);

// One for each stage that asks a model: a stage's role reaches its own model alone.
export const triageModel = part((source) => modelSettings(source.setting('CAREGATE_TRIAGE_MODEL')));
export const evidenceModel = part((source) => modelSettings(source.setting('CAREGATE_EVIDENCE_MODEL')));
export const planModel = part((source) => modelSettings(source.setting('CAREGATE_PLAN_MODEL')));
