import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type Circle, circleDigest } from '../provenance/circle.ts';
import { type Circles, loadCircles } from '../provenance/circles.ts';
import { type Randomness, randomToken, systemRandomness } from '../provenance/randomness.ts';
import type { Trouble } from '../web/troubles.ts';
import { type EngineClock, systemTimer } from './asl/timer.ts';
import { Barrier } from './backup/barrier.ts';
import { offerSnapshots } from './backup/office.ts';
import { noteCircle } from './circle/changes.ts';
import { watchCircles } from './circle/watching.ts';
import { Closers } from './closers.ts';
import { connect, type OfficeConnection } from './connection.ts';
import {
  type ConnectionFile,
  type DataDirectory,
  openDataDirectory,
  removeConnection,
  writeConnection,
} from './datadirectory.ts';
import { type DataLock, lockDataDirectory } from './datalock.ts';
import type { LocalModel } from './endpoints/bedrock.ts';
import { startGateway } from './endpoints/gateway.ts';
import { signingKeyAlias } from './endpoints/kms.ts';
import type { FunctionRegistry } from './endpoints/lambda.ts';
import type { SentMail } from './endpoints/outbox.ts';
import type { Credentials } from './endpoints/server.ts';
import { statesService } from './endpoints/states.ts';
import { foreignSettings, functionEnvironment } from './environment.ts';
import { type FunctionCall, loadFunctions } from './functions.ts';
import { type HouseholdInbox, openHouseholdInbox } from './householdinbox.ts';
import { openHouseholdPickup } from './householdpickup.ts';
import { OfficeLog } from './log.ts';
import { createMachine } from './machine.ts';
import type { InboxSettings } from './mailbox/settings.ts';
import { migrateDataDirectory } from './migration.ts';
import { names } from './names.ts';
import type { MailboxAccess } from './pickup/mailbox.ts';
import type { Pickup } from './pickup/pickup.ts';
import { compilePolicyFiles } from './policyfiles.ts';
import { answerSeconds, type OwnModel } from './reader/ownmodel.ts';
import { pictureReader } from './reader/pictures.ts';
import { offlineReader } from './reader/reader.ts';
import { besideOfflineReader, offlineReaderId, settingsWithOfflineReader } from './reader/steppingin.ts';
import { type Bounce, noteBounce } from './relay/bounces.ts';
import { Relay } from './relay/relay.ts';
import type { Transport } from './relay/transport.ts';
import { tellUndelivered } from './relay/undelivered.ts';
import { RemoteClock } from './remoteclock.ts';
import { type Runner, startRunner } from './runner.ts';
import { checkSelf, renewCertificate } from './selfcheck.ts';
import { startServices } from './services.ts';
import { Troubles } from './troubles.ts';

export interface OfficeOptions {
  /** The data directory. */
  readonly data: string;
  /** The port of the pages; 0 for any that is free. */
  readonly port?: number;
  /** The port of the SMTP inbox; 0 for any that is free. */
  readonly smtp?: number;
  /** The circle's file, or a directory of one for each of several; that of the data directory if nothing is said. */
  readonly circleFile?: string | undefined;
  readonly rulesDirectory?: string | undefined;
  /** A folder of bundled handlers to run in place of the sources. */
  readonly bundles?: string | undefined;
  readonly publicUrl?: string | undefined;
  /** An address of this machine on the local network that the pages are served on too. */
  readonly host?: string | undefined;
  /** The household's mailbox, if mail is to be picked up from one. */
  readonly mailbox?: MailboxAccess | undefined;
  /** Where an SMTP inbox listens for other machines too; nowhere if nothing is said. */
  readonly inbox?: InboxSettings | undefined;
  /** The household's mail provider, if mail is to leave this machine. */
  readonly transport?: Transport | undefined;
  /** The household's model. Where it gives no answer, the offline reader steps in. */
  readonly ownModel?: OwnModel | undefined;
  /** Answers in place of the offline reader, and nothing steps in for it. */
  readonly model?: LocalModel | undefined;
  /** What the model is called in records. */
  readonly modelName?: string | undefined;
  readonly clock?: EngineClock;
  readonly randomness?: Randomness;
  readonly onCall?: (call: FunctionCall) => void;
  /** Told when something begins to keep the office from working, and when it ends. */
  readonly onTrouble?: ((trouble: Trouble, begins: boolean) => void) | undefined;
  /** Told how long a call took, in milliseconds. */
  readonly onEnd?: (name: string, milliseconds: number) => void;
}

/** The embedded default: everything that a deployment has, on one machine. */
export interface Office {
  /** The household's circle, the first of several. */
  readonly circle: Circle;
  readonly data: DataDirectory;
  readonly web: string;
  readonly smtp: number;
  /** The port of the inbox for other machines, where there is one. */
  readonly outerSmtp: number | undefined;
  /** Whether the circle is the invented example, since the household has none yet. */
  readonly example: boolean;
  /** What picks mail up, where a mailbox is configured. */
  readonly pickup: Pickup | undefined;
  /** Whether mail leaves this machine. */
  readonly sending: boolean;
  readonly troubles: Troubles;
  readonly connection: OfficeConnection;
  /** Resolves once nothing runs: everything waits for a person or a time, or has ended. */
  idle(): Promise<void>;
  /** Runs what a deployment's schedule runs: lost mails, reminders, deferred cases. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

interface Premises {
  readonly options: OfficeOptions;
  readonly data: DataDirectory;
  /** As they stand now: what listens to them sees a change of their file. */
  readonly circles: Circle[];
  readonly circleFile: string;
  readonly example: boolean;
  readonly rulesDirectory: string;
  readonly clock: EngineClock;
  readonly randomness: Randomness;
  readonly credentials: Credentials;
  readonly closers: Closers;
  readonly troubles: Troubles;
  readonly remoteClock: RemoteClock;
  readonly lock: DataLock;
}

const project = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const sweepEvery = 60_000;
/** How long a function may go on when the office is closed, in milliseconds. */
const mostPatience = 10_000;

/**
 * Starts an office on a data directory and picks up what an earlier one left.
 * @throws CaregateError `DATA_DIRECTORY_INVALID`, `CONFIGURATION_INVALID`, `PORT_IN_USE`
 */
export async function openOffice(options: OfficeOptions): Promise<Office> {
  const data = openDataDirectory(options.data);
  const closers = new Closers();
  const lock = closers.add(lockDataDirectory(data.root), (part) => part.release());
  try {
    migrateDataDirectory(data.root);
    const premises = inspect(options, data, closers, lock);
    const { circles, example, troubles } = premises;
    const running = await furnish(premises);
    const sending = options.transport !== undefined;
    const circle = circles[0] as Circle;
    return { circle, data, example, sending, troubles, ...running, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** What an office starts from. Bad rules or a bad circle stop the start, and not the first mail. */
function inspect(options: OfficeOptions, data: DataDirectory, closers: Closers, lock: DataLock): Premises {
  const { clock = systemTimer, randomness = systemRandomness } = options;
  const example = options.circleFile === undefined && !existsSync(data.circleFile);
  const circleFile = options.circleFile ?? (example ? project('rules/circle.example.yaml') : data.circleFile);
  const circles = [...loadCircles(circleFile)];
  const rulesDirectory = options.rulesDirectory ?? project('rules');
  for (const each of circles) compilePolicyFiles(rulesDirectory, each);
  if (circleFile === data.circleFile) noteCircle(data.circleLog, clock, circles[0] as Circle);
  const credentials = {
    accessKeyId: `CAREGATE${randomToken(randomness, 48)}`,
    secretAccessKey: randomToken(randomness, 256),
  };
  const troubles = new Troubles({ file: data.troubles, clock, changed: options.onTrouble });
  const remoteClock = new RemoteClock({ clock, troubles });
  options.ownModel?.onDate?.((date) => remoteClock.heard(date));
  const found = { options, data, circles, circleFile, example, rulesDirectory };
  return { ...found, clock, randomness, credentials, closers, troubles, remoteClock, lock };
}

/** Starts the parts in the order in which they need each other; cases go on once all of them run. */
async function furnish(
  premises: Premises,
): Promise<Pick<Office, 'web' | 'smtp' | 'outerSmtp' | 'connection' | 'sweep' | 'idle' | 'pickup'>> {
  const { options, data, circles, clock, randomness, credentials, closers } = premises;
  const log = new OfficeLog(data.log, clock);
  const look = watchCircles(premises.circleFile, circles, (now) => takeUp(premises, now));
  const { registry, idle } = await loadFunctions(
    {
      called: (call) => {
        look();
        options.onCall?.(call);
      },
      ...(options.onEnd === undefined ? {} : { ended: options.onEnd }),
      failed: (name, error) => log.failure(name, error),
    },
    options.bundles,
  );
  const runner = closers.add(await startRunner({ data, registry, clock, randomness }), (part) =>
    part.close(),
  );
  const relay = openRelay(premises, registry, log);
  const barrier = new Barrier();
  closers.add(pictureReader, (part) => part.close());
  const services = closers.add(
    await startServices({
      relay,
      barrier,
      data,
      clock,
      randomness,
      credentials,
      registry,
      states: statesService(runner.engine),
      model: modelOf(premises),
      identities: circles.flatMap(({ senders }) => [senders.notices, senders.letters]),
      log: (line) => log.note(line),
    }),
    (part) => part.close(),
  );
  const { endpoints, tables } = services;
  const journal = (file: string): void => runner.engine.snapshot(file);
  offerSnapshots(registry, { data, tables, journal, barrier, clock, randomness });
  const machine = await makeMachine(endpoints, credentials);
  const gateway = closers.add(await openPages(premises, registry), (part) => part.close());
  const publicUrl = options.publicUrl ?? gateway.networkUrl ?? gateway.url;
  setEnvironment(premises, endpoints, machine, publicUrl);
  runner.open();
  closers.add(runner, (part) => comeToRest(part, idle));
  const { inbox, pickup } = await openMail(premises, registry, endpoints, log);
  const file: ConnectionFile = {
    pid: process.pid,
    web: gateway.url,
    publicUrl,
    smtp: inbox.port,
    region: names.region,
    machine,
    circle: (circles[0] as Circle).id,
    signingKey: signingKeyAlias,
    credentials: unmarked(credentials),
    endpoints: { ...endpoints },
  };
  const sweep = async (): Promise<void> => {
    checkSelf({ root: data.root, lock: premises.lock, troubles: premises.troubles, clock });
    renewCertificate(inbox, premises.troubles);
    void relay?.work();
    await registry.invoke('sweep', {});
    await registry.invoke('request-release', {});
  };
  return { ...(await settleIn(premises, file, sweep, log)), idle, pickup, outerSmtp: inbox.outerPort };
}

/** The ways in, and the functions that run from now on, have the circles as they stand in their file now. */
function takeUp({ data, circleFile, circles, clock, credentials }: Premises, now: Circles): void {
  circles.splice(0, circles.length, ...now);
  if (circleFile === data.circleFile) noteCircle(data.circleLog, clock, circles[0] as Circle);
  process.env.CAREGATE_GENERATION = `${credentials.accessKeyId}.${circles.map(circleDigest).join()}`;
}

/** A function that runs ends while its services are there, so that it neither fails nor writes to people twice. */
async function comeToRest(runner: Runner, idle: () => Promise<void>): Promise<void> {
  runner.rest();
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const patience = setTimeout(resolve, mostPatience);
  await Promise.race([idle(), late]);
  clearTimeout(patience);
}

/** The ways in: SMTP on this machine, and the household's mailbox where one is configured. */
async function openMail(
  { options, data, circles, clock, randomness, credentials, closers, troubles, remoteClock }: Premises,
  registry: FunctionRegistry,
  endpoints: Readonly<Record<string, string>>,
  officeLog: OfficeLog,
): Promise<{ inbox: HouseholdInbox; pickup: Pickup | undefined }> {
  const parts = { circles, clock, randomness };
  const port = options.smtp ?? 0;
  const onUnassigned = (): void => troubles.report('mail-unassigned');
  const reported = async (mail: SentMail, { action }: Bounce): Promise<void> => {
    troubles.report('relay-bounced');
    if (action === 'failed') await tellUndelivered(registry, circles, mail);
  };
  const onMail = (raw: Uint8Array): Promise<void> =>
    noteBounce({ outbox: data.outbox, clock, reported }, raw);
  const log = (line: string): void => officeLog.note(line);
  const way = { registry, endpoints, credentials, port, listen: options.inbox, onUnassigned, onMail, log };
  const inbox = closers.add(await openHouseholdInbox({ ...parts, ...way, events: data.events }), (part) =>
    part.close(),
  );
  if (options.mailbox === undefined) return { inbox, pickup: undefined };
  const mailbox = { access: options.mailbox, directory: data.pickup };
  const received = (time: number, watched: boolean): void => remoteClock.received(time, watched);
  const pickup = await openHouseholdPickup({ ...parts, ...mailbox, inbox, troubles, received, log });
  return { inbox, pickup: closers.add(pickup, (part) => part.close()) };
}

/** What lies in the outbox goes to the household's provider, as long as the office runs and one is configured. */
function openRelay(
  { options: { transport }, data: { outbox }, circles, clock, closers, troubles }: Premises,
  registry: FunctionRegistry,
  officeLog: OfficeLog,
): Relay | undefined {
  if (transport === undefined) return undefined;
  const refused = (mail: SentMail): Promise<void> => tellUndelivered(registry, circles, mail);
  const log = (line: string): void => officeLog.note(line);
  return closers.add(new Relay({ outbox, transport, clock, troubles, refused, log }), (part) => part.close());
}

function modelOf({ options: { model, ownModel }, troubles }: Premises): LocalModel {
  return model ?? (ownModel === undefined ? offlineReader : besideOfflineReader(ownModel, troubles));
}

/** The SDK leaves marks on the credentials that it is given; the connection file takes these two fields alone. */
function unmarked({ accessKeyId, secretAccessKey }: Credentials): Credentials {
  return { accessKeyId, secretAccessKey };
}

/** Says how to reach the office, sweeps what an earlier one left, and goes on sweeping. */
async function settleIn(
  { options, closers }: Premises,
  file: ConnectionFile,
  sweep: () => Promise<void>,
  log: OfficeLog,
) {
  writeConnection(options.data, file);
  closers.add(options.data, removeConnection);
  const connection = closers.add(connect(file), (part) => part.close());
  await sweep();
  // One that fails, on a full disk perhaps, must not end the office: the next one comes in a minute.
  const again = (): Promise<void> => sweep().catch((error) => log.failure('sweep', error));
  const timer = setInterval(() => void again(), sweepEvery);
  timer.unref();
  closers.add(timer, clearInterval);
  return { web: file.web, smtp: file.smtp, connection, sweep };
}

/** The pages, with the functions behind them as behind a deployment's HTTP API. */
function openPages({ options, clock }: Premises, registry: FunctionRegistry) {
  const { port = 0, publicUrl, host } = options;
  const address = publicUrl === undefined ? {} : { publicUrl };
  return startGateway({
    registry,
    get: 'web',
    post: 'decide',
    paths: { '/healthz': 'health' },
    port,
    host,
    clock,
    ...address,
  });
}

async function makeMachine(
  endpoints: Readonly<Record<string, string>>,
  credentials: Credentials,
): Promise<string> {
  const sfn = new SFNClient({ region: names.region, credentials, endpoint: endpoints.SFN ?? '' });
  try {
    return await createMachine(sfn);
  } finally {
    sfn.destroy();
  }
}

/** The functions of this process find their services by the environment, as those of a deployment do. */
function setEnvironment(
  { options, data, credentials, circleFile, rulesDirectory }: Premises,
  endpoints: Readonly<Record<string, string>>,
  machine: string,
  publicUrl: string,
): void {
  for (const name of foreignSettings) delete process.env[name];
  const { ownModel, modelName = offlineReaderId } = options;
  const model = ownModel === undefined ? modelName : settingsWithOfflineReader(ownModel);
  const environment = functionEnvironment({
    credentials,
    endpoints,
    circles: circleFile,
    rulesDirectory,
    signingKey: signingKeyAlias,
    machine,
    publicUrl,
    troubles: data.troubles,
    sending: options.transport !== undefined,
    modelSeconds: answerSeconds + 5,
    models: { triage: model, evidence: model, plan: model },
    generation: credentials.accessKeyId,
  });
  Object.assign(process.env, environment);
}
