import { CommanderError } from 'commander';
import { exitCodes } from './output.ts';
import { buildProgram } from './program.ts';

// Whoever reads the output may have read enough, as `head` does: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await buildProgram().parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
}
