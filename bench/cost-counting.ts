import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Requests that a run made of the services, as they are paid for. */
export interface Requests {
  s3Writes: number;
  s3Reads: number;
  dynamodbWrites: number;
  dynamodbReads: number;
  /** Bytes of the largest item that was written or read. */
  largestItem: number;
  mailsOut: number;
  kms: number;
  models: number;
  pages: number;
  /** Functions that were invoked by a function. */
  invocations: number;
}

interface Finished {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const channel = 'http.server.response.finish';

/** Counts what arrives at the loopback endpoints of an office in this process. What people and functions ask is all there is. */
export class RequestCount {
  readonly counted: Requests = {
    s3Writes: 0,
    s3Reads: 0,
    dynamodbWrites: 0,
    dynamodbReads: 0,
    largestItem: 0,
    mailsOut: 0,
    kms: 0,
    models: 0,
    pages: 0,
    invocations: 0,
  };
  readonly #services: ReadonlyMap<string, string>;
  readonly #listen = (message: unknown): void => this.#count(message as Finished);

  /** @param endpoints URLs by the SDK's name of the service, and `PAGES` */
  constructor(endpoints: Readonly<Record<string, string>>) {
    this.#services = new Map(Object.entries(endpoints).map(([name, url]) => [new URL(url).host, name]));
  }

  start(): void {
    subscribe(channel, this.#listen);
  }

  stop(): void {
    unsubscribe(channel, this.#listen);
  }

  #count({ request, response }: Finished): void {
    const counted = this.counted;
    switch (this.#services.get(request.headers.host ?? '')) {
      case 'S3':
        if (request.method === 'PUT' || (request.url ?? '').includes('list-type=')) counted.s3Writes += 1;
        else counted.s3Reads += 1;
        return;
      case 'DYNAMODB':
        this.#countRows(request, response);
        return;
      case 'SES':
        counted.mailsOut += 1;
        return;
      case 'KMS':
        counted.kms += 1;
        return;
      case 'BEDROCK_RUNTIME':
        counted.models += 1;
        return;
      case 'LAMBDA':
        counted.invocations += 1;
        return;
      case 'PAGES':
        counted.pages += 1;
    }
  }

  #countRows(request: IncomingMessage, response: ServerResponse): void {
    const target = String(request.headers['x-amz-target'] ?? '');
    const sent = Number(request.headers['content-length'] ?? 0);
    const got = Number(response.getHeader('content-length') ?? 0);
    if (/\.(?:PutItem|UpdateItem)$/.test(target)) this.counted.dynamodbWrites += 1;
    // A query reads every item that it gives; each begun 4 KB is a unit.
    else this.counted.dynamodbReads += Math.max(1, Math.ceil(got / 4096));
    const item = target.endsWith('Query') ? 0 : Math.max(sent, got);
    this.counted.largestItem = Math.max(this.counted.largestItem, item);
  }
}
