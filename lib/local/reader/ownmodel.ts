import { CaregateError } from '../../errors.ts';
import type { LocalModel } from '../endpoints/bedrock.ts';
import { openAiBridge } from './bridge.ts';
import { type BedrockKeys, bedrockBridge } from './bridge-bedrock.ts';

/** A model of the household's choice. */
export interface OwnModel {
  /** What records call it. */
  readonly id: string;
  /** Where it is, in words. */
  readonly where: string;
  readonly ask: LocalModel;
  /** What is wrong with it, found out without asking it anything. */
  look(): Promise<string | undefined>;
  /** Has a listener told what its server says that the time is. */
  onDate?(listener: (date: string) => void): void;
}

/** Passes dates on to whoever listens by then. */
class Dates {
  #listener: (date: string) => void = () => {};
  readonly onDate = (listener: (date: string) => void): void => {
    this.#listener = listener;
  };
  readonly heard = (date: string): void => this.#listener(date);
}

/**
 * How long an answer may take, in seconds: a model on an old machine takes minutes. It is less than a function may run, so
 * that the offline reader still steps in for one that takes longer.
 */
export const answerSeconds = 200;
const timeout = answerSeconds * 1000;

type Settings = Readonly<Record<string, string | undefined>>;

/** Whether the settings name a model, rightly or not. */
export function isModelNamed({ CAREGATE_MODEL_URL, CAREGATE_BEDROCK_MODEL }: Settings): boolean {
  return Boolean(CAREGATE_MODEL_URL || CAREGATE_BEDROCK_MODEL);
}

/**
 * The model that the settings name: `CAREGATE_MODEL_URL` that of an OpenAI-compatible server, `CAREGATE_BEDROCK_MODEL`
 * one of Bedrock. Nothing, if none is named: the offline reader answers then.
 * @throws CaregateError `CONFIGURATION_INVALID`, which names settings and never what they hold
 */
export function ownModel(settings: Settings): OwnModel | undefined {
  const url = settings.CAREGATE_MODEL_URL ?? '';
  const bedrock = settings.CAREGATE_BEDROCK_MODEL ?? '';
  if (url !== '' && bedrock !== '') {
    throw invalid('CAREGATE_BEDROCK_MODEL', 'stands beside `CAREGATE_MODEL_URL`; keep one of the two models');
  }
  if (url !== '') return serverModel(url, settings.CAREGATE_MODEL_NAME ?? 'default');
  return bedrock === '' ? undefined : bedrockModel(bedrock, settings);
}

function serverModel(url: string, id: string): OwnModel {
  const dates = new Dates();
  const ask = openAiBridge({ url, model: id, timeout, onDate: dates.heard });
  const look = async () => (await ask.describe()).problem;
  const { onDate } = dates;
  return { id: named(id, 'CAREGATE_MODEL_NAME'), where: new URL(url).origin, ask, look, onDate };
}

function bedrockModel(id: string, settings: Settings): OwnModel {
  const region = settings.CAREGATE_BEDROCK_REGION ?? '';
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d$/.test(region)) {
    throw invalid('CAREGATE_BEDROCK_REGION', 'names no region; write one such as `eu-central-1`');
  }
  const { heard, onDate } = new Dates();
  const model = named(id, 'CAREGATE_BEDROCK_MODEL');
  const ask = bedrockBridge({ model, region, keys: keysOf(settings), timeout, onDate: heard });
  return { id, where: `Bedrock in ${region}`, ask, look: async () => undefined, onDate };
}

function keysOf(settings: Settings): BedrockKeys {
  const token = settings.CAREGATE_BEDROCK_TOKEN ?? settings.AWS_BEARER_TOKEN_BEDROCK ?? '';
  if (token !== '') return { token };
  const accessKeyId = settings.CAREGATE_BEDROCK_ACCESS_KEY_ID ?? '';
  const secretAccessKey = settings.CAREGATE_BEDROCK_SECRET_ACCESS_KEY ?? '';
  if (accessKeyId === '' || secretAccessKey === '') {
    throw invalid(
      'CAREGATE_BEDROCK_MODEL',
      'comes without keys; set `CAREGATE_BEDROCK_TOKEN`, or the access key and its secret',
    );
  }
  const sessionToken = settings.CAREGATE_BEDROCK_SESSION_TOKEN ?? '';
  return { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) };
}

function named(id: string, setting: string): string {
  if (/^\S{1,200}$/.test(id)) return id;
  throw invalid(setting, 'is no name of a model; write it without spaces');
}

function invalid(setting: string, what: string): CaregateError {
  return new CaregateError('CONFIGURATION_INVALID', `setting \`${setting}\` ${what}`);
}
