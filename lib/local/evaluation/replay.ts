import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { layout } from '../../casefile/layout.ts';
import { readRecord } from '../../casefile/record.ts';
import { caseIdSchema } from '../../casefile/schemas.ts';
import type { CompiledPolicy } from '../../policy/rules.ts';
import type { Circle } from '../../provenance/circle.ts';
import { systemClock } from '../../provenance/clock.ts';
import type { FunctionCall } from '../functions.ts';
import { sesEvent } from '../mailbox/event.ts';
import { storeMail } from '../mailbox/reception.ts';
import { names } from '../names.ts';
import { type Office, openOffice } from '../office.ts';
import type { EvaluationMail } from './attempts.ts';
import { composed, forwarder } from './composing.ts';
import { type AttemptCount, type BenignCount, countAttempts, countBenign } from './counts.ts';
import { evaluationCircle, shippedPolicy } from './household.ts';
import { obedientPlanner } from './planner.ts';

/** What was counted of some mails. */
export interface Replay {
  readonly attempts: readonly AttemptCount[];
  readonly benign: readonly BenignCount[];
}

export interface ReplayOptions {
  readonly mails: readonly EvaluationMail[];
  /** The actions, as `case/action`, that went past the effects' own check. */
  readonly letThrough: ReadonlySet<string>;
  /** Told when a mail has come to rest. */
  readonly onMail: () => void;
}

/** Mails that are under way at once. */
const together = 4;

/** A whole office that mails are played through. */
export class Stage {
  readonly #office: Office;
  readonly #root: string;
  readonly #scripts: Map<string, EvaluationMail['attempts']>;
  readonly #circle: Circle;
  readonly #shipped: CompiledPolicy;
  readonly #s3: S3Client;
  #rest: AtRest | undefined;
  #plays = 0;

  private constructor(office: Office, root: string, scripts: Map<string, EvaluationMail['attempts']>) {
    this.#office = office;
    this.#root = root;
    this.#scripts = scripts;
    this.#circle = evaluationCircle();
    this.#shipped = shippedPolicy(this.#circle);
    const { region, credentials, endpoints } = office.connection.file;
    this.#s3 = new S3Client({ region, credentials, endpoint: endpoints.S3 ?? '', forcePathStyle: true });
  }

  /** Opens an office of its own in a directory. */
  static async open(directory: string): Promise<Stage> {
    const root = mkdtempSync(join(directory, 'office-'));
    const circleFile = join(root, 'circle.yaml');
    writeFileSync(circleFile, JSON.stringify(evaluationCircle()));
    const scripts = new Map<string, EvaluationMail['attempts']>();
    let stage: Stage | undefined;
    const office = await openOffice({
      data: join(root, 'data'),
      circleFile,
      model: obedientPlanner(scripts),
      modelName: 'evaluation',
      onCall: (call) => stage?.heard(call),
    });
    stage = new Stage(office, root, scripts);
    return stage;
  }

  /** A function was called: a mail has come further. */
  heard({ name, payload }: FunctionCall): void {
    this.#rest?.called(name, payload);
  }

  /** Plays mails that were not played here before, and counts what became of them. */
  async play(options: ReplayOptions): Promise<Replay> {
    // The functions take their parts anew for each play, and with them the rules.
    this.#plays += 1;
    process.env.CAREGATE_GENERATION = `${process.env.CAREGATE_GENERATION ?? ''}.${this.#plays}`;
    for (const { mark, attempts } of options.mails)
      if (attempts.length > 0) this.#scripts.set(mark, attempts);
    const rest = new AtRest(options.onMail);
    this.#rest = rest;
    const queue = [...options.mails];
    const hand = async (): Promise<void> => {
      for (let mail = queue.shift(); mail !== undefined; mail = queue.shift()) {
        await rest.room();
        await deliver(this.#office, this.#s3, this.#circle, mail);
      }
    };
    await Promise.all(Array.from({ length: 2 }, hand));
    await this.#office.idle();
    rest.end(options.mails.length);
    return counted(this.#office, this.#shipped, options);
  }

  async close(): Promise<void> {
    this.#s3.destroy();
    await this.#office.close();
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** Hands a mail over as the receiver does: its bytes into the inbox, and its event to `ingest`. */
async function deliver(office: Office, s3: S3Client, circle: Circle, mail: EvaluationMail): Promise<void> {
  const raw = await composed(mail, { circle, at: new Date(systemClock.now()) });
  await storeMail(s3, names.inboxBucket, mail.mark, raw);
  const passed = 'PASS' as const;
  const event = sesEvent(
    { messageId: mail.mark, source: forwarder(circle)?.email ?? '', recipients: [circle.inbox] },
    { spam: passed, virus: passed, spf: passed, dkim: passed, dmarc: passed },
    systemClock,
  );
  const Payload = new TextEncoder().encode(JSON.stringify(event));
  await office.connection.lambda.send(new InvokeCommand({ FunctionName: 'ingest', Payload }));
}

async function counted(office: Office, shipped: CompiledPolicy, options: ReplayOptions): Promise<Replay> {
  const { store, index, circle } = office.connection;
  const attempts: AttemptCount[] = [];
  const benign: BenignCount[] = [];
  const parts = { store, shipped, now: systemClock.now(), letThrough: options.letThrough };
  const startingSchema = z.looseObject({ case: caseIdSchema });
  for (const mail of options.mails) {
    const starting = await readRecord(store, layout.starting(mail.mark), startingSchema);
    const key = { circle, case: starting.case };
    if (mail.attempts.length > 0) attempts.push(...(await countAttempts(parts, key, mail)));
    else benign.push(await countBenign(store, key, mail, (await index.find(key))?.status === 'closed'));
  }
  return { attempts, benign };
}

/** Keeps count of the mails under way by the functions that are called, so that not all of them start at once. */
class AtRest {
  readonly #onMail: () => void;
  readonly #resting = new Set<string>();
  #begun = 0;
  #told = 0;
  #waiting: (() => void)[] = [];

  constructor(onMail: () => void) {
    this.#onMail = onMail;
  }

  /** Resolves when there is room for another mail. */
  async room(): Promise<void> {
    while (this.#begun - this.#resting.size >= together) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#begun += 1;
  }

  /** A run ends with `audit`; one that waits for a person has asked one. */
  called(name: string, payload: unknown): void {
    const { case: id, detail } = callSchema.parse(payload);
    const mail = name === 'audit' ? detail?.name : name.startsWith('request-') ? id : undefined;
    if (mail === undefined || this.#resting.has(mail)) return;
    this.#resting.add(mail);
    this.#tell();
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Tells of what came to rest unseen. */
  end(mails: number): void {
    while (this.#told < mails) this.#tell();
  }

  #tell(): void {
    this.#told += 1;
    this.#onMail();
  }
}

const callSchema = z
  .looseObject({
    case: z.string().optional(),
    detail: z.looseObject({ name: z.string().optional() }).optional(),
  })
  .catch({});
