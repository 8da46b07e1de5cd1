// docs/reference/cli.md: every command with its arguments, flags, examples and exit codes.
import { bundle } from './bundle-options.mjs';
import { COMMAND_NOTES, COMMON_EXITS, VALUES } from './command-notes.mjs';
import { alternatives, exitCodeLink, table } from './format-generated.mjs';

/** Flags that every command has. */
const GLOBAL_FLAGS = ['--help', '--no-color'];

/** The page as Markdown. */
export async function cliPage(note) {
  const program = await loadProgram();
  const commands = program.commands.filter((command) => !command._hidden);
  checkNotes(commands);
  return [
    note,
    '',
    '# Command-line reference',
    '',
    'This page lists every command of loadtests with its arguments, flags and exit codes. `loadtests COMMAND --help` prints the same flags.',
    '',
    '```text',
    'loadtests COMMAND [arguments] [flags]',
    '```',
    '',
    ...table(
      ['Command', 'Description'],
      commands.map((command) => [linkTo(command), capitalized(command.description())]),
    ),
    '## Global flags',
    '',
    ...flagTable(globalFlags(program)),
    'Every command except `help` accepts `--no-color`. The environment variable `NO_COLOR` has the same effect.',
    '',
    '## Values',
    '',
    ...table(['Placeholder', 'Value'], VALUES),
    ...commands.flatMap(commandSection),
  ].join('\n');
}

/** All commands with all their flags: that is what the hidden command for completion sees. */
async function loadProgram() {
  const { outputFiles } = await bundle({
    entryPoints: undefined,
    stdin: {
      contents: `export { createProgram } from './src/cli/program.ts'; export { COMPLETE_COMMAND } from './src/cli/commands.ts';`,
      resolveDir: process.cwd(),
      loader: 'ts',
    },
    // The code of commands is loaded when they are called, which does not happen here.
    plugins: [{ name: 'without-commands', setup: excludeCommands }],
    minifyWhitespace: false,
    minifySyntax: false,
  });
  const text = outputFiles[0].text;
  const { createProgram, COMPLETE_COMMAND } = await import(
    `data:text/javascript,${encodeURIComponent(text)}`
  );
  const context = { version: '', args: [COMPLETE_COMMAND], stdout: { columns: 80, write: () => undefined } };
  return createProgram(context, () => undefined);
}

function excludeCommands(build) {
  build.onResolve({ filter: /\/commands\/[a-z]+\.ts$/ }, ({ path, kind }) =>
    kind === 'dynamic-import' ? { path, external: true } : undefined,
  );
  build.onResolve(
    { filter: /^\.\/(?:junit-xml|markdown-report|html-report|csv|github-annotations)\.ts$/ },
    ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined),
  );
}

function checkNotes(commands) {
  const names = commands.map((command) => command.name());
  const missing = names.filter((name) => COMMAND_NOTES[name] === undefined);
  const unknown = Object.keys(COMMAND_NOTES).filter((name) => !names.includes(name));
  if (missing.length + unknown.length > 0)
    throw new Error(`scripts/command-notes.mjs lacks ${missing.join(', ')}; it has ${unknown.join(', ')}`);
}

function linkTo(command) {
  const name = command.name();
  return `[\`${name}\`](#loadtests-${name})`;
}

function globalFlags(program) {
  const help = program.createHelp();
  const [command] = program.commands;
  return [...help.visibleOptions(program), ...help.visibleOptions(command)].filter(
    ({ long }, index, all) =>
      (GLOBAL_FLAGS.includes(long) || program.options.some((option) => option.long === long)) &&
      all.findIndex((other) => other.long === long) === index,
  );
}

function commandSection(command) {
  const name = command.name();
  const { details, examples, exits } = COMMAND_NOTES[name];
  const flags = command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => !GLOBAL_FLAGS.includes(long));
  const usage = `loadtests ${name}${argumentsOf(command)}${flags.length > 0 ? ' [flags]' : ''}`;
  return [
    `## loadtests ${name}`,
    '',
    `${capitalized(command.description())}.`,
    '',
    '```text',
    usage,
    '```',
    '',
    ...details.flatMap((text) => [text, '']),
    ...argumentList(command),
    ...(flags.length === 0 ? [] : flagTable(flags)),
    '```sh',
    ...examples.flatMap(([comment, line]) => [`# ${comment}`, line]),
    '```',
    '',
    `Exit codes: ${[...exits, ...COMMON_EXITS]
      .toSorted((a, b) => a - b)
      .map(exitCodeLink)
      .join(', ')}.`,
    '',
  ];
}

function argumentsOf(command) {
  return command.registeredArguments
    .map(({ required, variadic, _name: name }) => {
      const text = `${name}${variadic ? '...' : ''}`;
      return required ? ` <${text}>` : ` [${text}]`;
    })
    .join('');
}

function argumentList(command) {
  const described = command.registeredArguments.filter(({ description }) => description !== '');
  if (described.length === 0) return [];
  return table(
    ['Argument', 'Description'],
    described.map((one) => [`\`${one.name()}\``, cell(capitalized(one.description))]),
  );
}

function flagTable(flags) {
  return table(
    ['Flag', 'Description', 'Default'],
    flags.map((option) => {
      const { text, fallback } = described(option);
      return [`\`${option.flags}\``, cell(text), fallback === '' ? '' : fallbackText(fallback)];
    }),
  );
}

/** The help text of a flag without its default, which has a column of its own. */
function described({ description, argChoices, parseArg }) {
  const [, text, fallback = ''] = /^(.*?)(?: \(default: ([^()]*)\))?$/.exec(description) ?? ['', description];
  const choices = argChoices === undefined ? '' : `: ${alternatives(argChoices.map((one) => `\`${one}\``))}`;
  const repeated = isRepeatable(parseArg) && !text.includes('repeat') ? '. Can be repeated' : '';
  return { text: `${capitalized(text)}${choices}${repeated}`, fallback };
}

/** Reports whether a flag can be repeated, by the name of its parser. */
function isRepeatable(parseArg) {
  return ['parseListFlag', 'parseLimitFlag', 'parseVariableFlag', 'parseDangerFlag'].includes(
    parseArg?.name.replace('bound ', ''),
  );
}

/** Values are code; descriptions of a default are not. */
function fallbackText(fallback) {
  return /^\S+$/.test(fallback) && !['automatic', 'random', 'stdout', 'unlimited'].includes(fallback)
    ? `\`${fallback}\``
    : cell(fallback);
}

function cell(text) {
  return text.replaceAll('<', '\\<').replaceAll('*', '\\*');
}

function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
