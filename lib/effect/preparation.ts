import { CaregateError } from '../errors.ts';
import type { Call } from '../proposal/call.ts';
import type { ToolName } from '../proposal/catalogue.ts';
import { prepareAppointment } from './appointment.ts';
import type { EffectContext } from './context.ts';
import { prepareFiling } from './filing.ts';
import type { Prepare } from './intent.ts';
import { prepareLetter } from './letter.ts';

/** The tools whose effect can be made. The others end visibly as `not_available`. */
const preparations: { readonly [tool in ToolName]?: Prepare } = {
  file_document: prepareFiling,
  add_appointment: prepareAppointment,
  send_email: prepareLetter,
};

/** How the effect of a tool is prepared, or nothing if this release cannot make it. */
export function preparationOf(tool: ToolName): Prepare | undefined {
  return Object.hasOwn(preparations, tool) ? preparations[tool] : undefined;
}

/**
 * Holds that a call belongs to the case whose file it would be written to.
 * @throws CaregateError `CLEARANCE_REFUSED`
 */
export function requireSameCase(call: Call, context: EffectContext): void {
  const { circle, case: id } = context.caseKey;
  if (call.circle === circle && call.case === id && context.circle.id === circle) return;
  throw new CaregateError('CLEARANCE_REFUSED', `the call belongs to another case than \`${id}\``);
}
