/** Makes requests: ready bytes where nothing varies, else constants with slots between them. */
import { isReservedHeader } from '../core/model/header-name.ts';
import { answersHeadOnly, takesBody, tellsEmptyBody } from '../core/model/method.ts';
import { prepareDestination, type Destination } from '../egress/dial.ts';
import type { JobField, JobTarget, LoadJob } from '../core/load/job.ts';
import { joinTexts } from '../core/neighbours.ts';
import { AnswerCheck } from './answer-check.ts';
import { cookiePlace, type CookiePlace } from './cookies.ts';
import { SlotPlan, type Draw, type Place } from './draws.ts';
import { isToken } from './header-bytes.ts';
import {
  asBytes,
  constantOf,
  encoded,
  escapeUnprintable,
  fill,
  piecesOf,
  type Piece,
  type SlotIndexes,
  type Values,
} from './pieces.ts';
import { packRowsOf, type JobRows, type PackedRows } from './row-table.ts';
import { ValueTaker } from './taken-values.ts';

type Render = (values: (string | undefined)[]) => string | null;

export interface CompiledTarget {
  /** Which of the job's destinations. */
  readonly destination: number;
  /** The whole request, when nothing in it varies. */
  readonly bytes: Buffer | null;
  /**
   * The whole request, as latin1 characters that stand for bytes. Draws what is to be drawn.
   *
   * Errors: null when a variable is undefined, or its value holds what no header may hold: CR, LF or NUL.
   */
  readonly render: Render;
  /** The same request for those who need it otherwise: with cookies, or as a redirect wants it. */
  readonly parts: RequestParts;
  /** Response headers that variables come from, and behind them those that are expected; in lower case. */
  readonly wanted: readonly Buffer[];
  /** The variables' indexes. */
  readonly variables: readonly number[];
  /** Of them, those without which a later request of the pass cannot be sent, unless they have a value already. */
  readonly needed: readonly number[];
  /** Reads the values of the variables; null for none. */
  readonly taker: ValueTaker | null;
  /** Null: answers below 400 are as expected. */
  readonly check: AnswerCheck | null;
  /** Whether the answer ends with its head. */
  readonly headOnly: boolean;
  /** Cookies of the answer are wanted: by a variable, or by a later request of the pass to the same host. */
  readonly setsCookies: boolean;
  /** An answer may come before the whole request is sent. */
  readonly mayOutrun: boolean;
  /** Draws how long the client waits behind the request, in ms; null: not at all. */
  readonly delay: (() => number) | null;
}

export interface RequestParts {
  readonly method: JobTarget['method'];
  readonly secure: boolean;
  /** In lower case. */
  readonly hostname: string;
  readonly authority: string;
  /** Path and query. */
  readonly target: readonly Piece[];
  /** All headers but the length of the body. */
  readonly lines: readonly HeaderLine[];
  /** Null: no body at all, so no length is told either. */
  readonly body: readonly Piece[] | null;
  readonly draws: readonly Draw[];
  /** Where it goes, for cookies; null where that varies. */
  readonly place: CookiePlace | null;
  /** The whole request, of what is drawn already; see `CompiledTarget.render`. */
  readonly write: Render;
  /** The same with the pairs of the pass's cookies, which the value of this index holds. */
  readonly writeWithCookies: Render;
  readonly cookies: number;
}

export interface HeaderLine {
  readonly name: string;
  readonly value: readonly Piece[];
}

export interface CompiledJob {
  readonly targets: readonly CompiledTarget[];
  readonly destinations: readonly Destination[];
  /** Values of a pass. */
  readonly values: number;
  /** Drawn when a pass begins. */
  readonly passDraws: readonly Draw[];
}

/** More than this may not fit into the socket's own buffers at once. */
const SURELY_SENT_BYTES = 16 * 1024;

const ALONE: Place = { worker: 0, workers: 1 };

/**
 * Prepares every request of a job. `rows`: those of the job, where it was separated from them.
 *
 * Errors: EgressError for addresses that are none; a plain Error for what must have been refused before: headers that
 *         change where a request goes or where it ends, line breaks in constants, expressions that are none.
 */
export function compileJob(job: LoadJob, place: Place = ALONE, rows: JobRows = packRowsOf(job)): CompiledJob {
  const taken = job.targets.flatMap((target) => target.variables.map(({ name }) => name));
  const names = [...new Set([...taken, ...rows.passes.flatMap((list) => list.names)])];
  const plan = new SlotPlan(job, names, place);
  const cookies = plan.next();
  const destinations = new Map<string, { readonly index: number; readonly destination: Destination }>();
  const compiled = job.targets.map((target, index) => {
    const { secure, hostname, port, addresses } = target;
    const key = JSON.stringify([secure, hostname, port, addresses]);
    const known = destinations.get(key) ?? {
      index: destinations.size,
      destination: prepareDestination({ secure, hostname, port, addresses, tlsVerify: job.tlsVerify }),
    };
    destinations.set(key, known);
    return compileTarget(target, {
      job,
      plan,
      cookies,
      destination: known.index,
      rows: rows.targets[index] ?? null,
      setsCookies: job.targets.some((later, at) => at > index && later.hostname === hostname),
    });
  });
  const targets = compiled.map((target, index) => ({
    ...target,
    needed: target.variables.filter((variable) => isNeeded(variable, compiled.slice(index + 1))),
  }));
  const passDraws = rows.passes.map((list) =>
    plan.rows(
      list,
      list.names.map((name) => names.indexOf(name)),
    ),
  );
  return {
    targets,
    destinations: [...destinations.values()].map((known) => known.destination),
    values: plan.size,
    passDraws,
  };
}

interface Surroundings {
  readonly job: LoadJob;
  readonly plan: SlotPlan;
  readonly cookies: number;
  readonly destination: number;
  readonly rows: PackedRows | null;
  readonly setsCookies: boolean;
}

/** Whether one of the later requests uses a variable before another one's answer gives it. */
function isNeeded(variable: number, later: readonly Omit<CompiledTarget, 'needed'>[]): boolean {
  for (const { parts, variables } of later) {
    const pieces = [...parts.target, ...parts.lines.flatMap(({ value }) => value), ...(parts.body ?? [])];
    if (pieces.some((piece) => typeof piece !== 'string' && piece.variable === variable)) return true;
    if (variables.includes(variable)) return false;
  }
  return false;
}

function compileTarget(target: JobTarget, around: Surroundings): Omit<CompiledTarget, 'needed'> {
  const { job, plan } = around;
  const draws: Draw[] = [];
  const slots = plan.slots(draws);
  const parameters = parametersOf(
    target,
    slots,
    around.rows === null ? null : [around.rows, plan.columns(around.rows, draws)],
  );
  // A raw body leaves the parameters to the query.
  const hasForm = takesBody(target.method) && target.body === null && parameters.length > 0;
  const written = parameters.map((write) => write(hasForm ? 'form' : 'percent'));
  const path = joinTexts(requestTarget(target, slots, hasForm ? [] : written));
  const lines = linesOf(job, target, { slots, hasForm });
  const body = bodyOf(target, slots, hasForm ? written : []);
  const head = headOf(target.method, path, lines);
  const write = renderer(head, body);
  const { method, secure, authority } = target;
  const hostname = target.hostname.toLowerCase();
  const fixedPath = constantOf(path);
  const parts: RequestParts = {
    ...{ method, secure, hostname, authority, target: path, lines, body, draws },
    place: fixedPath === null ? null : cookiePlace({ hostname, secure }, fixedPath),
    write,
    writeWithCookies: renderer(headOf(method, path, withCookieLine(lines, around.cookies)), body),
    cookies: around.cookies,
  };
  const varies = [...head, ...(body ?? [])].some((piece) => typeof piece !== 'string');
  const text = varies ? null : write([]);
  const taker = target.variables.length === 0 ? null : new ValueTaker(target.variables);
  const taken = taker?.wanted ?? [];
  const check = target.expect === null ? null : new AnswerCheck(target.expect, taken.length);
  return {
    destination: around.destination,
    bytes: text === null ? null : Buffer.from(text, 'latin1'),
    render: draws.length === 0 ? write : drawing(draws, write),
    parts,
    wanted: [...taken, ...(check?.wanted ?? [])],
    variables: target.variables.map(({ name }) => slots.variable(name)),
    taker,
    check,
    headOnly: answersHeadOnly(target.method),
    setsCookies: around.setsCookies || taker?.looksAtCookies === true,
    mayOutrun: varies ? body !== null : (text?.length ?? 0) > SURELY_SENT_BYTES,
    delay: target.delay === null ? null : plan.delay(target.delay),
  };
}

function drawing(draws: readonly Draw[], render: Render): Render {
  return (values) => {
    for (const draw of draws) draw(values);
    return render(values);
  };
}

/** Everything up to the length of the body and the empty line, which the renderer adds. */
function headOf(method: string, target: readonly Piece[], lines: readonly HeaderLine[]): readonly Piece[] {
  const fields = lines.flatMap(({ name, value }) => [`${name}: `, ...value, '\r\n']);
  return joinTexts([`${method} `, ...target, ' HTTP/1.1\r\n', ...fields]);
}

/** The pairs of the pass come last, behind the user's own. */
function withCookieLine(lines: readonly HeaderLine[], cookies: number): readonly HeaderLine[] {
  const own = lines.filter(isCookieLine).flatMap(({ value }) => [...value, '; ']);
  const value: readonly Piece[] = [...own, { variable: cookies, encoding: 'raw' }];
  return [...lines.filter((line) => !isCookieLine(line)), { name: 'Cookie', value }];
}

export function isCookieLine({ name }: HeaderLine): boolean {
  return name.toLowerCase() === 'cookie';
}

/** The headers in their order: ours first, unless the target has its own. */
function linesOf(
  job: LoadJob,
  target: JobTarget,
  how: { readonly slots: SlotIndexes; readonly hasForm: boolean },
): readonly HeaderLine[] {
  const given = new Set(target.headers.map(({ name }) => name.toLowerCase()));
  const lines: HeaderLine[] = [];
  // Braces in these are no variables.
  const add = (name: string, value: string): void => {
    refuseControls(name, value);
    lines.push({ name, value: [asBytes(value)] });
  };
  const addUnlessGiven = (name: string, value: string): void => {
    if (!given.has(name.toLowerCase())) add(name, value);
  };
  add('Host', target.authority);
  addUnlessGiven('User-Agent', job.userAgent);
  add('X-Loadtests-Run', job.runId);
  addUnlessGiven('Accept', '*/*');
  if (target.credentials !== null) {
    const { login, password } = target.credentials;
    addUnlessGiven('Authorization', `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`);
  }
  if (how.hasForm) addUnlessGiven('Content-Type', 'application/x-www-form-urlencoded');
  for (const { name, value } of target.headers) {
    refuseHeader(name);
    refuseControls(name, value);
    const pieces = piecesOf(value, how.slots, { encoding: 'header', constant: asBytes });
    lines.push({ name, value: joinTexts(pieces) });
  }
  return lines;
}

/** Path and query; parameters go there unless they are the body. */
function requestTarget(
  target: JobTarget,
  slots: SlotIndexes,
  parameters: readonly (readonly Piece[])[],
): readonly Piece[] {
  const how = { encoding: 'percent', constant: escapeUnprintable, escaped: true } as const;
  const pieces = [...piecesOf(target.path, slots, how)];
  const query = target.path.indexOf('?');
  const open = query >= 0 && /[?&]$/.test(target.path);
  parameters.forEach((parameter, index) => {
    pieces.push(index > 0 || (query >= 0 && !open) ? '&' : open ? '' : '?');
    pieces.push(...parameter);
  });
  return pieces;
}

function bodyOf(
  target: JobTarget,
  slots: SlotIndexes,
  parameters: readonly (readonly Piece[])[],
): readonly Piece[] | null {
  if (target.body !== null && takesBody(target.method))
    return joinTexts(
      piecesOf(target.body, slots, { encoding: target.jsonBody ? 'json' : 'raw', constant: asBytes }),
    );
  if (parameters.length === 0 && !tellsEmptyBody(target.method)) return null;
  return joinTexts(parameters.flatMap((parameter, index) => [index === 0 ? '' : '&', ...parameter]));
}

/** A parameter as it is written in a query or a form. */
type Parameter = (encoding: 'percent' | 'form') => readonly Piece[];

/** The parameters of a target, and behind them one for each column of its rows. */
function parametersOf(
  target: JobTarget,
  slots: SlotIndexes,
  rows: readonly [PackedRows, readonly number[]] | null,
): readonly Parameter[] {
  const own = target.params.map(({ name, value }: JobField): Parameter => (encoding) => {
    const constant = (text: string): string => encoded(asBytes(text), encoding);
    return [constant(name), '=', ...piecesOf(value, slots, { encoding, constant })];
  });
  if (rows === null) return own;
  const [{ names }, indexes] = rows;
  const columns = names.map((name, column): Parameter => (encoding) => [
    `${encoded(asBytes(name), encoding)}=`,
    { variable: indexes[column] ?? -1, encoding },
  ]);
  return [...own, ...columns];
}

function renderer(head: readonly Piece[], body: readonly Piece[] | null): (values: Values) => string | null {
  if (body === null) {
    const whole = joinTexts([...head, '\r\n']);
    return (values) => fill(whole, values);
  }
  const fixed = constantOf(body);
  if (fixed !== null) {
    const whole = joinTexts([...head, `Content-Length: ${fixed.length}\r\n\r\n${fixed}`]);
    return (values) => fill(whole, values);
  }
  return (values) => {
    const start = fill(head, values);
    const rest = fill(body, values);
    return start === null || rest === null ? null : withBody(start, rest);
  };
}

/** Puts a body behind a head that has no empty line yet. */
export function withBody(head: string, body: string): string {
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function refuseControls(name: string, value: string): void {
  const isName = name !== '' && Array.from(name).every((character) => isToken(character.charCodeAt(0)));
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (!isName || /[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    throw new Error(`Bug: the header "${name}" was not checked`);
}

function refuseHeader(name: string): void {
  if (isReservedHeader(name)) throw new Error(`Bug: the header "${name}" was let through`);
}
