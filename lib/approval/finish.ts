import { InvalidToken, SendTaskSuccessCommand, TaskDoesNotExist, TaskTimedOut } from '@aws-sdk/client-sfn';
import { layout } from '../casefile/layout.ts';
import { readRecord, writeRecord } from '../casefile/record.ts';
import { type ResumptionParts, releaseCase } from '../casefile/resumption.ts';
import { type AnswerRecord, caseRecordSchema, releaseChoiceSchema } from '../casefile/schemas.ts';
import type { ObjectStore } from '../casefile/store.ts';
import type { Consent } from '../policy/consent.ts';
import { canonicalJson } from '../provenance/canonical.ts';
import type { ApprovalId } from '../provenance/identifiers.ts';
import type { ApprovalEntry, Choice } from './entry.ts';
import { approvalRecordSchema, type DeclineRecord } from './record.ts';
import type { ApprovalRegister } from './register.ts';

export interface FinishParts extends ResumptionParts {
  readonly register: ApprovalRegister;
}

/**
 * - `confirmed`: the waiting execution has the decision
 * - `refused`: it no longer waited; the decision has no effect
 * - `pending`: it could not be told now; the next request or the sweep tries again
 * - `open`: there is no decision yet
 */
export type Finished = 'confirmed' | 'refused' | 'pending' | 'open';

/**
 * Carries out what was decided: writes what each person chose into the case file, then tells the execution that
 * waits. Everything follows from the register and is written once, so it can be repeated at any time by anyone who
 * holds the rights.
 */
export async function finishDecided(parts: FinishParts, id: ApprovalId): Promise<Finished> {
  const entry = await parts.register.find(id);
  if (entry === undefined || entry.status !== 'decided') return 'open';
  if (entry.callback !== undefined) return entry.callback;
  if (entry.kind === 'release') return finishRelease(parts, entry);
  for (const [person, { choice }] of Object.entries(entry.people)) {
    if (choice !== undefined) await keepChoice(parts.store, entry, person, choice);
  }
  return tell(parts, entry);
}

/** Writes what a person chose of a mail in quarantine, with the proof that she was asked, and reads the mail if she said so. */
async function finishRelease(parts: FinishParts, entry: ApprovalEntry): Promise<'confirmed' | 'open'> {
  const [person, stand] = Object.entries(entry.people).find(([, { choice }]) => choice !== undefined) ?? [];
  const choice = stand?.choice;
  if (person === undefined || choice === undefined) return 'open';
  const record = await readRecord(parts.store, layout.case(entry), caseRecordSchema);
  const pointer = await writeRecord(
    parts.store,
    layout.releaseChoice(entry),
    releaseChoiceSchema.parse({
      approval: entry.id,
      callDigest: entry.callDigest,
      person,
      link: entry.secrets[person]?.link ?? '',
      choice: choice.choice,
      at: choice.at,
    }),
  );
  if (choice.choice === 'approve') await releaseCase(parts, record, pointer);
  await parts.register.noteCallback(entry.id, entry.token, 'confirmed');
  return 'confirmed';
}

async function keepChoice(
  store: ObjectStore,
  entry: ApprovalEntry,
  person: string,
  choice: Choice,
): Promise<void> {
  const { action } = entry;
  const link = entry.secrets[person]?.link ?? '';
  const base = { approval: entry.id, person };
  switch (choice.choice) {
    case 'approve': {
      const consent: Consent = { ...base, callDigest: entry.callDigest, link, decidedAt: choice.at };
      await writeRecord(store, layout.consent(entry, action, person), consent);
      return;
    }
    case 'decline': {
      const reason = choice.text === undefined ? {} : { reason: choice.text };
      const decline: DeclineRecord = {
        ...base,
        callDigest: entry.callDigest,
        link,
        at: choice.at,
        ...reason,
      };
      await writeRecord(store, layout.decline(entry, action), decline);
      return;
    }
    case 'answer': {
      const { presentation } = await readRecord(store, entry.record, approvalRecordSchema);
      const question = presentation.question?.id ?? 'what_to_do';
      const answer: AnswerRecord = { ...base, question, text: choice.text ?? '', at: choice.at };
      await writeRecord(store, layout.answer(entry, action), answer);
      return;
    }
  }
}

/**
 * Tells the waiting execution. It takes the first callback and calls every later one timed out; so a time-out after
 * an attempt whose reply was lost, or beside another attempt, means that one of them had arrived.
 */
async function tell({ sfn, register }: FinishParts, entry: ApprovalEntry): Promise<Finished> {
  await register.noteTry(entry.id);
  try {
    const output = canonicalJson(outputOf(entry));
    await sfn.send(new SendTaskSuccessCommand({ taskToken: entry.token, output }));
  } catch (error) {
    if (!isFinal(error)) return 'pending';
    const tries = (await register.find(entry.id))?.callbackTries ?? 0;
    const repeated = tries > 1 || attemptsOf(error) > 1;
    const callback = error instanceof TaskTimedOut && repeated ? 'confirmed' : 'refused';
    await register.noteCallback(entry.id, entry.token, callback);
    return callback;
  }
  await register.noteCallback(entry.id, entry.token, 'confirmed');
  return 'confirmed';
}

/** Ids and a code only: this stands in an execution history. */
function outputOf(entry: ApprovalEntry): unknown {
  const approval = entry.id;
  if (entry.verdict === 'answered') return { answered: true, approval };
  const people = Object.keys(entry.people).filter((person) => entry.people[person]?.choice !== undefined);
  return { decision: entry.verdict, approval, people: people.sort() };
}

function isFinal(error: unknown): error is TaskTimedOut | TaskDoesNotExist | InvalidToken {
  return error instanceof TaskTimedOut || error instanceof TaskDoesNotExist || error instanceof InvalidToken;
}

/** How often the SDK itself tried: more than once means that a reply may have been lost. */
function attemptsOf(error: TaskTimedOut | TaskDoesNotExist | InvalidToken): number {
  return error.$metadata.attempts ?? 1;
}
