import { type Desk, type Intent, proposed } from '../desk.ts';

const effects = [
  'file_document',
  'add_appointment',
  'change_appointment',
  'cancel_appointment',
  'send_email',
] as const;

/** Asks what to do where the mail wants something that the reader could not find, once. */
export const unclear: Intent = (desk) => {
  if (proposed(desk, 'ask_person').length > 0 || !isUnclear(desk)) return undefined;
  return { tool: 'ask_person', input: { question: 'what_to_do' } };
};

function isUnclear(desk: Desk): boolean {
  const did = (...tools: readonly string[]) => proposed(desk, ...tools).length > 0;
  switch (desk.category) {
    case 'appointment':
      return !did('add_appointment', 'change_appointment', 'cancel_appointment');
    case 'records_request':
      return !did('send_email');
    case 'form':
      return !did('send_email');
    case 'information':
      return false;
    default:
      return !did(...effects);
  }
}

/** Stops, and says why. */
export const closing: Intent = (desk) => {
  const done = desk.actions.some(({ outcome }) => outcome !== 'DENY');
  return { tool: 'no_further_action', input: { reason: done ? 'everything_done' : 'information_only' } };
};
