import { type FaultRegistry, faultPoints, faultsNamedIn } from '../../lib/effect/faults.ts';
import { type Effect, runEffect } from './effect.run.ts';

/** One run of an effect in a process of its own: it prints the points that it reaches and dies at the one it is told. */
const { CAREGATE_FAULT, EFFECT, S3 = '', SES = '' } = process.env;
const deaths = faultsNamedIn({ CAREGATE_FAULT }, () => process.kill(process.pid, 'SIGKILL'));
const faults: FaultRegistry = Object.fromEntries(
  faultPoints.map((point) => [
    point,
    async () => {
      process.stdout.write(`reached ${point}\n`);
      await deaths[point]?.();
    },
  ]),
);
await runEffect(EFFECT as Effect, 'killed', { s3: S3, ses: SES }, faults);
