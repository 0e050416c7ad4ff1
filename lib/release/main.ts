import { CommanderError } from 'commander';
import { exitCodes } from '../cli/output.ts';
import { buildReleaseProgram } from './program.ts';

try {
  await buildReleaseProgram().parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
}
