/** Interpretation of an exchange as a value or a CallError. */
import { readFaults } from '../contract/fault-codec.ts';
import type { Operation } from '../contract/routes.ts';
import { UnusableResponse } from '../contract/unusable-response.ts';
import { jsonText } from '../contract/wire-values.ts';
import { CallError, type CallOutcome, type RefusedField } from '../core/call-error.ts';
import type { Code, RefusalCode } from '../core/codes.ts';
import { nestingOf, isNestedDeeperThan } from '../core/json-nesting.ts';
import { problem } from '../core/problem.ts';
import { isObject } from '../core/unknown-value.ts';
import { parseBodyText } from './received-body.ts';
import { readRetryAfter } from './retry.ts';
import { decodeText, toSafeLine, redactSecrets } from './remote-text.ts';
import type { ServiceResponse, ExchangeOutcome, MalformedResponse, NoResponse } from './transport.ts';

export interface RequestContext {
  /** Method and path of the request, such as `PUT /v2/tests/f133/run`. */
  readonly title: string;
  readonly operation: Operation;
  /** Name of the service in messages, such as `https://api.example.com`. */
  readonly origin: string;
  readonly keyName: string;
  /** Strings that must not appear in messages: the key and the secrets of the request. */
  readonly secrets: readonly string[];
}

export type ResponseContent =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'empty' };

export interface ResponseReader<T> {
  /** @throws UnusableResponse if the content of the response is not usable. */
  readonly decode: (content: ResponseContent, response: ServiceResponse) => T | Promise<T>;
  /**
   * Returns a value if a refusal is a regular result, such as a failed verification; null if the refusal is an error.
   */
  readonly decodeRefusal?: (errors: readonly string[], status: number) => T | null;
}

/** @throws CallError if the exchange has no usable response. */
export async function readExchange<T>(
  context: RequestContext,
  exchange: ExchangeOutcome,
  reader: ResponseReader<T>,
): Promise<T> {
  switch (exchange.kind) {
    case 'none':
      throw toNoResponseError(context, exchange);
    case 'malformed':
      throw toMalformedResponseError(context, exchange);
    case 'response':
      return await readResponse(context, exchange, reader);
  }
}

function toNoResponseError(context: RequestContext, { sent, cause, reason, hint }: NoResponse): CallError {
  const { origin, title } = context;
  const isRead = context.operation === 'read';
  const outcome = sent === 'never' ? 'not_sent' : 'unknown';
  if (cause === 'interrupted') {
    const code = outcome === 'unknown' && !isRead ? 'LT_API_UNKNOWN' : 'LT_CLI_INTERRUPTED';
    return createCallError(context, 'lasting', { code, outcome, message: `${title} was interrupted` });
  }
  const code = outcome === 'not_sent' || isRead ? 'LT_API_UNREACHABLE' : 'LT_API_UNKNOWN';
  return createCallError(context, cause, {
    code,
    outcome,
    message: `${title}: the service at ${origin} ${reason}`,
    hint,
  });
}

const MAX_QUOTE_LENGTH = 60;

function toMalformedResponseError(context: RequestContext, { received, code }: MalformedResponse): CallError {
  const { origin, title, operation, secrets } = context;
  const text = toQuotableText(received, secrets);
  const quoted =
    text === '' ? '' : ` ("${text.slice(0, MAX_QUOTE_LENGTH)}${text.length > MAX_QUOTE_LENGTH ? '…' : ''}")`;
  const named = quoted === '' && code !== null ? ` (${code})` : quoted;
  return createCallError(context, 'lasting', {
    ...unusableResponseFailure(operation),
    message: `${title}: the service at ${origin} did not send a valid HTTP response${named}`,
    hint: 'check service.base_url; its port may belong to another program',
  });
}

async function readResponse<T>(
  context: RequestContext,
  response: ServiceResponse,
  reader: ResponseReader<T>,
): Promise<T> {
  const { title, operation, keyName } = context;
  const { status } = response;
  const body = parseBody(response);
  const errors = body.kind === 'value' ? errorsOf(body.value) : [];
  const details = { status, errors: errors.map((text) => toQuotableText(text, context.secrets)) };
  const quoted = details.errors.length === 0 ? '' : `: "${details.errors.join('", "')}"`;
  const isRefusal = body.kind === 'value' && isErrorResponse(body.value);
  const refusalCode = isRefusal ? codeOfRefusal(body.value) : 'LT_API_REFUSED';

  const failure = (code: Code, outcome: CallOutcome, message: string, hint: string | null = null) => ({
    ...details,
    code,
    outcome,
    hint,
    message: `${title}: ${message}`,
  });
  const unusable = (message: string, hint: string | null = null) => {
    const { code, outcome } = unusableResponseFailure(operation);
    return failure(code, outcome, message, hint);
  };
  const isKeyRejected = status === 401 || (isRefusal && errors.some(mentionsKey));
  if (isKeyRejected || status === 403) {
    const refused = isKeyRejected ? 'rejected the API key' : 'denied access';
    const message = `the service ${refused} (${status})${quoted}`;
    const other = isKeyRejected ? '' : ', and whether a proxy or firewall blocks the request';
    const hint = `check the API key in ${keyName}${other}`;
    throw createCallError(context, 'lasting', failure('LT_API_KEY', 'refused', message, hint));
  }
  if (status >= 300 && status < 400) {
    const message = `the service responded with a redirect (${status})${locationOf(response, context)}; redirects are not followed`;
    const hint = 'set service.base_url to the final address of the service';
    throw createCallError(context, 'lasting', unusable(message, hint));
  }
  if (status === 429) {
    const code = operation === 'read' ? 'LT_API_UNREACHABLE' : refusalCode;
    const message = `the service temporarily refused the request (429)${quoted}`;
    throw createCallError(context, 'passing', failure(code, 'refused', message), response);
  }
  if (status >= 500 || status === 408 || status === 425) {
    const code = operation === 'read' ? 'LT_API_UNREACHABLE' : 'LT_API_UNKNOWN';
    const message = `the service reported an error (${status})${quoted}`;
    throw createCallError(context, 'passing', failure(code, 'unknown', message), response);
  }
  if (isRefusal || status >= 400) {
    const fallback = reader.decodeRefusal?.(details.errors, status) ?? null;
    if (isRefusal && fallback !== null) return fallback;
    // A JSON object shows that the service itself refused the request. An error page may come from a proxy and proves
    // nothing.
    const isOwnFormat = body.kind === 'value' && isObject(body.value);
    if (isOwnFormat || operation === 'read' || (operation === 'delete' && status === 404)) {
      const refused = `the service refused the request (${status})`;
      const fields = isOwnFormat ? readFaults(body.value) : [];
      const hint =
        status === 404 && !isOwnFormat
          ? 'check service.base_url; API paths such as /v2/tests are appended to this URL'
          : null;
      throw createCallError(context, 'lasting', {
        ...failure(refusalCode, 'refused', `${refused}${quoted}`, hint),
        refusedFields: fields.some((field) => field !== null)
          ? details.errors.map((text, index) => ({
              message: `${title}: ${refused}: "${text}"`,
              field: fields[index] ?? null,
            }))
          : [],
      });
    }
    const message = `the service responded with status ${status}, and the response ${describe(body)}`;
    throw createCallError(context, 'lasting', unusable(message));
  }
  if (status < 200) {
    const message = `the service responded with the unexpected status ${status}`;
    throw createCallError(context, 'lasting', unusable(message));
  }
  if (body.kind === 'broken') {
    const cause = body.truncated ? 'passing' : 'lasting';
    throw createCallError(context, cause, unusable(`the response ${body.reason}`));
  }
  try {
    return await reader.decode(body, response);
  } catch (error) {
    if (!(error instanceof UnusableResponse)) throw error;
    throw createCallError(context, 'lasting', unusable(`unexpected response: ${error.message}`));
  }
}

interface FailureDetails {
  readonly code: Code;
  readonly outcome: CallOutcome;
  readonly message: string;
  readonly hint?: string | null;
  readonly status?: number;
  readonly errors?: readonly string[];
  readonly refusedFields?: readonly RefusedField[];
}

function createCallError(
  context: RequestContext,
  cause: 'passing' | 'lasting',
  failure: FailureDetails,
  response: ServiceResponse | null = null,
): CallError {
  const { code, outcome, message, hint = null, status = null, errors = [], refusedFields = [] } = failure;
  // Redacts the whole message, because a path or location may also contain a secret.
  const safe = redactSecrets(message, context.secrets);
  const retryAfter = response === null ? null : readRetryAfter(response.headers, Date.now());
  const transient = cause === 'passing';
  return new CallError(problem(code, safe, { hint }), {
    outcome,
    status,
    errors,
    refusedFields: refusedFields.map((one) => ({
      ...one,
      message: redactSecrets(one.message, context.secrets),
    })),
    transient,
    retryAfter,
  });
}

function unusableResponseFailure(operation: Operation): {
  readonly code: Code;
  readonly outcome: CallOutcome;
} {
  return { code: operation === 'read' ? 'LT_API_UNUSABLE' : 'LT_API_UNKNOWN', outcome: 'unknown' };
}

type ParsedBody =
  | ResponseContent
  /** `truncated`: the body is incomplete, so another attempt may succeed. */
  | { readonly kind: 'broken'; readonly truncated: boolean; readonly reason: string };

function describe(body: ParsedBody): string {
  switch (body.kind) {
    case 'empty':
      return 'is empty';
    case 'broken':
      return body.reason;
    case 'value':
      return 'gives no reason';
  }
}

const MAX_DEPTH = 64;

/** End of messages about responses that are not JSON and probably come from a different program. */
const NOT_A_SERVICE = '; check that the URL points to a load-testing service';

function parseBody({ body, headers }: ServiceResponse): ParsedBody {
  if (body.kind !== 'text')
    return { kind: 'broken', truncated: body.kind === 'truncated', reason: body.reason };
  const text = decodeText(body.bytes);
  // Members of a list are not measured, because their nested values are not processed recursively.
  if (body.members.length === 0 && isNestedDeeperThan(text, MAX_DEPTH)) {
    return { kind: 'broken', truncated: false, reason: `is nested deeper than ${MAX_DEPTH} levels` };
  }
  try {
    return { kind: 'value', value: parseBodyText(text, body.members) };
  } catch {
    if (text.trim() === '') return { kind: 'empty' };
    const isHtml = /^\s*</.test(text) || (headers.get('content-type') ?? '').includes('html');
    if (isHtml)
      return { kind: 'broken', truncated: false, reason: `is an HTML page, not JSON${NOT_A_SERVICE}` };
    return nestingOf(text, MAX_DEPTH) === 'open'
      ? { kind: 'broken', truncated: true, reason: 'is truncated JSON' }
      : { kind: 'broken', truncated: false, reason: `is not valid JSON${NOT_A_SERVICE}` };
  }
}

/** Reports whether the body is an error object, which is a refusal regardless of the status. */
function isErrorResponse(value: unknown): boolean {
  return isObject(value) && typeof value['message'] === 'string' && /^\s*error\s*$/i.test(value['message']);
}

/**
 * Returns the problem code of a refusal: LT_RUN_CAPACITY if the response contains this code; otherwise, LT_API_REFUSED.
 */
function codeOfRefusal(value: unknown): Code {
  const code: RefusalCode = 'LT_RUN_CAPACITY';
  return isObject(value) && value['code'] === code ? code : 'LT_API_REFUSED';
}

/** Returns the reasons in an error object. Also reads the formats of common frameworks. */
function errorsOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  const { errors, error, message } = value;
  const listed = Array.isArray(errors)
    ? errors.map((member: unknown) => (typeof member === 'string' ? member : jsonText(member)))
    : typeof errors === 'string'
      ? [errors]
      : isObject(errors)
        ? [jsonText(errors)]
        : [];
  if (listed.length > 0) return listed.slice(0, MAX_ERRORS);
  return [error, message]
    .filter((text) => typeof text === 'string')
    .filter((text) => !/^\s*(error|success)?\s*$/i.test(text));
}

const MAX_ERRORS = 20;

/** Reports whether a reason names a wrong or missing API key. Some services reject a key without status 401 or 403. */
function mentionsKey(text: string): boolean {
  return /\b(wrong|invalid|bad|missing|unknown|no)\s+api[\s_-]?key\b/i.test(text);
}

/**
 * Returns text that can be quoted in messages. Redacts secrets before and after sanitization, because sanitization can
 * split a secret or join its parts.
 */
function toQuotableText(text: string, secrets: readonly string[]): string {
  return redactSecrets(toSafeLine(redactSecrets(text, secrets)), secrets);
}

/**
 * Returns text such as ` to "https://example.com/path"`; empty if there is no valid redirect target. Omits the query
 * and the fragment, which may contain secrets.
 */
function locationOf(response: ServiceResponse, context: RequestContext): string {
  const location = response.headers.get('location');
  if (location === undefined) return '';
  const target = URL.canParse(location, context.origin) ? new URL(location, context.origin) : null;
  return target === null ? '' : ` to "${toSafeLine(`${target.origin}${target.pathname}`)}"`;
}
