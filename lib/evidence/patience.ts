import type { SandboxLimits, SandboxResult, TaskInput, TaskName, TaskOutput } from './sandbox.ts';

/** What one file may use. */
const usualLimits: SandboxLimits = { time: 4_000, memory: 400 * 1024 * 1024 };

/** How long one mail's files may take that never come to an end, in milliseconds. Those that are read cost nothing here. */
const inVain = 4_000;
/** How long all files of one mail may take, in milliseconds of the processor's time: some forty scanned pages. */
const inAll = 30_000;

/**
 * Reads the files of one mail apart from everything else, and loses patience with it: what was waited for in vain is
 * taken from what is left, so that sixty hostile files take no longer than one.
 */
export class Patience {
  #inVain: number;
  #inAll: number;
  readonly #limits: SandboxLimits;

  constructor(given: { inVain?: number; inAll?: number; limits?: SandboxLimits } = {}) {
    this.#inVain = given.inVain ?? inVain;
    this.#inAll = given.inAll ?? inAll;
    this.#limits = given.limits ?? usualLimits;
  }

  async run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
  ): Promise<SandboxResult<TaskOutput<Name>>> {
    const time = Math.min(this.#limits.time, this.#inVain, this.#inAll);
    if (time <= 0) return { ended: 'stopped', by: 'time', used: 0 };
    // What reads files is large, and most mails have none: it is loaded for the first one.
    const { runApart } = await import('./sandbox.ts');
    const result = await runApart(name, input, { ...this.#limits, time });
    this.#inAll -= result.used;
    if (result.ended === 'stopped') this.#inVain -= result.by === 'time' ? time : Math.min(time, 1_500);
    return result;
  }
}
