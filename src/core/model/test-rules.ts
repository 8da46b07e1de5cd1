/**
 * Rules for valid tests, shared by the file and the service. They report all faults of a test.
 *
 * A schema has already checked the structure: the existing fields and their types. Conditions outside of the
 * test (verified hosts, capacity of the load generator) are checked later.
 */
import { formatInstant } from '../instant.ts';
import { MAX_DELAY } from '../load/delay.ts';
import { faultsOfExpressions, findExpressions } from '../load/expression.ts';
import { iterationsOf } from '../load/iteration.ts';
import { declaredLoadByHost } from '../load/peak-load.ts';
import { extentOf } from '../load/ramps.ts';
import { compileTemplate } from '../load/template.ts';
import type { Capabilities, TestLimits } from './capabilities.ts';
import { isHeaderToken, isReservedHeader } from './header-name.ts';
import { paceOf, SPEC_DEFAULTS, type LoadTestSpec, type NamedText, type TargetSpec } from './load-test.ts';
import { isPlainEmailAddress } from './email-address.ts';
import { hasBodilessResponse } from './method.ts';
import { PatternRules, type CompilePattern } from './pattern.ts';
import { bodyFieldsOf, type BodyFault } from './request-body.ts';
import type { Text } from './secret.ts';
import { TEST_FIELDS, URL_FIELDS } from './test-fields.ts';
import { formatDuration, milliseconds } from '../units.ts';
import { faultOfPlainUrl, faultOfRequestUrl, readUrl, displayUrl } from './url.ts';

/** A fault in a test. */
export interface Fault {
  /** Path of the field within the test, with the names that the file and the API use. */
  readonly path: FieldPath;
  /** `key` if the field must not be set, `value` if its value is invalid. */
  readonly about: 'key' | 'value';
  /** A warning if the service may accept the value. */
  readonly severity: 'error' | 'warning';
  /** `LT_RUN_CAPACITY` if the test is valid, but its load on one host exceeds the limit of the service. */
  readonly code: 'LT_CONFIG_VALUE' | 'LT_RUN_CAPACITY';
  /**
   * One sentence. It contains no secrets and no values that may be secret: bodies, and values of headers and
   * parameters.
   */
  readonly message: string;
}

export type FieldPath = readonly (string | number)[];

/** Collects faults during the checks. */
type FaultList = Fault[];

/** Returns the faults of a test, in the order of its fields. */
export function faultsOfTest(
  spec: LoadTestSpec,
  capabilities: Capabilities,
  readPattern: CompilePattern,
): readonly Fault[] {
  const found: FaultList = [];
  checkStages(found, spec);
  checkWarmup(found, spec);
  checkSchedule(found, spec, capabilities);
  checkCallback(found, spec, capabilities);
  checkEmail(found, spec, capabilities);
  if (spec.tlsVerify !== null && !capabilities.tlsVerify) {
    const message =
      '"tls_verify" is supported only by the embedded service; remove it, or remove "service.base_url"';
    addFault(found, { path: [TEST_FIELDS.tlsVerify.name], about: 'key', message });
  }
  const patterns = new PatternRules(readPattern);
  spec.targets.forEach((target, index) => {
    checkTarget(found, target, { path: ['urls', index], capabilities, patterns });
  });
  const rows = declaredRows(spec);
  // A payload file that has not been read yet may define a name that seems to be undefined.
  if (rows !== null) found.push(...faultsOfRows(spec, rows, capabilities));
  if (capabilities.limits !== null) checkLimits(found, spec, capabilities.limits);
  return found;
}

/** The names that the payload files of a test define. */
export interface PayloadNames {
  /** Names of variables, once per file that defines them. */
  readonly variables: readonly string[];
  /** For each request, true if a file provides rows for it alone. */
  readonly requests: readonly boolean[];
}

/**
 * Returns the names of local payload files; null if there are others, which are not known until they are
 * fetched.
 */
function declaredRows({ targets }: LoadTestSpec): PayloadNames | null {
  const declared = targets.map(({ payloadFile }) => payloadFile?.declared ?? null);
  const unread = targets.some(
    ({ payloadFileUrl, payloadFile }) => payloadFileUrl !== null || payloadFile?.declared === null,
  );
  if (unread) return null;
  const files = new Map(
    targets.map(({ payloadFile }) => [payloadFile?.sha256, payloadFile?.declared?.variables ?? []]),
  );
  return {
    variables: [...files.values()].flat(),
    requests: declared.map((rows) => rows?.variables === null),
  };
}

/**
 * Returns the faults of a test in combination with its payload files, if they are not known until they are
 * fetched.
 */
export function faultsOfRows(
  spec: LoadTestSpec,
  rows: PayloadNames,
  capabilities: Capabilities,
): readonly Fault[] {
  const found: FaultList = [];
  const names = new Set(rows.variables);
  // Does not name the variable, because the content of the file may be confidential.
  if (names.size < rows.variables.length) {
    addFault(found, { path: [], about: 'value', message: 'two payload files define the same variable' });
  }
  spec.targets.forEach((target, index) => {
    (target.variables ?? []).forEach(({ name }, at) => {
      if (!names.has(name)) return;
      const message = `the variable "${name}" is defined twice: in "variables" and in a payload file`;
      addFault(found, {
        path: ['urls', index, URL_FIELDS.variables.name, at, 'name'],
        about: 'value',
        message,
      });
    });
    if (rows.requests[index] !== true || target.body === null || target.body.kind === 'params') return;
    const message = '"raw_post_body" and a payload file with "keys" cannot be combined';
    addFault(found, { path: ['urls', index, URL_FIELDS.body.name], about: 'key', message });
  });
  checkVariables(found, spec, { defined: names, capabilities });
  return found;
}

/** Returns the fault of the body of a URL. */
export function faultOfBody(index: number, { field, message }: BodyFault): Fault {
  const path = ['urls', index, URL_FIELDS[field].name];
  return { path, about: 'key', severity: 'error', code: 'LT_CONFIG_VALUE', message };
}

function addFault(found: FaultList, fault: Omit<Fault, 'severity' | 'code'> & Partial<Fault>): void {
  found.push({ severity: 'error', code: 'LT_CONFIG_VALUE', ...fault });
}

function checkWarmup(found: FaultList, { warmup, duration }: LoadTestSpec): void {
  if (warmup === null || warmup < duration) return;
  const message = `"warmup" must be shorter than the test (${formatDuration(duration)}); only the time after it is measured`;
  addFault(found, { path: [TEST_FIELDS.warmup.name], about: 'value', message });
}

function checkStages(found: FaultList, spec: LoadTestSpec): void {
  const { stages } = spec;
  if (stages === null) return;
  const name = TEST_FIELDS.stages.name;
  const wrong = (path: FieldPath, message: string, about: Fault['about'] = 'value') => {
    addFault(found, { path, about, message });
  };
  if (spec.testType === 'non-cycling') {
    wrong(
      [name],
      'a non-cycling test cannot have stages; use "test_type: per-second" or "test_type: cycling"',
      'key',
    );
    return;
  }
  stages.forEach(({ duration }, index) => {
    const at = [name, index, 'for'];
    if (duration > 0) return;
    if (index === stages.length - 1)
      wrong(at, 'the last stage is a step, so its level has no effect; add a stage with a duration');
    else if (stages[index + 1]?.duration === 0)
      wrong(at, 'two consecutive stages are steps; remove the first');
  });
  const initial = spec.initial ?? SPEC_DEFAULTS.initial;
  if (initial > 0 && stages[0]?.duration === 0) {
    const message = '"initial" has no effect, because the first stage is a step; remove one of them';
    wrong([TEST_FIELDS.initial.name], message, 'key');
  }
  const { highest, lasts } = extentOf(initial, stages);
  if (highest === 0) wrong([name], 'the stages generate no load; at least one level must be above 0');
  // The file does not contain these two fields; a create request must.
  if (spec.total !== highest) {
    wrong([TEST_FIELDS.total.name], `"total" must be the highest level of the stages, ${highest}`);
  }
  if (spec.duration !== lasts) {
    wrong([TEST_FIELDS.duration.name], `"duration" must be the sum of the stages, ${lasts / 1000} s`);
  }
}

function checkSchedule(found: FaultList, { scheduledAt }: LoadTestSpec, { schedules }: Capabilities): void {
  if (scheduledAt === null) return;
  const path = [TEST_FIELDS.scheduledAt.name];
  if (schedules === false) {
    const message =
      '"scheduled_at" requires a permanently running service; start "loadtests serve" and set "service.base_url" to its address';
    addFault(found, { path, about: 'key', message });
  } else if (schedules.after !== null && scheduledAt <= schedules.after) {
    const message = `"scheduled_at" is in the past; the current time is ${formatInstant(schedules.after)} UTC`;
    addFault(found, { path, about: 'value', message });
  }
}

function checkCallback(found: FaultList, { callback }: LoadTestSpec, capabilities: Capabilities): void {
  if (callback === null) return;
  const reason = faultOfPlainUrl(callback) ?? callbackRefusalOf(callback, capabilities);
  if (reason === null) return;
  addFault(found, {
    path: [TEST_FIELDS.callback.name],
    about: 'value',
    message: `the callback ${displayUrl(callback)} ${reason}`,
  });
}

/** Returns why the service does not call a URL itself; null if it may, according to the URL alone. */
function callbackRefusalOf(url: string, { canCall }: Capabilities): string | null {
  const host = readUrl(url);
  if (host === null || canCall(host)) return null;
  return `has the host ${host.authority}, which is neither a verified app nor a host that the service may call`;
}

function checkEmail(
  found: FaultList,
  { callbackEmail: address }: LoadTestSpec,
  { canEmail }: Capabilities,
): void {
  if (address === null) return;
  const path = [TEST_FIELDS.callbackEmail.name];
  if (!isPlainEmailAddress(address)) {
    const message = `${truncate(address)} is not a valid email address; set "callback_email" to one address, such as "team@example.com"`;
    addFault(found, { path, about: 'value', message });
  } else if (canEmail === null) {
    const message =
      '"callback_email" requires a service with a mail relay, such as "loadtests serve --smtp URL"; this service has none';
    addFault(found, { path, about: 'key', message });
  } else if (!canEmail(address)) {
    const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
    const message =
      `"callback_email" has the domain ${domain}, which is neither the host of a verified app nor allowed by the operator ` +
      `(serve --allow-mail ${domain})`;
    addFault(found, { path, about: 'value', message });
  }
}

interface TargetContext {
  readonly path: FieldPath;
  readonly capabilities: Capabilities;
  readonly patterns: PatternRules;
}

function checkTarget(found: FaultList, target: TargetSpec, at: TargetContext): void {
  const { path, capabilities, patterns } = at;
  // The schema reports a missing URL.
  const reason = target.url === '' ? null : faultOfRequestUrl(target.url);
  if (reason !== null) {
    addFault(found, {
      path: [...path, URL_FIELDS.url.name],
      about: 'value',
      message: `the URL ${displayUrl(target.url)} ${reason}`,
    });
  }
  const { payloadFileUrl: file } = target;
  const refusal = file === null ? null : (faultOfPlainUrl(file) ?? callbackRefusalOf(file, capabilities));
  if (file !== null && refusal !== null) {
    const message = `the payload file ${displayUrl(file)} ${refusal}`;
    addFault(found, { path: [...path, URL_FIELDS.payloadFileUrl.name], about: 'value', message });
  }
  if (file !== null && target.payloadFile !== null) {
    const message = '"payload_file" and "payload_file_url" cannot be combined; remove one of them';
    addFault(found, { path: [...path, URL_FIELDS.payloadFile.name], about: 'key', message });
  }
  checkDelay(found, target, path);
  checkHeaders(found, target, path);
  checkCredentials(found, target, path);
  checkVariableSpecs(found, target, { path, patterns });
  checkExpectation(found, target, path);
  checkExpressions(found, target, path);
}

function checkDelay(found: FaultList, { delay }: TargetSpec, path: FieldPath): void {
  if (delay === null) return;
  const at = [...path, URL_FIELDS.delay.name];
  const { min, max } = delay;
  const longest = Math.max(min, max);
  if (longest > MAX_DELAY) {
    const message = `a delay of ${formatDuration(milliseconds(longest))} is too long; "delay" must be at most ${formatDuration(MAX_DELAY)}`;
    addFault(found, { path: at, about: 'value', message });
  } else if (min > max) {
    const [from, to] = [formatDuration(min), formatDuration(max)];
    const message = `"delay" begins with the longer time; write the shorter time first: [${to}, ${from}]`;
    addFault(found, { path: at, about: 'value', message });
  }
}

/** Returns why a name is invalid for a request header; null if it is valid. */
export function faultOfHeaderName(name: string): string | null {
  if (isReservedHeader(name)) return `the header ${truncate(name)} is reserved and cannot be set`;
  return isHeaderToken(name) ? null : `${truncate(name)} is not a valid header name`;
}

/** Control characters except the tab, which header values may contain (RFC 9110, section 5.5). */
const CONTROL_IN_HEADER = /(?!\t)\p{Cc}/u;
const CONTROL = /\p{Cc}/u;

function checkHeaders(found: FaultList, target: TargetSpec, path: FieldPath): void {
  const namesByCase = new Map<string, string>();
  for (const { name, value } of target.headers ?? []) {
    const at = [...path, URL_FIELDS.headers.name, name];
    const reason = faultOfHeaderName(name);
    if (reason !== null) addFault(found, { path: at, about: 'key', message: reason });
    const other = namesByCase.get(name.toLowerCase());
    if (other !== undefined) {
      const message = `the header ${truncate(name)} is already set as ${truncate(other)}; header names are case-insensitive`;
      addFault(found, { path: at, about: 'key', message });
    }
    namesByCase.set(name.toLowerCase(), name);
    if (CONTROL_IN_HEADER.test(knownText(value))) {
      const message = `the value of the header ${truncate(name)} contains a line break or control character`;
      addFault(found, { path: at, about: 'value', message });
    }
  }
}

/** Basic authentication sends `login:password`. */
function checkCredentials(found: FaultList, { credentials, headers }: TargetSpec, path: FieldPath): void {
  if (credentials === null) return;
  const at = [...path, URL_FIELDS.credentials.name];
  if ((headers ?? []).some(({ name }) => name.toLowerCase() === 'authorization')) {
    const message = '"credentials" and the header "authorization" cannot be combined; remove one of them';
    addFault(found, { path: at, about: 'key', message });
  }
  for (const part of ['login', 'password'] as const) {
    const text = knownText(credentials[part]);
    if (CONTROL.test(text)) {
      const message = `"${part}" contains a line break or control character`;
      addFault(found, { path: [...at, part], about: 'value', message });
    }
    if (part === 'login' && text.includes(':')) {
      const message = '"login" contains a colon, which Basic authentication does not allow';
      addFault(found, { path: [...at, part], about: 'value', message });
    }
  }
}

function checkVariableSpecs(
  found: FaultList,
  target: TargetSpec,
  { path, patterns }: Pick<TargetContext, 'path' | 'patterns'>,
): void {
  patterns.nextUrl();
  const names = new Set<string>();
  (target.variables ?? []).forEach(({ name, property, source }, index) => {
    const at = [...path, URL_FIELDS.variables.name, index];
    if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) {
      const message = `${truncate(name)} is not a valid variable name; use letters, digits, _ and -`;
      addFault(found, { path: [...at, 'name'], about: 'value', message });
    }
    if (names.has(name)) {
      const message = `the variable ${truncate(name)} is defined twice for the same response`;
      addFault(found, { path: [...at, 'name'], about: 'value', message });
    }
    names.add(name);
    const message = faultOfProperty(property, source, patterns);
    if (message !== null) addFault(found, { path: [...at, 'property'], about: 'value', message });
    if (
      (source === 'json' || source === 'body') &&
      hasBodilessResponse(target.method ?? SPEC_DEFAULTS.method)
    ) {
      const none = 'the response to a HEAD request has no body; take the variable from a header or a cookie';
      addFault(found, { path: [...at, 'source'], about: 'value', message: none });
    }
  });
}

/** @see RFC 6901, section 3 */
function faultOfPointer(text: string): string | null {
  if (/^(?:\/(?:[^~/]|~[01])*)*$/.test(text)) return null;
  return 'is not a valid JSON Pointer; use a path, such as "/items/0/sku"';
}

function faultOfProperty(property: string, source: string, patterns: PatternRules): string | null {
  if (source === 'body') {
    const fault = patterns.faultOf(property);
    return fault === null ? null : `the pattern ${truncate(property)} ${fault}`;
  }
  if (source === 'json') {
    const fault = faultOfPointer(property);
    return fault === null ? null : `${truncate(property)} ${fault}`;
  }
  if (isHeaderToken(property)) return null;
  return source === 'cookie'
    ? `${truncate(property)} is not a valid cookie name; "property" is the name of a cookie that the response sets`
    : `${truncate(property)} is not a valid header name; "property" is the name of a response header`;
}

function checkExpectation(found: FaultList, { expect, method }: TargetSpec, path: FieldPath): void {
  if (expect === null) return;
  const at = [...path, URL_FIELDS.expect.name];
  const { body, json } = expect;
  if (expect.status === null && expect.headers === null && body === null && json === null) {
    const message = '"expect" is empty; set "status", "headers", "body" or "json"';
    addFault(found, { path: at, about: 'value', message });
  }
  if (body === '') {
    addFault(found, {
      path: [...at, 'body'],
      about: 'value',
      message: '"body" is empty, so every response meets it',
    });
  }
  if ((body !== null || json !== null) && hasBodilessResponse(method ?? SPEC_DEFAULTS.method)) {
    const message = 'the response to a HEAD request has no body; remove "body" and "json" from "expect"';
    addFault(found, { path: [...at, body === null ? 'json' : 'body'], about: 'key', message });
  }
  for (const { pointer, value } of json ?? []) {
    const location = [...at, 'json', pointer];
    const fault = faultOfPointer(pointer);
    if (fault !== null) {
      const message = `${truncate(pointer)} ${fault}`;
      addFault(found, { path: location, about: 'key', message });
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      addFault(found, {
        path: location,
        about: 'value',
        message: `${value} is not a valid JSON number`,
      });
    }
  }
  const namesByCase = new Map<string, string>();
  for (const { name, value } of expect.headers ?? []) {
    const location = [...at, 'headers', name];
    if (!isHeaderToken(name)) {
      addFault(found, {
        path: location,
        about: 'key',
        message: `${truncate(name)} is not a valid header name`,
      });
    }
    const other = namesByCase.get(name.toLowerCase());
    if (other !== undefined) {
      const message = `the header ${truncate(name)} is already set as ${truncate(other)}; header names are case-insensitive`;
      addFault(found, { path: location, about: 'key', message });
    }
    namesByCase.set(name.toLowerCase(), name);
    if (CONTROL_IN_HEADER.test(value)) {
      const message = `the expected value of the header ${truncate(name)} contains a line break or control character, so no response can match it`;
      addFault(found, { path: location, about: 'value', message });
    }
  }
}

/** A string in which variables and expressions are evaluated. */
interface TemplateSlot {
  readonly path: FieldPath;
  readonly text: Text;
  /** True for URLs, in which braces can also be escaped. */
  readonly escaped: boolean;
}

function slotsOf(target: TargetSpec, path: FieldPath): readonly TemplateSlot[] {
  const slot = (text: Text, ...at: string[]): TemplateSlot => ({
    path: [...path, ...at],
    text,
    escaped: at[0] === URL_FIELDS.url.name,
  });
  const slots = (fields: readonly NamedText[] | null, field: string) =>
    (fields ?? []).map(({ name, value }) => slot(value, field, name));
  const { params, body } = bodyFieldsOf(target.body);
  return [
    slot(target.url, URL_FIELDS.url.name),
    ...slots(target.headers, URL_FIELDS.headers.name),
    ...slots(params, URL_FIELDS.params.name),
    ...(body === null ? [] : [slot(body, URL_FIELDS.body.name)]),
  ];
}

function checkExpressions(found: FaultList, target: TargetSpec, path: FieldPath): void {
  for (const { path: at, text, escaped } of slotsOf(target, path)) {
    const faults = faultsOfExpressions(maskedText(text), { escaped });
    for (const message of faults) addFault(found, { path: at, about: 'value', message });
    if (typeof text === 'string') continue;
    if (faults.length === 0 && faultsOfExpressions(knownText(text), { escaped }).length > 0) {
      addFault(found, {
        path: at,
        about: 'value',
        message: 'the value of a secret forms an invalid expression',
      });
    }
  }
  for (const { name } of bodyFieldsOf(target.body).params ?? []) {
    if (compileTemplate(name).names.length === 0 && findExpressions(name).length === 0) continue;
    const message = `the name of the parameter ${truncate(name)} contains a variable or an expression; only the value may contain one`;
    addFault(found, { path: [...path, URL_FIELDS.params.name, name], about: 'key', message });
  }
}

/**
 * Maximum number of undefined variables that are reported per request, because a body may consist of nothing
 * else.
 */
const MAX_MISSING_VARIABLES = 10;

interface VariableScope {
  /** Names that are defined at the start of an iteration. */
  readonly defined: ReadonlySet<string>;
  readonly capabilities: Capabilities;
}

/** Checks that every `{{name}}` is defined by an earlier request or by a payload file. */
function checkVariables(found: FaultList, spec: LoadTestSpec, scope: VariableScope): void {
  const allNames = new Set(
    spec.targets.flatMap((target) => (target.variables ?? []).map(({ name }) => name)),
  );
  const severity = scope.capabilities.undefinedVariables === 'refused' ? 'error' : 'warning';
  const firsts = new Set(iterationsOf(spec).map(({ first }) => first));
  let defined = new Set<string>();
  spec.targets.forEach((target, index) => {
    if (firsts.has(index)) defined = new Set(scope.defined);
    const missing = new Set<string>();
    for (const { path, text, escaped } of slotsOf(target, ['urls', index])) {
      const { names } = compileTemplate(knownText(text), { escaped });
      const known = new Set(
        typeof text === 'string' ? names : compileTemplate(maskedText(text), { escaped }).names,
      );
      for (const name of names) {
        if (missing.size === MAX_MISSING_VARIABLES) break;
        if (defined.has(name) || missing.has(name)) continue;
        missing.add(name);
        const what = known.has(name) ? truncate(`{{${name}}}`) : 'a variable in a secret';
        const reason = allNames.has(name)
          ? 'is used before it is defined; it is only available to later requests'
          : 'is not defined; no earlier request of the test defines it';
        addFault(found, { path, about: 'value', severity, message: `${what} ${reason}` });
      }
    }
    for (const { name } of target.variables ?? []) defined.add(name);
  });
}

function checkLimits(found: FaultList, spec: LoadTestSpec, limits: TestLimits): void {
  const atMost = (value: number | null, maximum: number, path: FieldPath, unit = '') => {
    if (value === null || value <= maximum) return;
    addFault(found, { path, about: 'value', message: `${labelOf(path)} must be at most ${maximum}${unit}` });
  };
  const short = (text: Text | null, maximum: number, path: FieldPath) => {
    if (text === null) return;
    const known = knownText(text);
    // Only long strings need to be counted in characters.
    if (known.length > maximum) atMost(Array.from(known).length, maximum, path, ' characters');
  };
  atMost(spec.initial, limits.total, [TEST_FIELDS.initial.name]);
  atMost(spec.total, limits.total, [TEST_FIELDS.total.name]);
  atMost(spec.duration / 1000, limits.duration / 1000, [TEST_FIELDS.duration.name], ' s');
  atMost(spec.timeout, limits.timeout, [TEST_FIELDS.timeout.name], ' ms');
  short(spec.callback, limits.url, [TEST_FIELDS.callback.name]);
  short(spec.name, limits.name, [TEST_FIELDS.name.name]);
  short(spec.notes, limits.notes, [TEST_FIELDS.notes.name]);
  atMost(spec.targets.length, limits.targets, ['urls'], ' entries');
  spec.targets.forEach((target, index) => {
    const { params, body } = bodyFieldsOf(target.body);
    const at = (...path: FieldPath) => ['urls', index, ...path];
    short(target.url, limits.url, at(URL_FIELDS.url.name));
    short(target.payloadFileUrl, limits.url, at(URL_FIELDS.payloadFileUrl.name));
    short(target.credentials?.login ?? null, limits.credential, at(URL_FIELDS.credentials.name, 'login'));
    short(
      target.credentials?.password ?? null,
      limits.credential,
      at(URL_FIELDS.credentials.name, 'password'),
    );
    short(body, limits.body, at(URL_FIELDS.body.name));
    atMost(target.headers?.length ?? 0, limits.headers, at(URL_FIELDS.headers.name), ' entries');
    atMost(params?.length ?? 0, limits.params, at(URL_FIELDS.params.name), ' entries');
    atMost(target.variables?.length ?? 0, limits.variables, at(URL_FIELDS.variables.name), ' entries');
    for (const { name, value } of target.headers ?? [])
      short(value, limits.value, at(URL_FIELDS.headers.name, name));
    for (const { name, value } of params ?? []) short(value, limits.value, at(URL_FIELDS.params.name, name));
    atMost(
      target.expect?.status?.length ?? 0,
      limits.headers,
      at(URL_FIELDS.expect.name, 'status'),
      ' entries',
    );
    atMost(
      target.expect?.headers?.length ?? 0,
      limits.headers,
      at(URL_FIELDS.expect.name, 'headers'),
      ' entries',
    );
    short(target.expect?.body ?? null, limits.value, at(URL_FIELDS.expect.name, 'body'));
    atMost(target.expect?.json?.length ?? 0, limits.headers, at(URL_FIELDS.expect.name, 'json'), ' entries');
    for (const { pointer, value } of target.expect?.json ?? []) {
      short(pointer, limits.value, at(URL_FIELDS.expect.name, 'json', pointer));
      if (typeof value === 'string') short(value, limits.value, at(URL_FIELDS.expect.name, 'json', pointer));
    }
    for (const { name, value } of target.expect?.headers ?? [])
      short(value, limits.value, at(URL_FIELDS.expect.name, 'headers', name));
    (target.variables ?? []).forEach(({ name, property, source }, variableIndex) => {
      short(name, limits.variableName, at(URL_FIELDS.variables.name, variableIndex, 'name'));
      // Patterns have been checked already.
      if (source !== 'body')
        short(property, limits.property, at(URL_FIELDS.variables.name, variableIndex, 'property'));
    });
  });
  if (bytesOf(spec) > limits.bytes) {
    addFault(found, { path: [], about: 'key', message: `the test is larger than ${limits.bytes} bytes` });
  }
  checkHosts(found, spec, limits);
}

function labelOf(path: FieldPath): string {
  return `"${path
    .filter((part) => typeof part === 'string')
    .slice(-1)
    .join('')}"`;
}

function checkHosts(found: FaultList, spec: LoadTestSpec, limits: TestLimits): void {
  const requests = spec.targets.map(({ url }) => {
    const read = readUrl(url);
    return read && { ...read, hostname: read.bareHost };
  });
  const path = [TEST_FIELDS.total.name];
  const hosts = declaredLoadByHost(paceOf(spec), requests, ({ hostname }) => [hostname]);
  for (const { connections, requestsPerSecond } of hosts.values()) {
    if (connections > limits.connectionsPerHost) {
      const message = `the test may reach ${connections} connections on one host; the limit is ${limits.connectionsPerHost}`;
      addFault(found, { path, about: 'value', code: 'LT_RUN_CAPACITY', message });
    }
    if (requestsPerSecond > limits.requestsPerSecondPerHost) {
      const message = `the test may reach ${requestsPerSecond} requests per second on one host; the limit is ${limits.requestsPerSecondPerHost}`;
      addFault(found, { path, about: 'value', code: 'LT_RUN_CAPACITY', message });
    }
  }
}

/** Returns an upper estimate for the size of the test as JSON. */
function bytesOf(spec: LoadTestSpec): number {
  const field = (text: Text | null) =>
    text === null ? 0 : jsonBytes(knownText(text)) + FIELD_OVERHEAD_BYTES;
  const fields = (all: readonly NamedText[] | null) =>
    sum((all ?? []).map(({ name, value }) => jsonBytes(name) + field(value)));
  const bodyBytes = (target: TargetSpec) => {
    const { params, body } = bodyFieldsOf(target.body);
    return fields(params) + field(body);
  };
  const targets = spec.targets.map(
    (target) =>
      FIELD_OVERHEAD_BYTES * 2 +
      sum([target.url, target.payloadFileUrl, target.payloadFile?.sha256 ?? null].map(field)) +
      bodyBytes(target) +
      sum([target.credentials?.login ?? null, target.credentials?.password ?? null].map(field)) +
      fields(target.headers) +
      fields(target.expect?.headers ?? null) +
      field(target.expect?.body ?? null) +
      fields(
        (target.expect?.json ?? []).map(({ pointer, value }) => ({ name: pointer, value: String(value) })),
      ) +
      (target.expect?.status?.length ?? 0) * 8 +
      sum(
        (target.variables ?? []).map(
          ({ name, property }) => jsonBytes(name) + jsonBytes(property) + FIELD_OVERHEAD_BYTES,
        ),
      ),
  );
  return (
    FIELD_OVERHEAD_BYTES * 8 +
    sum([spec.name, spec.notes, spec.callback, spec.callbackEmail].map(field)) +
    sum(targets)
  );
}

/** Name of a field with its quotes, colon and comma. */
const FIELD_OVERHEAD_BYTES = 64;

/** Returns the size of a string as JSON, in UTF-8 with escapes. */
function jsonBytes(text: string): number {
  let bytes = 0;
  for (const character of JSON.stringify(text)) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns the known value of a string. A secret that is not set counts as empty. */
function knownText(text: Text): string {
  if (typeof text === 'string') return text;
  const part = (one: (typeof text.parts)[number]) =>
    typeof one === 'string' ? one : one.present ? one.reveal() : '';
  return text.parts.map(part).join('');
}

/**
 * Returns the string for messages, with a digit for each secret, because a secret may be a number in an
 * expression.
 */
function maskedText(text: Text): string {
  if (typeof text === 'string') return text;
  return text.parts.map((part) => (typeof part === 'string' ? part : '0')).join('');
}

/** Quotes a name for a message, and truncates it to fit in one line. */
function truncate(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.length > 80 ? `${quoted.slice(0, 77)}…"` : quoted;
}
