import type { WriteStream } from 'node:tty';
import * as z from 'zod';
import { caseIdSchema } from '../casefile/schemas.ts';
import type { FunctionCall } from '../local/functions.ts';

/** What the functions are called in progress; those that are missing here are not worth a line. */
const stages: Readonly<Record<string, string>> = {
  dispatch: 'judging the sender',
  triage: 'finding out what it is about',
  evidence: 'reading documents and facts',
  plan: 'proposing the next action',
  gate: 'deciding by the rules',
  'request-approval': 'asking for an approval',
  'request-answer': 'asking a question',
  execute: 'acting',
  reconcile: 'asking what happened',
  verify: 'reading the effect back',
  record: 'recording the outcome',
  park: 'parking',
  close: 'closing',
};

const payloadSchema = z.looseObject({ case: caseIdSchema, action: z.int().optional() });

/**
 * Progress of mails through the states: in a terminal one line a mail that changes in place, elsewhere a line for
 * each step.
 */
export class Progress {
  readonly #stream: Pick<WriteStream, 'isTTY' | 'write'>;
  readonly #quiet: boolean;
  readonly #names = new Map<string, string>();
  readonly #stages = new Map<string, string>();
  readonly #early: [string, string][] = [];
  #drawn = 0;
  #ended = false;

  constructor(stream: Pick<WriteStream, 'isTTY' | 'write'>, quiet: boolean) {
    this.#stream = stream;
    this.#quiet = quiet;
  }

  /** Names the mail of a case. Steps that were called before are told now. */
  expect(id: string, name: string): void {
    this.#names.set(id, name);
    for (const [early, stage] of this.#early.splice(0)) this.#show(early, stage);
  }

  called(call: FunctionCall): void {
    const stage = stages[call.name];
    const payload = payloadSchema.safeParse(call.payload);
    if (this.#quiet || this.#ended || stage === undefined || !payload.success) return;
    const { case: id, action } = payload.data;
    this.#show(id, action === undefined ? stage : `action ${action}: ${stage}`);
  }

  /** Nothing is drawn after this: what follows is the result. */
  end(): void {
    this.#ended = true;
  }

  #show(id: string, stage: string): void {
    const name = this.#names.get(id);
    if (this.#ended) return;
    if (name === undefined) this.#early.push([id, stage]);
    else if (this.#stream.isTTY) this.#redraw(id, stage);
    else this.#stream.write(`${name}: ${stage}\n`);
  }

  #redraw(id: string, stage: string): void {
    this.#stages.set(id, stage);
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : '';
    const lines = [...this.#stages].map(([key, at]) => `\u001b[2K${this.#names.get(key) ?? key}: ${at}\n`);
    this.#stream.write(up + lines.join(''));
    this.#drawn = lines.length;
  }
}
