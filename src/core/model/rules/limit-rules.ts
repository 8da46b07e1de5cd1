/** Limits for the size of a test, and for its load on each host. */
import { counted, withCommas } from '../../counted.ts';
import { utf8Length } from '../../utf8-length.ts';
import { textsOfAws } from '../aws-sigv4.ts';
import { declaredLoadByHost } from '../peak-load.ts';
import { possibleDestinations } from '../resolved-url.ts';
import type { TestLimits } from '../capabilities.ts';
import { CONNECTION_TEXTS } from '../connection.ts';
import type { FieldPath } from '../../field-reference.ts';
import { paceOf, type LoadTestSpec, type NamedText } from '../load-test.ts';
import { bodyFieldsOf, filesOfBody, textsOfBody } from '../request-body.ts';
import { BODY_KINDS, BODY_NAMES, expectedTextsOf } from '../expectation.ts';
import type { Text } from '../secret.ts';
import { TEST_FIELDS, URL_FIELDS } from '../test-fields.ts';
import { readUrl } from '../url.ts';
import { valueListsOf } from './template-rules.ts';
import { quote } from '../../quote.ts';
import { addFault, knownText, type FaultList } from './fault.ts';
import { sumOf } from '../../sum.ts';

export function checkLimits(found: FaultList, spec: LoadTestSpec, limits: TestLimits): void {
  const report = (path: FieldPath, limit: string) =>
    addFault(found, { path, about: 'value', message: `${labelOf(path, spec)} must ${limit}` });
  const atMost = (value: number | null, maximum: number, path: FieldPath, unit = '') => {
    if ((value ?? 0) > maximum) report(path, `be at most ${maximum}${unit}`);
  };
  const hasAtMost = (count: number, maximum: number, path: FieldPath, unit = 'entries') => {
    if (count > maximum) report(path, `have at most ${maximum} ${unit}`);
  };
  const short = (text: Text | null, maximum: number, path: FieldPath) => {
    if (text === null) return;
    const known = knownText(text);
    // Characters are counted only if the UTF-16 length exceeds the maximum, to save time.
    if (known.length > maximum) hasAtMost(Array.from(known).length, maximum, path, 'characters');
  };
  atMost(spec.initial, limits.total, [TEST_FIELDS.initial.name]);
  atMost(spec.pace, limits.duration, [TEST_FIELDS.pace.name], ' ms');
  atMost(spec.connections, limits.total, [TEST_FIELDS.connections.name]);
  atMost(spec.total, limits.total, [TEST_FIELDS.total.name]);
  atMost(spec.duration / 1000, limits.duration / 1000, [TEST_FIELDS.duration.name], ' s');
  atMost(spec.timeout, limits.timeout, [TEST_FIELDS.timeout.name], ' ms');
  short(spec.callback, limits.url, [TEST_FIELDS.callback.name]);
  short(spec.name, limits.name, [TEST_FIELDS.name.name]);
  short(spec.notes, limits.notes, [TEST_FIELDS.notes.name]);
  hasAtMost(spec.targets.length, limits.targets, ['urls'], 'entries in total');
  for (const { values, path } of valueListsOf(spec)) {
    hasAtMost(values.length, limits.variables, path);
    for (const { name, value } of values) {
      short(name, limits.variableName, [...path, name]);
      short(value, limits.value, [...path, name]);
    }
  }
  spec.targets.forEach((target, index) => {
    const { params, body, multipart } = bodyFieldsOf(target.body);
    const at = (...path: FieldPath) => ['urls', index, ...path];
    short(target.url, limits.url, at(URL_FIELDS.url.name));
    short(target.payloadFileUrl, limits.url, at(URL_FIELDS.payloadFileUrl.name));
    short(target.credentials?.login ?? null, limits.credential, at(URL_FIELDS.credentials.name, 'login'));
    short(
      target.credentials?.password ?? null,
      limits.credential,
      at(URL_FIELDS.credentials.name, 'password'),
    );
    for (const { name, value } of target.awsSigv4 === null ? [] : textsOfAws(target.awsSigv4))
      short(value, limits.value, at(URL_FIELDS.awsSigv4.name, name));
    short(body, limits.body, at(URL_FIELDS.body.name));
    hasAtMost(target.headers?.length ?? 0, limits.headers, at(URL_FIELDS.headers.name));
    hasAtMost(params?.length ?? 0, limits.params, at(URL_FIELDS.params.name));
    hasAtMost(multipart?.length ?? 0, limits.params, at(URL_FIELDS.multipart.name));
    for (const part of multipart ?? []) {
      const path = at(URL_FIELDS.multipart.name, part.name);
      if ('value' in part) short(part.value, limits.body, path);
      short(part.contentType ?? null, limits.value, [...path, 'content_type']);
      short(part.filename ?? null, limits.value, [...path, 'filename']);
    }
    hasAtMost(target.variables?.length ?? 0, limits.variables, at(URL_FIELDS.variables.name));
    for (const { name, value } of target.headers ?? [])
      short(value, limits.value, at(URL_FIELDS.headers.name, name));
    for (const { name, value } of params ?? []) short(value, limits.value, at(URL_FIELDS.params.name, name));
    hasAtMost(target.expect?.status?.length ?? 0, limits.headers, at(URL_FIELDS.expect.name, 'status'));
    hasAtMost(target.expect?.headers?.length ?? 0, limits.headers, at(URL_FIELDS.expect.name, 'headers'));
    const { body: expectedBody = null, json: expectedJson = null } = target.expect ?? {};
    for (const kind of BODY_KINDS) {
      const length = expectedBody?.[kind].length ?? 0;
      hasAtMost(length, limits.headers, at(URL_FIELDS.expect.name, 'body', BODY_NAMES[kind]));
    }
    hasAtMost(expectedJson?.length ?? 0, limits.headers, at(URL_FIELDS.expect.name, 'json'));
    for (const { pointer } of expectedJson ?? [])
      short(pointer, limits.value, at(URL_FIELDS.expect.name, 'json', pointer));
    for (const { path, text } of expectedTextsOf(target.expect))
      short(text, limits.value, at(URL_FIELDS.expect.name, ...path));
    target.variables?.forEach(({ name, property, source }, variableIndex) => {
      short(name, limits.variableName, at(URL_FIELDS.variables.name, variableIndex, 'name'));
      // For the source `body`, the property is a pattern; `PatternRules` limits its length.
      if (source !== 'body')
        short(property, limits.property, at(URL_FIELDS.variables.name, variableIndex, 'property'));
    });
  });
  checkHosts(found, spec, limits);
}

/** Checks the size of the complete test, with its setup and teardown. */
export function checkSize(found: FaultList, spec: LoadTestSpec, { bytes }: TestLimits): void {
  if (bytesOf(spec) > bytes)
    addFault(found, {
      path: [],
      about: 'key',
      message: `the definition of the test is larger than ${withCommas(bytes)} bytes; shorten it, or move request bodies to files with "body_file"`,
    });
}

function labelOf(path: FieldPath, { stages }: LoadTestSpec): string {
  // In the file, stages replace these two fields.
  if (stages !== null && path[0] === TEST_FIELDS.total.name) return 'the highest level of the stages';
  if (stages !== null && path[0] === TEST_FIELDS.duration.name) return 'the total duration of the stages';
  return quote(String(path.findLast((part) => typeof part === 'string')));
}

function checkHosts(found: FaultList, spec: LoadTestSpec, limits: TestLimits): void {
  const requests = spec.targets.map(({ url }) => {
    const read = readUrl(url);
    return read && { ...read, hostname: read.bareHost };
  });
  const path = [TEST_FIELDS.total.name];
  const destinations = possibleDestinations(spec.targets, requests);
  const hosts = declaredLoadByHost(paceOf(spec), destinations, ({ hostname }) => [hostname]);
  for (const { connections, requestsPerSecond } of hosts.values()) {
    if (connections > limits.connectionsPerHost) {
      const message = `the test may reach ${counted(connections, 'connection')} on one host; the limit is ${withCommas(limits.connectionsPerHost)}`;
      addFault(found, { path, about: 'value', code: 'LT_RUN_CAPACITY', message });
    }
    if (requestsPerSecond > limits.requestsPerSecondPerHost) {
      const message = `the test may reach ${counted(requestsPerSecond, 'request')} per second on one host; the limit is ${withCommas(limits.requestsPerSecondPerHost)}`;
      addFault(found, { path, about: 'value', code: 'LT_RUN_CAPACITY', message });
    }
  }
}

/** Estimates the size of the test as JSON, in bytes, from the lengths of its strings. */
function bytesOf(spec: LoadTestSpec): number {
  const field = (text: Text | null) =>
    text === null ? 0 : jsonBytes(knownText(text)) + FIELD_OVERHEAD_BYTES;
  const fields = (all: readonly NamedText[] | null) =>
    sumOf((all ?? []).map(({ name, value }) => jsonBytes(name) + field(value)));
  const parts = [spec, spec.setup, spec.teardown].filter((part) => part !== null);
  const targets = parts
    .flatMap((part) => part.targets)
    .map(
      (target) =>
        FIELD_OVERHEAD_BYTES * 2 +
        sumOf([target.url, target.payloadFileUrl, target.payloadFile?.sha256 ?? null].map(field)) +
        sumOf(textsOfBody(target.body).map(({ name, value }) => jsonBytes(name ?? '') + field(value))) +
        sumOf(filesOfBody(target.body).map(({ sha256 }) => field(sha256))) +
        sumOf(
          (target.body?.kind === 'multipart' ? target.body.parts : []).map(
            ({ name, contentType, filename }) =>
              field(name) + field(contentType ?? null) + field(filename ?? null),
          ),
        ) +
        sumOf([target.credentials?.login ?? null, target.credentials?.password ?? null].map(field)) +
        fields(target.awsSigv4 && textsOfAws(target.awsSigv4)) +
        fields(target.headers) +
        fields(
          expectedTextsOf(target.expect).map(({ path, text }) => ({ name: path.join('/'), value: text })),
        ) +
        fields((target.expect?.json ?? []).map(({ pointer }) => ({ name: pointer, value: '' }))) +
        (target.expect?.status?.length ?? 0) * 8 +
        sumOf(
          (target.variables ?? []).map(
            ({ name, property }) => jsonBytes(name) + jsonBytes(property) + FIELD_OVERHEAD_BYTES,
          ),
        ),
    );
  return (
    FIELD_OVERHEAD_BYTES * 8 +
    sumOf([spec.name, spec.notes, spec.callback, spec.callbackEmail].map(field)) +
    fields(spec.values) +
    sumOf(
      (spec.connection ?? []).map(({ options }) =>
        sumOf(CONNECTION_TEXTS.map((name) => field(options[name] ?? null))),
      ),
    ) +
    sumOf((spec.flows ?? []).map(({ values }) => fields(values ?? null))) +
    sumOf(
      [...parts.map(({ groups }) => groups), spec.stages, spec.abortRules].map((list) =>
        jsonBytes(list ?? []),
      ),
    ) +
    sumOf(targets)
  );
}

/** Allowance, in bytes, for a field name with its quotes, colon and comma. */
const FIELD_OVERHEAD_BYTES = 64;

/** Returns the size in bytes of a value as JSON, encoded as UTF-8 and including escapes. */
function jsonBytes(value: string | readonly object[]): number {
  return utf8Length(JSON.stringify(value));
}
