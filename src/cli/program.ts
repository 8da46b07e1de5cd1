/** Commands and their flags. Each command's code is loaded when it is called: start-up is a feature. */
import { Command, Option } from 'commander';
import { LIMIT_NAMES } from '../core/model/state.ts';
import type { Context } from './terminal/context.ts';
import {
  countFlag,
  durationFlag,
  limitFlag,
  listFlag,
  portFlag,
  variableFlag,
  type ApplyFlags,
  type FileFlags,
} from './terminal/flags.ts';
import type { OutputFlags } from './terminal/flags.ts';
import type { Outcome } from './terminal/outcome.ts';
import type { OutputFiles } from './files/output-files.ts';
import type { DestroyFlags } from './commands/destroy.ts';
import type { ImportFlags } from './commands/import.ts';
import type { PlanCommandFlags } from './commands/plan.ts';
import type { RecoverFlags } from './commands/recover.ts';
import type { ResultsFlags } from './commands/results.ts';
import type { ServeFlags } from './commands/serve.ts';
import type { StatusFlags } from './commands/status.ts';
import type { StopFlags } from './commands/stop.ts';
import type { VerifyFlags } from './commands/verify.ts';

/** What was called. `words` is the command line without the program's name. */
export interface Call {
  readonly command: string;
  readonly flags: OutputFlags & OutputFiles & Pick<FileFlags, 'file'>;
  /** Files that output must not take the place of, beside the one of `flags`. */
  readonly reads?: readonly string[];
  readonly act: (context: Context) => Outcome | Promise<Outcome>;
  /** Events instead of the document at the end. */
  readonly streams?: boolean;
}

/** One command. Its flags and its action are made when it is called. */
interface Entry {
  /** Name and arguments, as commander writes them. */
  readonly usage: string;
  readonly about: string;
  readonly hidden?: boolean;
  readonly define: (command: Command, to: Dispatch) => void;
}

interface Dispatch {
  readonly program: Command;
  readonly words: readonly string[];
  readonly called: (call: Call) => void;
}

/** The program with all its commands; only the called one has its flags, since making all of them takes time. */
export function createProgram(
  { version, stdout }: Pick<Context, 'version' | 'stdout'>,
  words: readonly string[],
  called: (call: Call) => void,
): Command {
  const program = new Command('loadtests')
    .configureOutput({
      writeOut: (text) => {
        stdout.write(text);
      },
      getOutHelpWidth: () => stdout.columns,
      getOutHasColors: () => false,
      // An error is said once, in our own form.
      outputError: () => undefined,
    })
    .description('Load tests as code: what loadtests.yaml declares, planned, applied and judged.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .exitOverride();
  // The program itself has no flag that takes a value, so the first plain word is the command.
  const name = words.find((word) => !word.startsWith('-'));
  for (const { usage, about, hidden = false, define } of COMMANDS) {
    const command = program
      .command(usage, { hidden })
      .description(about)
      .exitOverride()
      .addOption(new Option('--no-color', 'no colours'));
    if (name === command.name() || name === COMPLETE) define(command, { program, words, called });
  }
  return program;
}

/** It offers the flags of all others. */
const COMPLETE = 'complete';

const COMMANDS: readonly Entry[] = [
  {
    usage: 'init',
    about: 'write a starter loadtests.yaml',
    define: (command, { called }) => {
      withOutput(command).action((flags: OutputFlags) => {
        const act = async (context: Context) => (await import('./commands/init.ts')).init(context);
        called({ command: 'init', flags, reads: ['loadtests.yaml'], act });
      });
    },
  },
  {
    usage: 'validate',
    about: 'check the file alone: syntax, shape, meaning',
    define: (command, { called }) => {
      withFile(withOutput(command)).action((flags: FileFlags & OutputFlags) => {
        const act = async (context: Context) =>
          await (await import('./commands/validate.ts')).validate(context, flags);
        called({ command: 'validate', flags, act });
      });
    },
  },
  {
    usage: 'plan',
    about: 'show what apply would do, and the load it would start',
    define: (command, { called }) => {
      withPlan(withOutput(command))
        .option('-o, --out <file>', 'save the plan, for "apply FILE"')
        .option('--detailed-exitcode', 'exit 2 when there are changes')
        .option('--against <rev>', 'compare with the file of a git revision: offline, without a key')
        .action((flags: PlanCommandFlags) => {
          const act = async (context: Context) =>
            await (await import('./commands/plan.ts')).plan(context, flags);
          called({ command: 'plan', flags, act });
        });
    },
  },
  {
    usage: 'apply [plan]',
    about: 'register, verify, create, start as asked, wait, judge',
    define: (command, { called }) => {
      withApply(withPlan(withOutput(command))).action(
        (planFile: string | undefined, flags: ApplyFlags & { autoApprove?: boolean }) => {
          const request = { planFile, flags: { ...flags, ...approved(flags) } };
          const act = async (context: Context) =>
            await (await import('./commands/apply.ts')).apply(context, request);
          called({ command: 'apply', flags, reads: planFile === undefined ? [] : [planFile], act });
        },
      );
    },
  },
  {
    usage: 'run <key...>',
    about: 'start tests (KEY, or id:ID), wait, judge',
    define: (command, { called }) => {
      withApply(withFile(withOutput(command)))
        .addOption(
          new Option('--allow-limit <name>', 'let the plan break a limit of the file').argParser(limitFlag),
        )
        .addOption(lockTimeout())
        .option('--once', 'one client, one pass, each exchange told; on the embedded service')
        .action((names: string[], flags: ApplyFlags & { autoApprove?: boolean; once?: boolean }) => {
          const request = { names, flags: { ...flags, ...approved(flags) } };
          const act = async (context: Context) =>
            await (await import('./commands/run.ts')).run(context, request);
          called({ command: 'run', flags, act });
        });
    },
  },
  {
    usage: 'stop [key...]',
    about: 'stop running tests',
    define: (command, { called }) => {
      withConsent(
        withFile(withOutput(command)).option(
          '--all',
          'every running test of the account, and its schedules; needs no file',
        ),
      )
        .addOption(lockTimeout())
        .action((keys: string[], flags: StopFlags & { autoApprove?: boolean }) => {
          const request = { keys, flags: { ...flags, ...approved(flags) } };
          const act = async (context: Context) =>
            await (await import('./commands/stop.ts')).stop(context, request);
          called({ command: 'stop', flags, act });
        });
    },
  },
  {
    usage: 'status',
    about: 'apps and tests, declared beside existing; without a file, those that exist',
    define: (command, { called }) => {
      withFilter(withFile(withOutput(command)))
        .option('--watch', 'go on telling what changes')
        .addOption(lockTimeout())
        .action((flags: StatusFlags) => {
          const act = async (context: Context) =>
            await (await import('./commands/status.ts')).status(context, flags);
          called({ command: 'status', flags, act, streams: flags.watch === true });
        });
    },
  },
  {
    usage: 'results [key]',
    about: 'results of past runs (KEY, or id:ID)',
    define: (command, { called }) => {
      withFile(withOutput(command))
        .addOption(lockTimeout())
        .action((key: string | undefined, flags: ResultsFlags) => {
          const act = async (context: Context) =>
            await (await import('./commands/results.ts')).results(context, key, flags);
          called({ command: 'results', flags, act });
        });
    },
  },
  {
    usage: 'verify [app...]',
    about: 'publish tokens and verify apps of the file',
    define: (command, { called }) => {
      withConsent(withFile(withOutput(command)))
        .addOption(new Option('--parallelism <n>', 'apps at once (default: 4)').argParser(countFlag))
        .addOption(lockTimeout())
        .action((names: string[], flags: VerifyFlags & { autoApprove?: boolean }) => {
          const request = { names, flags: { ...flags, ...approved(flags) } };
          const act = async (context: Context) =>
            await (await import('./commands/verify.ts')).verify(context, request);
          called({ command: 'verify', flags, act });
        });
    },
  },
  {
    usage: 'import',
    about: 'write a file from what the service holds',
    define: (command, { called }) => {
      withFilter(withFile(withOutput(command)))
        .option('-o, --out <file>', 'where to; never over an existing file (default: stdout)')
        .addOption(lockTimeout())
        .action((flags: ImportFlags) => {
          const act = async (context: Context) =>
            await (await import('./commands/import.ts')).importAccount(context, flags);
          called({ command: 'import', flags, act });
        });
    },
  },
  {
    usage: 'recover [operation...]',
    about: 'operations whose outcome is unknown (nonce, address or key)',
    define: (command, { called }) => {
      withFile(withOutput(command))
        .option('--adopt <id>', 'it was carried out: this test, or this run')
        .option('--absent', 'it was not carried out')
        .addOption(lockTimeout())
        .action((names: string[], flags: RecoverFlags) => {
          const act = async (context: Context) =>
            await (await import('./commands/recover.ts')).recover(context, { names, flags });
          called({ command: 'recover', flags, act });
        });
    },
  },
  {
    usage: 'destroy',
    about: 'delete the apps of the file, with their tests and results',
    define: (command, { called }) => {
      withConsent(
        withFile(withOutput(command))
          .addOption(new Option('--only <glob>', 'only apps whose key matches').argParser(listFlag))
          .option('--with-foreign', 'also where tests live that are not of this file'),
      )
        .addOption(lockTimeout())
        .action((flags: DestroyFlags & { autoApprove?: boolean }) => {
          const act = async (context: Context) =>
            await (await import('./commands/destroy.ts')).destroy(context, { ...flags, ...approved(flags) });
          called({ command: 'destroy', flags, act });
        });
    },
  },
  {
    usage: 'serve',
    about: 'the service itself, on a port',
    define: (command, { called }) => {
      withOutput(command)
        .addOption(new Option('--port <number>', 'port; 0 is a free one (default: 4900)').argParser(portFlag))
        .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
        .option('--data <dir>', 'data folder (default: ./loadtests-data)')
        .option('--public-url <url>', 'address that others know the service by')
        .addOption(
          new Option('--allow-private <cidr>', 'a private range that load may go to').argParser(listFlag),
        )
        .addOption(
          new Option(
            '--allow-callback <host>',
            'a host that callbacks may go to and payload files come from',
          ).argParser(listFlag),
        )
        .option('--open-metrics', 'let /metrics be read without the key')
        .option('--smtp <url>', 'relay for mail: smtp://user:password@host:port?from=address')
        .addOption(lockTimeout())
        .addOption(
          new Option('--allow-mail <recipient>', 'a domain or address that mail may go to').argParser(
            listFlag,
          ),
        )
        .action((flags: ServeFlags & OutputFlags) => {
          const act = async (context: Context) =>
            await (await import('./commands/serve.ts')).serve(context, flags);
          called({ command: 'serve', flags, act, streams: true });
        });
    },
  },
  {
    usage: 'explain <code>',
    about: 'the long text of a problem code',
    define: (command, { called }) => {
      withOutput(command).action((code: string, flags: OutputFlags) => {
        const act = async (context: Context) =>
          (await import('./commands/explain.ts')).explain(context, code);
        called({ command: 'explain', flags, act });
      });
    },
  },
  {
    usage: 'completion <shell>',
    about: 'print a completion script for bash, zsh or fish',
    define: (command, { called }) => {
      withDocument(command).action((shell: string, flags: OutputFlags) => {
        const act = async () => (await import('./commands/completion.ts')).completion(shell);
        called({ command: 'completion', flags, act });
      });
    },
  },
  {
    usage: `${COMPLETE} [words...]`,
    about: '',
    hidden: true,
    define: (command, { program, called }) => {
      command.action((typed: string[]) => {
        const act = async (context: Context) =>
          await (
            await import('./commands/complete.ts')
          ).complete(context, { program, words: typed, limits: LIMIT_NAMES });
        called({ command: COMPLETE, flags: {}, act, streams: true });
      });
    },
  },
  {
    usage: 'schema [name]',
    about: 'print a JSON Schema: config, plan or result',
    define: (command, { called }) => {
      withDocument(command).action((name: string | undefined, flags: OutputFlags) => {
        const act = async () => (await import('./commands/schema.ts')).schema(name ?? 'config');
        called({ command: 'schema', flags, act });
      });
    },
  },
];

function withOutput(command: Command): Command {
  return withDocument(
    command
      .option('-q, --quiet', 'only problems')
      .option('-v, --verbose', 'plan and apply: also the tests that stay as they are'),
  );
}

function withDocument(command: Command): Command {
  return command
    .option('--json', 'one JSON document on stdout; text for people goes to stderr')
    .option('--json-into <file>', 'write the JSON document to a file as well');
}

function withConsent(command: Command): Command {
  return command.option('--yes', 'consent without being asked').option('--auto-approve', 'the same');
}

function lockTimeout(): Option {
  return new Option('--lock-timeout <duration>', 'how long to wait for the data folder').argParser(
    durationFlag,
  );
}

function withFile(command: Command): Command {
  return command
    .option('-f, --file <file>', 'the file; - reads standard input (default: loadtests.yaml, found upwards)')
    .option('--env <name>', 'lay an environment of the file over it')
    .addOption(new Option('--var <name=value>', 'set a variable of the file').argParser(variableFlag));
}

function withFilter(command: Command): Command {
  return command
    .addOption(new Option('--only <glob>', 'only tests whose key matches').argParser(listFlag))
    .addOption(new Option('--exclude <glob>', 'not the tests whose key matches').argParser(listFlag));
}

function withPlan(command: Command): Command {
  return withFilter(withFile(command))
    .option('--run', 'also start the tests that are already there')
    .option('--no-run', 'start nothing')
    .addOption(
      new Option('--max-age <duration>', 'also start tests whose last verdict is older').argParser(
        durationFlag,
      ),
    )
    .addOption(new Option('--replace <glob>', 'create tests anew, changed or not').argParser(listFlag))
    .addOption(
      new Option('--on-drift <what>', 'for tests edited on the service').choices(['report', 'replace']),
    )
    .addOption(
      new Option('--allow-limit <name>', 'let the plan break a limit of the file').argParser(limitFlag),
    )
    .addOption(
      new Option(
        '--parallelism <n>',
        'reads, registrations and verifications at once (default: 4)',
      ).argParser(countFlag),
    )
    .addOption(lockTimeout());
}

function withApply(command: Command): Command {
  return withConsent(command)
    .option('--wait', 'wait for runs and judge them (default)')
    .option('--no-wait', 'start, and do not judge')
    .addOption(
      new Option('--timeout <duration>', 'give up waiting for a run after this').argParser(durationFlag),
    )
    .addOption(
      new Option('--on-interrupt <what>', 'what becomes of runs at a signal').choices(['stop', 'detach']),
    )
    .option('--require-verdict', 'exit 11 where the service has no results to judge');
}

/** `--auto-approve` is another name of `--yes`. */
function approved(flags: { readonly yes?: boolean; readonly autoApprove?: boolean }): { yes: boolean } {
  return { yes: flags.yes === true || flags.autoApprove === true };
}
