import { type Intent, proposed } from '../desk.ts';

/** Clinical content and emergencies: a person is asked to read the mail, once, and nothing else is done. */
export const clinical: Intent = (desk) => {
  if (desk.category !== 'clinical' && desk.category !== 'emergency') return undefined;
  return proposed(desk, 'ask_person').length === 0
    ? { tool: 'ask_person', input: { question: 'clinical_content' } }
    : { tool: 'no_further_action', input: { reason: 'information_only' } };
};
