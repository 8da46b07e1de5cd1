import type { Command, Option } from 'commander';
import { REPORTER_NAMES } from '../../report/reporters.ts';

export interface FileNames {
  readonly tests: readonly string[];
  readonly apps: readonly string[];
}

export interface Candidate {
  readonly value: string;
  /** Description of a command or flag; empty for other candidates. */
  readonly description: string;
}

/** `files` makes the shell complete file names. */
export type Candidates = readonly Candidate[] | 'files';

export interface CandidateRequest {
  readonly program: Command;
  /** Words after the program name. The last word is incomplete and may be empty. */
  readonly args: readonly string[];
  /** Returns the names in the configuration file that the words select. Called only if these names are needed. */
  readonly names: (words: readonly string[]) => Promise<FileNames>;
  readonly environments: (words: readonly string[]) => Promise<readonly string[]>;
  /** Fixed values by the name of an argument or flag. */
  readonly fixed: Readonly<Record<string, readonly string[]>>;
}

export async function findCandidates(request: CandidateRequest): Promise<Candidates> {
  const args = joinAssignments(request.args);
  const current = args.at(-1) ?? '';
  const found = await allCandidates({ ...request, args });
  return found === 'files' ? found : found.filter(({ value }) => value.startsWith(current));
}

/**
 * Removes the `=` if the shell split `--env=name` into three words. The value is then completed like a separate word.
 */
function joinAssignments(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? '';
  const [flag, sign] = words.slice(-3);
  if (words.length >= 3 && sign === '=' && flag?.startsWith('--') === true)
    return [...words.slice(0, -2), last];
  if (last === '=' && words.at(-2)?.startsWith('--') === true) return [...words.slice(0, -1), ''];
  return words;
}

async function allCandidates(request: CandidateRequest): Promise<Candidates> {
  const { program, args } = request;
  const before = args.slice(0, -1);
  const current = args.at(-1) ?? '';
  const at = before.findIndex((word) => !word.startsWith('-'));
  const command = at === -1 ? undefined : program.commands.find((one) => one.name() === before[at]);
  if (command === undefined) {
    if (at !== -1) return [];
    return current.startsWith('-') ? flagsOf(program) : commandsOf(program);
  }
  const line: ParsedLine = { ...request, command, after: before.slice(at + 1) };
  const [, flag, typed] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (flag !== undefined && typed !== undefined) return await assignmentCandidates(flag, line);
  const open = findOption(command, line.after.at(-1) ?? '');
  if (open !== undefined && takesValue(open)) return await valuesOf(open, line);
  return current.startsWith('-') ? flagsOf(command) : await argumentsOf(line);
}

interface ParsedLine extends CandidateRequest {
  readonly command: Command;
  readonly after: readonly string[];
}

export function commandsOf(program: Command): readonly Candidate[] {
  const help = program.createHelp();
  return help
    .visibleCommands(program)
    .map((command) => ({ value: command.name(), description: command.description() }));
}

function flagsOf(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .map((option) => ({ value: option.long ?? option.short ?? '', description: option.description }));
}

function findOption(command: Command, word: string): Option | undefined {
  return command.options.find((option) => option.long === word || option.short === word);
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

async function assignmentCandidates(flag: string, line: ParsedLine): Promise<Candidates> {
  const option = findOption(line.command, flag);
  const values = option === undefined ? [] : await valuesOf(option, line);
  if (values === 'files') return values;
  return values.map(({ value, description }) => ({ value: `${flag}=${value}`, description }));
}

const FILE_FLAGS: readonly string[] = [
  ...['--file', '--out', '--json-into', '--data'],
  ...REPORTER_NAMES.map((name) => `--${name}`),
];
const TEST_FLAGS: readonly string[] = ['--only', '--exclude', '--replace'];

async function valuesOf(option: Option, line: ParsedLine): Promise<Candidates> {
  const long = option.long ?? '';
  if (option.argChoices !== undefined) return toCandidates(option.argChoices);
  if (FILE_FLAGS.includes(long)) return 'files';
  if (long === '--only' && line.command.name() === 'destroy')
    return toCandidates((await line.names(line.args)).apps);
  if (long === '--env') return toCandidates(await line.environments(line.args));
  if (TEST_FLAGS.includes(long)) return toCandidates((await line.names(line.args)).tests);
  return toCandidates(line.fixed[long] ?? []);
}

async function argumentsOf({ command, after, args, names, fixed }: ParsedLine): Promise<Candidates> {
  const position = after.filter((word, index) => {
    const open = findOption(command, after[index - 1] ?? '');
    return !word.startsWith('-') && (open === undefined || !takesValue(open));
  }).length;
  const known = command.registeredArguments;
  const argument = known[position] ?? (known.at(-1)?.variadic === true ? known.at(-1) : undefined);
  if (argument === undefined) return [];
  switch (argument.name()) {
    case 'key':
      return toCandidates((await names(args)).tests.filter((key) => !after.includes(key)));
    case 'app':
      return toCandidates((await names(args)).apps.filter((key) => !after.includes(key)));
    case 'plan':
      return 'files';
    default:
      return toCandidates(fixed[argument.name()] ?? []);
  }
}

function toCandidates(words: readonly string[]): readonly Candidate[] {
  return words.map((value) => ({ value, description: '' }));
}
