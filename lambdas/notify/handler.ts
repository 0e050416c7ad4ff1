import { createNotify } from '../../lib/approval/notice.ts';
import { noticeInputSchema, toNotice } from '../../lib/approval/noticeinput.ts';
import { tell, tellingInputSchema } from '../../lib/approval/telling.ts';
import { store } from '../parts/casefile.ts';
import { circle } from '../parts/circles.ts';
import { ses } from '../parts/mailservice.ts';
import { clock, sending } from '../parts/surroundings.ts';
import { step } from '../step.ts';

const inputSchema = tellingInputSchema.or(noticeInputSchema);

/** The one way to the circle's own people: a notice that is handed over, or one told from the case file. */
export const handler = step(inputSchema, { store, circle, clock, ses, sending }, (parts, input) => {
  const notify = createNotify(parts);
  return 'notice' in input ? notify(toNotice(input, parts.circle)) : tell({ ...parts, notify }, input);
});
