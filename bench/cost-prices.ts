/**
 * What AWS takes in us-east-1, in US dollars, as of 2026. The second half is of services that cost next to nothing here;
 * it is in the sum all the same.
 */
export const prices = {
  transition: 0.025 / 1_000,
  lambdaGigabyteSecond: 0.0000133334, // arm64
  lambdaRequest: 0.2 / 1_000_000,
  s3Write: 0.005 / 1_000, // PUT and LIST
  s3Read: 0.0004 / 1_000,
  dynamodbWriteUnit: 0.625 / 1_000_000,
  dynamodbReadUnit: 0.125 / 1_000_000,
  mailIn: 0.1 / 1_000,
  mailInChunk: 0.09 / 1_000, // of 256 KB, begun ones not counted
  mailOut: 0.16 / 1_000, // the most of what is asked for, by region and plan
  kmsRequest: 0.15 / 10_000, // of an elliptic-curve key
  httpRequest: 1 / 1_000_000,
  logGigabyte: 0.5 + 0.12, // taken in, and searched for what is to be masked
  trace: 5 / 1_000_000,
} as const;

/** US dollars for a million tokens, in and out. Through a regional inference profile it is a tenth more. */
export const tokenPrices = {
  'Nova Micro': { input: 0.035, output: 0.14 },
  'Nova 2 Lite': { input: 0.3, output: 2.5 },
  'Claude Haiku 4.5': { input: 1, output: 5 },
} as const;

/** What a mail may cost without tokens. */
export const mostForOneMail = 0.002;
