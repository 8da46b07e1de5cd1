/**
 * The command table: name, flags and implementation of each command.
 *
 * To add a command, add an entry here and a file in `commands/`. To keep startup fast, the file is loaded only when the
 * command is called.
 */
import type { Command } from 'commander';
import { DANGER_KINDS } from '../core/reconcile/danger-kinds.ts';
import { FORMAT_NAMES } from '../formats/formats.ts';
import type { BaselineFlags } from './commands/baseline.ts';
import type { BackupFlags } from './commands/backup.ts';
import type { DestroyFlags } from './commands/destroy.ts';
import type { ImportFlags } from './commands/import.ts';
import type { ImportFromFlags } from './commands/import-from.ts';
import type { OpenFlags } from './commands/open.ts';
import type { PlanCommandFlags } from './commands/plan.ts';
import type { RecordFlags } from './commands/record.ts';
import type { RecoverFlags } from './commands/recover.ts';
import type { ResultsFlags } from './commands/results.ts';
import type { RunFlags } from './commands/run.ts';
import type { ServeFlags } from './commands/serve.ts';
import type { StatusFlags } from './commands/status.ts';
import type { StopFlags } from './commands/stop.ts';
import type { VerifyFlags } from './commands/verify.ts';
import type { WorkerFlags } from './commands/worker.ts';
import {
  addFlags,
  APPLY,
  APPROVAL,
  COMMANDS_OF_FILE,
  EVENT_OUTPUT,
  EXCEPTIONS,
  FILE,
  fileFlags,
  FILES,
  FILTER,
  JSON_OUTPUT,
  LOCK,
  OUTPUT,
  PLAN,
  QUIET,
  REDIS,
  REPEAT,
  reportFlags,
  SAVED_PLAN,
  threadsFlag,
  VERBOSE,
  type Flag,
} from './options.ts';
import type { Context } from './terminal/context.ts';
import {
  parseBaselineRunsFlag,
  parseLastFlag,
  parseConnectionsFlag,
  parseCountFlag,
  parseDangerFlag,
  parseDurationFlag,
  parseRetentionFlag,
  parseListFlag,
  parsePortFlag,
  parseRateFlag,
  parseServiceFlag,
  parseThreadsFlag,
  type ApplyFlags,
  type FileFlags,
  type OutputFiles,
  type OutputFlags,
} from './terminal/flags.ts';
import type { Outcome } from './terminal/outcome.ts';

type CallFlags = OutputFlags & OutputFiles & Pick<FileFlags, 'file'>;

export interface CommandCall {
  readonly command: string;
  readonly flags: CallFlags;
  /** Input files in addition to `flags.file`. Output must not overwrite them. */
  readonly inputFiles: readonly string[];
  readonly run: (context: Context) => Outcome | Promise<Outcome>;
  /** True if the command writes its output while it runs, so that no document or report is written at its end. */
  readonly streams: boolean;
}

export interface CommandEntry {
  /** Name and arguments in commander syntax. */
  readonly usage: string;
  readonly summary: string;
  readonly hidden: boolean;
  readonly define: (command: Command, called: (call: CommandCall) => void) => void;
}

interface CommandArguments<Flags, Argument> {
  readonly flags: Flags;
  readonly argument: Argument;
  /** For `complete`, the parser contains the flags of all commands. */
  readonly program: Command;
}

interface CommandDefinition<Flags, Argument> {
  readonly usage: string;
  readonly summary: string;
  readonly argument?: string;
  readonly hidden?: boolean;
  readonly flags: readonly Flag[];
  readonly run: (context: Context, given: CommandArguments<Flags, Argument>) => Outcome | Promise<Outcome>;
  readonly inputFiles?: (argument: Argument) => readonly string[];
  readonly streams?: (flags: Flags) => boolean;
}

function defineCommand<Flags extends CallFlags, Argument = undefined>(
  definition: CommandDefinition<Flags, Argument>,
): CommandEntry {
  const {
    usage,
    summary,
    argument: meaning = '',
    hidden = false,
    flags: declared,
    run,
    inputFiles,
    streams,
  } = definition;
  return {
    usage,
    summary,
    hidden,
    define: (command, called) => {
      for (const argument of command.registeredArguments) argument.description = meaning;
      addFlags(command, declared);
      command.action(() => {
        const flags = command.opts<Flags>();
        // The value of `usage` determines the type of the argument.
        const argument = command.processedArgs[0] as Argument;
        const program = command.parent ?? command;
        called({
          command: command.name(),
          flags,
          inputFiles: inputFiles?.(argument) ?? [],
          run: (context) => run(context, { flags, argument, program }),
          streams: streams?.(flags) ?? false,
        });
      });
    },
  };
}

/** Hidden command that completion scripts call to complete a command line. */
export const COMPLETE_COMMAND = 'complete';

/** `help COMMAND` is parsed as `COMMAND --help`. */
export const HELP_COMMAND = 'help';

export const COMMANDS: readonly CommandEntry[] = [
  defineCommand({
    usage: 'init',
    summary: 'create a starter loadtests.yaml',
    flags: OUTPUT,
    inputFiles: () => ['loadtests.yaml'],
    run: async (context) => (await import('./commands/init.ts')).init(context),
  }),
  defineCommand<FileFlags & OutputFlags>({
    usage: 'validate',
    summary: 'check the configuration file and its environments without contacting a service',
    flags: [...OUTPUT, ...reportFlags('runs and plans'), ...FILES],
    run: async (context, { flags }) =>
      await (await import('./commands/validate.ts')).validate(context, flags),
  }),
  defineCommand<PlanCommandFlags>({
    usage: 'plan',
    summary: 'show the changes that "apply" would make and the load that it would start',
    flags: [
      ...PLAN,
      ...reportFlags('runs and plans'),
      ['-o, --out <file>', 'save the plan to a file, for "apply FILE"'],
      ['--detailed-exitcode', 'exit with 2 if the plan has changes'],
      [
        '--against <rev>',
        'compare the file with its version in a git revision, without contacting a service',
      ],
      ['--no-against', 'in CI, do not compare the file with the base of the pull request'],
      [
        '--fail-on <kinds>',
        `exit with 13 if the plan contains a dangerous change of any kind in this comma-separated list; kinds: ${DANGER_KINDS.join(', ')}`,
        parseDangerFlag,
      ],
    ],
    run: async (context, { flags }) => await (await import('./commands/plan.ts')).plan(context, flags),
  }),
  defineCommand<OutputFlags, string>({
    usage: 'show <plan>',
    summary: 'print a saved plan without connecting to a service',
    argument: 'plan saved with "plan --out", or JSON document from "plan --json"',
    flags: [...OUTPUT, VERBOSE, ...reportFlags('runs and plans')],
    inputFiles: (planFile) => [planFile],
    run: async (context, { argument, flags }) =>
      await (await import('./commands/show.ts')).show(context, argument, flags),
  }),
  defineCommand<ApplyFlags, string | undefined>({
    usage: 'apply [plan]',
    summary: 'register and verify apps, create and run tests, and evaluate results',
    argument: 'plan saved with "plan --out"',
    flags: [...PLAN, ...APPLY, ...SAVED_PLAN, ...reportFlags('runs')],
    inputFiles: (planFile) => (planFile === undefined ? [] : [planFile]),
    run: async (context, { argument, flags }) =>
      await (await import('./commands/apply.ts')).apply(context, argument, flags),
  }),
  defineCommand<RunFlags, readonly string[]>({
    usage: 'run <key...>',
    summary: 'run tests and evaluate their results',
    argument: 'test key, key pattern, or id:ID of a test on the service',
    flags: [
      ...OUTPUT,
      ['-v, --verbose', 'also print seeds and other details; with --once: print full response bodies'],
      ...FILE,
      ...APPLY,
      ...EXCEPTIONS,
      REPEAT,
      LOCK,
      ...reportFlags('runs'),
      [
        '--once',
        'run one iteration with one client and print every request and response (embedded service only)',
      ],
      ['--url <name>', 'with --once: end the iteration after the URL with this name'],
    ],
    run: async (context, { argument, flags }) =>
      await (await import('./commands/run.ts')).run(context, argument, flags),
  }),
  defineCommand<StopFlags, readonly string[]>({
    usage: 'stop [key...]',
    summary: 'stop running tests and cancel scheduled runs',
    argument: 'test key, key pattern, or id:ID of a test on the service',
    flags: [
      ...OUTPUT,
      ...FILE,
      ['--all', 'stop all tests of the account, including those that are not in the file'],
      ...APPROVAL,
      LOCK,
    ],
    run: async (context, { argument, flags }) =>
      await (await import('./commands/stop.ts')).stop(context, argument, flags),
  }),
  defineCommand<StatusFlags>({
    usage: 'status',
    summary: 'show the state of apps and tests',
    flags: [
      ...OUTPUT,
      ...FILE,
      ...FILTER,
      ['--watch', 'show changes until Ctrl-C; with --json: as JSON lines'],
      LOCK,
    ],
    streams: ({ watch }) => watch === true,
    run: async (context, { flags }) =>
      await (await import('./commands/status.ts')).showStatus(context, flags),
  }),
  defineCommand<ResultsFlags, string | undefined>({
    usage: 'results [key]',
    summary: 'show or compare the results of past runs',
    argument: 'test key, key pattern, or id:ID of a test on the service',
    flags: [
      ...OUTPUT,
      ...FILE,
      LOCK,
      ...reportFlags('runs'),
      ['-n, --last <n>', 'show only the latest n runs of each test', parseLastFlag],
      ['--compare <run>', 'compare the newest run with a reference: "previous", "baseline" or a result ID'],
      ['--anyway', 'with --compare: compare runs that differ in load or measurement, without a verdict'],
    ],
    run: async (context, { argument, flags }) =>
      await (await import('./commands/results.ts')).showResults(context, argument, flags),
  }),
  defineCommand<BaselineFlags, readonly string[]>({
    usage: 'baseline <key...>',
    summary: 'record the latest runs of tests as their baselines, in the directory "baselines"',
    argument: 'test key or key pattern',
    flags: [
      ...OUTPUT,
      ...FILE,
      ['--runs <n>', 'number of latest runs to record (default: 5)', parseBaselineRunsFlag],
      LOCK,
    ],
    run: async (context, { argument, flags }) =>
      await (await import('./commands/baseline.ts')).writeBaselines(context, argument, flags),
  }),
  defineCommand<VerifyFlags, readonly string[]>({
    usage: 'verify [app...]',
    summary: 'publish verification tokens and verify apps',
    argument: 'app key or key pattern (default: all apps)',
    flags: [
      ...OUTPUT,
      ...FILE,
      ...APPROVAL,
      COMMANDS_OF_FILE,
      ['--parallelism <n>', 'maximum concurrent verifications (default: 4)', parseCountFlag],
      LOCK,
    ],
    run: async (context, { argument, flags }) =>
      await (await import('./commands/verify.ts')).verify(context, argument, flags),
  }),
  defineCommand<ImportFlags | ImportFromFlags, readonly string[]>({
    usage: 'import [source...]',
    summary:
      'generate a configuration file from the tests on the service, or convert a file from another tool',
    argument: 'with --from: file to convert, - for stdin, or a command line after --',
    flags: [
      ...OUTPUT,
      ...fileFlags('environment to use; with --from: environment of the source'),
      ...FILTER,
      ['-o, --out <file>', 'write the configuration to a new file (default: stdout)'],
      ['--from <format>', 'format of the source', { choices: FORMAT_NAMES }],
      ['--into <file>', 'with --from: add the test to this configuration file'],
      ['--test <key>', 'with --from: key of the test (default: name of the source file, or the format)'],
      ['--hosts <host>', 'with --from har: convert only requests to this host', parseListFlag],
      ['--static-files', 'with --from har: include requests for images, fonts, styles and scripts'],
      [
        '--again <file>',
        'with --from har: second recording of the same actions, to detect values that change',
      ],
      ['--tag <tag>', 'with --from openapi: convert only operations with this tag', parseListFlag],
      ['--path <glob>', 'with --from openapi: convert only paths that match this pattern', parseListFlag],
      LOCK,
    ],
    inputFiles: (source) => source,
    run: async (context, { argument, flags }) =>
      'from' in flags
        ? await (await import('./commands/import-from.ts')).importFrom(context, argument, flags)
        : await (await import('./commands/import.ts')).importAccount(context, argument, flags),
  }),
  defineCommand<RecordFlags, readonly string[]>({
    usage: 'record [command...]',
    summary: 'record the requests of a command or client as a test',
    argument:
      'after --: command to record, in which {url}, {port}, {ca} and {fingerprint} are replaced with values of the proxy; without a command: record until Ctrl-C',
    flags: [
      QUIET,
      [
        '--target <url>',
        'URL to forward requests to; repeat the flag for targets that clients reach through HTTP_PROXY or HTTPS_PROXY',
        parseListFlag,
      ],
      ['--port <number>', 'port of the proxy on 127.0.0.1 (default: a free port)', parsePortFlag],
      ['--map <port=url...>', 'additional proxy: its port on 127.0.0.1, and the URL to forward requests to'],
      [
        '--env <name=value...>',
        'environment variable for the command; the value can contain {url} and the other placeholders',
      ],
      ['--twice', 'run the command twice, to detect values that change'],
      [
        '--iterations-marker <request>',
        'method and path of the first request in each iteration, such as "GET /login"',
      ],
      ['--har <file>', 'write the recording, with secrets redacted, to a new HAR file'],
      ['--static-files', 'include requests for images, fonts, styles and scripts'],
      ['-o, --out <file>', 'write the configuration to a new file (default: stdout)'],
      ['--into <file>', 'add the test to this configuration file'],
      ['--test <key>', 'key of the test (default: recording)'],
    ],
    run: async (context, { argument, flags }) =>
      await (await import('./commands/record.ts')).record(context, argument, flags),
  }),
  defineCommand<RecoverFlags, readonly string[]>({
    usage: 'recover [operation...]',
    summary: 'show and resolve API requests with an unknown outcome',
    argument: 'key or address of a test, or nonce of an API request (default: all with an unknown outcome)',
    flags: [
      ...OUTPUT,
      ...FILE,
      ['--adopt <id>', 'record that the API request created the test or started the run with this ID'],
      ['--absent', 'record that the API request was not executed'],
      LOCK,
    ],
    run: async (context, { argument, flags }) =>
      await (await import('./commands/recover.ts')).recover(context, argument, flags),
  }),
  defineCommand<DestroyFlags>({
    usage: 'destroy',
    summary: 'delete the apps in the configuration file, with all their tests and results',
    flags: [
      ...OUTPUT,
      ...FILE,
      ['--only <glob>', 'select apps with a matching key', parseListFlag],
      ['--with-unmanaged', 'also delete tests that this project and environment do not manage'],
      ...APPROVAL,
      LOCK,
    ],
    run: async (context, { flags }) => await (await import('./commands/destroy.ts')).destroy(context, flags),
  }),
  defineCommand<ServeFlags>({
    usage: 'serve',
    summary: 'start a service with an HTTP API and a web UI',
    flags: [
      ...EVENT_OUTPUT,
      threadsFlag(),
      REDIS,
      ['--port <number>', 'port to listen on; 0 selects a free port (default: 4900)', parsePortFlag],
      ['--host <address>', 'address to listen on (default: 127.0.0.1)'],
      ['--data <dir>', 'data directory (default: ./loadtests-data)'],
      [
        '--keep-results <time|count>',
        'results to keep per test: a maximum age, such as 90d, or a number, such as 1000 (default: unlimited)',
        parseRetentionFlag,
      ],
      ['--public-url <url>', 'URL that clients use to reach the service, such as the URL of a proxy'],
      [
        '--trust-proxy <address>',
        'address or range of a proxy that sets X-Forwarded-For (default: ignore the header)',
        parseListFlag,
      ],
      ['--allow-private <cidr>', 'private address range that can receive load', parseListFlag],
      ['--allow-callback <host>', 'host that can receive callbacks and serve payload files', parseListFlag],
      [
        '--max-host-connections <n>',
        'maximum connections per host, across all runs (default: 100000)',
        parseConnectionsFlag,
      ],
      [
        '--max-host-rate <n>',
        'maximum requests per second per host, across all runs (default: 100000)',
        parseRateFlag,
      ],
      ['--open-metrics', 'serve /metrics without the API key'],
      ['--smtp <url>', 'mail relay without credentials: smtp://host:port?from=address'],
      ['--smtp-file <file>', 'file that contains the mail relay URL, including credentials'],
      ['--allow-mail <recipient>', 'domain or address that can receive email', parseListFlag],
      LOCK,
    ],
    streams: () => true,
    run: async (context, { flags }) => await (await import('./commands/serve.ts')).serve(context, flags),
  }),
  defineCommand<WorkerFlags>({
    usage: 'worker',
    summary: 'start a worker that generates load for "serve --redis"',
    flags: [
      ...EVENT_OUTPUT,
      REDIS,
      ['--name <name>', 'worker name (default: host name and process ID)'],
      ['--threads <n>', 'load generator threads (default: number of cores)', parseThreadsFlag],
      [
        '--max-connections <n>',
        'maximum concurrent connections (default: open-file limit)',
        parseConnectionsFlag,
      ],
      ['--allow-private <cidr>', 'private address range that can receive load', parseListFlag],
      [
        '--health <port>',
        'serve /healthz and /metrics on this port, on all network interfaces',
        parsePortFlag,
      ],
      [
        '--grace <duration>',
        'maximum wait on shutdown for an active run to end (default: 30s)',
        parseDurationFlag,
      ],
    ],
    streams: () => true,
    run: async (context, { flags }) => await (await import('./commands/worker.ts')).runWorker(context, flags),
  }),
  defineCommand<BackupFlags, string>({
    usage: 'backup <dir>',
    summary: 'back up the data of "serve", even while it is running',
    argument: 'new directory for the backup',
    flags: [
      ...OUTPUT,
      [
        '--lock-timeout <duration>',
        'maximum wait for another backup to end, and for the service to start the copy (default: 30s)',
        parseDurationFlag,
      ],
      ['--data <dir>', 'data directory of "serve" (default: ./loadtests-data)'],
    ],
    run: async (context, { argument, flags }) =>
      await (await import('./commands/backup.ts')).backup(context, argument, flags),
  }),
  defineCommand<OpenFlags>({
    usage: 'open',
    summary: 'open the web UI of a running "serve" in a browser',
    flags: [
      ...OUTPUT,
      ...FILE,
      [
        '--service <url>',
        'address of the service (default: from the file, else LOADTESTS_BASE_URL, else http://127.0.0.1:4900)',
        parseServiceFlag,
      ],
      ['--data <dir>', 'data directory of "serve" that contains the API key (default: ./loadtests-data)'],
      ['--print', 'print the link without opening a browser'],
    ],
    run: async (context, { flags }) => await (await import('./commands/open.ts')).open(context, flags),
  }),
  defineCommand<OutputFlags, string>({
    usage: 'explain <code>',
    summary: 'print the cause and the fix for a problem',
    argument: 'problem code, such as LT_CONFIG_SYNTAX',
    flags: OUTPUT,
    run: async (context, { argument }) => (await import('./commands/explain.ts')).explain(context, argument),
  }),
  defineCommand<OutputFlags, string>({
    usage: 'completion <shell>',
    summary: 'print a completion script for bash, zsh or fish',
    argument: 'shell: bash, zsh or fish',
    flags: JSON_OUTPUT,
    run: async (_, { argument }) =>
      (await import('./commands/completion.ts')).printCompletionScript(argument),
  }),
  defineCommand<OutputFlags, readonly string[]>({
    usage: `${COMPLETE_COMMAND} [words...]`,
    summary: '',
    hidden: true,
    flags: [],
    streams: () => true,
    run: async (context, { argument, program }) =>
      await (await import('./commands/complete.ts')).complete(context, program, argument),
  }),
  defineCommand<OutputFlags, string | undefined>({
    usage: 'schema [name]',
    summary: 'print the JSON Schema of the configuration file or of the JSON output of a command',
    argument:
      'schema: config, baseline-file, result, status-event, serve-event, worker-event, or the name of a command that prints a JSON document (default: config)',
    flags: JSON_OUTPUT,
    run: async (_, { argument }) => (await import('./commands/schema.ts')).printSchema(argument ?? 'config'),
  }),
  {
    usage: `${HELP_COMMAND} [command]`,
    summary: 'print help for a command',
    hidden: false,
    define: () => undefined,
  },
];
