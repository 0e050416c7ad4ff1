import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { CaregateError } from '../errors.ts';
import { compilePolicyFiles } from './policyfiles.ts';
import { type Circle, loadCircle } from '../provenance/circle.ts';
import { type Randomness, randomToken, systemRandomness } from '../provenance/randomness.ts';
import { type Engine, openEngine } from './asl/engine.ts';
import { type EngineClock, systemTimer } from './asl/timer.ts';
import { connect, type OfficeConnection } from './connection.ts';
import {
  type ConnectionFile,
  type DataDirectory,
  findConnection,
  openDataDirectory,
  removeConnection,
  writeConnection,
} from './datadirectory.ts';
import type { LocalModel } from './endpoints/bedrock.ts';
import { startGateway } from './endpoints/gateway.ts';
import type { FunctionRegistry } from './endpoints/lambda.ts';
import type { Credentials } from './endpoints/server.ts';
import { statesService } from './endpoints/states.ts';
import { foreignSettings, functionEnvironment } from './environment.ts';
import { type FunctionCall, loadFunctions } from './functions.ts';
import { createMachine } from './machine.ts';
import { startInbox } from './mailbox/inbox.ts';
import { householdVerdicts } from './mailbox/verdicts.ts';
import { names } from './names.ts';
import { offlineReader } from './reader/reader.ts';
import { startServices } from './services.ts';

export interface OfficeOptions {
  /** The data directory. */
  readonly data: string;
  /** The port of the pages; 0 for any that is free. */
  readonly port?: number;
  /** The port of the SMTP inbox; 0 for any that is free. */
  readonly smtp?: number;
  readonly circleFile?: string | undefined;
  readonly rulesDirectory?: string | undefined;
  readonly publicUrl?: string | undefined;
  /** Answers in place of the offline reader. */
  readonly model?: LocalModel | undefined;
  /** What the model is called in records. */
  readonly modelName?: string | undefined;
  readonly clock?: EngineClock;
  readonly randomness?: Randomness;
  readonly onCall?: (call: FunctionCall) => void;
}

/** The embedded default: everything that a deployment has, on one machine. */
export interface Office {
  readonly circle: Circle;
  readonly data: DataDirectory;
  readonly web: string;
  readonly smtp: number;
  /** Whether the circle is the invented example, since the household has none yet. */
  readonly example: boolean;
  readonly connection: OfficeConnection;
  /** Runs what a deployment's schedule runs: lost mails, reminders, deferred cases. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const project = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const sweepEvery = 60_000;

/**
 * Starts an office on a data directory and picks up what an earlier one left.
 * @throws CaregateError `DATA_DIRECTORY_INVALID`, `CONFIGURATION_INVALID`, `PORT_IN_USE`
 */
export async function openOffice(options: OfficeOptions): Promise<Office> {
  const data = openDataDirectory(options.data);
  refuseSecond(options.data);
  const example = options.circleFile === undefined && !existsSync(data.circleFile);
  const circleFile = options.circleFile ?? (example ? project('rules/circle.example.yaml') : data.circleFile);
  const circle = loadCircle(circleFile);
  const rulesDirectory = options.rulesDirectory ?? project('rules');
  compilePolicyFiles(rulesDirectory, circle);
  const closers: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const parts = await startParts({ ...options, circle, circleFile, rulesDirectory }, data, closers);
    return { circle, data, example, ...parts, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface ResolvedOptions extends OfficeOptions {
  readonly circle: Circle;
  readonly circleFile: string;
  readonly rulesDirectory: string;
}

async function startParts(options: ResolvedOptions, data: DataDirectory, closers: (() => Promise<void> | void)[]) {
  const { circle, clock = systemTimer, randomness = systemRandomness, modelName = 'offline-reader' } = options;
  const credentials: Credentials = {
    accessKeyId: `CAREGATE${randomToken(randomness, 48)}`,
    secretAccessKey: randomToken(randomness, 256),
  };
  const registry = await loadFunctions(options.onCall ?? (() => {}));
  const engine = await startEngine(data, registry, clock, randomness);
  closers.push(() => engine.close());
  const services = await startServices({
    data,
    clock,
    randomness,
    credentials,
    registry,
    states: statesService(engine),
    model: options.model ?? offlineReader,
    identities: [circle.senders.notices, circle.senders.letters],
  });
  closers.push(() => services.close());
  const sfn = new SFNClient({ region: names.region, credentials, endpoint: services.endpoints.SFN ?? '' });
  const machine = await createMachine(sfn);
  sfn.destroy();
  const gateway = await startGateway({
    registry,
    get: 'web',
    post: 'decide',
    port: options.port ?? 0,
    clock,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
  });
  closers.push(() => gateway.close());
  const signingKey = 'alias/caregate-links';
  setEnvironment(
    functionEnvironment({
      credentials,
      endpoints: services.endpoints,
      circleFile: options.circleFile,
      rulesDirectory: options.rulesDirectory,
      signingKey,
      machine,
      publicUrl: options.publicUrl ?? gateway.url,
      triageModel: modelName,
      planModel: modelName,
      generation: credentials.accessKeyId,
    }),
  );
  const smtp = await openInbox(options, registry, services.endpoints, credentials, closers);
  const file: ConnectionFile = {
    pid: process.pid,
    web: gateway.url,
    smtp,
    region: names.region,
    machine,
    circle: circle.id,
    signingKey,
    credentials,
    endpoints: { ...services.endpoints },
  };
  return finish(options, file, registry, closers);
}

async function finish(
  options: ResolvedOptions,
  file: ConnectionFile,
  registry: FunctionRegistry,
  closers: (() => Promise<void> | void)[],
) {
  writeConnection(options.data, file);
  closers.push(() => removeConnection(options.data));
  const connection = connect(file);
  closers.push(() => connection.close());
  const sweep = async (): Promise<void> => {
    await registry.invoke('sweep', {});
  };
  await sweep();
  const timer = setInterval(() => void sweep(), sweepEvery);
  timer.unref();
  closers.push(() => clearInterval(timer));
  return { web: file.web, smtp: file.smtp, connection, sweep };
}

async function startEngine(
  data: DataDirectory,
  registry: FunctionRegistry,
  clock: EngineClock,
  randomness: Randomness,
): Promise<Engine> {
  return openEngine({
    journal: data.journal,
    clock,
    randomness,
    region: names.region,
    account: names.account,
    invoke: (name, payload) => registry.invoke(name, payload),
    onStatusChange: (detail) => {
      if (detail.status === 'RUNNING') return;
      const event = { detail };
      void registry.invoke('audit', event);
      if (detail.status !== 'SUCCEEDED') void registry.invoke('report', event);
    },
  });
}

async function openInbox(
  options: ResolvedOptions,
  registry: FunctionRegistry,
  endpoints: Readonly<Record<string, string>>,
  credentials: Credentials,
  closers: (() => Promise<void> | void)[],
): Promise<number> {
  const { circle, clock = systemTimer, randomness = systemRandomness } = options;
  const s3 = new S3Client({ region: names.region, credentials, endpoint: endpoints.S3 ?? '', forcePathStyle: true });
  closers.push(() => s3.destroy());
  const inbox = await startInbox({
    s3,
    bucket: names.inboxBucket,
    recipients: () => [circle.inbox],
    port: options.smtp ?? 0,
    clock,
    randomness,
    verdicts: householdVerdicts(circle),
    deliver: async (event) => {
      // What fails here is not lost: the bytes are stored, and the next sweep takes them over.
      await registry.invoke('ingest', event);
    },
  });
  closers.push(() => inbox.close());
  return inbox.port;
}

function refuseSecond(directory: string): void {
  const running = findConnection(directory);
  if (running === undefined || running.pid === process.pid) return;
  throw new CaregateError(
    'DATA_DIRECTORY_INVALID',
    `data directory \`${directory}\` is in use by the office with process id \`${running.pid}\`; stop that one or name another directory`,
  );
}

function setEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const name of foreignSettings) delete process.env[name];
  Object.assign(process.env, environment);
}
