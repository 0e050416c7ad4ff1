import { Command, InvalidArgumentError } from 'commander';
import type { AuditOptions } from './audit.ts';
import type { BackupOptions } from './backup.ts';
import type { EntryOptions } from './circle.ts';
import type { AnswerOptions, DecisionOptions } from './decision.ts';
import type { EvalOptions } from './eval.ts';
import type { GateOptions } from './gate.ts';
import type { InitOptions } from './init.ts';
import type { OutboxOptions } from './outbox.ts';
import { reportError } from './output.ts';
import { usualPorts } from './ports.ts';
import type { ReadOptions } from './read.ts';
import type { ServiceCommandOptions } from './service.ts';
import type { CommonOptions } from './session.ts';
import { loadSettings } from './settingsfile.ts';
import type { StartOptions } from './start.ts';
import { version } from './version.ts';

/** Builds the command line. Each command's module is loaded when the command runs, so that `--help` is quick. */
export function buildProgram(): Command {
  const program = new Command('caregate')
    .description(
      'a back office for family caregivers: the model proposes, code authorizes, a person consents',
    )
    .version(version)
    .exitOverride()
    .showHelpAfterError('(see --help)');
  const command = commandsOf(program);
  addOffice(command);
  addHousehold(program, command);
  addUpkeep(command);
  addService(program);
  addCases(command);
  addDecisions(command);
  addChecks(command);
  addEvaluation(program);
  return program;
}

/** The data directory unless one is named. */
const defaultData = '.caregate';

type Make = (usage: string, description: string) => Command;

/** Adds a command with the options that every command takes. */
function commandsOf(parent: Command): Make {
  return (usage, description) =>
    parent
      .command(usage)
      .description(description)
      .option('--data <dir>', 'the data directory', defaultData)
      .option('--json', 'one JSON object a line instead of text')
      .exitOverride();
}

function addOffice(command: Make): void {
  command('start [files...]', 'start the office; on an empty case file it forwards the sample mails')
    .option('--once', 'exit when every case is closed or waits for a person')
    .option('--port <n>', 'port of the pages, 0 for any that is free', parsePort, usualPorts.pages)
    .option('--smtp <n>', 'port of the SMTP inbox, 0 for any that is free', parsePort, usualPorts.smtp)
    .option('--circle <file>', 'the circle instead of circle.yaml in the data directory')
    .option('--rules <dir>', 'the directory of policy.yaml and constitution.yaml')
    .option('--public-url <url>', 'how the pages are reached from outside')
    .option('--host <address>', 'serve the pages on this address of the local network too, without TLS')
    .action(
      run(async (files: string[], options: StartOptions) =>
        (await import('./start.ts')).start(files, options),
      ),
    );
  command(
    'mail <files...>',
    'hand mails to a running office, or to one that is started for the purpose',
  ).action(
    run(async (files: string[], options: CommonOptions) => (await import('./mail.ts')).mail(files, options)),
  );
  command('sign-in', 'sign in to a mail provider that takes no passwords, by a code').action(
    run(async (options: CommonOptions) => (await import('./signin.ts')).signIn(options)),
  );
  command('outbox', 'what was sent, and whether it left this machine')
    .option('--release', 'let letters leave again that wait because of a restore')
    .option('--never-send <id...>', 'do not send these: letters that wait, and may have left already')
    .action(run(async (options: OutboxOptions) => (await import('./outbox.ts')).outbox(options)));
  command('doctor', 'what is configured, which model answers, what is missing').action(
    run(async (options: CommonOptions) => (await import('./doctor.ts')).doctor(options)),
  );
}

/** What keeps the data of a household safe. */
function addUpkeep(command: Make): void {
  command('backup <target>', 'pack the whole data directory into a file, or `-`, while the office goes on')
    .option('--keep <n>', 'the target is a folder: keep the newest n in it', parseCount)
    .action(
      run(async (target: string, options: BackupOptions) =>
        (await import('./backup.ts')).backup(target, options),
      ),
    );
  command('restore <file>', 'make a data directory of a backup').action(
    run(async (file: string, options: CommonOptions) =>
      (await import('./backup.ts')).restoreBackup(file, options),
    ),
  );
}

function addService(program: Command): void {
  const group = program
    .command('service')
    .description('have the office started with the machine')
    .exitOverride();
  const command = commandsOf(group);
  const add = (usage: string, description: string) =>
    command(usage, description).option(
      '--for <manager>',
      'systemd or launchd; that of this machine if not said',
    );
  add('install', 'print the file of the service, and what to do with it')
    .option('--write', 'write it, too')
    .action(
      run(async (options: ServiceCommandOptions) => (await import('./service.ts')).installService(options)),
    );
  add('uninstall', 'print how it is taken away').action(
    run(async (options: ServiceCommandOptions) => (await import('./service.ts')).uninstallService(options)),
  );
}

function addHousehold(program: Command, command: Make): void {
  command('init', 'make the circle of your household by five questions')
    .option('--patient <name>', 'who is cared for')
    .option('--owner <people>', 'who decides: `Name <address>`, several with commas between')
    .option('--inbox <address>', 'where mail is forwarded to')
    .option('--zone <zone>', 'the time zone, such as Europe/London')
    .option('--locale <locale>', 'language and country, such as en-GB')
    .option('--contacts <list>', 'who may be written to: `Name <address>`, several with commas between')
    .option('--currency <code>', 'the currency, if not that of the country')
    .action(run(async (options: InitOptions) => (await import('./init.ts')).init(options)));
  addCalendar(program);
  addEntries(program, 'contacts', 'contact');
  const add = addEntries(program, 'people', 'person');
  add.option('--role <role...>', 'any of owner, caregiver, viewer; caregiver if none is given');
}

function addCalendar(program: Command): void {
  const group = program.command('calendar').description('who subscribes to the calendars').exitOverride();
  const command = commandsOf(group);
  command('add <person>', 'give a person of the circle an address of her own to subscribe to').action(
    run(async (person: string, options: CommonOptions) =>
      (await import('./calendar.ts')).addSubscription(person, options),
    ),
  );
  command('list', 'list who subscribes').action(
    run(async (options: CommonOptions) => (await import('./calendar.ts')).listSubscriptions(options)),
  );
  command('revoke <id>', 'take an address back').action(
    run(async (id: string, options: CommonOptions) =>
      (await import('./calendar.ts')).revokeSubscription(id, options),
    ),
  );
}

/** `contact add|remove|list`, and the same for a person. Gives the command that adds. */
function addEntries(program: Command, list: 'contacts' | 'people', one: string): Command {
  const group = program
    .command(one)
    .description(`add, remove and list the ${list} of your circle`)
    .exitOverride();
  const command = commandsOf(group);
  command('list', `list the ${list}`).action(
    run(async (options: CommonOptions) => (await import('./circle.ts')).listEntries(list, options)),
  );
  command('remove <id>', `remove a ${one}`).action(
    run(async (id: string, options: CommonOptions) =>
      (await import('./circle.ts')).removeEntryFrom(list, id, options),
    ),
  );
  return command('add <entry>', `add a ${one}, as \`Name <address>\``)
    .option('--id <id>', 'the id, if not made from the name')
    .action(
      run(async (entry: string, options: EntryOptions) =>
        (await import('./circle.ts')).addEntryTo(list, entry, options),
      ),
    );
}

function addCases(command: Make): void {
  command('cases', 'list the cases').action(
    run(async (options: CommonOptions) => (await import('./cases.ts')).cases(options)),
  );
  command('why <case>', 'the story of one case, in words').action(
    run(async (id: string, options: CommonOptions) => (await import('./why.ts')).why(id, options)),
  );
  command('resume <case>', 'take a parked, deferred, failed or quarantined case up again').action(
    run(async (id: string, options: CommonOptions) => (await import('./resume.ts')).resume(id, options)),
  );
}

function addDecisions(command: Make): void {
  command('approvals', 'list what waits for a person').action(
    run(async (options: CommonOptions) => (await import('./approvals.ts')).approvals(options)),
  );
  command('approve <id>', 'approve one exact call')
    .requiredOption('--code <n>', 'the code from the mail')
    .option('--person <id>', 'whose link is used, where several people were asked')
    .action(
      run(async (id: string, options: DecisionOptions) =>
        (await import('./decision.ts')).decideCall(id, 'approve', options),
      ),
    );
  command('decline <id>', 'decline one exact call')
    .requiredOption('--code <n>', 'the code from the mail')
    .option('--reason <text>', 'why, in your words')
    .option('--person <id>', 'whose link is used, where several people were asked')
    .action(
      run(async (id: string, options: DecisionOptions) =>
        (await import('./decision.ts')).decideCall(id, 'decline', options),
      ),
    );
  command('answer <case>', 'answer the question of a case')
    .requiredOption('--text <text>', 'the answer')
    .option('--code <n>', 'the code from the mail; without it the one in the outbox of this machine')
    .option('--person <id>', 'whose link is used, where several people were asked')
    .action(
      run(async (id: string, options: AnswerOptions) =>
        (await import('./decision.ts')).answerQuestion(id, options),
      ),
    );
}

function addChecks(command: Make): void {
  command('read <file>', 'print what is understood of a mail or a document, starting nothing')
    .option('--circle <file>', 'the circle instead of circle.yaml in the data directory')
    .option('--no-pictures', 'leave photographs and scans unread, which take seconds each')
    .action(
      run(async (file: string, options: ReadOptions) => (await import('./read.ts')).read(file, options)),
    );
  command('gate <file>', 'print the decision on a call from a JSON file, running nothing')
    .option('--circle <file>', 'the circle instead of circle.yaml in the data directory')
    .option('--rules <dir>', 'the directory of policy.yaml and constitution.yaml')
    .action(
      run(async (file: string, options: GateOptions) => (await import('./gate.ts')).gateFile(file, options)),
    );
  command('audit [case]', 'recompute every digest and decision of a case')
    .option('--all', 'every case')
    .option('--history <file>', 'an execution history from a file instead of from the service')
    .action(
      run(async (id: string | undefined, options: AuditOptions) =>
        (await import('./audit.ts')).audit(id, options),
      ),
    );
}

/** It plays with an invented household alone, so it takes no data directory. */
function addEvaluation(program: Command): void {
  program
    .command('eval')
    .description('play attacks through the real machine, under the rules as shipped and without them')
    .option('--corpus <file>', 'attacks and benign mails as JSON lines, instead of rules/corpus.jsonl')
    .option('--mutant <name>', 'only this mutant of the rules; `all` for every one, on a sample')
    .option('--sample <n>', 'only one in n payloads, drawn by a fixed seed', parseCount)
    .option('--json', 'one JSON object a line instead of text')
    .exitOverride()
    .action(run(async (options: EvalOptions) => (await import('./eval.ts')).evaluation(options)));
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('write a number from 1 to 9999');
  return Number(text);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('a port is a number from 0 to 65535');
  return port;
}

/** Runs a command's function; its number is the exit code. Commander passes the command itself last. */
function run<Args extends unknown[]>(action: (...args: Args) => Promise<unknown>) {
  return async (...args: unknown[]): Promise<void> => {
    const given = args.slice(0, -1) as Args;
    const options = given.at(-1) as Partial<CommonOptions>;
    try {
      if (options.data !== undefined) loadSettings(options.data);
      const result = await action(...given);
      process.exitCode = typeof result === 'number' ? result : 0;
    } catch (error) {
      process.exitCode = reportError(error, options.json === true);
    }
  };
}
