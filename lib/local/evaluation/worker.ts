import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerMessage, WorkOrder } from './crew.ts';
import { takeAway } from './unguarded/hooks.ts';

/**
 * One thread of an evaluation: plays its mails under one configuration after the other. With a mutant, the replacements
 * are put in place before anything else is loaded, since the functions come with it.
 */
const { mutants, mails, directory } = workerData as WorkOrder;
const say = (message: WorkerMessage) => parentPort?.postMessage(message);

/** An office takes its parts anew for each mutant and keeps the old ones, so that it is not used for ever. */
const playsPerOffice = 10;

async function play(
  configurations: readonly string[],
  before: (name: string) => ReadonlySet<string>,
): Promise<void> {
  const { Stage } = await import('./replay.ts');
  const { markedFor } = await import('./attempts.ts');
  for (let at = 0; at < configurations.length; at += playsPerOffice) {
    const stage = await Stage.open(directory);
    for (const configuration of configurations.slice(at, at + playsPerOffice)) {
      const onMail = () => say({ configuration, mail: true });
      const letThrough = before(configuration);
      const replay = await stage.play({ mails: markedFor(mails, configuration), letThrough, onMail });
      say({ configuration, replay });
    }
    await stage.close();
  }
}

if (mutants === undefined) {
  await play(['shipped'], () => new Set());
} else {
  takeAway();
  const { chooseMutant } = await import('./unguarded/rules.ts');
  const { letThrough } = await import('./unguarded/arguments.ts');
  await play(mutants, (mutant) => {
    chooseMutant(mutant);
    letThrough.clear();
    return letThrough;
  });
}
