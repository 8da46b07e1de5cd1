/**
 * Parser for POSIX shell command lines from scripts, documentation and the "Copy as cURL" function of browsers. Does
 * not execute anything.
 */
import { literalOf, type IntakeText, type IntakeTextPart } from '../core/intake/intake-text.ts';
import { createPositions, type PositionAt } from '../core/intake/source-text.ts';
import type { SourcePosition } from '../core/intake/intake.ts';
import { pointerOfPath } from './json-path.ts';

export interface ShellWord {
  readonly at: SourcePosition;
  /** The text without quotes. A variable without a known value becomes a reference to a secret. */
  readonly text: IntakeText;
}

export interface ShellCommand {
  readonly at: SourcePosition;
  readonly words: readonly ShellWord[];
  /** Constructs that would need a shell, such as a command substitution. */
  readonly unsupported: readonly string[];
  /** Variable that receives a part of the output, as in `NAME=$(curl … | jq -r .token)`. */
  readonly capture?: { readonly name: string; readonly pointer: string };
}

export const OPEN_QUOTE = 'a quote that is not closed';

const MAX_SUBSTITUTIONS = 10;

const MAX_COMMANDS = 10_000;

/** Parses the commands of a script. Assignments set variables. Redirections are ignored. */
export function parseShellCommands(text: string): readonly ShellCommand[] {
  return new ShellParser(/^\s*curl(?:\.exe)? +\^"/m.test(text) ? fromWindows(text) : text).parse();
}

/** Converts command lines for the Windows command prompt, in which `^` escapes the next character. */
function fromWindows(text: string): string {
  return text
    .replaceAll(/\^(\r?\n|[^])/g, (_, next: string) => (next.endsWith('\n') ? `\\${next}` : next))
    .replaceAll(/[`$]/g, String.raw`\$&`);
}

class ShellParser {
  readonly #text: string;
  readonly #positionAt: PositionAt;
  readonly #variables: Map<string, IntakeText>;
  readonly #depth: number;
  #at = 0;
  #unsupported: string[] = [];
  /** Commands in the substitutions of the current command. */
  #substituted: (readonly ShellCommand[])[] = [];

  /** @param outer - Parser of the surrounding commands, positioned at the start of the substitution. */
  constructor(text: string, outer?: ShellParser) {
    this.#text = text;
    this.#positionAt = outer === undefined ? createPositions(text) : outer.#positionAt;
    this.#variables = outer === undefined ? new Map<string, IntakeText>() : outer.#variables;
    this.#depth = outer === undefined ? 0 : outer.#depth + 1;
    this.#at = outer === undefined ? 0 : outer.#at;
  }

  /** Parses commands until the end of the text, or until the parenthesis that closes a substitution. */
  parse(): readonly ShellCommand[] {
    const commands: ShellCommand[] = [];
    let words: ShellWord[] = [];
    const end = () => {
      commands.push(...this.#captured(words));
      const command = this.#withoutAssignments(words);
      const [first] = command;
      if (first !== undefined)
        commands.push({ at: first.at, words: command, unsupported: this.#unsupported });
      // Unsupported constructs in assignments without a command are reported with the next command.
      if (first !== undefined || words.length === 0) this.#unsupported = [];
      words = [];
      this.#substituted = [];
    };
    while (this.#at < this.#text.length && commands.length < MAX_COMMANDS) {
      const rest = this.#text.slice(this.#at, this.#at + 3);
      if (this.#depth > 0 && rest.startsWith(')')) break;
      if (/^(?:\\\r?\n|[ \t\r])/.test(rest))
        this.#at += rest.startsWith('\\\r') ? 3 : rest.startsWith('\\') ? 2 : 1;
      else if (/^[\n;&|(){}]/.test(rest) && !this.#isWordBrace()) {
        this.#at += 1;
        end();
      } else if (rest.startsWith('#')) this.#skipLine();
      else if (/^(?:\d?[<>])/.test(rest)) this.#skipRedirection();
      else words.push(this.#word());
    }
    end();
    return commands;
  }

  /** Reports whether a brace is part of a word: true for `{a,b}` and `{{name}}`, false for `{ command; }`. */
  #isWordBrace(): boolean {
    return /^[{}]\S/.test(this.#text.slice(this.#at, this.#at + 2)) && this.#text[this.#at] === '{';
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #skipRedirection(): void {
    this.#at += /^\d?[<>]+&?/.exec(this.#text.slice(this.#at, this.#at + 5))?.[0].length ?? 1;
    while (this.#text[this.#at] === ' ') this.#at += 1;
    if (this.#at < this.#text.length && !/[\n;&|]/.test(this.#text.charAt(this.#at))) this.#word();
  }

  /**
   * Returns the `curl` command of `NAME=$(curl … | jq -r .token)`, and declares the variable. Returns an empty list for
   * other words.
   */
  #captured([word, ...others]: readonly ShellWord[]): readonly ShellCommand[] {
    const [, name = ''] = /^([A-Za-z_]\w*)=$/.exec(literalOf(word?.text ?? []) ?? '') ?? [];
    const [commands = [], ...more] = this.#substituted;
    const [curl, jq, ...rest] = commands;
    const filter = jq === undefined ? null : filterOf(jq);
    const isUsual = name !== '' && others.length === 0 && more.length === 0 && rest.length === 0;
    if (!isUsual || curl === undefined || filter === null || commandName(curl) !== 'curl') return [];
    this.#variables.set(name, [{ variable: name }]);
    this.#unsupported = [];
    return [{ ...curl, capture: { name, pointer: filter } }];
  }

  #withoutAssignments(words: readonly ShellWord[]): readonly ShellWord[] {
    const first = words.findIndex(({ text }) => !/^(?:export$|[A-Za-z_]\w*=)/.test(startOf(text)));
    for (const { text } of words.slice(0, first === -1 ? words.length : first)) {
      const start = startOf(text);
      const [, name = ''] = /^([A-Za-z_]\w*)=/.exec(start) ?? [];
      const [value] = this.#variables.get(name) ?? [];
      const isCaptured = typeof value === 'object' && 'variable' in value && this.#substituted.length > 0;
      // If the value contains the output of another command, deletes the variable, because its value is unknown.
      if (name !== '' && !isCaptured && this.#substituted.length > 0) this.#variables.delete(name);
      else if (name !== '' && !isCaptured)
        this.#variables.set(
          name,
          [start.slice(name.length + 1), ...text.slice(1)].filter((part) => part !== ''),
        );
    }
    return first === -1 ? [] : words.slice(first);
  }

  #word(): ShellWord {
    const at = this.#positionAt(this.#at);
    const parts: IntakeTextPart[] = [];
    const start = this.#at;
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (/[\s;&|()<>]/.test(character)) break;
      if (character === "'") parts.push(this.#singleQuoted());
      else if (character === '"') parts.push(...this.#doubleQuoted());
      else if (character === '$' && this.#text[this.#at + 1] === "'") parts.push(this.#ansiQuoted());
      else if (character === '$') parts.push(...this.#reference());
      else if (character === '`') parts.push(this.#substitution('`'));
      else if (character === '\\') parts.push(this.#escaped());
      else parts.push(this.#plain());
    }
    // A character that no rule accepts, such as a single parenthesis, must not stop the parser.
    if (this.#at === start) this.#at += 1;
    return { at, text: merged(parts) };
  }

  #plain(): string {
    const [found = ''] = /^[^\s;&|()<>'"$`\\]+/.exec(this.#text.slice(this.#at, this.#at + 4096)) ?? [];
    this.#at += Math.max(1, found.length);
    return found;
  }

  #escaped(): string {
    const next = this.#text.charAt(this.#at + 1);
    this.#at += next === '\r' ? 3 : 2;
    return next === '\n' || next === '\r' ? '' : next;
  }

  #singleQuoted(): string {
    const end = this.#text.indexOf("'", this.#at + 1);
    const content = this.#text.slice(this.#at + 1, end === -1 ? undefined : end);
    if (end === -1) this.#unsupported.push(OPEN_QUOTE);
    this.#at = end === -1 ? this.#text.length : end + 1;
    return content;
  }

  #doubleQuoted(): readonly IntakeTextPart[] {
    const parts: IntakeTextPart[] = [];
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const [plain = ''] = /^[^"\\$`]+/.exec(this.#text.slice(this.#at, this.#at + 4096)) ?? [];
      parts.push(plain);
      this.#at += plain.length;
      const character = this.#text.charAt(this.#at);
      if (character === '"') {
        this.#at += 1;
        return parts;
      }
      if (character === '\\') {
        const next = this.#text.charAt(this.#at + 1);
        parts.push(next === '\n' ? '' : '"\\$`'.includes(next) ? next : `\\${next}`);
        this.#at += 2;
      } else if (character === '$') parts.push(...this.#reference());
      else if (character === '`') parts.push(this.#substitution('`'));
    }
    this.#unsupported.push(OPEN_QUOTE);
    return parts;
  }

  /** Parses `$'…'`, in which a backslash begins an escape sequence of C. */
  #ansiQuoted(): string {
    this.#at += 2;
    let content = '';
    while (this.#at < this.#text.length) {
      const rest = this.#text.slice(this.#at, this.#at + 12);
      if (rest.startsWith("'")) {
        this.#at += 1;
        return content;
      }
      const [escape = '', , digits] =
        /^\\(u([0-9a-fA-F]{1,4})|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)/s.exec(rest) ?? [];
      if (escape === '') content += rest.charAt(0);
      else if (digits !== undefined) content += String.fromCharCode(Number.parseInt(digits, 16));
      else if (escape[1] === 'x') content += String.fromCharCode(Number.parseInt(escape.slice(2), 16));
      else if (/[0-7]/.test(escape.charAt(1)))
        content += String.fromCharCode(Number.parseInt(escape.slice(1), 8));
      else content += ESCAPES[escape.charAt(1)] ?? escape.charAt(1);
      this.#at += Math.max(1, escape.length);
    }
    this.#unsupported.push(OPEN_QUOTE);
    return content;
  }

  #reference(): readonly IntakeTextPart[] {
    const rest = this.#text.slice(this.#at, this.#at + 300);
    if (rest.startsWith('$(') && this.#depth < MAX_SUBSTITUTIONS) return [this.#commands()];
    if (rest.startsWith('$(')) return [this.#substitution(')')];
    const [all = '', braced, plain] =
      /^\$(?:\{([A-Za-z_]\w*)(?::?-[^}]*)?\}|([A-Za-z_]\w*))/.exec(rest) ?? [];
    const name = braced ?? plain;
    if (name === undefined) {
      this.#at += 1;
      return ['$'];
    }
    this.#at += all.length;
    return this.#variables.get(name) ?? [{ secret: name.toUpperCase() }];
  }

  #commands(): string {
    this.#at += 2;
    const inner = new ShellParser(this.#text, this);
    this.#substituted.push(inner.parse());
    this.#at = Math.min(inner.#at + 1, this.#text.length);
    this.#unsupported.push('a command substitution');
    return '';
  }

  #substitution(closing: string): string {
    const end = this.#text.indexOf(closing, this.#at + 1);
    const content = this.#text.slice(this.#at, end === -1 ? undefined : end + 1);
    this.#at += content.length;
    this.#unsupported.push('a command substitution');
    return '';
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
  e: '\u001b',
};

/** Returns the name of a program, without its directory and the suffix `.exe`. */
export function commandName({ words: [first] }: ShellCommand): string {
  return (literalOf(first?.text ?? []) ?? '').replace(/^.*\//, '').replace(/\.exe$/i, '');
}

/** Returns the pointer of the value that `jq` selects; null for other commands and filters. */
function filterOf(command: ShellCommand): string | null {
  const [filter = '', ...others] = command.words
    .slice(1)
    .map(({ text }) => literalOf(text) ?? '')
    .filter((word) => !/^(?:-[rMe]+|--raw-output)$/.test(word));
  const path =
    commandName(command) === 'jq' && others.length === 0 && filter.length > 1 ? pointerOfPath(filter) : null;
  return path === null || path.hasItems ? null : path.pointer;
}

function startOf([first]: IntakeText): string {
  return typeof first === 'string' ? first : '';
}

function merged(parts: readonly IntakeTextPart[]): IntakeText {
  const joined: IntakeTextPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined.filter((part, index) => part !== '' || (index === 0 && joined.length === 1));
}

export function quoteArguments(args: readonly string[]): string {
  return args.map((one) => `'${one.replaceAll("'", `'\\''`)}'`).join(' ');
}
