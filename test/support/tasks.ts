import type { Service, ServiceRequest, ServiceResponse } from '../../lib/local/endpoints/service.ts';

/**
 * Step Functions as far as a callback goes, with AWS's rules for tokens: the first callback is taken, every later one
 * is `TaskTimedOut`. A test says which tokens wait, and may have a reply lost.
 */
export class TaskService implements Service {
  readonly name = 'states';
  readonly #waiting = new Set<string>();
  readonly #ended = new Set<string>();
  /** What was taken, in order. */
  readonly outputs: unknown[] = [];
  /** `before`: the next callback does not arrive; `after`: it arrives, but its reply does not. */
  lose: 'before' | 'after' | undefined;

  wait(token: string): void {
    this.#waiting.add(token);
  }

  timeOut(token: string): void {
    this.#waiting.delete(token);
    this.#ended.add(token);
  }

  async handle(request: ServiceRequest): Promise<ServiceResponse> {
    const { taskToken, output } = JSON.parse(Buffer.from(request.body).toString()) as Record<string, string>;
    const { lose } = this;
    this.lose = undefined;
    if (lose === 'before') return fault(500, 'InternalFailure');
    if (taskToken === undefined || output === undefined) return fault(400, 'InvalidToken');
    if (this.#ended.has(taskToken)) return fault(400, 'TaskTimedOut');
    if (!this.#waiting.has(taskToken)) return fault(400, 'InvalidToken');
    this.timeOut(taskToken);
    this.outputs.push(JSON.parse(output));
    return lose === 'after' ? fault(500, 'InternalFailure') : reply(200, {});
  }
}

function fault(status: number, type: string): ServiceResponse {
  return reply(status, { __type: type, message: type });
}

function reply(status: number, body: unknown): ServiceResponse {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(body) };
}
