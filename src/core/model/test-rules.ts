/**
 * What makes a test right: one set of rules for the file and for the service. Finds everything that is wrong.
 *
 * The shape of a test (which fields there are, and of which types) is checked before, by a schema; what only the world
 * can tell (is a host verified, has this machine room for the load) is asked after.
 */
import { formatInstant } from '../instant.ts';
import { MAX_DELAY } from '../load/delay.ts';
import { faultsOfExpressions, findExpressions } from '../load/expression.ts';
import { declaredLoadByHost } from '../load/peak-load.ts';
import { extentOf } from '../load/ramps.ts';
import { compileTemplate } from '../load/template.ts';
import type { Capabilities, TestLimits } from './capabilities.ts';
import { isHeaderToken, isReservedHeader } from './header-name.ts';
import { paceOf, SPEC_DEFAULTS, type LoadTestSpec, type NamedText, type TargetSpec } from './load-test.ts';
import { isPlainEmailAddress } from './email-address.ts';
import { hasBodilessResponse, takesBody } from './method.ts';
import { PatternRules, type CompilePattern } from './pattern.ts';
import type { Text } from './secret.ts';
import { TEST_FIELDS, URL_FIELDS } from './test-fields.ts';
import { formatDuration, milliseconds } from '../units.ts';
import { faultOfPlainUrl, faultOfRequestUrl, readUrl, displayUrl } from './url.ts';

/** Something wrong with a test. */
export interface Fault {
  /** Of the field, from the test on, by the names that the file and the API have for fields. */
  readonly path: FieldPath;
  /** Whether the field should not be there, or its value is wrong. */
  readonly about: 'key' | 'value';
  /** A warning where the service may see it otherwise. */
  readonly severity: 'error' | 'warning';
  /** `LT_RUN_CAPACITY`: nothing is wrong with the test, but the service would not let one host have its load. */
  readonly code: 'LT_CONFIG_VALUE' | 'LT_RUN_CAPACITY';
  /** One sentence. It holds no secret, and nothing of what may be one: bodies, values of headers and parameters. */
  readonly message: string;
}

export type FieldPath = readonly (string | number)[];

/** Where faults are put while they are looked for. */
type FaultList = Fault[];

/** The faults of a test, in the order of its fields. None: empty. */
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
      '"tls_verify" is supported by the embedded service only; remove it, or remove "service.base_url"';
    addFault(found, { path: [TEST_FIELDS.tlsVerify.name], about: 'key', message });
  }
  const patterns = new PatternRules(readPattern);
  spec.targets.forEach((target, index) => {
    checkTarget(found, target, { path: ['urls', index], capabilities, patterns });
  });
  const rows = declaredRows(spec);
  // A payload file that is not read yet may define what is missing here.
  if (rows !== null) found.push(...faultsOfRows(spec, rows, capabilities));
  if (capabilities.limits !== null) checkLimits(found, spec, capabilities.limits);
  return found;
}

/** The rows of a test's payload files, as far as the rules need them. */
export interface PayloadNames {
  /** Names of variables that files define, once for each file that does. */
  readonly variables: readonly string[];
  /** By request: whether a file gives it rows of its own. */
  readonly requests: readonly boolean[];
}

/** Of the files that a file declares; null: there are others, which are known only once they are fetched. */
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

/** The faults of a test together with its payload files, which are known only once they are fetched. */
export function faultsOfRows(
  spec: LoadTestSpec,
  rows: PayloadNames,
  capabilities: Capabilities,
): readonly Fault[] {
  const found: FaultList = [];
  const names = new Set(rows.variables);
  // Not which one: what stands in a file is nothing for its reader to tell.
  if (names.size < rows.variables.length) {
    addFault(found, { path: [], about: 'value', message: 'two payload files define the same variable' });
  }
  spec.targets.forEach((target, index) => {
    (target.variables ?? []).forEach(({ name }, at) => {
      if (!names.has(name)) return;
      const message = `the variable "${name}" is defined twice: here and in a payload file`;
      addFault(found, {
        path: ['urls', index, URL_FIELDS.variables.name, at, 'name'],
        about: 'value',
        message,
      });
    });
    if (rows.requests[index] !== true || target.body === null) return;
    const message = '"raw_post_body" and a payload file with "keys" cannot be combined';
    addFault(found, { path: ['urls', index, URL_FIELDS.body.name], about: 'key', message });
  });
  checkVariables(found, spec, { defined: names, capabilities });
  return found;
}

function addFault(found: FaultList, fault: Omit<Fault, 'severity' | 'code'> & Partial<Fault>): void {
  found.push({ severity: 'error', code: 'LT_CONFIG_VALUE', ...fault });
}

function checkWarmup(found: FaultList, { warmup, duration }: LoadTestSpec): void {
  if (warmup === null || warmup < duration) return;
  const message = `"warmup" must be shorter than the test, which takes ${formatDuration(duration)}; the rest of it is judged`;
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
      'a non-cycling test has no stages; use "test_type: per-second" or "test_type: cycling"',
      'key',
    );
    return;
  }
  stages.forEach(({ duration }, index) => {
    const at = [name, index, 'for'];
    if (duration > 0) return;
    if (index === stages.length - 1) wrong(at, 'the last stage is a step, so no load follows it');
    else if (stages[index + 1]?.duration === 0) wrong(at, 'two steps follow each other; remove the first');
  });
  const initial = spec.initial ?? SPEC_DEFAULTS.initial;
  if (initial > 0 && stages[0]?.duration === 0) {
    const message = '"initial" has no effect, since the first stage is a step; remove one of them';
    wrong([TEST_FIELDS.initial.name], message, 'key');
  }
  const { highest, lasts } = extentOf(initial, stages);
  if (highest === 0) wrong([name], 'the stages make no load; at least one must go above 0');
  // A file does not say these two; a create has to.
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
      '"scheduled_at" needs a service that keeps running; start one with "loadtests serve" and set "service.base_url" to its address';
    addFault(found, { path, about: 'key', message });
  } else if (schedules.after !== null && scheduledAt <= schedules.after) {
    const message = `"scheduled_at" has passed; it is ${formatInstant(schedules.after)} UTC`;
    addFault(found, { path, about: 'value', message });
  }
}

function checkCallback(found: FaultList, { callback }: LoadTestSpec, abilities: Capabilities): void {
  if (callback === null) return;
  const reason = faultOfPlainUrl(callback) ?? callbackRefusalOf(callback, abilities);
  if (reason === null) return;
  addFault(found, {
    path: [TEST_FIELDS.callback.name],
    about: 'value',
    message: `the callback ${displayUrl(callback)} ${reason}`,
  });
}

/** Why the service does not call a URL itself; null when it may, as far as its text tells. */
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
    const message = `${truncate(address)} is not a valid e-mail address; "callback_email" takes one, such as "team@example.com"`;
    addFault(found, { path, about: 'value', message });
  } else if (canEmail === null) {
    const message =
      '"callback_email" needs a service with a mail relay, such as "loadtests serve --smtp URL"; this one has none';
    addFault(found, { path, about: 'key', message });
  } else if (!canEmail(address)) {
    const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
    const message =
      `"callback_email" is at ${domain}, which is neither the host of a verified app nor allowed by the operator ` +
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
  // That there is one is a matter of shape.
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
  checkBody(found, target, path);
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
    const message = `"delay" goes from ${from} down to ${to}; write the shorter time first: [${to}, ${from}]`;
    addFault(found, { path: at, about: 'value', message });
  }
}

function checkBody(found: FaultList, target: TargetSpec, path: FieldPath): void {
  if (target.body === null) {
    if (target.jsonBody !== true) return;
    const message = '"raw_post_body_json" is about "raw_post_body", which is missing';
    addFault(found, { path: [...path, URL_FIELDS.jsonBody.name], about: 'key', message });
    return;
  }
  const method = target.method ?? SPEC_DEFAULTS.method;
  if (!takesBody(method)) {
    const message = `a ${method} has no body; remove "raw_post_body", or set "request_type: POST"`;
    addFault(found, { path: [...path, URL_FIELDS.body.name], about: 'key', message });
  } else if (target.params !== null) {
    const message = `"raw_post_body" and "request_params" are both the body of a ${method}; remove one of them`;
    addFault(found, { path: [...path, URL_FIELDS.params.name], about: 'key', message });
  }
}

/** Says why a name cannot be the name of a header that is sent; null when it can. */
export function faultOfHeaderName(name: string): string | null {
  if (isReservedHeader(name)) return `the header ${truncate(name)} is reserved and cannot be set`;
  return isHeaderToken(name) ? null : `${truncate(name)} is not a valid header name`;
}

/** All of them but the tab, which a header's value may hold (RFC 9110, section 5.5). */
const CONTROL_IN_HEADER = /(?!\t)\p{Cc}/u;
const CONTROL = /\p{Cc}/u;

function checkHeaders(found: FaultList, target: TargetSpec, path: FieldPath): void {
  const seen = new Map<string, string>();
  for (const { name, value } of target.headers ?? []) {
    const at = [...path, URL_FIELDS.headers.name, name];
    const reason = faultOfHeaderName(name);
    if (reason !== null) addFault(found, { path: at, about: 'key', message: reason });
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      const message = `the header ${truncate(name)} is duplicated, also as ${truncate(other)}; case makes no difference`;
      addFault(found, { path: at, about: 'key', message });
    }
    seen.set(name.toLowerCase(), name);
    if (CONTROL_IN_HEADER.test(knownText(value))) {
      const message = `the value of the header ${truncate(name)} contains a line break or control character`;
      addFault(found, { path: at, about: 'value', message });
    }
  }
}

/** Basic authentication carries `login:password`. */
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
      const message = '"login" contains a colon, which Basic authentication cannot carry';
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
      const message = `${truncate(name)} is not a valid name of a variable; use letters, digits, _ and -`;
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
      const none = 'the answer to a HEAD has no body; take the variable from a header or a cookie';
      addFault(found, { path: [...at, 'source'], about: 'value', message: none });
    }
  });
}

/** Source: RFC 6901, section 3. */
function faultOfPointer(text: string): string | null {
  if (/^(?:\/(?:[^~/]|~[01])*)*$/.test(text)) return null;
  return 'is not a valid JSON pointer; it takes a path, such as "/items/0/sku"';
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
    ? `${truncate(property)} is not a valid name of a cookie; "property" is the name of a cookie that the response sets`
    : `${truncate(property)} is not a valid header name; "property" is the name of a response header`;
}

function checkExpectation(found: FaultList, { expect, method }: TargetSpec, path: FieldPath): void {
  if (expect === null) return;
  const at = [...path, URL_FIELDS.expect.name];
  const { body, json } = expect;
  if (expect.status === null && expect.headers === null && body === null && json === null) {
    const message = '"expect" says nothing; it needs "status", "headers", "body" or "json"';
    addFault(found, { path: at, about: 'value', message });
  }
  if (body === '') {
    addFault(found, {
      path: [...at, 'body'],
      about: 'value',
      message: '"body" is empty, which any answer contains',
    });
  }
  if ((body !== null || json !== null) && hasBodilessResponse(method ?? SPEC_DEFAULTS.method)) {
    const message = 'the answer to a HEAD has no body; remove "body" and "json" of "expect"';
    addFault(found, { path: [...at, body === null ? 'json' : 'body'], about: 'key', message });
  }
  for (const { pointer, value } of json ?? []) {
    const place = [...at, 'json', pointer];
    const fault = faultOfPointer(pointer);
    if (fault !== null) {
      const message = `${truncate(pointer)} ${fault}`;
      addFault(found, { path: place, about: 'key', message });
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      addFault(found, {
        path: place,
        about: 'value',
        message: `${value} is not a number that JSON can hold`,
      });
    }
  }
  const seen = new Map<string, string>();
  for (const { name, value } of expect.headers ?? []) {
    const place = [...at, 'headers', name];
    if (!isHeaderToken(name)) {
      addFault(found, { path: place, about: 'key', message: `${truncate(name)} is not a valid header name` });
    }
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      const message = `the header ${truncate(name)} is duplicated, also as ${truncate(other)}; case makes no difference`;
      addFault(found, { path: place, about: 'key', message });
    }
    seen.set(name.toLowerCase(), name);
    if (CONTROL_IN_HEADER.test(value)) {
      const message = `the expected value of the header ${truncate(name)} contains a line break or control character, so no answer can have it`;
      addFault(found, { path: place, about: 'value', message });
    }
  }
}

/** A text in which variables and expressions mean something. */
interface TemplateSlot {
  readonly path: FieldPath;
  readonly text: Text;
  /** In URLs braces may also be escaped. */
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
  return [
    slot(target.url, URL_FIELDS.url.name),
    ...slots(target.headers, URL_FIELDS.headers.name),
    ...slots(target.params, URL_FIELDS.params.name),
    ...(target.body === null ? [] : [slot(target.body, URL_FIELDS.body.name)]),
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
        message: 'a secret forms an invalid expression here',
      });
    }
  }
  for (const { name } of target.params ?? []) {
    if (compileTemplate(name).names.length === 0 && findExpressions(name).length === 0) continue;
    const message = `the name of the parameter ${truncate(name)} contains a variable or an expression; only its value may`;
    addFault(found, { path: [...path, URL_FIELDS.params.name, name], about: 'key', message });
  }
}

/** Variables of one request that are told as missing: a body may consist of nothing else. */
const MAX_MISSING_VARIABLES = 10;

interface VariableScope {
  /** Known from the beginning of a pass. */
  readonly defined: ReadonlySet<string>;
  readonly capabilities: Capabilities;
}

/** `{{name}}` is filled from what an earlier request took, or from a payload file. */
function checkVariables(found: FaultList, spec: LoadTestSpec, scope: VariableScope): void {
  const everywhere = new Set(
    spec.targets.flatMap((target) => (target.variables ?? []).map(({ name }) => name)),
  );
  const defined = new Set(scope.defined);
  const severity = scope.capabilities.undefinedVariables === 'refused' ? 'error' : 'warning';
  spec.targets.forEach((target, index) => {
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
        const reason = everywhere.has(name)
          ? 'is used before it is defined; it is only available to later requests'
          : 'is not defined; no earlier request of the test defines it';
        addFault(found, { path, about: 'value', severity, message: `${what} ${reason}` });
      }
    }
    for (const { name } of target.variables ?? []) defined.add(name);
  });
}

function checkLimits(found: FaultList, spec: LoadTestSpec, limits: TestLimits): void {
  const atMost = (value: number | null, most: number, path: FieldPath, unit = '') => {
    if (value === null || value <= most) return;
    addFault(found, { path, about: 'value', message: `${labelOf(path)} must be at most ${most}${unit}` });
  };
  const short = (text: Text | null, most: number, path: FieldPath) => {
    if (text === null) return;
    const known = knownText(text);
    // Only long texts are worth counting in characters.
    if (known.length > most) atMost(Array.from(known).length, most, path, ' characters');
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
    const at = (...path: FieldPath) => ['urls', index, ...path];
    short(target.url, limits.url, at(URL_FIELDS.url.name));
    short(target.payloadFileUrl, limits.url, at(URL_FIELDS.payloadFileUrl.name));
    short(target.credentials?.login ?? null, limits.credential, at(URL_FIELDS.credentials.name, 'login'));
    short(
      target.credentials?.password ?? null,
      limits.credential,
      at(URL_FIELDS.credentials.name, 'password'),
    );
    short(target.body, limits.body, at(URL_FIELDS.body.name));
    atMost(target.headers?.length ?? 0, limits.headers, at(URL_FIELDS.headers.name), ' entries');
    atMost(target.params?.length ?? 0, limits.params, at(URL_FIELDS.params.name), ' entries');
    atMost(target.variables?.length ?? 0, limits.variables, at(URL_FIELDS.variables.name), ' entries');
    for (const { name, value } of target.headers ?? [])
      short(value, limits.value, at(URL_FIELDS.headers.name, name));
    for (const { name, value } of target.params ?? [])
      short(value, limits.value, at(URL_FIELDS.params.name, name));
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
    (target.variables ?? []).forEach(({ name, property, source }, place) => {
      short(name, limits.variableName, at(URL_FIELDS.variables.name, place, 'name'));
      // Of patterns it is said already.
      if (source !== 'body')
        short(property, limits.property, at(URL_FIELDS.variables.name, place, 'property'));
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
  const requests = spec.targets.flatMap(({ url }) => {
    const read = readUrl(url);
    return read === null ? [] : [{ ...read, hostname: read.bareHost }];
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

/** Of the test as JSON, and rather too much than too little. */
function bytesOf(spec: LoadTestSpec): number {
  const field = (text: Text | null) =>
    text === null ? 0 : jsonBytes(knownText(text)) + FIELD_OVERHEAD_BYTES;
  const fields = (all: readonly NamedText[] | null) =>
    sum((all ?? []).map(({ name, value }) => jsonBytes(name) + field(value)));
  const targets = spec.targets.map(
    (target) =>
      FIELD_OVERHEAD_BYTES * 2 +
      sum([target.url, target.payloadFileUrl, target.payloadFile?.sha256 ?? null, target.body].map(field)) +
      sum([target.credentials?.login ?? null, target.credentials?.password ?? null].map(field)) +
      fields(target.headers) +
      fields(target.params) +
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

/** The name of a field, its quotes, colon and comma. */
const FIELD_OVERHEAD_BYTES = 64;

/** In UTF-8, with the escapes. */
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

/** What is known of a text now: a secret that is not set counts as empty. */
function knownText(text: Text): string {
  if (typeof text === 'string') return text;
  const part = (one: (typeof text.parts)[number]) =>
    typeof one === 'string' ? one : one.present ? one.reveal() : '';
  return text.parts.map(part).join('');
}

/** The text with a digit for each secret, which may stand for a number of an expression. For messages. */
function maskedText(text: Text): string {
  if (typeof text === 'string') return text;
  return text.parts.map((part) => (typeof part === 'string' ? part : '0')).join('');
}

/** A name for people, short enough for one line. */
function truncate(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.length > 80 ? `${quoted.slice(0, 77)}…"` : quoted;
}
