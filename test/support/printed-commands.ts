/** Commands of loadtests that texts of the repository print: in Markdown, examples, deployments and strings of the source. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { COMMANDS } from '../../src/cli/commands.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface PrintedCommand {
  readonly file: string;
  readonly line: number;
  /** Words after the name of the program. */
  readonly words: readonly string[];
  /** True if a reader can copy it; a text may also mention a command without its arguments. */
  readonly whole: boolean;
}

interface Text {
  readonly line: number;
  readonly text: string;
}

type Found = Text & { readonly whole: boolean };

const NAMES: ReadonlySet<string> = new Set(COMMANDS.map(({ usage }) => usage.split(' ', 1)[0] ?? ''));

const DIRECTORIES = ['.', 'docs', 'examples', 'deploy', 'schemas', 'src'];
const KINDS = /\.(?:md|ya?ml|service|json|sh|tsx?)$/;
const OMITTED = /(?:^|\/)(?:node_modules|generated|\.loadtests|dist)(?:\/|$)|^package(?:-lock)?\.json$/;

/** Returns every command that a file of the repository prints. */
export function printedCommands(): readonly PrintedCommand[] {
  return printingFiles().flatMap(({ file, text }) => commandsIn(file, text));
}

/** Returns the commands in the text of one file; the name of the file determines how it is parsed. */
export function commandsIn(file: string, text: string): readonly PrintedCommand[] {
  const found = /\.tsx?$/.test(file)
    ? stringsOf(file, text).flatMap(commandsOfString)
    : file.endsWith('.md')
      ? [...blocksOf(text).flatMap(commandsOfBlock), ...spansOf(text).flatMap(commandsOfSpan)]
      : file.endsWith('.json')
        ? linesOf(text.replaceAll('\\"', '`')).flatMap(commandsOfString)
        : linesOf(text).flatMap(commandsOfLine);
  return found.map(({ line, text: command, whole }) => ({ file, line, words: wordsOf(command), whole }));
}

/** A command that downloads the package by its name, which an attacker may have taken on npm. */
const DOWNLOAD =
  /\b(?:npx (?!--no-install )|(?:npm exec|p?npm dlx|yarn dlx) |(?:npm (?:i|install|add)|(?:yarn|pnpm|bun) add) )[^\n`"'|&;#]*?(?<![\w./-])loadtests(?![\w./-]*\.tgz)(?![\w-])/g;

/** Returns the commands in a text that download the package by its name. */
export function downloadsIn(text: string): readonly string[] {
  return [...text.matchAll(DOWNLOAD)].map(([command]) => command);
}

/** Returns every file that can print a command, with its text. */
export function printingFiles(): readonly { readonly file: string; readonly text: string }[] {
  return filesOf().map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

function filesOf(): readonly string[] {
  return DIRECTORIES.flatMap((directory) =>
    readdirSync(join(ROOT, directory), { recursive: directory !== '.', encoding: 'utf8' }).map((name) =>
      directory === '.' ? name : join(directory, name),
    ),
  ).filter((name) => KINDS.test(name) && !OMITTED.test(name) && name !== 'src/core/printable.ts');
}

function linesOf(text: string): readonly Text[] {
  return text.split('\n').map((line, index) => ({ line: index + 1, text: line }));
}

/** Returns the lines of fenced code; lines that end with a backslash are joined. */
function blocksOf(markdown: string): readonly (Text & { readonly shell: boolean })[] {
  let fence: string | null = null;
  let open = '';
  return linesOf(markdown).flatMap(({ line, text }) => {
    const [, mark] = /^\s*```(\S*)/.exec(text) ?? [];
    if (mark !== undefined) {
      fence = fence === null ? mark : null;
      return [];
    }
    if (fence === null) return [];
    const whole = open + text.trim();
    open = text.endsWith('\\') ? `${whole.slice(0, -1).trim()} ` : '';
    return open === '' ? [{ line, text: whole, shell: /^(?:sh|bash|shell|console)$/.test(fence) }] : [];
  });
}

/** Returns inline code outside of fenced code. */
function spansOf(markdown: string): readonly Text[] {
  const prose = markdown.replaceAll(/^[ \t]*```[^]*?^[ \t]*```/gm, (block) => block.replaceAll(/[^\n]/g, ''));
  return linesOf(prose).flatMap(({ line, text }) =>
    [...text.matchAll(/(`+)(.+?)\1/g)].map(([, , code = '']) => ({ line, text: code })),
  );
}

/** Returns string literals, template literals and JSX text; an inserted value becomes a placeholder. */
function stringsOf(file: string, source: string): readonly Text[] {
  // Parsing takes most of the time, and most files contain no command.
  if (!source.includes('loadtests ')) return [];
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const texts: Text[] = [];
  const add = ({ start }: { readonly start: number }, text: string): void => {
    if (text.includes('loadtests ')) texts.push({ line: source.slice(0, start).split('\n').length, text });
  };
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string') add(node, node.value.trim());
    },
    JSXText: (node) => {
      add(node, node.value.trim());
    },
    TemplateLiteral: (node) => {
      const text = node.quasis.map(({ value }) => value.cooked ?? value.raw).join('VALUE');
      add(node, node.expressions.length === 0 ? text.trim() : text);
    },
  }).visit(program);
  return texts;
}

/**
 * Text that may precede a command on its line: the start, a prompt, variables, npx, a key of YAML, an opening
 * quote.
 */
const BEFORE = String.raw`(?:^|[\`"'(;&|]|\brun: |ExecStart=|^[$-] )\s*(?:[A-Z_]+=\S* )*(?:npx --no-install |exec |time )?(?:\S*/)?`;
const COMMAND = new RegExp(String.raw`${BEFORE}loadtests (?<rest>[^\s=·].*)$`);

function commandsOfBlock({ line, text, shell }: Text & { readonly shell: boolean }): readonly Found[] {
  if (!shell) return commandsOfLine({ line, text });
  return simpleCommands(text)
    .flatMap((one) => commandsOfSpan({ line, text: one }))
    .map((found) => ({ ...found, whole: true }));
}

/** Returns the command of a text that consists of it. */
function commandsOfSpan({ line, text }: Text): readonly Found[] {
  const rest = COMMAND.exec(text)?.groups?.['rest'];
  return rest === undefined ||
    !/^\s*(?:[$-] )?(?:[A-Z_]+=\S* )*(?:npx --no-install |exec |time )?(?:\S*\/)?loadtests /.test(text)
    ? []
    : simpleCommands(rest)
        .slice(0, 1)
        .map((one) => ({ line, text: untilQuote(one, text), whole: false }));
}

/** Returns the commands within a line of another language or of program output. */
function commandsOfLine({ line, text }: Text): readonly Found[] {
  return simpleCommands(text.replace(/^\s*(?:- )?(?:run|script|command): [|>]?/, 'run: ')).flatMap((one) => {
    const rest = COMMAND.exec(one)?.groups?.['rest'];
    // The title of a report is not a command: `loadtests plan · project shop`.
    if (rest === undefined || !isKnown(rest) || /^\S+ ·/.test(rest)) return [];
    return [{ line, text: untilQuote(rest, one), whole: true }];
  });
}

/** Returns the commands of a string of the source, which are quoted or end with their line or sentence. */
function commandsOfString({ line, text }: Text): readonly Found[] {
  const quoted = [...text.matchAll(/(["`])(?:[A-Z_]+=\S* )*loadtests (\S[^"`]*)\1/g)].flatMap(
    ([, , rest = '']) => rest.split(', loadtests '),
  );
  const others = [...text.matchAll(/(?<!["`\w./-])loadtests (\S[^\n"]*)/g)]
    .map(([, rest = '']) => rest)
    .filter(isKnown)
    .map((rest) => rest.split(/[;:,)] |[;:,.)]?$| (?:[·(—]|> )|\. |<\/|\\n/, 1)[0] ?? '');
  return [
    ...quoted.map((command) => ({ line, text: command, whole: false })),
    ...others.map((command) => ({ line, text: command, whole: false })),
  ];
}

function isKnown(rest: string): boolean {
  return NAMES.has(rest.split(/[\s;:,.)]/, 1)[0] ?? '');
}

/** Removes a closing quote that was opened before the command. */
function untilQuote(rest: string, whole: string): string {
  const before = whole.slice(0, whole.length - rest.length);
  const quote = /(["'`])[^"'`]*$/.exec(before)?.[1];
  return quote === undefined ? rest : (rest.split(quote, 1)[0] ?? '');
}

/** Returns the commands of a shell line, without comments and redirections. */
function simpleCommands(line: string): readonly string[] {
  return (
    line
      .replace(/\s#.*$/, '')
      .split(/\s*(?:&&|\|\||;|(?<!\S)[|&](?!\S))\s*/)
      .map((one) => one.replace(/\s\d?>+\s*&?\S+.*$/, '').trim())
      .map((one) => (one.includes('(') ? one.replace(/\)$/, '') : one))
      // A quote that was opened before the split.
      .map((one) => (/^[^']*'$/.test(one) ? one.slice(0, -1) : one))
      .filter((one) => one !== '')
  );
}

function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
