/** Reads command lines of the load generators ab, hey, oha, wrk and vegeta. */
import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeField,
  type IntakeFlow,
  type IntakeLoad,
  type SourcePosition,
  START,
  ONLY_REQUESTS,
} from '../core/intake/intake.ts';
import { cutText, literalOf, literalStart, type IntakeText } from '../core/intake/intake-text.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { parseDuration, seconds, type Milliseconds } from '../core/units.ts';
import { valueNamed } from './names.ts';
import {
  commandName,
  OPEN_QUOTE,
  parseShellCommands,
  type ShellCommand,
  type ShellWord,
} from './shell-commands.ts';
import { SourceNotes } from './source-notes.ts';
import { readTargets } from './vegeta-targets.ts';

export type LoadProgram = 'ab' | 'hey' | 'oha' | 'wrk' | 'vegeta';

/** Meanings of options, by name. An option has an argument unless its meaning ends with `!`. */
type Options = Readonly<Record<string, string>>;

/** The options of each program that are converted or ignored. */
const OPTIONS: Readonly<Record<LoadProgram, Options>> = {
  ab: {
    n: 'requests',
    c: 'connections',
    t: 'duration',
    p: 'post-file',
    u: 'put-file',
    T: 'type',
    H: 'header',
    C: 'cookie',
    A: 'user',
    k: 'keep-alive!',
    m: 'method',
    i: 'head!',
    s: 'timeout',
    v: 'ignored',
    q: 'ignored!',
    r: 'ignored!',
    d: 'ignored!',
    S: 'ignored!',
    l: 'ignored!',
    g: 'ignored',
    e: 'ignored',
    w: 'ignored!',
  },
  hey: {
    n: 'requests',
    c: 'connections',
    z: 'duration',
    q: 'rate-per-connection',
    m: 'method',
    H: 'header',
    d: 'body',
    D: 'body-file',
    T: 'type',
    a: 'user',
    t: 'timeout',
    A: 'accept',
    'disable-keepalive': 'no-keep-alive!',
    'disable-compression': 'ignored!',
    o: 'ignored',
    cpus: 'ignored',
  },
  oha: {
    n: 'requests',
    c: 'connections',
    z: 'duration',
    q: 'rate',
    m: 'method',
    H: 'header',
    d: 'body',
    D: 'body-file',
    T: 'type',
    a: 'user',
    t: 'timeout',
    A: 'accept',
    'disable-keepalive': 'no-keep-alive!',
    insecure: 'insecure!',
    'no-tui': 'ignored!',
    j: 'ignored!',
    json: 'ignored!',
    method: 'method',
  },
  wrk: {
    c: 'connections',
    connections: 'connections',
    d: 'duration',
    duration: 'duration',
    t: 'ignored',
    threads: 'ignored',
    H: 'header',
    header: 'header',
    R: 'rate',
    rate: 'rate',
    timeout: 'timeout',
    latency: 'ignored!',
    L: 'ignored!',
    U: 'ignored!',
  },
  vegeta: {
    rate: 'rate',
    duration: 'duration',
    targets: 'targets',
    header: 'header',
    body: 'body-file',
    timeout: 'timeout',
    insecure: 'insecure!',
    output: 'ignored',
    name: 'ignored',
    workers: 'ignored',
    'max-workers': 'max-workers',
    connections: 'idle-connections',
    'max-connections': 'max-connections',
    keepalive: 'keep-alive!',
    http2: 'ignored!',
    format: 'ignored',
    lazy: 'ignored!',
  },
};

/** Programs in which a single dash begins a short option. The argument may follow without a space. */
const WITH_SHORT_OPTIONS: readonly LoadProgram[] = ['ab', 'oha', 'wrk'];

export function loadCommandReader(program: LoadProgram): (source: IntakeSource) => Intake {
  return (source) => {
    const commands = parseShellCommands(source.text);
    const index = commands.findIndex((one) => commandName(one) === program);
    const command = commands[index];
    if (command === undefined) {
      if (program === 'vegeta') return intakeOf(readTargets(source), null);
      throw new InvalidSource(source, START, `the source contains no ${program} command`);
    }
    const call = new LoadCall(program, command, source);
    const next = commands.slice(index + 1).find((one) => commandName(one) === program);
    if (next !== undefined) call.notes.lose(next.at, `only the first ${program} command is converted`);
    const echoed = commands[index - 1];
    const isEchoed = echoed !== undefined && commandName(echoed) === 'echo';
    return call.intake(isEchoed ? echoed.words.slice(1) : []);
  };
}

function intakeOf(flows: readonly IntakeFlow[], load: IntakeLoad | null): Intake {
  return { ...ONLY_REQUESTS, flows, load };
}

class LoadCall {
  readonly notes = new SourceNotes();
  readonly #program: LoadProgram;
  readonly #at: SourcePosition;
  readonly #source: IntakeSource;
  readonly #urls: ShellWord[] = [];
  readonly #headers: IntakeField[] = [];
  readonly #values = new Map<string, ShellWord>();

  constructor(program: LoadProgram, command: ShellCommand, source: IntakeSource) {
    this.#program = program;
    this.#at = command.at;
    this.#source = source;
    for (const what of command.unsupported) {
      if (what === OPEN_QUOTE) throw new InvalidSource(source, command.at, `the command contains ${what}`);
      this.notes.lose(command.at, `${what} is not executed, and its output is omitted`);
    }
    this.#readWords(command.words.slice(1));
  }

  #readWords(words: readonly ShellWord[]): void {
    for (let index = 0; index < words.length; index++) {
      const word = words[index];
      if (word === undefined) break;
      const start = literalStart(word.text);
      if (!start.startsWith('-')) {
        if (start !== 'attack' || this.#program !== 'vegeta') this.#urls.push(word);
        continue;
      }
      const isLong = start.startsWith('--') || !WITH_SHORT_OPTIONS.includes(this.#program);
      const [, long = ''] = /^--?([\w-]+)/.exec(start) ?? [];
      const name = isLong ? long : start.charAt(1);
      const rest = isLong ? (cutText(word.text, '=')?.[1] ?? null) : attached(word.text);
      const meaning = valueNamed(name, OPTIONS[this.#program]);
      if (meaning === undefined)
        this.notes.lose(
          word.at,
          `the option ${JSON.stringify(start.slice(0, 30))} of ${this.#program} is not converted`,
        );
      else if (meaning.endsWith('!')) {
        const isOff = literalOf(rest ?? []) === 'false';
        if (!isOff || name === 'keepalive')
          this.#values.set(`${isOff ? 'no-' : ''}${meaning.slice(0, -1)}`, word);
      } else if (rest !== null) this.#set(meaning, { at: word.at, text: rest });
      else {
        index += 1;
        this.#set(meaning, words[index] ?? { at: word.at, text: [''] });
      }
    }
  }

  #set(meaning: string, word: ShellWord): void {
    const cut = cutText(word.text, ':');
    if (meaning === 'header' && cut !== null) {
      const value = cut[1].map((part, index) =>
        index === 0 && typeof part === 'string' ? part.trimStart() : part,
      );
      this.#headers.push({ name: (literalOf(cut[0]) ?? '').trim(), value });
    } else if (meaning === 'accept') this.#headers.push({ name: 'accept', value: word.text });
    else if (meaning === 'type') this.#headers.push({ name: 'content-type', value: word.text });
    else if (meaning === 'cookie') this.#headers.push({ name: 'cookie', value: word.text });
    else this.#values.set(meaning, word);
  }

  #number(name: string): number | null {
    const text = literalOf(this.#values.get(name)?.text ?? []) ?? '';
    return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
  }

  #duration(name: string): Milliseconds | null {
    const number = this.#number(name);
    return number === null
      ? parseDuration(literalOf(this.#values.get(name)?.text ?? []) ?? '')
      : seconds(number);
  }

  intake(echoed: readonly ShellWord[]): Intake {
    const flows = this.#flows(echoed);
    const load = this.#load();
    return {
      ...intakeOf(flows, load),
      timeout: this.#duration('timeout'),
      keepAlive:
        !this.#values.has('no-keep-alive') && (this.#program !== 'ab' || this.#values.has('keep-alive')),
      connections: load?.kind === 'rate' ? this.#pool() : null,
      tlsVerify: !this.#values.has('insecure'),
      notes: this.notes.all,
    };
  }

  /**
   * Returns the maximum number of connections for a load with a rate. While all connections are in use, requests wait.
   */
  #pool(): number {
    if (this.#program !== 'vegeta') return this.#number('connections') ?? DEFAULT_CONNECTIONS[this.#program];
    const limits = ['idle-connections', 'max-connections', 'max-workers'].map((name) => this.#number(name));
    return Math.min(VEGETA_CONNECTIONS, ...limits.filter((limit) => limit !== null && limit > 0).map(Number));
  }

  #flows(echoed: readonly ShellWord[]): readonly IntakeFlow[] {
    if (this.#program === 'vegeta') return this.#vegetaFlows(echoed);
    const [word] = this.#urls;
    if (word === undefined)
      throw new InvalidSource(this.#source, this.#at, `the ${this.#program} command has no URL`);
    const url: IntakeText = /^https?:\/\//i.test(literalStart(word.text))
      ? word.text
      : ['http://', ...word.text];
    const user = this.#values.get('user')?.text ?? null;
    const [login, password] = user === null ? [[], []] : (cutText(user, ':') ?? [user, []]);
    const body = this.#body();
    const method = this.#values.has('head')
      ? 'HEAD'
      : (literalOf(this.#values.get('method')?.text ?? []) ?? '');
    const implied = this.#values.has('post-file') ? 'POST' : this.#values.has('put-file') ? 'PUT' : 'GET';
    const request = {
      ...EMPTY_REQUEST,
      at: word.at,
      method: method === '' ? implied : method.toUpperCase(),
      url,
      headers: this.#headers,
      credentials: user === null ? null : { login, password },
      body: body === null ? null : ({ kind: 'text', text: body } as const),
    };
    return [{ at: word.at, name: this.#program, weight: 1, values: [], requests: [request], notes: [] }];
  }

  #body(): IntakeText | null {
    const body = this.#values.get('body');
    if (body !== undefined) return body.text;
    const file = ['body-file', 'post-file', 'put-file']
      .map((name) => this.#values.get(name))
      .find((word) => word !== undefined);
    if (file === undefined) return null;
    const path = literalOf(file.text) ?? '';
    const read = this.#source.readFile(path);
    if ('text' in read) return [read.text];
    this.notes.lose(
      file.at,
      `the body of the request is omitted: the file ${JSON.stringify(path)} ${read.reason}`,
    );
    return null;
  }

  #vegetaFlows(echoed: readonly ShellWord[]): readonly IntakeFlow[] {
    const targets = this.#values.get('targets');
    const path = literalOf(targets?.text ?? []) ?? '';
    const body = this.#body();
    const file = targets === undefined || path === 'stdin' ? null : this.#source.readFile(path);
    if (file !== null && 'reason' in file)
      throw new InvalidSource(
        this.#source,
        targets?.at ?? this.#at,
        `the file ${JSON.stringify(path)} ${file.reason}`,
      );
    const text =
      file?.text ??
      echoed
        .map((word) => literalOf(word.text) ?? '')
        .filter((one) => !/^-[neE]+$/.test(one))
        .join(' ')
        .replaceAll(String.raw`\n`, '\n');
    const flows = readTargets({ ...this.#source, path: file === null ? this.#source.path : path, text });
    return flows.map((flow) => ({
      ...flow,
      // Positions refer to the command, because the targets may be in a different file.
      at: this.#at,
      requests: flow.requests.map((request) => ({
        ...request,
        at: this.#at,
        headers: [...this.#headers, ...request.headers],
        body: request.body ?? (body === null ? null : { kind: 'text', text: body }),
      })),
    }));
  }

  #load(): IntakeLoad | null {
    const connections =
      this.#number('connections') ?? this.#number('max-workers') ?? DEFAULT_CONNECTIONS[this.#program];
    const rate = this.#rate(connections);
    const duration = this.#duration('duration') ?? (this.#program === 'wrk' ? seconds(10) : null);
    const requests = this.#number('requests') ?? DEFAULT_REQUESTS[this.#program];
    if (rate !== null) {
      const lasts = duration ?? (requests === null ? null : seconds(Math.max(1, requests / rate)));
      if (lasts === null)
        this.notes.lose(
          this.#at,
          'the command sets no duration and no number of requests; the test lasts 10 s',
        );
      return { kind: 'rate', initial: rate, stages: [{ duration: lasts ?? seconds(10), to: rate }] };
    }
    if (duration === null && requests !== null)
      return {
        kind: 'iterations',
        clients: Math.min(connections, requests),
        count: requests,
        isPerClient: false,
        maxDuration: null,
      };
    if (duration === null)
      this.notes.lose(
        this.#at,
        'the command sets no duration and no number of requests; the test lasts 10 s',
      );
    return {
      kind: 'connections',
      initial: connections,
      stages: [{ duration: duration ?? seconds(10), to: connections }],
    };
  }

  /** Returns the number of requests per second; null if only the number of connections limits the load. */
  #rate(connections: number): number | null {
    const perConnection = this.#number('rate-per-connection');
    if (perConnection !== null) return perConnection * connections;
    if (this.#program === 'vegeta') {
      const text = literalOf(this.#values.get('rate')?.text ?? []) ?? '50/1s';
      const [, count = '', per = '1s'] = /^(\d+)(?:\/(\d*(?:ns|us|ms|s|m|h)))?$/.exec(text) ?? [];
      const unit = parseDuration(/^\d/.test(per) ? per : `1${per}`);
      if (count !== '' && Number(count) > 0 && unit !== null && unit > 0)
        return (Number(count) * 1000) / unit;
      // With the rate 0 and a maximum number of workers, each worker sends its requests without pauses.
      if (count === '0' && this.#number('max-workers') !== null) return null;
      this.notes.lose(
        this.#at,
        `the rate ${JSON.stringify(text)} is not supported; the test uses 50 requests per second`,
      );
      return 50;
    }
    return this.#number('rate');
  }
}

/** Returns the argument that follows a short option without a space; null if there is none. */
function attached(text: IntakeText): IntakeText | null {
  const rest = literalStart(text).slice(2);
  return rest === '' && text.length === 1 ? null : [rest, ...text.slice(1)];
}

const DEFAULT_CONNECTIONS: Readonly<Record<LoadProgram, number>> = {
  ab: 1,
  hey: 50,
  oha: 50,
  wrk: 10,
  vegeta: 1,
};
/** Default value of vegeta for the maximum number of idle connections to one host. */
const VEGETA_CONNECTIONS = 10_000;

const DEFAULT_REQUESTS: Readonly<Record<LoadProgram, number | null>> = {
  ab: 1,
  hey: 200,
  oha: 200,
  wrk: null,
  vegeta: null,
};
