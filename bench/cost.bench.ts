import { dutyOf } from '../lib/stacks/duties.ts';
import { mostForOneMail, prices, tokenPrices } from './cost-prices.ts';
import { type MeasuredRun, measureRun } from './cost-run.ts';

export const title =
  'The cost of one mail: the samples in the embedded office, every request approved, at AWS prices (us-east-1)';

/** One part of the cost of a mail: what it is, how much of it a mail takes, and US dollars. */
export interface CostPart {
  readonly name: string;
  readonly amount: number;
  readonly dollars: number;
}

/** What a mail of a run costs without tokens, part by part. */
export function costOf(run: MeasuredRun): CostPart[] {
  const { requests, mails } = run;
  const part = (name: string, amount: number, price: number): CostPart => ({
    name,
    amount: amount / mails,
    dollars: (amount * price) / mails,
  });
  const calls = [...run.functions.values()].reduce((sum, each) => sum + each.calls, 0);
  const unitsOf = (bytes: number, size: number): number => Math.max(1, Math.ceil(bytes / size));
  return [
    part('state transitions', run.transitions, prices.transition),
    part('Lambda, GB-seconds', gigabyteSeconds(run), prices.lambdaGigabyteSecond),
    part('Lambda, requests', calls, prices.lambdaRequest),
    part('S3, PUT and LIST', requests.s3Writes, prices.s3Write),
    part('S3, GET', requests.s3Reads, prices.s3Read),
    // Each write may also write the one index that there is.
    part(
      'DynamoDB, write units',
      2 * requests.dynamodbWrites * unitsOf(requests.largestItem, 1024),
      prices.dynamodbWriteUnit,
    ),
    part('DynamoDB, read units', requests.dynamodbReads, prices.dynamodbReadUnit),
    part('SES, mails in', mails, prices.mailIn),
    part('SES, 256 KB in', run.chunksIn, prices.mailInChunk),
    part('SES, mails out', requests.mailsOut, prices.mailOut),
    part('KMS', requests.kms, prices.kmsRequest),
    part('HTTP API', requests.pages, prices.httpRequest),
    part('logs, GB', run.logBytes / 1e9, prices.logGigabyte),
    part('X-Ray, traces', run.executions, prices.trace),
  ];
}

/** Every millisecond at the memory that is deployed, whether the function worked or waited. */
function gigabyteSeconds({ functions }: MeasuredRun): number {
  return [...functions].reduce(
    (sum, [name, { milliseconds }]) => sum + (milliseconds / 1000) * (dutyOf(name).memory / 1024),
    0,
  );
}

/** What the tokens of a mail cost with each model, in US dollars. */
export function tokenCosts({ tokens, mails }: MeasuredRun): [string, number][] {
  return Object.entries(tokenPrices).map(([model, { input, output }]) => [
    model,
    (tokens.input * input + tokens.output * output) / 1e6 / mails,
  ]);
}

const money = (dollars: number): string => `$${dollars.toFixed(6)}`;
const shown = (amount: number): string => (amount < 0.01 ? amount.toExponential(1) : amount.toFixed(2));

export async function measure(): Promise<readonly string[]> {
  const run = await measureRun();
  const parts = costOf(run);
  const sum = parts.reduce((total, { dollars }) => total + dollars, 0);
  if (sum >= mostForOneMail) process.exitCode = 1;
  const { tokens, mails } = run;
  return [
    ...parts.map(
      ({ name, amount, dollars }) => `${name.padEnd(22)} ${shown(amount).padStart(9)}  ${money(dollars)}`,
    ),
    `${'one mail'.padEnd(22)} ${''.padStart(9)}  ${money(sum)}  (at most ${money(mostForOneMail)}${sum < mostForOneMail ? '' : ': TOO MUCH'})`,
    '',
    `beside it, tokens: ${Math.round(tokens.input / mails)} in, ${Math.round(tokens.output / mails)} out (four characters each)`,
    ...tokenCosts(run).map(([model, dollars]) => `${model.padEnd(22)} ${''.padStart(9)}  ${money(dollars)}`),
    '',
    `${mails} mails, ${run.executions} runs. Lambda: durations measured here, one mail at a time, at the memory of lib/stacks/duties.ts;`,
    'cold starts and the way to the services are not in them. Storage, keys, alarms and the sweep are paid by the month.',
  ];
}
