/** Makes requests: ready bytes where nothing varies, else constants with slots between them. */
import { prepareDestination, type Destination } from '../egress/dial.ts';
import type { JobField, JobTarget, LoadJob } from '../core/load/job.ts';
import { compileTemplate, type Template } from '../core/load/template.ts';
import { isToken } from './header-bytes.ts';

/** Values of the variables of a pass, by index; as latin1 characters that stand for bytes. */
export type Values = readonly (string | undefined)[];

export interface CompiledTarget {
  /** Which of the job's destinations. */
  readonly destination: number;
  /** The whole request, when nothing in it varies. */
  readonly bytes: Buffer | null;
  /**
   * The whole request, as latin1 characters that stand for bytes.
   *
   * Errors: null when a variable is undefined, or its value holds what no header may hold: CR, LF or NUL.
   */
  readonly render: (values: Values) => string | null;
  /** Response headers that variables come from, in lower case, and the variables' indexes. */
  readonly wanted: readonly Buffer[];
  readonly variables: readonly number[];
  /** An answer may come before the whole request is sent. */
  readonly mayOutrun: boolean;
}

export interface CompiledJob {
  readonly targets: readonly CompiledTarget[];
  readonly destinations: readonly Destination[];
  /** Names of all variables that are ever taken; a pass has one value for each. */
  readonly variables: readonly string[];
}

/** How a value is written where it stands. */
type Encoding = 'percent' | 'form' | 'header' | 'raw';

interface Slot {
  /** −1: never taken from any answer, so always undefined. */
  readonly variable: number;
  readonly encoding: Encoding;
}

type Piece = string | Slot;

/** More than this may not fit into the socket's own buffers at once. */
const SURELY_SENT_BYTES = 16 * 1024;

/**
 * Prepares every request of a job.
 *
 * Errors: EgressError for addresses that are none; a plain Error for what must have been refused before: headers that
 *         change where a request goes or where it ends, and line breaks in constants.
 */
export function compileJob(job: LoadJob): CompiledJob {
  const variables = [...new Set(job.targets.flatMap((target) => target.variables.map(({ name }) => name)))];
  const destinations = new Map<string, { readonly index: number; readonly destination: Destination }>();
  const targets = job.targets.map((target) => {
    const { secure, hostname, port, addresses } = target;
    const key = JSON.stringify([secure, hostname, port, addresses]);
    const known = destinations.get(key) ?? {
      index: destinations.size,
      destination: prepareDestination({ secure, hostname, port, addresses, tlsVerify: job.tlsVerify }),
    };
    destinations.set(key, known);
    return compileTarget(job, target, { destination: known.index, variables });
  });
  return { targets, destinations: [...destinations.values()].map((known) => known.destination), variables };
}

function compileTarget(
  job: LoadJob,
  target: JobTarget,
  context: { readonly destination: number; readonly variables: readonly string[] },
): CompiledTarget {
  const body = bodyOf(target, context.variables);
  const head = headOf(job, target, context.variables);
  const render = renderer(head, body);
  const varies = [...head, ...(body ?? [])].some((piece) => typeof piece !== 'string');
  const text = varies ? null : render([]);
  return {
    destination: context.destination,
    bytes: text === null ? null : Buffer.from(text, 'latin1'),
    render,
    wanted: target.variables.map(({ header }) => Buffer.from(header.toLowerCase(), 'latin1')),
    variables: target.variables.map(({ name }) => context.variables.indexOf(name)),
    mayOutrun: varies ? body !== null : (text?.length ?? 0) > SURELY_SENT_BYTES,
  };
}

/** Everything up to the length of the body and the empty line, which the renderer adds. */
function headOf(job: LoadJob, target: JobTarget, variables: readonly string[]): readonly Piece[] {
  const given = new Set(target.headers.map(({ name }) => name.toLowerCase()));
  const pieces: Piece[] = [`${target.method} `, ...requestTarget(target, variables), ' HTTP/1.1\r\n'];
  const add = (field: JobField): void => {
    pieces.push(...header(field, variables));
  };
  const addUnlessGiven = (name: string, value: string): void => {
    // Braces in these are no variables.
    if (!given.has(name.toLowerCase())) pieces.push(constantHeader(name, value));
  };
  pieces.push(constantHeader('Host', target.authority));
  addUnlessGiven('User-Agent', job.userAgent);
  pieces.push(constantHeader('X-Loadtests-Run', job.runId));
  addUnlessGiven('Accept', '*/*');
  if (target.credentials !== null) {
    const { login, password } = target.credentials;
    addUnlessGiven('Authorization', `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`);
  }
  if (hasFormBody(target)) addUnlessGiven('Content-Type', 'application/x-www-form-urlencoded');
  for (const field of target.headers) {
    refuseHeader(field.name);
    add(field);
  }
  return joined(pieces);
}

/** Path and query; parameters go there unless they are the body. */
function requestTarget(target: JobTarget, variables: readonly string[]): readonly Piece[] {
  const pieces = [
    ...piecesOf(compileTemplate(target.path, { escaped: true }), variables, {
      encoding: 'percent',
      constant: escapeUnprintable,
    }),
  ];
  if (hasFormBody(target)) return pieces;
  const query = target.path.indexOf('?');
  const open = query >= 0 && /[?&]$/.test(target.path);
  target.params.forEach((param, index) => {
    pieces.push(index > 0 || (query >= 0 && !open) ? '&' : open ? '' : '?');
    pieces.push(...parameter(param, variables, 'percent'));
  });
  return pieces;
}

/** Null: no body at all, so no length is told either. */
function bodyOf(target: JobTarget, variables: readonly string[]): readonly Piece[] | null {
  if (target.method !== 'POST') return null;
  if (target.body !== null) {
    return joined(piecesOf(compileTemplate(target.body), variables, { encoding: 'raw', constant: asBytes }));
  }
  return joined(
    target.params.flatMap((param, index) => [index === 0 ? '' : '&', ...parameter(param, variables, 'form')]),
  );
}

/** A raw body leaves the parameters to the query. */
function hasFormBody(target: JobTarget): boolean {
  return target.method === 'POST' && target.body === null && target.params.length > 0;
}

function parameter(
  param: JobField,
  variables: readonly string[],
  encoding: 'percent' | 'form',
): readonly Piece[] {
  const constant = (text: string): string => encoded(asBytes(text), encoding);
  return [
    constant(param.name),
    '=',
    ...piecesOf(compileTemplate(param.value), variables, { encoding, constant }),
  ];
}

function header(field: JobField, variables: readonly string[]): readonly Piece[] {
  refuseControls(field.name, field.value);
  return [
    `${field.name}: `,
    ...piecesOf(compileTemplate(field.value), variables, { encoding: 'header', constant: asBytes }),
    '\r\n',
  ];
}

function constantHeader(name: string, value: string): string {
  refuseControls(name, value);
  return `${name}: ${asBytes(value)}\r\n`;
}

function piecesOf(
  template: Template,
  variables: readonly string[],
  how: { readonly encoding: Encoding; readonly constant: (text: string) => string },
): readonly Piece[] {
  return template.constants.flatMap((text, index): Piece[] => {
    const name = template.names[index];
    const constant = how.constant(text);
    return name === undefined
      ? [constant]
      : [constant, { variable: variables.indexOf(name), encoding: how.encoding }];
  });
}

/** Puts neighbouring constants together. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') result[result.length - 1] = last + piece;
    else result.push(piece);
  }
  return result;
}

function renderer(head: readonly Piece[], body: readonly Piece[] | null): (values: Values) => string | null {
  if (body === null) {
    const whole = joined([...head, '\r\n']);
    return (values) => fill(whole, values);
  }
  const fixed = body.every((piece) => typeof piece === 'string') ? body.join('') : null;
  if (fixed !== null) {
    const whole = joined([...head, `Content-Length: ${fixed.length}\r\n\r\n${fixed}`]);
    return (values) => fill(whole, values);
  }
  return (values) => {
    const start = fill(head, values);
    const rest = fill(body, values);
    return start === null || rest === null ? null : `${start}Content-Length: ${rest.length}\r\n\r\n${rest}`;
  };
}

function fill(pieces: readonly Piece[], values: Values): string | null {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    const value = values[piece.variable];
    if (value === undefined) return null;
    if (piece.encoding === 'raw') text += value;
    else if (piece.encoding !== 'header') text += encoded(value, piece.encoding);
    else if (LINE_BREAKING.test(value)) return null;
    else text += value;
  }
  return text;
}

const LINE_BREAKING = /[\r\n\0]/;

/** UTF-8, one latin1 character for each byte, so that the whole request can be written in one go. */
function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Source: RFC 3986, section 2.3 (unreserved); for forms the URL standard, where a space is a plus. */
function encoded(bytes: string, encoding: 'percent' | 'form'): string {
  return bytes.replace(/[^A-Za-z0-9\-._~]/g, (byte) =>
    byte === ' ' && encoding === 'form' ? '+' : hex(byte),
  );
}

/** What may not stand in a request line; the rest of a path is the user's own. */
function escapeUnprintable(text: string): string {
  return asBytes(text).replace(/[^\x21-\x7e]/g, hex);
}

function hex(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

function refuseControls(name: string, value: string): void {
  const isName = name !== '' && Array.from(name).every((character) => isToken(character.charCodeAt(0)));
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (!isName || /[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    throw new Error(`Bug: the header "${name}" was not checked`);
}

/** These would change where a request goes, where it ends, or what follows it. */
const REFUSED_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'keep-alive',
  'x-loadtests-run',
]);

function refuseHeader(name: string): void {
  const lower = name.toLowerCase();
  if (REFUSED_HEADERS.has(lower) || lower.startsWith('proxy-')) {
    throw new Error(`Bug: the header "${name}" was let through`);
  }
}
