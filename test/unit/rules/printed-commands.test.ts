/**
 * Validity of all loadtests commands that documents, examples and messages print, with their flags and
 * arguments.
 */
import { CommanderError, type Command } from 'commander';
import { describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { createProgram, resolveHelp } from '../../../src/cli/program.ts';
import {
  commandsIn,
  downloadsIn,
  printedCommands,
  printingFiles,
  type PrintedCommand,
} from '../../support/printed-commands.ts';

/** Names that a reader replaces: `KEY`, `KEY…`, `[PLAN]`, `<key...>`, `…`. */
const PLACEHOLDER =
  /^(?:id:|@)?[<[{(]*[A-Z][A-Z_|/.]*[\]>})]*(?:…|\.\.\.)?$|^…$|^<[^>]*>$|^\[[a-z.]+\]$|^\$\{?\w+\}?$/;

/** Errors that are accepted if a text only mentions a command: the arguments may be missing. */
const LEFT_OUT = ['commander.missingArgument', 'commander.optionMissingArgument'];

/** Returns the error in a command line without executing it; null if there is none. */
function problemOf({ words, whole }: Pick<PrintedCommand, 'words' | 'whole'>): string | null {
  const known = resolveHelp(words.filter((word) => !['…', '...', '[flags]'].includes(word)));
  const [first] = known;
  if (first === undefined || PLACEHOLDER.test(first)) return null;
  const stdout = { columns: 80, write: () => true };
  const program = createProgram({ version: '', stdout, args: known } as never, () => undefined);
  acceptPlaceholders(program);
  try {
    program.parse([...known], { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!(error instanceof CommanderError)) return error.message;
    const accepted = error.exitCode === 0 || (!whole && LEFT_OUT.includes(error.code));
    return accepted ? null : error.message;
  }
}

/** Makes each flag accept a placeholder as its value. */
function acceptPlaceholders(program: Command): void {
  for (const option of program.commands.flatMap((command) => command.options)) {
    const parse = option.parseArg?.bind(option);
    if (parse === undefined) continue;
    option.argParser((value, before) => (PLACEHOLDER.test(value) ? before : parse(value, before as never)));
  }
}

describe('printed commands', () => {
  const commands = printedCommands();

  test('the check finds loadtests commands in documents, examples, deployments, schemas and the source code', () => {
    const files = new Set(commands.map(({ file }) => file.split('/', 1)[0]));
    for (const place of ['README.md', 'docs', 'examples', 'deploy', 'src', 'schemas'])
      expect(files).toContain(place);
    expect(commands.length).toBeGreaterThan(150);
  });

  test('the command-line parser accepts every loadtests command in documents, examples and messages', () => {
    const wrong = commands.flatMap((command) => {
      const problem = problemOf(command);
      const { file, line, words } = command;
      return problem === null ? [] : [`${file}:${line}: loadtests ${words.join(' ')}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ['a.md', '```sh\nloadtests apply --service http://a.example\n```', "unknown option '--service'"],
    ['a.md', 'Run `loadtests aply`.', "unknown command 'aply'"],
    ['a.md', '```sh\nnpx --no-install loadtests explain\n```', "missing required argument 'code'"],
    ['a.ts', "const hint = 'to stop it: loadtests stop --al';", "unknown option '--al'"],
    ['a.ts', 'const hint = `"loadtests backup --no-data DIR" copies ${it}`;', "unknown option '--no-data'"],
    ['a.yml', '    script: loadtests backup', "missing required argument 'dir'"],
    ['a.tsx', 'const a = <pre>{`loadtests apply --service ${origin}`}</pre>;', "unknown option '--service'"],
    [
      'a.yml',
      '    - run: npx --no-install loadtests serve --threads many',
      '--threads does not accept "many"',
    ],
  ])('the check of loadtests commands finds the invalid command in %s: %j', (file, text, problem) => {
    const found = commandsIn(file, text).map(problemOf);
    expect(found).toEqual([expect.stringContaining(problem)]);
  });

  test('no command in documents, examples or messages downloads the package "loadtests" by its name', () => {
    expect(
      printingFiles().flatMap(({ file, text }) => downloadsIn(text).map((one) => `${file}: ${one}`)),
    ).toEqual([]);
  });

  test.each([
    ['npx loadtests plan', 'a download'],
    ['npx -y loadtests@latest plan', 'a download'],
    ['npx --yes loadtests', 'a download'],
    ['npm i -D loadtests', 'a download'],
    ['npm install --global loadtests@0.1.0', 'a download'],
    ['pnpm add -D loadtests', 'a download'],
    ['npm exec loadtests', 'a download'],
    ['npx --no-install loadtests plan', 'no download'],
    ['npm i -D ./loadtests-0.1.0.tgz', 'no download'],
    ['npm ci && npm run build', 'no download'],
    ['npm i -D "$release/loadtests-0.1.0.tgz"', 'no download'],
    ['npx vitest run loadtests-data', 'no download'],
  ])('for the command %j, the check finds %s of the package by its name', (command, found) => {
    expect(downloadsIn(command).length > 0).toBe(found === 'a download');
  });

  test('the documents name only the tarball of the current version', () => {
    const tarballs = printingFiles().flatMap(({ text }) => text.match(/loadtests-\d[\w.]*?(?=\.tgz)/g) ?? []);
    expect([...new Set(tarballs)]).toEqual([`loadtests-${manifest.version}`]);
  });
});
