/**
 * The commands: what each is called, what it takes, and what it does.
 *
 * To add one, add an entry here and a file in `commands/`. Its code is loaded when it is called: start-up is a feature.
 */
import { Option, type Command } from 'commander';
import { LIMIT_NAMES } from '../core/model/state.ts';
import type { BaselineFlags } from './commands/baseline.ts';
import type { BackupFlags } from './commands/backup.ts';
import type { DestroyFlags } from './commands/destroy.ts';
import type { ImportFlags } from './commands/import.ts';
import type { OpenFlags } from './commands/open.ts';
import type { PlanCommandFlags } from './commands/plan.ts';
import type { RecoverFlags } from './commands/recover.ts';
import type { ResultsFlags } from './commands/results.ts';
import type { RunFlags } from './commands/run.ts';
import type { ServeFlags } from './commands/serve.ts';
import type { StatusFlags } from './commands/status.ts';
import type { StopFlags } from './commands/stop.ts';
import type { VerifyFlags } from './commands/verify.ts';
import type { WorkerFlags } from './commands/worker.ts';
import {
  withAllowances,
  withApply,
  withConsent,
  withDocument,
  withFile,
  withFilter,
  withLock,
  withOutput,
  withPlan,
  withRedis,
  withRepeat,
  withReports,
  withThreads,
  withVerbose,
} from './options.ts';
import type { Context } from './terminal/context.ts';
import {
  baselineRunsFlag,
  connectionsFlag,
  countFlag,
  durationFlag,
  keptResultsFlag,
  listFlag,
  portFlag,
  rateFlag,
  serviceFlag,
  threadsFlag,
  type ApplyFlags,
  type FileFlags,
  type OutputFiles,
  type OutputFlags,
} from './terminal/flags.ts';
import type { Outcome } from './terminal/outcome.ts';

type CallFlags = OutputFlags & OutputFiles & Pick<FileFlags, 'file'>;

/** What was called. */
export interface Call {
  readonly command: string;
  readonly flags: CallFlags;
  /** Files that output must not take the place of, beside the one of `flags`. */
  readonly reads: readonly string[];
  readonly act: (context: Context) => Outcome | Promise<Outcome>;
  /** Events instead of the document at the end. */
  readonly streams: boolean;
}

/** One command. Its flags are made when it is called: making those of all takes time. */
export interface Entry {
  /** Name and argument, as commander writes them. */
  readonly usage: string;
  readonly about: string;
  readonly hidden: boolean;
  readonly define: (command: Command, called: (call: Call) => void) => void;
}

interface Given<Flags, Argument> {
  readonly flags: Flags;
  readonly argument: Argument;
  /** With all commands, where it is the hidden one. */
  readonly program: Command;
}

interface Definition<Flags, Argument> {
  readonly usage: string;
  readonly about: string;
  readonly hidden?: boolean;
  readonly takes: (command: Command) => Command;
  readonly act: (context: Context, given: Given<Flags, Argument>) => Outcome | Promise<Outcome>;
  readonly reads?: (argument: Argument) => readonly string[];
  readonly streams?: (flags: Flags) => boolean;
}

function entry<Flags extends CallFlags, Argument = undefined>(
  definition: Definition<Flags, Argument>,
): Entry {
  const { usage, about, hidden = false, takes, act, reads, streams } = definition;
  return {
    usage,
    about,
    hidden,
    define: (command, called) => {
      takes(command).action(() => {
        const flags = command.opts<Flags>();
        // Of the form that `usage` gives it.
        const argument = command.processedArgs[0] as Argument;
        const program = command.parent ?? command;
        called({
          command: command.name(),
          flags,
          reads: reads?.(argument) ?? [],
          act: (context) => act(context, { flags, argument, program }),
          streams: streams?.(flags) ?? false,
        });
      });
    },
  };
}

/** Hidden: it offers the commands and flags of all others. */
export const COMPLETE = 'complete';

/** Its command line means the same as that of another command with `--help`, and is read as that. */
export const HELP = 'help';

export const ENTRIES: readonly Entry[] = [
  entry({
    usage: 'init',
    about: 'create a starter loadtests.yaml',
    takes: withOutput,
    reads: () => ['loadtests.yaml'],
    act: async (context) => (await import('./commands/init.ts')).init(context),
  }),
  entry<FileFlags & OutputFlags>({
    usage: 'validate',
    about: 'check the file and its environments, without a service',
    takes: (command) => withFile(withReports(withOutput(command), 'runs and plans')),
    act: async (context, { flags }) =>
      await (await import('./commands/validate.ts')).validate(context, flags),
  }),
  entry<PlanCommandFlags>({
    usage: 'plan',
    about: 'show what apply would change, and how much load that would start',
    takes: (command) =>
      withReports(withPlan(command), 'runs and plans')
        .option('-o, --out <file>', 'save the plan to a file, for "apply FILE"')
        .option('--detailed-exitcode', 'exit with 2 if there are changes')
        .option('--against <rev>', 'compare with the file at a git revision, without a service'),
    act: async (context, { flags }) => await (await import('./commands/plan.ts')).plan(context, flags),
  }),
  entry<ApplyFlags, string | undefined>({
    usage: 'apply [plan]',
    about: 'register and verify apps, create and run tests, wait, judge the results',
    takes: (command) => withReports(withApply(withPlan(command)), 'runs'),
    reads: (planFile) => (planFile === undefined ? [] : [planFile]),
    act: async (context, { argument, flags }) =>
      await (await import('./commands/apply.ts')).apply(context, argument, flags),
  }),
  entry<RunFlags, readonly string[]>({
    usage: 'run <key...>',
    about: 'run tests (KEY or id:ID), wait, judge the results',
    takes: (command) =>
      withReports(
        withLock(withRepeat(withAllowances(withApply(withFile(withVerbose(withOutput(command))))))),
        'runs',
      ).option('--once', 'make one pass with one client and print every exchange (embedded service)'),
    act: async (context, { argument, flags }) =>
      await (await import('./commands/run.ts')).run(context, argument, flags),
  }),
  entry<StopFlags, readonly string[]>({
    usage: 'stop [key...]',
    about: 'stop running tests (KEY or id:ID) and cancel their schedules',
    takes: (command) =>
      withLock(
        withConsent(
          withFile(withOutput(command)).option(
            '--all',
            'stop all running tests of the account and cancel its schedules; needs no file',
          ),
        ),
      ),
    act: async (context, { argument, flags }) =>
      await (await import('./commands/stop.ts')).stop(context, argument, flags),
  }),
  entry<StatusFlags>({
    usage: 'status',
    about: 'show apps and tests, declared vs. actual; without a file, those on the service',
    takes: (command) =>
      withLock(withFilter(withFile(withOutput(command))).option('--watch', 'keep running and print changes')),
    streams: ({ watch }) => watch === true,
    act: async (context, { flags }) => await (await import('./commands/status.ts')).status(context, flags),
  }),
  entry<ResultsFlags, string | undefined>({
    usage: 'results [key]',
    about: 'show the results of past runs (KEY or id:ID)',
    takes: (command) =>
      withReports(withLock(withFile(withOutput(command))), 'runs')
        .option('--compare <run>', 'compare the newest run with "previous", a result or the "baseline"')
        .option('--anyway', 'show a comparison that says nothing of the target, without a verdict'),
    act: async (context, { argument, flags }) =>
      await (await import('./commands/results.ts')).results(context, argument, flags),
  }),
  entry<BaselineFlags, readonly string[]>({
    usage: 'baseline <key...>',
    about: 'write the last runs of tests to baselines/KEY.json, to compare later ones with',
    takes: (command) =>
      withLock(
        withFile(withOutput(command)).addOption(
          new Option('--runs <n>', 'number of runs to keep (default: 5)').argParser(baselineRunsFlag),
        ),
      ),
    act: async (context, { argument, flags }) =>
      await (await import('./commands/baseline.ts')).baseline(context, argument, flags),
  }),
  entry<VerifyFlags, readonly string[]>({
    usage: 'verify [app...]',
    about: 'publish verification tokens and verify apps',
    takes: (command) =>
      withLock(
        withConsent(withFile(withOutput(command))).addOption(
          new Option('--parallelism <n>', 'number of apps to verify at a time (default: 4)').argParser(
            countFlag,
          ),
        ),
      ),
    act: async (context, { argument, flags }) =>
      await (await import('./commands/verify.ts')).verify(context, argument, flags),
  }),
  entry<ImportFlags>({
    usage: 'import',
    about: 'write a file from what exists on the service',
    takes: (command) =>
      withLock(
        withFilter(withFile(withOutput(command))).option(
          '-o, --out <file>',
          'the file to write; must not exist (default: stdout)',
        ),
      ),
    act: async (context, { flags }) =>
      await (await import('./commands/import.ts')).importAccount(context, flags),
  }),
  entry<RecoverFlags, readonly string[]>({
    usage: 'recover [operation...]',
    about: 'show requests whose outcome is unknown, and resolve them',
    takes: (command) =>
      withLock(
        withFile(withOutput(command))
          .option('--adopt <id>', 'the request was carried out and led to this test or run')
          .option('--absent', 'the request was not carried out'),
      ),
    act: async (context, { argument, flags }) =>
      await (await import('./commands/recover.ts')).recover(context, argument, flags),
  }),
  entry<DestroyFlags>({
    usage: 'destroy',
    about: 'delete the apps of the file, with all their tests and results',
    takes: (command) =>
      withLock(
        withConsent(
          withFile(withOutput(command))
            .addOption(new Option('--only <glob>', 'select the apps whose key matches').argParser(listFlag))
            .option('--with-unmanaged', 'also delete tests that are not from this file'),
        ),
      ),
    act: async (context, { flags }) => await (await import('./commands/destroy.ts')).destroy(context, flags),
  }),
  entry<ServeFlags>({
    usage: 'serve',
    about: 'run the service on a port',
    takes: (command) =>
      withLock(
        withRedis(withThreads(withOutput(command)))
          .addOption(
            new Option(
              '--port <number>',
              'port to listen on; 0 chooses a free port (default: 4900)',
            ).argParser(portFlag),
          )
          .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
          .option('--data <dir>', 'data folder (default: ./loadtests-data)')
          .addOption(
            new Option(
              '--keep-results <time|count>',
              'results to keep of each test, such as 90d or 1000 (default: all)',
            ).argParser(keptResultsFlag),
          )
          .option('--public-url <url>', 'address that clients connect to')
          .addOption(
            new Option('--allow-private <cidr>', 'private address range that load may be sent to').argParser(
              listFlag,
            ),
          )
          .addOption(
            new Option(
              '--allow-callback <host>',
              'host that callbacks may be sent to and payload files downloaded from',
            ).argParser(listFlag),
          )
          .addOption(
            new Option(
              '--max-host-connections <n>',
              'connections to one host, of all runs together (default: 100000)',
            ).argParser(connectionsFlag),
          )
          .addOption(
            new Option(
              '--max-host-rate <n>',
              'requests per second to one host, of all runs together (default: 100000)',
            ).argParser(rateFlag),
          )
          .option('--open-metrics', 'serve /metrics without the API key')
          .option('--smtp <url>', 'mail relay without a password: smtp://host:port?from=address')
          .option('--smtp-file <file>', 'file with the URL of the mail relay, also with user and password')
          .addOption(
            new Option('--allow-mail <recipient>', 'domain or address that mail may be sent to').argParser(
              listFlag,
            ),
          ),
      ),
    streams: () => true,
    act: async (context, { flags }) => await (await import('./commands/serve.ts')).serve(context, flags),
  }),
  entry<WorkerFlags>({
    usage: 'worker',
    about: 'make load for a "serve --redis", on this machine',
    takes: (command) =>
      withRedis(withOutput(command))
        .option('--name <name>', 'how it is called (default: the name of the machine)')
        .addOption(
          new Option(
            '--threads <n>',
            'threads that make load (default: as many as there are cores)',
          ).argParser(threadsFlag),
        )
        .addOption(
          new Option(
            '--max-connections <n>',
            'connections that it may have at once (default: as many as the process may)',
          ).argParser(connectionsFlag),
        )
        .addOption(
          new Option('--allow-private <cidr>', 'private address range that load may be sent to').argParser(
            listFlag,
          ),
        )
        .addOption(
          new Option('--health <port>', 'port for /healthz and /metrics, on all addresses').argParser(
            portFlag,
          ),
        )
        .addOption(
          new Option(
            '--grace <duration>',
            'time that a run may go on when the worker is to end (default: 30s)',
          ).argParser(durationFlag),
        ),
    streams: () => true,
    act: async (context, { flags }) => await (await import('./commands/worker.ts')).worker(context, flags),
  }),
  entry<BackupFlags, string>({
    usage: 'backup <dir>',
    about: 'copy the data of "serve", also while it runs',
    takes: (command) =>
      withLock(withOutput(command)).option('--data <dir>', 'data folder (default: ./loadtests-data)'),
    act: async (context, { argument, flags }) =>
      await (await import('./commands/backup.ts')).backup(context, argument, flags),
  }),
  entry<OpenFlags>({
    usage: 'open',
    about: 'print a link to the page of a running "serve", and open it in a browser',
    takes: (command) =>
      withFile(withOutput(command))
        .addOption(
          new Option(
            '--service <url>',
            'address of the service (default: of the file or LOADTESTS_BASE_URL, else http://127.0.0.1:4900)',
          ).argParser(serviceFlag),
        )
        .option('--data <dir>', 'data folder of "serve", which may hold its key (default: ./loadtests-data)')
        .option('--print', 'print the link only'),
    act: async (context, { flags }) => await (await import('./commands/open.ts')).open(context, flags),
  }),
  entry<OutputFlags, string>({
    usage: 'explain <code>',
    about: 'explain a problem code',
    takes: withOutput,
    act: async (context, { argument }) => (await import('./commands/explain.ts')).explain(context, argument),
  }),
  entry<OutputFlags, string>({
    usage: 'completion <shell>',
    about: 'print a completion script for bash, zsh or fish',
    takes: withDocument,
    act: async (_, { argument }) => (await import('./commands/completion.ts')).completion(argument),
  }),
  entry<OutputFlags, readonly string[]>({
    usage: `${COMPLETE} [words...]`,
    about: '',
    hidden: true,
    takes: (command) => command,
    streams: () => true,
    act: async (context, { argument, program }) =>
      await (
        await import('./commands/complete.ts')
      ).complete(context, { program, words: argument, limits: LIMIT_NAMES }),
  }),
  entry<OutputFlags, string | undefined>({
    usage: 'schema [name]',
    about: 'print a JSON Schema: config, or the name of a command',
    takes: withDocument,
    act: async (_, { argument }) => (await import('./commands/schema.ts')).schema(argument ?? 'config'),
  }),
  {
    usage: `${HELP} [command]`,
    about: 'print the help of a command',
    hidden: false,
    define: () => undefined,
  },
];
