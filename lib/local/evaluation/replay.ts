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
  /** Where the office may put its data; a directory in memory if there is one. */
  readonly directory: string;
  readonly letThrough: ReadonlySet<string>;
  /** Told when a mail has come to rest. */
  readonly onMail: () => void;
}

/** Mails that are under way at once. */
const together = 4;

/** Plays mails through a whole office of its own, and counts what became of them. */
export async function replay(options: ReplayOptions): Promise<Replay> {
  const root = mkdtempSync(join(options.directory, 'caregate-eval-'));
  const circle = evaluationCircle();
  const circleFile = join(root, 'circle.yaml');
  writeFileSync(circleFile, JSON.stringify(circle));
  const rest = new AtRest(options.onMail);
  const scripts = new Map(
    options.mails.flatMap(({ mark, attempts }) => (attempts.length > 0 ? [[mark, attempts]] : [])),
  );
  try {
    const office = await openOffice({
      data: join(root, 'data'),
      circleFile,
      model: obedientPlanner(scripts),
      modelName: 'evaluation',
      onCall: ({ name, payload }) => rest.called(name, payload),
    });
    try {
      return await played(office, shippedPolicy(circle), options, rest);
    } finally {
      await office.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function played(
  office: Office,
  shipped: CompiledPolicy,
  options: ReplayOptions,
  rest: AtRest,
): Promise<Replay> {
  const { file } = office.connection;
  const s3 = new S3Client({
    region: file.region,
    credentials: file.credentials,
    endpoint: file.endpoints.S3 ?? '',
    forcePathStyle: true,
  });
  const queue = [...options.mails];
  const hand = async (): Promise<void> => {
    for (let mail = queue.shift(); mail !== undefined; mail = queue.shift()) {
      await rest.room();
      await deliver(office, s3, shipped.circle, mail);
    }
  };
  try {
    await Promise.all(Array.from({ length: 2 }, hand));
    await office.idle();
    rest.end(options.mails.length);
  } finally {
    s3.destroy();
  }
  return counted(office, shipped, options);
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
