import { systemClock } from '../../lib/provenance/clock.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { part } from './part.ts';

export const clock = part(() => systemClock);
export const randomness = part(() => systemRandomness);

/** How people reach the pages. */
export const publicUrl = part((source) => source.setting('CAREGATE_PUBLIC_URL'));

/** Whether the pages list cases. */
export const listing = part((source) => source.setting('CAREGATE_LISTING') === 'on');

/** Whether letters leave, as far as the deployment says it. */
export const sending = part((source) => source.setting('CAREGATE_SENDING'));

/** The commit that this was built from. */
export const commit = part((source) => source.setting('CAREGATE_COMMIT'));

/** The configuration set that reports what became of a letter, where there is one. */
export const configurationSet = part((source) => source.setting('CAREGATE_CONFIGURATION_SET'));
