import type { ToolName } from '../proposal/catalogue.ts';
import { prepareFiling } from './filing.ts';
import type { Prepare } from './intent.ts';

/** The tools whose effect can be made. The others end visibly as `not_available`. */
const preparations: { readonly [tool in ToolName]?: Prepare } = {
  file_document: prepareFiling,
  // What writes calendars and mails is loaded for a call that needs it, and not with every other.
  add_appointment: async (...given) => (await import('./appointment.ts')).prepareAppointment(...given),
  send_email: async (...given) => (await import('./letter.ts')).prepareLetter(...given),
};

/** How the effect of a tool is prepared, or nothing if this release cannot make it. */
export function preparationOf(tool: ToolName): Prepare | undefined {
  return Object.hasOwn(preparations, tool) ? preparations[tool] : undefined;
}
