import type { ConverseRequest, ConverseResponse } from '@aws-sdk/client-bedrock-runtime';
import { ServiceFault } from '../../local/endpoints/fault.ts';
import { type OwnModel, ownModel } from '../../local/reader/ownmodel.ts';
import { clockDifference, differenceCode } from '../../local/remoteclock.ts';
import { troubleTexts } from '../../local/troubles.ts';
import { modelSettings } from '../../model/models.ts';
import { type Clock, systemClock } from '../../provenance/clock.ts';
import { type Finding, looked } from './finding.ts';

const tool = 'record_day';
const day = '2027-06-14';

/** An invented letter whose day has to come back in the one tool that is offered. */
function trial(id: string): ConverseRequest {
  const { temperature, choice } = modelSettings(id);
  const text = 'Dear Ms Example, we look forward to seeing you at the clinic on Monday 14 June 2027.';
  const json = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] };
  const description = 'Record the day of the appointment, written as YYYY-MM-DD.';
  return {
    modelId: id,
    system: [{ text: 'Read the letter, and record the day of the appointment with the tool.' }],
    messages: [{ role: 'user', content: [{ text }] }],
    inferenceConfig: { maxTokens: 500, ...(temperature ? { temperature: 0 } : {}) },
    toolConfig: {
      tools: [{ toolSpec: { name: tool, description, inputSchema: { json } } }],
      ...(choice === 'auto'
        ? {}
        : { toolChoice: choice === 'tool' ? { tool: { name: tool } } : { any: {} } }),
    },
  };
}

/** Has the household's model use a tool, as each stage does, and says how long that took and what it was worth. */
export async function tryModel(own: OwnModel, clock: Clock): Promise<Omit<Finding, 'check'>> {
  const problem = await own.look();
  const started = clock.now();
  try {
    const answer = await own.ask(trial(own.id), own.id);
    const took = `${own.id} at ${own.where} answered in ${clock.now() - started} ms`;
    const { health, says } = worth(answer);
    return { health, says: `${took}, ${says}` };
  } catch (error) {
    const fault = error instanceof ServiceFault ? error : undefined;
    const why = fault === undefined ? 'it cannot be asked' : `${fault.message} (${fault.fault})`;
    const more = problem === undefined || problem === fault?.message ? '' : `; ${problem}`;
    return { health: 'wrong', says: `${own.id} at ${own.where}: ${why}${more}; the offline reader steps in` };
  }
}

function worth({ output, stopReason }: ConverseResponse): Omit<Finding, 'check'> {
  const uses = (output?.message?.content ?? []).flatMap(({ toolUse }) => toolUse ?? []);
  const [only] = uses;
  if (only === undefined) {
    return { health: 'wrong', says: 'but used no tool: take a model that is made for tools' };
  }
  const input = only.input as { day?: unknown } | null;
  const right = uses.length === 1 && only.name === tool && stopReason !== 'max_tokens';
  if (!right || typeof input?.day !== 'string') {
    return { health: 'wrong', says: 'but not with the one tool as it was told to: take another model' };
  }
  return input.day === day
    ? { health: 'ok', says: 'used the tool, and read the trial letter rightly' }
    : { health: 'note', says: 'used the tool, and read the trial letter wrongly' };
}

/** The model that is configured, asked once; and this machine's clock, where that of the model's server is another. */
export async function modelFindings(): Promise<Finding[]> {
  let date: string | undefined;
  const model = await looked('model', () => {
    const own = ownModel(process.env);
    own?.onDate?.((heard) => {
      date = heard;
    });
    if (own !== undefined) return tryModel(own, systemClock);
    const says =
      'the offline reader: set CAREGATE_MODEL_URL or CAREGATE_BEDROCK_MODEL to use a model of your choice';
    return { health: 'note', says };
  });
  return [model, ...clockFindings(date, systemClock)];
}

/** What the time of an answer says of this machine's clock, if anything. */
export function clockFindings(date: string | undefined, clock: Clock): Finding[] {
  const difference = clockDifference(date, clock);
  if (difference === undefined || difference === 0) return [];
  const { says, remedy } = troubleTexts['clock-off'];
  const found = `${says} (${differenceCode(difference)}); ${remedy}`;
  return [{ check: 'clock', health: 'wrong', says: found }];
}
