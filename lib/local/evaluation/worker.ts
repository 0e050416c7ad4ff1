import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerMessage, WorkOrder } from './crew.ts';
import { takeAway } from './unguarded/hooks.ts';

/**
 * One thread of an evaluation: plays its mails under one configuration after the other. With a mutant, the replacements
 * are put in place before anything else is loaded, since the functions come with it.
 */
const { mutants, mails, directory } = workerData as WorkOrder;
const say = (message: WorkerMessage) => parentPort?.postMessage(message);

async function play(configuration: string, letThrough: ReadonlySet<string>): Promise<void> {
  const { replay } = await import('./replay.ts');
  const onMail = () => say({ configuration, mail: true });
  say({ configuration, replay: await replay({ mails, directory, letThrough, onMail }) });
}

if (mutants === undefined) {
  await play('shipped', new Set());
} else {
  takeAway();
  const { chooseMutant } = await import('./unguarded/rules.ts');
  const { letThrough } = await import('./unguarded/arguments.ts');
  for (const mutant of mutants) {
    chooseMutant(mutant);
    letThrough.clear();
    await play(mutant, letThrough);
  }
}
