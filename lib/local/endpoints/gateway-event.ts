import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../provenance/clock.ts';
import { sourceOf } from './gateway-host.ts';
import { flatHeaders } from './loopback.ts';
import { sha256Hex } from './signature.ts';

/** A request as API Gateway's HTTP API hands it to Lambda (payload format 2.0). All of it is attacker-controlled. */
export interface HttpEvent {
  readonly version: '2.0';
  readonly routeKey: '$default';
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly cookies?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly queryStringParameters?: Readonly<Record<string, string>>;
  readonly requestContext: {
    readonly accountId: string;
    readonly apiId: string;
    readonly domainName: string;
    readonly domainPrefix: string;
    readonly http: {
      readonly method: string;
      readonly path: string;
      readonly protocol: string;
      readonly sourceIp: string;
      readonly userAgent: string;
    };
    readonly requestId: string;
    readonly routeKey: '$default';
    readonly stage: '$default';
    readonly time: string;
    readonly timeEpoch: number;
  };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

/** The event for a request whose body was read. */
export function httpEvent(request: IncomingMessage, body: Buffer, clock: Clock, count: number): HttpEvent {
  const { cookie, ...headers } = flatHeaders(request);
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const rawPath = mark < 0 ? url : url.slice(0, mark);
  const rawQueryString = mark < 0 ? '' : url.slice(mark + 1);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/;\s*/) }),
    headers,
    ...(rawQueryString === '' ? {} : { queryStringParameters: queryParameters(rawQueryString) }),
    requestContext: context(request, rawPath, headers, clock, count),
    ...bodyOf(body, headers['content-type'] ?? ''),
  };
}

function context(
  request: IncomingMessage,
  path: string,
  headers: Readonly<Record<string, string>>,
  clock: Clock,
  count: number,
): HttpEvent['requestContext'] {
  const domainName = headers.host ?? '';
  return {
    accountId: '000000000000',
    apiId: 'local',
    domainName,
    domainPrefix: domainName.split('.')[0] ?? '',
    http: {
      method: request.method ?? 'GET',
      path,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: sourceOf(request),
      userAgent: headers['user-agent'] ?? '',
    },
    requestId: sha256Hex(`${clock.now()} ${count}`).slice(0, 16),
    routeKey: '$default',
    stage: '$default',
    time: new Date(clock.now()).toUTCString(),
    timeEpoch: clock.now(),
  };
}

// API Gateway passes text on as text and everything else as base64.
function bodyOf(body: Buffer, contentType: string): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = /^(?:text\/|application\/(?:json|javascript|xml|x-www-form-urlencoded))/i.test(contentType);
  return isText
    ? { body: body.toString('utf8'), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
}

// A parameter that comes several times has its values joined by commas.
function queryParameters(query: string): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const earlier = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    parameters[name] = earlier === undefined ? value : `${earlier},${value}`;
  }
  return parameters;
}
