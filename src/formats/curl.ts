/** Reads curl command lines: the options that determine the request. */
import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeAws,
  type IntakeBody,
  type IntakeConnection,
  type IntakeField,
  type IntakeNote,
  type IntakePart,
  type IntakeRequest,
  type SourcePosition,
  START,
  ONLY_REQUESTS,
} from '../core/intake/intake.ts';
import {
  FlatText,
  encodedText,
  cutText,
  joinTexts,
  literalOf,
  literalStart,
  splitText,
  type IntakeText,
  decodedFormText,
  decodeFormText,
} from '../core/intake/intake-text.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { AWS_HEADERS } from '../core/model/aws-sigv4.ts';
import { milliseconds, parseDuration, seconds, type Milliseconds } from '../core/units.ts';
import {
  CONNECTION_FLAGS,
  CONNECTION_OPTIONS,
  connectionSetting,
  effectiveConnection,
  withConnection,
} from './curl-connection.ts';
import { EXAMPLE_ORIGIN } from './example-origin.ts';
import { pausedBy } from './group-pauses.ts';
import {
  commandName,
  OPEN_QUOTE,
  parseShellCommands,
  type ShellCommand,
  type ShellWord,
} from './shell-commands.ts';
import { SourceNotes } from './source-notes.ts';
import { withQuery } from './url-query.ts';

export function readCurl(source: IntakeSource): Intake {
  const notes = new SourceNotes();
  const requests: IntakeRequest[] = [];
  let timeout: Milliseconds | null = null;
  let tlsVerify = true;
  let followsRedirects = true;
  const connections: { readonly at: SourcePosition; readonly settings: IntakeConnection | null }[] = [];
  for (const command of parseShellCommands(source.text)) {
    const name = commandName(command);
    const pause = name === 'sleep' ? pauseOf(command) : null;
    const last = requests.at(-1);
    if (name === 'curl') {
      const call = new CurlCall(command, source);
      const sent = call.requests();
      const { capture } = command;
      const captures =
        capture === undefined
          ? []
          : [{ name: capture.name, source: 'json' as const, property: capture.pointer }];
      requests.push(
        ...sent.map((request, index) => (index === sent.length - 1 ? { ...request, captures } : request)),
      );
      timeout = call.timeout ?? timeout;
      connections.push({ at: command.at, settings: call.connection });
      tlsVerify &&= !call.insecure;
      followsRedirects &&= call.followsRedirects;
    } else if (pause !== null && last !== undefined) {
      requests[requests.length - 1] = pausedBy(last, [{ min: pause, max: pause, at: command.at }]);
    } else if (!SILENT_COMMANDS.includes(name)) {
      notes.lose(
        command.at,
        `the command ${JSON.stringify(name.slice(0, 40))} is omitted, because only curl commands are converted`,
      );
    }
  }
  const [first] = requests;
  if (first === undefined)
    throw new InvalidSource(source, START, 'the source contains no curl command with a URL');
  if (!followsRedirects) notes.change(first.at, REDIRECTS);
  const connection = connections.reduce<IntakeConnection | null>(
    (all, { settings }) => (settings === null ? all : withConnection(all, settings)),
    null,
  );
  const isSecure = requests.some(({ url }) => /^https:/i.test(literalStart(url)));
  const kinds = new Set(connections.map(({ settings }) => JSON.stringify(settings)));
  const changed = connections.find(({ settings }) => settings !== null);
  if (kinds.size > 1 && changed !== undefined)
    notes.change(
      changed.at,
      'the connection options of all curl commands are combined and apply to all requests',
    );
  const flow = { at: first.at, name: 'curl', weight: 1, values: [], requests, notes: [] };
  const constants = Array.from(source.text.matchAll(ASSIGNMENT), ([, name = '', , value = '']) => ({
    name,
    value,
  }));
  return {
    ...ONLY_REQUESTS,
    flows: [flow],
    timeout,
    tlsVerify,
    constants,
    notes: notes.all,
    connection: connection && effectiveConnection(connection, isSecure),
  };
}

/** Matches the assignment of a literal to a variable of the shell. */
const ASSIGNMENT = /(?<=^|[\s;])([A-Za-z_]\w*)=(["']?)([^\s"'$\x60;]+)\2/gm;

/** Commands and shell keywords that are omitted without a note. */
const SILENT_COMMANDS = [
  '',
  'set',
  'echo',
  'printf',
  'cd',
  'jq',
  'then',
  'do',
  'done',
  'fi',
  'exit',
  'head',
  'tail',
  'grep',
  'wait',
];

const REDIRECTS =
  'curl follows redirects only with -L, but the test follows them; to prevent this, add a status such as 302 to "expect.status"';

function pauseOf({ words }: ShellCommand): Milliseconds | null {
  const text = literalOf(words[1]?.text ?? []) ?? '';
  return /^\d+(?:\.\d+)?$/.test(text) ? seconds(Number(text)) : parseDuration(text);
}

const SHORT_OPTIONS: Readonly<Record<string, string>> = {
  A: 'user-agent',
  b: 'cookie',
  c: 'cookie-jar',
  C: 'continue-at',
  d: 'data',
  D: 'dump-header',
  e: 'referer',
  E: 'cert',
  F: 'form',
  G: 'get',
  H: 'header',
  I: 'head',
  k: 'insecure',
  K: 'config',
  L: 'location',
  m: 'max-time',
  o: 'output',
  P: 'ftp-port',
  Q: 'quote',
  r: 'range',
  t: 'telnet-option',
  T: 'upload-file',
  u: 'user',
  U: 'proxy-user',
  w: 'write-out',
  x: 'proxy',
  X: 'request',
  y: 'speed-time',
  Y: 'speed-limit',
  z: 'time-cond',
  ':': 'next',
  '1': 'tlsv1',
  '4': 'ipv4',
  '6': 'ipv6',
  Z: 'parallel',
};

/** Options with an argument that do not affect a load test. */
const IGNORED_WITH_ARGUMENT = [
  'cookie-jar',
  'dump-header',
  'output',
  'write-out',
  'connect-timeout',
  'stderr',
  'trace',
  'trace-ascii',
  'output-dir',
  'max-redirs',
  'expect100-timeout',
  'keepalive-time',
  'create-file-mode',
  'max-filesize',
];

/** Options with an argument that a configuration file cannot express. */
const LOST_WITH_ARGUMENT = [
  'capath',
  'proxy',
  'proxy-user',
  'unix-socket',
  'interface',
  'config',
  'range',
  'continue-at',
  'retry',
  'retry-delay',
  'retry-max-time',
  'limit-rate',
  'speed-time',
  'speed-limit',
  'time-cond',
  'ciphers',
  'tls-max',
  'dns-servers',
  'local-port',
  'preproxy',
  'socks5',
  'socks5-hostname',
  'socks4',
  'noproxy',
  'ftp-port',
  'quote',
  'telnet-option',
  'doh-url',
  'url-query',
  'parallel-max',
  'rate',
  'request-target',
  'netrc-file',
  'hostpubmd5',
  'pinnedpubkey',
  'proto',
  'proto-default',
];

/** Options without an argument that a configuration file cannot express. */
const LOST_FLAGS = [
  'digest',
  'ntlm',
  'negotiate',
  'anyauth',
  'parallel',
  'netrc',
  'http2',
  'http3',
  'http2-prior-knowledge',
  'remote-name-all',
];

const DATA_OPTIONS = ['data', 'data-ascii', 'data-raw', 'data-binary', 'data-urlencode', 'json'];

/** Options of one transfer. In a command, each `--next` begins a new transfer. */
interface Transfer {
  readonly at: SourcePosition;
  readonly urls: ShellWord[];
  readonly headers: IntakeField[];
  /** Names of default headers that the command removes. */
  readonly removed: Set<string>;
  readonly data: IntakeText[];
  readonly parts: IntakePart[];
  readonly notes: SourceNotes;
  isJson: boolean;
  isQuery: boolean;
  method: string | null;
  upload: IntakeText | null;
  credentials: IntakeRequest['credentials'];
  /** Argument of `--aws-sigv4`; null if the request is not signed. */
  awsScope: string | null;
}

class CurlCall {
  timeout: Milliseconds | null = null;
  insecure = false;
  connection: IntakeConnection | null = null;
  followsRedirects = false;
  readonly #source: IntakeSource;
  readonly #transfers: Transfer[] = [];

  constructor(command: ShellCommand, source: IntakeSource) {
    this.#source = source;
    this.#transfers.push(newTransfer(command.at));
    if (command.unsupported.includes(OPEN_QUOTE))
      throw new InvalidSource(source, command.at, `the command contains ${OPEN_QUOTE}`);
    for (const what of command.unsupported)
      this.#current.notes.lose(command.at, `${what} is not executed, and its output is omitted`);
    this.#readWords(command.words.slice(1));
  }

  requests(): readonly IntakeRequest[] {
    return this.#transfers.flatMap((transfer) => transfer.urls.map((url) => requestOf(transfer, url)));
  }

  get #current(): Transfer {
    const transfer = this.#transfers.at(-1);
    if (transfer === undefined) throw new Error('Bug: a command without a transfer');
    return transfer;
  }

  #readWords(words: readonly ShellWord[]): void {
    let onlyUrls = false;
    for (let index = 0; index < words.length; index++) {
      const word = words[index];
      if (word === undefined) break;
      const start = literalStart(word.text);
      const argument = (): ShellWord => {
        index += 1;
        return words[index] ?? { at: word.at, text: [''] };
      };
      if (onlyUrls || !start.startsWith('-') || start === '-') this.#current.urls.push(word);
      else if (start === '--') onlyUrls = true;
      else if (start.startsWith('--')) this.#readLong(word, argument);
      else this.#readShort(word, argument);
    }
  }

  #readLong(word: ShellWord, argument: () => ShellWord): void {
    const cut = cutText(word.text, '=');
    const name = (literalOf(cut?.[0] ?? word.text) ?? '').slice(2);
    this.#apply(name, word.at, () => (cut === null ? argument() : { at: word.at, text: cut[1] }));
  }

  /** Reads short options, such as `-sSL`, `-XPOST` and `-X POST`. */
  #readShort(word: ShellWord, argument: () => ShellWord): void {
    const start = literalStart(word.text);
    for (let at = 1; at < start.length; at++) {
      const name = SHORT_OPTIONS[start.charAt(at)] ?? start.charAt(at);
      const rest: IntakeText = [start.slice(at + 1), ...word.text.slice(1)];
      const hasRest = at + 1 < start.length || word.text.length > 1;
      const used = { rest: false };
      this.#apply(name, word.at, () => {
        used.rest = true;
        return hasRest ? { at: word.at, text: rest } : argument();
      });
      if (used.rest) return;
    }
  }

  #apply(name: string, at: SourcePosition, argument: () => ShellWord): void {
    const transfer = this.#current;
    const lose = (message: string) => transfer.notes.lose(at, message);
    if (DATA_OPTIONS.includes(name)) this.#addData(name, argument());
    else if (IGNORED_WITH_ARGUMENT.includes(name)) argument();
    else if (CONNECTION_OPTIONS.includes(name)) {
      const setting = connectionSetting(name, argument().text);
      if ('loss' in setting) lose(setting.loss);
      else this.connection = withConnection(this.connection, setting);
    } else if (Object.hasOwn(CONNECTION_FLAGS, name))
      this.connection = withConnection(this.connection, CONNECTION_FLAGS[name] ?? {});
    else if (LOST_WITH_ARGUMENT.includes(name)) {
      argument();
      lose(`the curl option --${name} is not supported and is ignored`);
    } else if (LOST_FLAGS.includes(name)) lose(`the curl option --${name} is not supported and is ignored`);
    else this.#applyKnown(name, { transfer, argument, lose });
  }

  #applyKnown(
    name: string,
    {
      transfer,
      argument,
      lose,
    }: { transfer: Transfer; argument: () => ShellWord; lose: (message: string) => void },
  ): void {
    const setHeader = (header: string) => transfer.headers.push({ name: header, value: argument().text });
    switch (name) {
      case 'url':
        transfer.urls.push(argument());
        break;
      case 'request':
        transfer.method = literalOf(argument().text);
        break;
      case 'get':
        transfer.isQuery = true;
        break;
      case 'head':
        transfer.method ??= 'HEAD';
        break;
      case 'header':
        addHeader(transfer, argument().text, lose);
        break;
      case 'user-agent':
        setHeader('user-agent');
        break;
      case 'referer':
        setHeader('referer');
        break;
      case 'compressed':
        transfer.headers.push({ name: 'accept-encoding', value: ['gzip, deflate, br'] });
        break;
      case 'oauth2-bearer':
        transfer.headers.push({ name: 'authorization', value: ['Bearer ', ...argument().text] });
        break;
      case 'user':
        transfer.credentials = credentialsOf(argument().text);
        break;
      case 'aws-sigv4':
        transfer.awsScope = literalOf(argument().text) ?? '';
        break;
      case 'cookie':
        addCookie(transfer, argument().text, lose);
        break;
      case 'form':
      case 'form-string':
        this.#addPart(argument().text, name === 'form-string', lose);
        break;
      case 'upload-file':
        transfer.upload = this.#fileText(literalOf(argument().text) ?? '', lose);
        break;
      case 'insecure':
        this.insecure = true;
        break;
      case 'location':
      case 'location-trusted':
        this.followsRedirects = true;
        break;
      case 'max-time': {
        const time = Number(literalOf(argument().text) ?? '');
        if (time > 0) this.timeout = milliseconds(Math.round(time * 1000));
        break;
      }
      case 'next':
        this.#transfers.push(newTransfer(transfer.at));
        break;
    }
  }

  #addData(option: string, { at, text }: ShellWord): void {
    const transfer = this.#current;
    const lose = (message: string) => transfer.notes.lose(at, message);
    if (option === 'json') transfer.isJson = true;
    const start = literalStart(text);
    if (option === 'data-urlencode') {
      transfer.data.push(this.#urlEncoded(text, lose));
    } else if (option !== 'data-raw' && start.startsWith('@')) {
      const content = this.#fileText((literalOf(text) ?? start).slice(1), lose);
      const keepsLines = option === 'data-binary' || option === 'json';
      transfer.data.push(
        keepsLines
          ? content
          : content.map((part) => (typeof part === 'string' ? part.replaceAll(/[\r\n]/g, '') : part)),
      );
    } else transfer.data.push(text);
  }

  /** Encodes `content`, `=content`, `name=content`, `@file` and `name@file`. */
  #urlEncoded(text: IntakeText, lose: (message: string) => void): IntakeText {
    const [, name = '', sign = ''] = /^([^=@]*)([=@]?)/.exec(literalStart(text)) ?? [];
    const content: IntakeText = [
      literalStart(text).slice(name.length + sign.length),
      ...text.filter((part) => typeof part !== 'string'),
    ];
    if (sign === '@') return prefixed(name, encodedText(this.#fileText(literalOf(content) ?? '', lose)));
    return sign === '=' ? prefixed(name, encodedText(content)) : encodedText(text);
  }

  #addPart(text: IntakeText, isLiteral: boolean, lose: (message: string) => void): void {
    const [name, value] = cutText(text, '=') ?? [text, []];
    const part = { name: literalOf(name) ?? '', fileName: null, contentType: null };
    const start = literalStart(value);
    if (isLiteral || !/^[@<]/.test(start)) {
      const [content = [], ...options] = isLiteral ? [value] : splitText(value, ';');
      const contentType = options.map((one) => literalOf(one) ?? '').find((one) => one.startsWith('type='));
      this.#current.parts.push({
        ...part,
        content: { text: isLiteral ? content : withoutQuotes(content) },
        contentType: contentType?.slice(5) ?? null,
      });
      return;
    }
    const [file = '', ...options] = (literalOf(value) ?? start).slice(1).split(';');
    if (start.startsWith('<')) {
      this.#current.parts.push({ ...part, content: { text: this.#fileText(file, lose) } });
      return;
    }
    const option = (key: string) =>
      options
        .find((one) => one.trim().startsWith(`${key}=`))
        ?.trim()
        .slice(key.length + 1)
        .replaceAll('"', '');
    const content = { file: file.replaceAll('"', '') };
    this.#current.parts.push({
      ...part,
      content,
      fileName: option('filename') ?? null,
      contentType: option('type') ?? null,
    });
  }

  #fileText(path: string, lose: (message: string) => void): IntakeText {
    if (path === '-') {
      lose('content from standard input is not read; add the content to the request by hand');
      return [];
    }
    const file = this.#source.readFile(path);
    if ('text' in file) return [file.text];
    lose(`the content of a file is omitted: the file ${JSON.stringify(path)} ${file.reason}`);
    return [];
  }
}

function newTransfer(at: SourcePosition): Transfer {
  return {
    at,
    urls: [],
    headers: [],
    removed: new Set(),
    data: [],
    parts: [],
    notes: new SourceNotes(),
    isJson: false,
    isQuery: false,
    method: null,
    upload: null,
    credentials: null,
    awsScope: null,
  };
}

function prefixed(name: string, content: IntakeText): IntakeText {
  return name === '' ? content : [`${name}=`, ...content];
}

function credentialsOf(text: IntakeText): IntakeRequest['credentials'] {
  const [login, password] = cutText(text, ':') ?? [text, []];
  return { login, password };
}

/** Adds a header: `Name: value`, or `Name;` for an empty value. `Name:` removes the default header. */
function addHeader(transfer: Transfer, text: IntakeText, lose: (message: string) => void): void {
  if (literalStart(text).startsWith('@')) {
    lose('headers from a file are not read; add the headers to the request by hand');
    return;
  }
  const cut = cutText(text, ':');
  const name = literalOf(cut?.[0] ?? text)?.trim() ?? '';
  if (cut === null) {
    if (name.endsWith(';')) transfer.headers.push({ name: name.slice(0, -1), value: [''] });
    return;
  }
  const value = trimmed(cut[1]);
  if (value.length === 0) transfer.removed.add(name.toLowerCase());
  else transfer.headers.push({ name, value });
}

function trimmed(text: IntakeText): IntakeText {
  const last = text.length - 1;
  return text
    .map((part, index) => {
      if (typeof part !== 'string') return part;
      const started = index === 0 ? part.trimStart() : part;
      return index === last ? started.trimEnd() : started;
    })
    .filter((part) => part !== '');
}

function addCookie(transfer: Transfer, text: IntakeText, lose: (message: string) => void): void {
  const isFile = cutText(text, '=') === null;
  if (isFile) lose('the cookie file is not read; to send cookies, add the header "cookie" by hand');
  else transfer.headers.push({ name: 'cookie', value: text });
}

function requestOf(transfer: Transfer, word: ShellWord): IntakeRequest {
  const { parts, isJson, isQuery, upload, notes } = transfer;
  const data = transfer.data.length === 0 ? null : joinTexts(transfer.data, isJson ? '' : '&');
  const method =
    transfer.method ??
    (upload !== null ? 'PUT' : !isQuery && (data !== null || parts.length > 0) ? 'POST' : 'GET');
  const { url, notes: hostNotes } = absoluteUrl(word);
  const headers = headersOf(transfer, data !== null && !isQuery);
  const aws = awsOf(transfer, url);
  const awsNotes: readonly IntakeNote[] =
    transfer.awsScope !== null && aws === null ? [{ kind: 'loss', at: word.at, message: AWS_LOSS }] : [];
  return {
    ...EMPTY_REQUEST,
    at: word.at,
    method,
    url: isQuery && data !== null ? withQuery(url, data) : url,
    headers: aws === null ? headers : headers.filter(({ name }) => !AWS_HEADERS.has(name.toLowerCase())),
    credentials: transfer.awsScope === null ? transfer.credentials : null,
    aws,
    body: bodyOf(transfer, isQuery ? null : data, headers),
    notes: [...notes.all, ...awsNotes, ...hostNotes, ...globNotes(word)],
  };
}

const AWS_LOSS =
  'the request is not signed; to sign it, pass --aws-sigv4 aws:amz:REGION:SERVICE and both keys with --user';

/** Reads `PROVIDER[:PROVIDER[:REGION[:SERVICE]]]`. An omitted region or service is derived from the host. */
function awsOf({ awsScope, credentials, headers }: Transfer, url: IntakeText): IntakeAws | null {
  if (awsScope === null || credentials === null) return null;
  const [provider, , region = '', service = ''] = awsScope.split(':');
  const [, ofService = '', ofRegion = ''] =
    /^https?:\/\/(?:[^/.]+\.)?([\w-]+)\.([\w-]+)\.amazonaws\.com/i.exec(literalStart(url)) ?? [];
  const settings = { region: region || ofRegion, service: service || ofService };
  if (provider?.toLowerCase() !== 'aws' || settings.region === '' || settings.service === '') return null;
  const token = headers.find(({ name }) => name.toLowerCase() === 'x-amz-security-token');
  const { login, password } = credentials;
  return {
    ...settings,
    accessKeyId: login,
    secretAccessKey: password,
    sessionToken: token?.value ?? null,
  };
}

function bodyOf(
  { parts, upload }: Transfer,
  data: IntakeText | null,
  headers: readonly IntakeField[],
): IntakeBody | null {
  if (parts.length > 0) return { kind: 'multipart', parts };
  const text = upload ?? data;
  if (text === null) return null;
  const type = headers.find(({ name }) => name.toLowerCase() === 'content-type');
  const form = type !== undefined && literalOf(type.value) === FORM_TYPE ? formOf(text) : null;
  return form ?? { kind: 'text', text };
}

function withoutQuotes(text: IntakeText): IntakeText {
  const flat = new FlatText(text);
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(flat.flat) ?? [];
  return quoted === undefined ? text : flat.toText(quoted.replaceAll(/\\(["\\])/g, '$1'));
}

function formOf(text: IntakeText): IntakeBody | null {
  const fields: IntakeField[] = [];
  for (const pair of splitText(text, '&')) {
    const cut = cutText(pair, '=');
    const name = cut === null ? null : literalOf(cut[0]);
    const value = cut?.[1].map((part) => (typeof part === 'string' ? decodeFormText(part) : part)) ?? [];
    if (name === null || !/^[\w.[\]%+-]+$/.test(name) || value.includes(null)) return null;
    fields.push({ name: decodedFormText(name), value: value.filter((part) => part !== null) });
  }
  return { kind: 'form', fields };
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

function headersOf({ headers, removed, isJson }: Transfer, hasData: boolean): readonly IntakeField[] {
  const defaults: IntakeField[] = isJson
    ? [
        { name: 'content-type', value: ['application/json'] },
        { name: 'accept', value: ['application/json'] },
      ]
    : hasData
      ? [{ name: 'content-type', value: [FORM_TYPE] }]
      : [];
  const set = new Set(headers.map(({ name }) => name.toLowerCase()));
  return [...headers, ...defaults.filter(({ name }) => !set.has(name) && !removed.has(name))];
}

/**
 * Adds the scheme that curl assumes. If the URL begins with a variable whose value is unknown, uses an example origin
 * instead.
 */
function absoluteUrl({ at, text }: ShellWord): {
  readonly url: IntakeText;
  readonly notes: readonly IntakeNote[];
} {
  const [scheme = '', rest = ''] = /^(https?:\/\/)?(.*)$/is.exec(literalStart(text))?.slice(1) ?? [];
  const first = text.find((part) => typeof part !== 'string');
  if (rest === '' && first !== undefined && 'secret' in first) {
    const message = `the value of the variable ${first.secret} is unknown; replace the placeholder ${EXAMPLE_ORIGIN} with the address of the target`;
    const after = text.slice(text.indexOf(first) + 1);
    return { url: [EXAMPLE_ORIGIN, ...after], notes: [{ kind: 'change', at, message }] };
  }
  const isAbsolute = scheme !== '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(rest);
  return { url: isAbsolute ? text : ['http://', ...text], notes: [] };
}

function globNotes({ at, text }: ShellWord): readonly IntakeNote[] {
  const pattern = /\[\d+-\d+(?::\d+)?\]|\{[^{}]*,[^{}]*\}/.exec(literalOf(text) ?? '');
  if (pattern === null) return [];
  return [
    {
      kind: 'loss',
      at,
      message: 'the pattern in the URL is not expanded; add a request for each URL by hand',
    },
  ];
}
