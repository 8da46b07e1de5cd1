/** Compiles a constant request to bytes, and any other request to constants with slots between them. */
import { isCredentialName, isReservedHeader } from '../core/model/header-name.ts';
import { hasBodilessResponse, takesBody, sendsZeroContentLength } from '../core/model/method.ts';
import { prepareDestination, type Destination } from '../egress/dial.ts';
import { endOf, groupsAround, type ForEach } from '../core/model/group.ts';
import { iterationWith } from '../core/model/iteration.ts';
import { originOf, urlVariableOf } from '../core/model/resolved-url.ts';
import type { JobField, JobTarget, LoadJob } from '../core/load/load-job.ts';
import { mergeAdjacentStrings } from '../core/merge-adjacent.ts';
import { createAwsSigner, type SignRequest } from './aws-signer.ts';
import { ResponseCheck } from './response-check.ts';
import { createCookieScope, type CookieScope } from './cookie-jar.ts';
import { compileVariableConditions } from './condition-check.ts';
import type { CompiledGroup, GroupList } from './iteration-program.ts';
import { itemsIn } from './list-items.ts';
import { SlotPlan, type DrawingIteration, type DrawValues, type ThreadPosition } from './slot-plan.ts';
import { isToken } from './header-bytes.ts';
import { compileMultipart, contentOf } from './multipart-body.ts';
import {
  toByteString,
  constantOf,
  percentEncode,
  escapeUnprintable,
  renderTemplate,
  parseTemplateParts,
  withTypes,
  type TemplatePart,
  type SlotIndexes,
  type SlotValues,
} from './request-template.ts';
import { packJobRows, type JobRows, type PackedRows } from './row-table.ts';
import { createUrlResolver, type ResolveTarget, type UrlSlots } from './url-resolver.ts';
import { ValueExtractor } from './value-extractor.ts';

type Render = (values: SlotValues) => string | null;

export interface CompiledTarget {
  /** Index in `CompiledJob.destinations`. */
  readonly destination: number;
  /** The complete bytes if the request is constant and unsigned; otherwise null. */
  readonly bytes: Buffer | null;
  /** Draws the values and renders the request as latin1 bytes; null if a value is undefined or would break a header. */
  readonly render: (iteration: DrawingIteration) => string | null;
  /** Parts of the request, for rendering it with cookies or after a redirect. */
  readonly parts: RequestParts;
  /** Names of the response headers for variables, followed by those for expectations, in lower case. */
  readonly headerNames: readonly Buffer[];
  readonly variables: readonly VariableSlot[];
  /** Indexes of the variables that a later request of the iteration requires. */
  readonly requiredVariables: readonly number[];
  readonly extractor: ValueExtractor | null;
  /** Check of the expectations; null if every response with a status below 400 is a success. */
  readonly check: ResponseCheck | null;
  readonly headersOnly: boolean;
  /** True if a variable needs the cookies of the response, or a later request of the iteration may need them. */
  readonly capturesCookies: boolean;
  /** Draws the delay after the request, in ms; null if there is none. */
  readonly drawDelay: (() => number) | null;
  readonly endsOnFailure: boolean;
  /** Selects the target for a URL that is the value of a variable; null for any other URL. */
  readonly resolve: ResolveTarget<CompiledTarget> | null;
}

export interface VariableSlot {
  readonly index: number;
  /** Slot that is set if the value is not a JSON string; −1 if the type is not needed. */
  readonly typeIndex: number;
}

export interface RequestParts {
  readonly method: JobTarget['method'];
  readonly secure: boolean;
  /** Host name in lower case. */
  readonly hostname: string;
  readonly authority: string;
  /** Path and query. */
  readonly target: readonly TemplatePart[];
  /** All headers except Content-Length. */
  readonly lines: readonly HeaderLine[];
  /** Body of the request; null if there is none. Without a body, Content-Length is not sent. */
  readonly body: readonly TemplatePart[] | null;
  readonly draws: readonly DrawValues[];
  /** Cookie scope of the request; null if its path is variable. */
  readonly cookieScope: CookieScope | null;
  /** Renders the whole request with values that were already drawn. */
  readonly write: Render;
  /** Like `write`, but adds the cookies of the iteration from the value at `cookieSlot`. */
  readonly writeWithCookies: Render;
  readonly cookieSlot: number;
  readonly sign: SignRequest | null;
}

export interface HeaderLine {
  readonly name: string;
  readonly value: readonly TemplatePart[];
}

export interface CompiledJob {
  readonly targets: readonly CompiledTarget[];
  readonly destinations: readonly Destination[];
  readonly slotCount: number;
  readonly iterationDraws: readonly DrawValues[];
  /** Values drawn once for each client, before its requests of `onStart`. */
  readonly clientDraws: readonly DrawValues[];
  /** Additional values of iterations, by flow; null if no flow has values. */
  readonly flowDraws: readonly (readonly DrawValues[])[] | null;
  readonly maskedSlots: readonly number[];
  /** Conditions and lists of the groups of the job, in their order. */
  readonly groups: readonly CompiledGroup[];
  /** True if draws use the random numbers of the iteration. */
  readonly usesRandom: boolean;
  /** Replaces the rows of the last list of iteration rows, for iterations that begin later. */
  readonly replaceLatestRows: (rows: PackedRows) => void;
}

const SINGLE_THREAD: ThreadPosition = { worker: 0, workers: 1 };

export interface CompileOptions {
  /** Default: `prepareDestination`. */
  readonly prepare?: typeof prepareDestination;
  /** True if the types of all variables are needed, including variables that no request uses. */
  readonly keepsTypes?: boolean;
}

/**
 * Compiles a job for one thread.
 * @param rows - Payload rows of the job, if they were removed from the job.
 * @throws EgressError for an invalid address. Error for a fault that an earlier check should have rejected: a reserved
 * header, a line break in a constant or an invalid expression.
 */
export function compileJob(
  job: LoadJob,
  position: ThreadPosition = SINGLE_THREAD,
  rows: JobRows = packJobRows(job),
  { prepare = prepareDestination, keepsTypes = false }: CompileOptions = {},
): CompiledJob {
  const variableNames = job.targets.flatMap((target) => target.variables.map(({ name }) => name));
  const flowValues = (job.flows ?? []).map(({ values = [] }) => values);
  const valueNames = [job.values, ...flowValues].flat().map(({ name }) => name);
  const rowNames = rows.iterations.flatMap((list) => list.names);
  const itemNames = (job.groups ?? []).flatMap(({ forEach }) => forEach?.name ?? []);
  const names = [...new Set([...variableNames, ...rowNames, ...valueNames, ...itemNames])];
  const plan = new SlotPlan(job, names, position);
  const cookieSlot = plan.allocate();
  if (keepsTypes) for (const variable of names.keys()) plan.allocateType(variable);
  const laterIn = <T>(targets: readonly T[], index: number) =>
    targets.slice(index + 1, iterationWith(job, index).end);
  /** Returns the targets that may follow a target, including those in the next repetition of a group. */
  const mayFollow = (index: number) => {
    const outermost = job.groups?.find((group) => group.first <= index && index < endOf(group));
    const repeated = outermost === undefined ? [] : job.targets.slice(outermost.first, endOf(outermost));
    return [...repeated, ...laterIn(job.targets, index)];
  };
  const destinations = new Map<string, { readonly index: number; readonly destination: Destination }>();
  const compiled = job.targets.map((target, index) => {
    const { secure, hostname, port, addresses, connection } = target;
    const key = JSON.stringify([secure, hostname, port, addresses, connection]);
    const destination = destinations.get(key) ?? {
      index: destinations.size,
      destination: prepare({ ...target, tlsVerify: job.tlsVerify }),
    };
    destinations.set(key, destination);
    return compileTarget(target, {
      job,
      plan,
      cookieSlot,
      destination: destination.index,
      rows: rows.targets[index] ?? null,
      files: rows.files,
      capturesCookies: mayFollow(index).some(
        (later) => later.hostname === hostname || later.resolveUrl || target.resolveUrl,
      ),
    });
  });
  const conditionSlotsOf = (index: number) =>
    groupsAround(job.groups ?? [], index).flatMap((group) =>
      (job.groups?.[group]?.when ?? []).map(({ name }) => names.indexOf(name)),
    );
  const targets = compiled.map(({ url, ...target }, index) => ({
    ...target,
    variables: target.variables.map((variable) => ({
      index: variable,
      typeIndex: plan.typeSlotOf(variable),
    })),
    requiredVariables: target.variables.filter((variable) =>
      isNeeded(
        variable,
        laterIn(compiled, index).filter(
          (_, after) => !conditionSlotsOf(index + 1 + after).includes(variable),
        ),
      ),
    ),
    resolve: null,
  }));
  const byOrigin = (target: CompiledTarget) =>
    new Map(
      targets.map(({ destination, parts: { secure, hostname, authority } }) => [
        originOf({ secure, authority }),
        { ...target, destination, parts: { ...target.parts, secure, hostname, authority } },
      ]),
    );
  const resolvable = targets.map((target, index): CompiledTarget => {
    const { url = null } = compiled[index] ?? {};
    return url === null
      ? target
      : { ...target, resolve: createUrlResolver(url, originOf(target.parts), byOrigin(target)) };
  });
  const rowDraws = rows.iterations.map((list) =>
    plan.drawRows(
      list,
      list.names.map((name) => names.indexOf(name)),
    ),
  );
  // Rows are drawn before values, because values may refer to rows.
  const clientDraws = rowDraws.slice(0, job.clientRows);
  const iterationDraws = [
    ...rowDraws.slice(job.clientRows),
    ...job.values.map((value) => compileValue(value, plan)),
  ];
  const flowDraws = flowValues.map((values) => values.map((value) => compileValue(value, plan)));
  const groups = (job.groups ?? []).map(({ when, repeat, forEach }): CompiledGroup => {
    const slots = plan.allocateSlots([]);
    return {
      when: when === undefined ? null : compileVariableConditions(when, slots),
      until: typeof repeat === 'object' ? compileVariableConditions(repeat.until, slots) : null,
      list: forEach === undefined ? null : compileList(forEach, slots, plan),
    };
  });
  const masked = new Set([
    ...rows.iterations.flatMap(({ mask }) => mask.map((name) => names.indexOf(name))),
    ...names.flatMap((name, slot) => (isCredentialName(name) ? [slot] : [])),
  ]);
  return {
    targets: resolvable,
    groups,
    destinations: [...destinations.values()].map((entry) => entry.destination),
    slotCount: plan.size,
    iterationDraws,
    clientDraws,
    flowDraws: flowDraws.some((draws) => draws.length > 0) ? flowDraws : null,
    maskedSlots: [
      ...masked,
      // The path of a URL is a part of the masked value, so its slot is masked too.
      ...compiled.flatMap(({ url }) => (url !== null && masked.has(url.variable) ? [url.path] : [])),
    ],
    usesRandom: plan.usesRandom,
    replaceLatestRows: (list) => plan.replaceLatestRows(list),
  };
}

function compileList(forEach: ForEach, slots: SlotIndexes, plan: SlotPlan): GroupList {
  const slot = slots.variable(forEach.name);
  const typeSlot = plan.typeSlotOf(slot);
  const assign: GroupList['assign'] = (values, { text, isString }) => {
    values[slot] = text;
    if (typeSlot >= 0) values[typeSlot] = isString ? undefined : '';
  };
  if ('values' in forEach) {
    const items = forEach.values.map((value) => ({ text: toByteString(value), isString: true }));
    return { itemsOf: () => items, assign };
  }
  const listSlot = slots.variable(forEach.list);
  return { itemsOf: (values) => itemsIn(values[listSlot]).slice(0, forEach.atMost), assign };
}

function compileValue({ name, value }: JobField, plan: SlotPlan): DrawValues {
  const draws: DrawValues[] = [];
  const slots = plan.allocateSlots(draws);
  const parts = mergeAdjacentStrings(
    parseTemplateParts(value, slots, { encoding: 'raw', constant: toByteString }),
  );
  const index = slots.variable(name);
  // A value that consists of one variable or item retains its JSON type.
  const [only, ...others] = parts.filter((part) => part !== '');
  const type = plan.typeSlotOf(index);
  const onlyType =
    type >= 0 && typeof only === 'object' && others.length === 0 ? plan.allocateType(only.variable) : -1;
  return (iteration) => {
    for (const draw of draws) draw(iteration);
    iteration.values[index] = renderTemplate(parts, iteration.values) ?? undefined;
    if (onlyType >= 0) iteration.values[type] = iteration.values[onlyType];
  };
}

/** Compiled target without the properties that depend on later targets. `variables` are slots. */
type TargetDraft = Omit<CompiledTarget, 'requiredVariables' | 'variables' | 'resolve'> & {
  readonly variables: readonly number[];
  /** Slots of the variables that contain lists for the expressions of the request. */
  readonly lists: readonly number[];
  /** Slots of a URL that is the value of a variable; null for any other URL. */
  readonly url: UrlSlots | null;
};

interface TargetContext {
  readonly job: LoadJob;
  readonly plan: SlotPlan;
  readonly cookieSlot: number;
  readonly destination: number;
  readonly rows: PackedRows | null;
  readonly files: JobRows['files'];
  readonly capturesCookies: boolean;
}

/** Reports whether a later request uses a variable before another response sets it. */
function isNeeded(variable: number, laterTargets: readonly TargetDraft[]): boolean {
  for (const { parts, variables, lists, url } of laterTargets) {
    if (url?.variable === variable) return true;
    const templateParts = [
      ...parts.target,
      ...parts.lines.flatMap(({ value }) => value),
      ...(parts.body ?? []),
    ];
    if (templateParts.some((part) => typeof part !== 'string' && part.variable === variable)) return true;
    if (lists.includes(variable)) return true;
    if (variables.includes(variable)) return false;
  }
  return false;
}

function compileTarget(target: JobTarget, context: TargetContext): TargetDraft {
  const { job, plan, files } = context;
  const draws: DrawValues[] = [];
  const lists: number[] = [];
  const slots = plan.allocateSlots(draws, lists);
  const parameters = compileParameters(
    target,
    slots,
    context.rows === null ? null : [context.rows, plan.allocateColumns(context.rows, draws)],
  );
  const isForm = target.body === null || target.body.kind === 'params';
  const hasForm = isForm && takesBody(target.method) && parameters.length > 0;
  const encodedParameters = parameters.map((encode) => encode(hasForm ? 'form' : 'percent'));
  const url = compileUrl(target, slots, plan);
  const path =
    url === null
      ? mergeAdjacentStrings(compileRequestTarget(target, slots, hasForm ? [] : encodedParameters))
      : [rawSlot(url.path)];
  const multipart =
    target.body?.kind === 'multipart'
      ? compileMultipart(target.body.parts, { slots, files, seed: job.seed })
      : null;
  const contentType = multipart?.contentType ?? (hasForm ? 'application/x-www-form-urlencoded' : null);
  const host = url === null ? target.authority : rawSlot(url.host);
  const lines = headerLinesOf(job, target, { slots, contentType, host });
  const body =
    multipart?.content ?? compileBody(target, { slots, files, form: hasForm ? encodedParameters : [] });
  const header = headerSectionOf(target.method, path, lines);
  const sign =
    target.awsSigv4 === null
      ? null
      : createAwsSigner(target.awsSigv4, { constantBody: body && constantOf(body) });
  const write = createRenderer(header, body, sign);
  const { method, secure, authority } = target;
  const hostname = target.hostname.toLowerCase();
  const fixedPath = constantOf(path);
  const parts: RequestParts = {
    method,
    secure,
    hostname,
    authority,
    target: path,
    lines,
    body,
    draws,
    cookieScope: fixedPath === null ? null : createCookieScope({ hostname, secure }, fixedPath),
    write,
    writeWithCookies: createRenderer(
      headerSectionOf(method, path, appendCookieLine(lines, context.cookieSlot)),
      body,
      sign,
    ),
    sign,
    cookieSlot: context.cookieSlot,
  };
  const isVariable = sign !== null || [...header, ...(body ?? [])].some((part) => typeof part !== 'string');
  const text = isVariable ? null : write([]);
  const extractor = target.variables.length === 0 ? null : new ValueExtractor(target.variables);
  if (extractor?.needsPick === true) plan.requireRandom();
  const extractedHeaders = extractor?.headerNames ?? [];
  const check =
    target.expect === null ? null : new ResponseCheck(target.expect, slots, extractedHeaders.length);
  return {
    destination: context.destination,
    bytes: text === null ? null : Buffer.from(text, 'latin1'),
    render: (iteration) => {
      for (const draw of draws) draw(iteration);
      return write(iteration.values);
    },
    parts,
    headerNames: [...extractedHeaders, ...(check?.headerNames ?? [])],
    variables: target.variables.map(({ name }) => slots.variable(name)),
    lists,
    extractor,
    check,
    headersOnly: hasBodilessResponse(target.method),
    capturesCookies: context.capturesCookies || extractor?.needsCookies === true,
    drawDelay: target.delay === null ? null : plan.drawDelay(target.delay),
    endsOnFailure: target.endsOnFailure,
    url,
  };
}

function compileUrl(target: JobTarget, slots: SlotIndexes, plan: SlotPlan): UrlSlots | null {
  if (!target.resolveUrl) return null;
  const name = urlVariableOf(target.path);
  if (name === null) throw new Error('Bug: a URL with a variable was not validated');
  return { variable: slots.variable(name), path: plan.allocate(), host: plan.allocate() };
}

function rawSlot(variable: number): TemplatePart {
  return { variable, encoding: 'raw' };
}

/** Returns the request line and headers without Content-Length and the final empty line, which the renderer adds. */
function headerSectionOf(
  method: string,
  target: readonly TemplatePart[],
  lines: readonly HeaderLine[],
): readonly TemplatePart[] {
  const fields = lines.flatMap(({ name, value }) => [`${name}: `, ...value, '\r\n']);
  return mergeAdjacentStrings([`${method} `, ...target, ' HTTP/1.1\r\n', ...fields]);
}

/** Adds the cookies of the iteration after the cookies that the user declared. */
function appendCookieLine(lines: readonly HeaderLine[], cookieSlot: number): readonly HeaderLine[] {
  const existing = lines.filter(isCookieLine).flatMap(({ value }) => [...value, '; ']);
  const value: readonly TemplatePart[] = [...existing, rawSlot(cookieSlot)];
  return [...lines.filter((line) => !isCookieLine(line)), { name: 'Cookie', value }];
}

export function isCookieLine({ name }: HeaderLine): boolean {
  return name.toLowerCase() === 'cookie';
}

/** Default headers come first; a default header that the target declares is omitted. */
function headerLinesOf(
  job: LoadJob,
  target: JobTarget,
  options: { readonly slots: SlotIndexes; readonly contentType: string | null; readonly host: TemplatePart },
): readonly HeaderLine[] {
  const declaredNames = new Set(target.headers.map(({ name }) => name.toLowerCase()));
  const lines: HeaderLine[] = [];
  // Braces in these values do not mark variables.
  const add = (name: string, value: string): void => {
    refuseControlCharacters(name, value);
    lines.push({ name, value: [toByteString(value)] });
  };
  const addDefault = (name: string, value: string): void => {
    if (!declaredNames.has(name.toLowerCase())) add(name, value);
  };
  if (typeof options.host === 'string') add('Host', options.host);
  else lines.push({ name: 'Host', value: [options.host] });
  if (!job.keepAlive) add('Connection', 'close');
  addDefault('User-Agent', job.userAgent);
  add('X-Loadtests-Run', job.runId);
  addDefault('Accept', '*/*');
  if (target.credentials !== null) {
    const { login, password } = target.credentials;
    addDefault('Authorization', `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`);
  }
  if (options.contentType !== null) addDefault('Content-Type', options.contentType);
  for (const { name, value } of target.headers) {
    if (isReservedHeader(name)) throw new Error(`Bug: the reserved header "${name}" was not rejected`);
    refuseControlCharacters(name, value);
    const templateParts = parseTemplateParts(value, options.slots, {
      encoding: 'header',
      constant: toByteString,
    });
    lines.push({ name, value: mergeAdjacentStrings(templateParts) });
  }
  return lines;
}

function compileRequestTarget(
  target: JobTarget,
  slots: SlotIndexes,
  parameters: readonly (readonly TemplatePart[])[],
): readonly TemplatePart[] {
  const options = { encoding: 'percent', constant: escapeUnprintable, escaped: true } as const;
  const templateParts = [...parseTemplateParts(target.path, slots, options)];
  const query = target.path.indexOf('?');
  const endsWithSeparator = query >= 0 && /[?&]$/.test(target.path);
  parameters.forEach((parameter, index) => {
    templateParts.push(index > 0 || (query >= 0 && !endsWithSeparator) ? '&' : endsWithSeparator ? '' : '?');
    templateParts.push(...parameter);
  });
  return templateParts;
}

interface BodyContext {
  readonly slots: SlotIndexes;
  readonly files: JobRows['files'];
  /** Encoded form fields; empty if there is no form. */
  readonly form: readonly (readonly TemplatePart[])[];
}

function compileBody(
  { body, method }: JobTarget,
  { slots, files, form }: BodyContext,
): readonly TemplatePart[] | null {
  switch (body?.kind) {
    case 'file':
      return [contentOf(body.file, files)];
    case 'text':
    case 'json': {
      const encoding = body.kind === 'json' ? 'json' : 'raw';
      const parts = parseTemplateParts(body.text, slots, { encoding, constant: toByteString });
      return mergeAdjacentStrings(body.kind === 'json' ? withTypes(parts, slots) : parts);
    }
    case 'params':
    case 'multipart':
    case undefined:
      if (form.length === 0 && !sendsZeroContentLength(method)) return null;
      return mergeAdjacentStrings(form.flatMap((field, index) => [index === 0 ? '' : '&', ...field]));
  }
}

type Parameter = (encoding: 'percent' | 'form') => readonly TemplatePart[];

function compileParameters(
  target: JobTarget,
  slots: SlotIndexes,
  rows: readonly [PackedRows, readonly number[]] | null,
): readonly Parameter[] {
  const fields = target.body?.kind === 'params' ? target.body.fields : [];
  const declared = fields.map(({ name, value }): Parameter => (encoding) => {
    const constant = (text: string): string => percentEncode(toByteString(text), encoding);
    return [constant(name), '=', ...parseTemplateParts(value, slots, { encoding, constant })];
  });
  if (rows === null) return declared;
  const [{ names }, indexes] = rows;
  const columns = names.map((name, column): Parameter => (encoding) => [
    `${percentEncode(toByteString(name), encoding)}=`,
    { variable: indexes[column] ?? -1, encoding },
  ]);
  return [...declared, ...columns];
}

function createRenderer(
  header: readonly TemplatePart[],
  body: readonly TemplatePart[] | null,
  sign: SignRequest | null,
): Render {
  const render = createUnsignedRenderer(header, body);
  if (sign === null) return render;
  return (values) => {
    const request = render(values);
    return request === null ? null : sign(request);
  };
}

function createUnsignedRenderer(
  header: readonly TemplatePart[],
  body: readonly TemplatePart[] | null,
): Render {
  if (body === null) {
    const request = mergeAdjacentStrings([...header, '\r\n']);
    return (values) => renderTemplate(request, values);
  }
  const constantBody = constantOf(body);
  if (constantBody !== null) {
    const request = mergeAdjacentStrings([
      ...header,
      `Content-Length: ${constantBody.length}\r\n\r\n${constantBody}`,
    ]);
    return (values) => renderTemplate(request, values);
  }
  return (values) => {
    const renderedHeader = renderTemplate(header, values);
    const renderedBody = renderTemplate(body, values);
    return renderedHeader === null || renderedBody === null ? null : appendBody(renderedHeader, renderedBody);
  };
}

export function appendBody(header: string, body: string): string {
  return `${header}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function refuseControlCharacters(name: string, value: string): void {
  const isName = name !== '' && Array.from(name).every((character) => isToken(character.charCodeAt(0)));
  // oxlint-disable-next-line no-control-regex -- the expression matches control characters
  if (!isName || /[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    throw new Error(`Bug: the header "${name}" was not validated`);
}
