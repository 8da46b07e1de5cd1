/** From one exchange to a value or a CallError. Decides what an answer means, and never what to do next. */
import type { Operation } from '../contract/routes.ts';
import { UnusableResponse } from '../contract/unusable-response.ts';
import { jsonText } from '../contract/wire-values.ts';
import { CallError, type CallOutcome } from '../core/call-error.ts';
import type { Code, RefusalCode } from '../core/codes.ts';
import { nestingOf, isNestedDeeperThan } from '../core/json-nesting.ts';
import { problem } from '../core/problem.ts';
import { readRetryAfter } from './retry.ts';
import { toSafeLine, redactSecrets } from './remote-text.ts';
import type { ServiceResponse, ExchangeOutcome, MalformedResponse, NoResponse } from './transport.ts';

/** What is asked, as far as understanding the answer needs it. */
export interface RequestContext {
  /** `PUT /v2/tests/f133/run`. */
  readonly title: string;
  readonly operation: Operation;
  /** `https://api.example.com`: how messages name the service. */
  readonly origin: string;
  readonly keyName: string;
  /** Texts that no message may hold: the key and what the request held. */
  readonly secrets: readonly string[];
}

/** What a readable answer said. */
export type ResponseContent =
  | { readonly kind: 'value'; readonly value: unknown }
  /** No body at all. */
  | { readonly kind: 'empty' };

/** Reads of a failed verification's answer stop before `decode`, where it is an answer and no error. */
export interface ResponseReader<T> {
  /** Errors: UnusableResponse. */
  readonly decode: (content: ResponseContent, response: ServiceResponse) => T;
  /** Makes a value of a refusal that is an answer; null: it is an error. */
  readonly decodeRefusal?: (errors: readonly string[], status: number) => T | null;
}

/** Errors: CallError, where the exchange gave nothing to use. */
export function readExchange<T>(
  question: RequestContext,
  exchange: ExchangeOutcome,
  reading: ResponseReader<T>,
): T {
  switch (exchange.kind) {
    case 'none':
      throw toNoResponseError(question, exchange);
    case 'garbled':
      throw toMalformedResponseError(question, exchange);
    case 'answer':
      return readResponse(question, exchange, reading);
  }
}

function toNoResponseError(question: RequestContext, { sent, cause, reason, hint }: NoResponse): CallError {
  const { origin, title } = question;
  const reading = question.operation === 'read';
  const outcome = sent === 'never' ? 'not_sent' : 'unknown';
  if (cause === 'interrupted') {
    const code = outcome === 'unknown' && !reading ? 'LT_API_UNKNOWN' : 'LT_CLI_INTERRUPTED';
    return createCallError(question, 'lasting', { code, outcome, message: `${title} was interrupted` });
  }
  const code = outcome === 'not_sent' || reading ? 'LT_API_UNREACHABLE' : 'LT_API_UNKNOWN';
  return createCallError(question, cause, {
    code,
    outcome,
    message: `${title}: the service at ${origin} ${reason}`,
    hint,
  });
}

const MAX_QUOTE_LENGTH = 60;

function toMalformedResponseError(
  question: RequestContext,
  { received, code }: MalformedResponse,
): CallError {
  const { origin, title, operation, secrets } = question;
  const text = toQuotableText(received, secrets);
  const quoted =
    text === '' ? '' : ` ("${text.slice(0, MAX_QUOTE_LENGTH)}${text.length > MAX_QUOTE_LENGTH ? '…' : ''}")`;
  const named = quoted === '' && code !== null ? ` (${code})` : quoted;
  return createCallError(question, 'lasting', {
    ...unusableResponseFailure(operation),
    message: `${title}: the service at ${origin} did not respond with HTTP${named}`,
    hint: 'service.base_url may be the port of another program',
  });
}

function readResponse<T>(question: RequestContext, response: ServiceResponse, reading: ResponseReader<T>): T {
  const { title, operation, keyName } = question;
  const { status } = response;
  const body = parseBody(response);
  const errors = body.kind === 'json' ? errorsOf(body.value) : [];
  const said = { status, errors: errors.map((text) => toQuotableText(text, question.secrets)) };
  const quoted = said.errors.length === 0 ? '' : `: "${said.errors.join('", "')}"`;
  const refusing = body.kind === 'json' && isErrorResponse(body.value);
  const refusal = refusing ? codeOfRefusal(body.value) : 'LT_API_REFUSED';

  if (status === 401 || status === 403 || (refusing && errors.some(mentionsKey))) {
    throw createCallError(question, 'lasting', {
      ...said,
      code: 'LT_API_KEY',
      outcome: 'refused',
      message: `${title}: the service rejected the API key (${status})${quoted}`,
      hint: `the API key is read from ${keyName}`,
    });
  }
  if (status >= 300 && status < 400) {
    throw createCallError(question, 'lasting', {
      ...said,
      ...unusableResponseFailure(operation),
      message: `${title}: the service responded with a redirect (${status})${locationOf(response, question)}; redirects are not followed`,
      hint: 'set service.base_url to the final address of the service',
    });
  }
  if (status === 429) {
    throw createCallError(
      question,
      'passing',
      {
        ...said,
        code: operation === 'read' ? 'LT_API_UNREACHABLE' : refusal,
        outcome: 'refused',
        message: `${title}: the service is limiting requests (429)${quoted}`,
      },
      response,
    );
  }
  if (status >= 500 || status === 408 || status === 425) {
    throw createCallError(
      question,
      'passing',
      {
        ...said,
        code: operation === 'read' ? 'LT_API_UNREACHABLE' : 'LT_API_UNKNOWN',
        outcome: 'unknown',
        message: `${title}: the service reported an error (${status})${quoted}`,
      },
      response,
    );
  }
  if (refusing || status >= 400) {
    const fallback = reading.decodeRefusal?.(said.errors, status) ?? null;
    if (refusing && fallback !== null) return fallback;
    // A refusal in the service's own words proves that nothing was done; a proxy's page proves nothing.
    const own = body.kind === 'json' && isRecord(body.value);
    if (own || operation === 'read' || (operation === 'delete' && status === 404)) {
      throw createCallError(question, 'lasting', {
        ...said,
        code: refusal,
        outcome: 'refused',
        message: `${title}: the service refused the request (${status})${quoted}`,
        hint:
          status === 404 && !own ? 'service.base_url may be wrong: all paths below it begin with /v2' : null,
      });
    }
    throw createCallError(question, 'lasting', {
      ...said,
      ...unusableResponseFailure(operation),
      message: `${title}: the service responded with ${status}, and the response ${describe(body)}`,
    });
  }
  if (status < 200) {
    throw createCallError(question, 'lasting', {
      ...said,
      ...unusableResponseFailure(operation),
      message: `${title}: the service responded with the unexpected status ${status}`,
    });
  }
  if (body.kind === 'broken') {
    throw createCallError(question, body.truncated ? 'passing' : 'lasting', {
      ...said,
      ...unusableResponseFailure(operation),
      message: `${title}: the response ${body.reason}`,
    });
  }
  try {
    return reading.decode(body.kind === 'empty' ? body : { kind: 'value', value: body.value }, response);
  } catch (error) {
    if (!(error instanceof UnusableResponse)) throw error;
    throw createCallError(question, 'lasting', {
      ...said,
      ...unusableResponseFailure(operation),
      message: `${title}: unexpected response: ${error.message}`,
    });
  }
}

interface FailureDetails {
  readonly code: Code;
  readonly outcome: CallOutcome;
  readonly message: string;
  readonly hint?: string | null;
  readonly status?: number;
  readonly errors?: readonly string[];
}

function createCallError(
  question: RequestContext,
  cause: 'passing' | 'lasting',
  failing: FailureDetails,
  response: ServiceResponse | null = null,
): CallError {
  const { code, outcome, message, hint = null, status = null, errors = [] } = failing;
  // Once more over all of it: a key may also sit in a path or a location.
  const safe = redactSecrets(message, question.secrets);
  const retryAfter = response === null ? null : readRetryAfter(response.headers, Date.now());
  const transient = cause === 'passing';
  return new CallError(problem(code, safe, { hint }), { outcome, status, errors, transient, retryAfter });
}

/** An unusable answer. After a write it leaves open whether the write was carried out. */
function unusableResponseFailure(operation: Operation): {
  readonly code: Code;
  readonly outcome: CallOutcome;
} {
  return { code: operation === 'read' ? 'LT_API_UNUSABLE' : 'LT_API_UNKNOWN', outcome: 'unknown' };
}

type ParsedBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'empty' }
  /** `cut`: it ended too early, so another try may bring it whole. */
  | { readonly kind: 'broken'; readonly truncated: boolean; readonly reason: string };

function describe(body: ParsedBody): string {
  switch (body.kind) {
    case 'empty':
      return 'is empty';
    case 'broken':
      return body.reason;
    case 'json':
      return 'gives no reason';
  }
}

const MAX_DEPTH = 64;
/** Only lists are longer, and of what they nest nothing is walked: measuring them would take longer than it saves. */
const MAX_MEASURED_LENGTH = 16 * 1024 * 1024;

function parseBody({ body, headers }: ServiceResponse): ParsedBody {
  if (body.kind !== 'text') return { kind: 'broken', truncated: body.kind === 'cut', reason: body.reason };
  const { text } = body;
  if (text.trim() === '') return { kind: 'empty' };
  if (text.length <= MAX_MEASURED_LENGTH && isNestedDeeperThan(text, MAX_DEPTH)) {
    return { kind: 'broken', truncated: false, reason: `is nested deeper than ${MAX_DEPTH} levels` };
  }
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    const page = /^\s*</.test(text) || (headers.get('content-type') ?? '').includes('html');
    if (page) return { kind: 'broken', truncated: false, reason: 'is an HTML page, not JSON' };
    return nestingOf(text, MAX_DEPTH) === 'open'
      ? { kind: 'broken', truncated: true, reason: 'is truncated JSON' }
      : { kind: 'broken', truncated: false, reason: 'is not valid JSON' };
  }
}

/** The body beats the status: this marker is a refusal also under 200. */
function isErrorResponse(value: unknown): boolean {
  return isRecord(value) && typeof value['message'] === 'string' && /^\s*error\s*$/i.test(value['message']);
}

/** Of all that a service may write there, only what is said of its refusals counts. */
function codeOfRefusal(value: unknown): Code {
  const code: RefusalCode = 'LT_RUN_CAPACITY';
  return isRecord(value) && value['code'] === code ? code : 'LT_API_REFUSED';
}

/** Why, in the service's words: of the documented error object, and of what frameworks send in its place. */
function errorsOf(value: unknown): string[] {
  if (!isRecord(value)) return [];
  const { errors, error, message } = value;
  const listed = Array.isArray(errors)
    ? errors.map((member: unknown) => (typeof member === 'string' ? member : jsonText(member)))
    : typeof errors === 'string'
      ? [errors]
      : isRecord(errors)
        ? [jsonText(errors)]
        : [];
  if (listed.length > 0) return listed.slice(0, MAX_ERRORS);
  return [error, message]
    .filter((text) => typeof text === 'string')
    .filter((text) => !/^\s*(error|success)?\s*$/i.test(text));
}

const MAX_ERRORS = 20;

/** Some services say that the key is wrong under a status that does not. */
function mentionsKey(text: string): boolean {
  return /\b(wrong|invalid|bad|missing|unknown|no)\s+api[\s_-]?key\b/i.test(text);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Secrets go before cleaning, which may cut one in two, and after it, which may join one together. */
function toQuotableText(text: string, secrets: readonly string[]): string {
  return redactSecrets(toSafeLine(redactSecrets(text, secrets)), secrets);
}

/** The target without query and fragment, which may hold what is secret. */
function locationOf(response: ServiceResponse, question: RequestContext): string {
  const location = response.headers.get('location');
  if (location === undefined) return '';
  const target = URL.canParse(location, question.origin) ? new URL(location, question.origin) : null;
  return target === null ? '' : ` to "${toSafeLine(`${target.origin}${target.pathname}`)}"`;
}
