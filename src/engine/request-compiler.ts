/** Makes requests: ready bytes where nothing varies, else constants with slots between them. */
import { isReservedHeader } from '../core/model/header-name.ts';
import { hasBodilessResponse, takesBody, sendsZeroContentLength } from '../core/model/method.ts';
import { prepareDestination, type Destination } from '../egress/dial.ts';
import type { JobField, JobTarget, LoadJob } from '../core/load/load-job.ts';
import { mergeAdjacentStrings } from '../core/merge-adjacent.ts';
import { ResponseCheck } from './response-check.ts';
import { createCookieScope, type CookieScope } from './cookie-jar.ts';
import { SlotPlan, type DrawValues, type ThreadPosition } from './slot-plan.ts';
import { isToken } from './header-bytes.ts';
import {
  toByteString,
  constantOf,
  percentEncode,
  escapeUnprintable,
  renderTemplate,
  parseTemplateParts,
  type TemplatePart,
  type SlotIndexes,
  type SlotValues,
} from './request-template.ts';
import { packJobRows, type JobRows, type PackedRows } from './row-table.ts';
import { ValueExtractor } from './value-extractor.ts';

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
  readonly headerNames: readonly Buffer[];
  /** The variables' indexes. */
  readonly variables: readonly number[];
  /** Of them, those without which a later request of the pass cannot be sent, unless they have a value already. */
  readonly requiredVariables: readonly number[];
  /** Reads the values of the variables; null for none. */
  readonly extractor: ValueExtractor | null;
  /** Null: answers below 400 are as expected. */
  readonly check: ResponseCheck | null;
  /** Whether the answer ends with its head. */
  readonly headersOnly: boolean;
  /** Cookies of the answer are wanted: by a variable, or by a later request of the pass to the same host. */
  readonly capturesCookies: boolean;
  /** An answer may come before the whole request is sent. */
  readonly mayRespondEarly: boolean;
  /** Draws how long the client waits behind the request, in ms; null: not at all. */
  readonly drawDelay: (() => number) | null;
}

export interface RequestParts {
  readonly method: JobTarget['method'];
  readonly secure: boolean;
  /** In lower case. */
  readonly hostname: string;
  readonly authority: string;
  /** Path and query. */
  readonly target: readonly TemplatePart[];
  /** All headers but the length of the body. */
  readonly lines: readonly HeaderLine[];
  /** Null: no body at all, so no length is told either. */
  readonly body: readonly TemplatePart[] | null;
  readonly draws: readonly DrawValues[];
  /** Where it goes, for cookies; null where that varies. */
  readonly cookieScope: CookieScope | null;
  /** The whole request, of what is drawn already; see `CompiledTarget.render`. */
  readonly write: Render;
  /** The same with the pairs of the pass's cookies, which the value of this index holds. */
  readonly writeWithCookies: Render;
  readonly cookieSlot: number;
}

export interface HeaderLine {
  readonly name: string;
  readonly value: readonly TemplatePart[];
}

export interface CompiledJob {
  readonly targets: readonly CompiledTarget[];
  readonly destinations: readonly Destination[];
  /** Values of a pass. */
  readonly slotCount: number;
  /** Drawn when a pass begins. */
  readonly iterationDraws: readonly DrawValues[];
}

/** More than this may not fit into the socket's own buffers at once. */
const MAX_UNBLOCKED_BYTES = 16 * 1024;

const SINGLE_THREAD: ThreadPosition = { worker: 0, workers: 1 };

/**
 * Prepares every request of a job. `rows`: those of the job, where it was separated from them.
 *
 * Errors: EgressError for addresses that are none; a plain Error for what must have been refused before: headers that
 *         change where a request goes or where it ends, line breaks in constants, expressions that are none.
 */
export function compileJob(
  job: LoadJob,
  place: ThreadPosition = SINGLE_THREAD,
  rows: JobRows = packJobRows(job),
): CompiledJob {
  const taken = job.targets.flatMap((target) => target.variables.map(({ name }) => name));
  const names = [...new Set([...taken, ...rows.iterations.flatMap((list) => list.names)])];
  const plan = new SlotPlan(job, names, place);
  const cookieSlot = plan.allocate();
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
      cookieSlot,
      destination: known.index,
      rows: rows.targets[index] ?? null,
      capturesCookies: job.targets.some((later, at) => at > index && later.hostname === hostname),
    });
  });
  const targets = compiled.map((target, index) => ({
    ...target,
    requiredVariables: target.variables.filter((variable) => isNeeded(variable, compiled.slice(index + 1))),
  }));
  const iterationDraws = rows.iterations.map((list) =>
    plan.drawRows(
      list,
      list.names.map((name) => names.indexOf(name)),
    ),
  );
  return {
    targets,
    destinations: [...destinations.values()].map((known) => known.destination),
    slotCount: plan.size,
    iterationDraws,
  };
}

interface TargetContext {
  readonly job: LoadJob;
  readonly plan: SlotPlan;
  readonly cookieSlot: number;
  readonly destination: number;
  readonly rows: PackedRows | null;
  readonly capturesCookies: boolean;
}

/** Whether one of the later requests uses a variable before another one's answer gives it. */
function isNeeded(variable: number, later: readonly Omit<CompiledTarget, 'requiredVariables'>[]): boolean {
  for (const { parts, variables } of later) {
    const pieces = [...parts.target, ...parts.lines.flatMap(({ value }) => value), ...(parts.body ?? [])];
    if (pieces.some((piece) => typeof piece !== 'string' && piece.variable === variable)) return true;
    if (variables.includes(variable)) return false;
  }
  return false;
}

function compileTarget(target: JobTarget, around: TargetContext): Omit<CompiledTarget, 'requiredVariables'> {
  const { job, plan } = around;
  const draws: DrawValues[] = [];
  const slots = plan.allocateSlots(draws);
  const parameters = compileParameters(
    target,
    slots,
    around.rows === null ? null : [around.rows, plan.allocateColumns(around.rows, draws)],
  );
  // A raw body leaves the parameters to the query.
  const hasForm = takesBody(target.method) && target.body === null && parameters.length > 0;
  const written = parameters.map((write) => write(hasForm ? 'form' : 'percent'));
  const path = mergeAdjacentStrings(compileRequestTarget(target, slots, hasForm ? [] : written));
  const lines = headerLinesOf(job, target, { slots, hasForm });
  const body = compileBody(target, slots, hasForm ? written : []);
  const head = headerSectionOf(target.method, path, lines);
  const write = createRenderer(head, body);
  const { method, secure, authority } = target;
  const hostname = target.hostname.toLowerCase();
  const fixedPath = constantOf(path);
  const parts: RequestParts = {
    ...{ method, secure, hostname, authority, target: path, lines, body, draws },
    cookieScope: fixedPath === null ? null : createCookieScope({ hostname, secure }, fixedPath),
    write,
    writeWithCookies: createRenderer(
      headerSectionOf(method, path, appendCookieLine(lines, around.cookieSlot)),
      body,
    ),
    cookieSlot: around.cookieSlot,
  };
  const varies = [...head, ...(body ?? [])].some((piece) => typeof piece !== 'string');
  const text = varies ? null : write([]);
  const extractor = target.variables.length === 0 ? null : new ValueExtractor(target.variables);
  const taken = extractor?.headerNames ?? [];
  const check = target.expect === null ? null : new ResponseCheck(target.expect, taken.length);
  return {
    destination: around.destination,
    bytes: text === null ? null : Buffer.from(text, 'latin1'),
    render: draws.length === 0 ? write : withDraws(draws, write),
    parts,
    headerNames: [...taken, ...(check?.headerNames ?? [])],
    variables: target.variables.map(({ name }) => slots.variable(name)),
    extractor,
    check,
    headersOnly: hasBodilessResponse(target.method),
    capturesCookies: around.capturesCookies || extractor?.needsCookies === true,
    mayRespondEarly: varies ? body !== null : (text?.length ?? 0) > MAX_UNBLOCKED_BYTES,
    drawDelay: target.delay === null ? null : plan.drawDelay(target.delay),
  };
}

function withDraws(draws: readonly DrawValues[], render: Render): Render {
  return (values) => {
    for (const draw of draws) draw(values);
    return render(values);
  };
}

/** Everything up to the length of the body and the empty line, which the renderer adds. */
function headerSectionOf(
  method: string,
  target: readonly TemplatePart[],
  lines: readonly HeaderLine[],
): readonly TemplatePart[] {
  const fields = lines.flatMap(({ name, value }) => [`${name}: `, ...value, '\r\n']);
  return mergeAdjacentStrings([`${method} `, ...target, ' HTTP/1.1\r\n', ...fields]);
}

/** The pairs of the pass come last, behind the user's own. */
function appendCookieLine(lines: readonly HeaderLine[], cookies: number): readonly HeaderLine[] {
  const own = lines.filter(isCookieLine).flatMap(({ value }) => [...value, '; ']);
  const value: readonly TemplatePart[] = [...own, { variable: cookies, encoding: 'raw' }];
  return [...lines.filter((line) => !isCookieLine(line)), { name: 'Cookie', value }];
}

export function isCookieLine({ name }: HeaderLine): boolean {
  return name.toLowerCase() === 'cookie';
}

/** The headers in their order: ours first, unless the target has its own. */
function headerLinesOf(
  job: LoadJob,
  target: JobTarget,
  how: { readonly slots: SlotIndexes; readonly hasForm: boolean },
): readonly HeaderLine[] {
  const given = new Set(target.headers.map(({ name }) => name.toLowerCase()));
  const lines: HeaderLine[] = [];
  // Braces in these are no variables.
  const add = (name: string, value: string): void => {
    refuseControlCharacters(name, value);
    lines.push({ name, value: [toByteString(value)] });
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
    refuseReservedHeader(name);
    refuseControlCharacters(name, value);
    const pieces = parseTemplateParts(value, how.slots, { encoding: 'header', constant: toByteString });
    lines.push({ name, value: mergeAdjacentStrings(pieces) });
  }
  return lines;
}

/** Path and query; parameters go there unless they are the body. */
function compileRequestTarget(
  target: JobTarget,
  slots: SlotIndexes,
  parameters: readonly (readonly TemplatePart[])[],
): readonly TemplatePart[] {
  const how = { encoding: 'percent', constant: escapeUnprintable, escaped: true } as const;
  const pieces = [...parseTemplateParts(target.path, slots, how)];
  const query = target.path.indexOf('?');
  const open = query >= 0 && /[?&]$/.test(target.path);
  parameters.forEach((parameter, index) => {
    pieces.push(index > 0 || (query >= 0 && !open) ? '&' : open ? '' : '?');
    pieces.push(...parameter);
  });
  return pieces;
}

function compileBody(
  target: JobTarget,
  slots: SlotIndexes,
  parameters: readonly (readonly TemplatePart[])[],
): readonly TemplatePart[] | null {
  if (target.body !== null && takesBody(target.method))
    return mergeAdjacentStrings(
      parseTemplateParts(target.body, slots, {
        encoding: target.jsonBody ? 'json' : 'raw',
        constant: toByteString,
      }),
    );
  if (parameters.length === 0 && !sendsZeroContentLength(target.method)) return null;
  return mergeAdjacentStrings(
    parameters.flatMap((parameter, index) => [index === 0 ? '' : '&', ...parameter]),
  );
}

/** A parameter as it is written in a query or a form. */
type Parameter = (encoding: 'percent' | 'form') => readonly TemplatePart[];

/** The parameters of a target, and behind them one for each column of its rows. */
function compileParameters(
  target: JobTarget,
  slots: SlotIndexes,
  rows: readonly [PackedRows, readonly number[]] | null,
): readonly Parameter[] {
  const own = target.params.map(({ name, value }: JobField): Parameter => (encoding) => {
    const constant = (text: string): string => percentEncode(toByteString(text), encoding);
    return [constant(name), '=', ...parseTemplateParts(value, slots, { encoding, constant })];
  });
  if (rows === null) return own;
  const [{ names }, indexes] = rows;
  const columns = names.map((name, column): Parameter => (encoding) => [
    `${percentEncode(toByteString(name), encoding)}=`,
    { variable: indexes[column] ?? -1, encoding },
  ]);
  return [...own, ...columns];
}

function createRenderer(
  head: readonly TemplatePart[],
  body: readonly TemplatePart[] | null,
): (values: SlotValues) => string | null {
  if (body === null) {
    const whole = mergeAdjacentStrings([...head, '\r\n']);
    return (values) => renderTemplate(whole, values);
  }
  const fixed = constantOf(body);
  if (fixed !== null) {
    const whole = mergeAdjacentStrings([...head, `Content-Length: ${fixed.length}\r\n\r\n${fixed}`]);
    return (values) => renderTemplate(whole, values);
  }
  return (values) => {
    const start = renderTemplate(head, values);
    const rest = renderTemplate(body, values);
    return start === null || rest === null ? null : appendBody(start, rest);
  };
}

/** Puts a body behind a head that has no empty line yet. */
export function appendBody(head: string, body: string): string {
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function refuseControlCharacters(name: string, value: string): void {
  const isName = name !== '' && Array.from(name).every((character) => isToken(character.charCodeAt(0)));
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (!isName || /[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    throw new Error(`Bug: the header "${name}" was not checked`);
}

function refuseReservedHeader(name: string): void {
  if (isReservedHeader(name)) throw new Error(`Bug: the header "${name}" was let through`);
}
