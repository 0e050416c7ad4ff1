import { Command } from 'commander';
import { reportError } from '../cli/output.ts';
import type { CheckOptions, DeployOptions, PlanOptions, ReleaseOptions, SmokeOptions } from './commands.ts';

/** Builds the command line of a release. A command's modules are loaded when it runs, so that `--help` is quick. */
export function buildReleaseProgram(): Command {
  const program = new Command('release')
    .description('plans, deploys and tests a release of Caregate on AWS, one exact commit at a time')
    .exitOverride()
    .showHelpAfterError('(see --help)');
  const command = (usage: string, description: string): Command =>
    program
      .command(usage)
      .description(description)
      .option('--plan <file>', 'where the plan lies', 'dist/plan.json')
      .option('--json', 'one JSON object a line instead of text')
      .exitOverride();
  command('plan', 'make a change set for each stack and say in words what it would do; deploys nothing')
    .requiredOption(
      '--deployment <file>',
      'the configuration of the deployment',
      process.env.CAREGATE_DEPLOYMENT_FILE,
    )
    .option('--assembly <dir>', 'where the stacks are synthesized into', 'dist/assembly')
    .action(run(async (options: PlanOptions) => (await import('./commands.ts')).plan(options)));
  command('deploy', 'execute the change sets of the plan, then confirm that this commit runs')
    .option('--new', 'also make the stacks that could not be planned yet, where they only add something')
    .option('--assembly <dir>', 'where the stacks are synthesized into', 'dist/assembly')
    .action(run(async (options: DeployOptions) => (await import('./commands.ts')).deploy(options)));
  command('check', 'ask the pages whether this commit runs').action(
    run(async (options: CheckOptions) => (await import('./commands.ts')).check(options)),
  );
  command('smoke', 'mail the samples in, audit them, and keep how it went by commit')
    .option(
      '--circle <file>',
      'the circle of the deployment that takes the samples; never one of real people',
    )
    .option('--data <dir>', 'test the embedded office on this data directory instead of a deployment')
    .option(
      '--deployment <file>',
      'the configuration of the deployment',
      process.env.CAREGATE_DEPLOYMENT_FILE,
    )
    .action(run(async (options: SmokeOptions) => (await import('./commands.ts')).smoke(options)));
  return program;
}

/** Runs a command's function; its number is the exit code. */
function run<Options extends ReleaseOptions>(action: (options: Options) => Promise<number>) {
  return async (options: Options): Promise<void> => {
    try {
      process.exitCode = await action(options);
    } catch (error) {
      process.exitCode = reportError(error, options.json === true);
    }
  };
}
