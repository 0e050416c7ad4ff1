import { createHealth } from '../../lib/web/health.ts';
import { pages } from '../pages.ts';
import { ses } from '../parts/mailservice.ts';
import { models, policies, ruleSet } from '../parts/release.ts';
import { clock, commit, sending } from '../parts/surroundings.ts';

/** The page that says what runs. It reads nothing of any case. */
export const handler = pages({ ses, clock, commit, models, sending, ruleSet, policies }, createHealth);
