import { expect, it } from 'vitest';
import { startCase } from '../../lib/casefile/start.ts';
import { executionInputSchema, executionName } from '../../lib/casefile/step.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import { openIntake, started } from '../mail/intake.ts';

const input = (run: number) =>
  executionInputSchema.parse({
    circle: 'example-household',
    case: `c-${'a'.repeat(32)}`,
    message: digestOf('mail'),
    delivery: { key: 'deliveries/a.json', sha256: digestOf('delivery') },
    run,
  });

it('a run of a case starts once, and a start that is repeated is success', async () => {
  const { sfn, machine } = await openIntake();
  expect(await startCase(sfn, machine, input(0))).toBe(true);
  expect(await startCase(sfn, machine, input(0))).toBe(false);
  expect(await startCase(sfn, machine, input(1))).toBe(true);
  const { case: id } = input(0);
  expect(await started({ sfn, machine })).toEqual([executionName(id, 0), executionName(id, 1)]);
});

it('another failure of a start is not success', async () => {
  const { sfn, machine } = await openIntake();
  const missing = startCase(sfn, `${machine}-of-another`, input(0));
  await expect(missing).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' });
});
