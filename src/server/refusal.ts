import { counted } from '../core/counted.ts';
import { ProblemError } from '../core/problem.ts';
import type { RefusalCode } from '../core/codes.ts';
import type { FieldPath, FieldReference } from '../core/field-reference.ts';
import type { Fault } from '../core/model/rules/fault.ts';

export interface RefusalDetails {
  readonly appId?: string;
  readonly retryAfter?: number;
  readonly code?: RefusalCode;
  readonly fields?: readonly (FieldReference | null)[];
}

export class Refusal extends Error {
  readonly status: number;
  readonly errors: readonly string[];
  /** ID of the app that the errors refer to; null if there is none. */
  readonly appId: string | null;
  /** Number of seconds until a retry may succeed; null if the response specifies none. */
  readonly retryAfter: number | null;
  readonly code: RefusalCode | null;
  /**
   * Field of the test that each error refers to, or null, in the order of `errors`. Empty if fields are not specified.
   */
  readonly fields: readonly (FieldReference | null)[];

  constructor(status: number, errors: readonly string[], more: RefusalDetails = {}) {
    super(errors.join('; '));
    this.name = 'Refusal';
    this.status = status;
    this.errors = errors;
    this.appId = more.appId ?? null;
    this.retryAfter = more.retryAfter ?? null;
    this.code = more.code ?? null;
    this.fields = more.fields ?? [];
  }
}

export class NotVerified extends Refusal {
  constructor(errors: readonly string[], more: Pick<RefusalDetails, 'appId' | 'fields'> = {}) {
    super(422, errors, more);
    this.name = 'NotVerified';
  }
}

export function notFound(): Refusal {
  return new Refusal(404, ['Requested record was not found']);
}

/** Returns the refusal of a request that may succeed after a few seconds. */
export function temporary(reason: string): Refusal {
  return new Refusal(503, [reason], { retryAfter: 5 });
}

export function starting(): Refusal {
  return temporary('the service is starting: its database is being checked');
}

export function outOfFiles(): Refusal {
  return temporary('the service cannot open more files or connections; nothing was stored');
}

export function closing(): Refusal {
  return temporary('the service is shutting down');
}

/** Returns the refusal for a problem of the load generator, such as an outage of Redis; other errors are unchanged. */
export function unavailable(error: unknown): unknown {
  return error instanceof ProblemError ? temporary(error.problem.message) : error;
}

/**
 * Returns the refusal for load that exceeds the capacity of the load generator or a host limit.
 *
 * @param retryAfter - Seconds; null if the load alone exceeds the limit, so a retry cannot succeed.
 */
export function tooMuchLoad(reason: string, retryAfter: number | null = null): Refusal {
  const code = 'LT_RUN_CAPACITY';
  return retryAfter === null
    ? new Refusal(422, [reason], { code })
    : new Refusal(429, [reason], { code, retryAfter });
}

/** @throws Refusal 422 if any fault is an error. */
export function refuseFaults(faults: readonly Fault[]): void {
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const omitted = errors.length - MAX_FAULTS;
  const rest = omitted > 0 ? [`${counted(omitted, 'more error')} not listed`] : [];
  const messages = [...errors.slice(0, MAX_FAULTS).map(sentenceOf), ...rest];
  const isCapacity = errors.every(({ code }) => code === 'LT_RUN_CAPACITY');
  const fields = errors.slice(0, MAX_FAULTS);
  throw new Refusal(422, messages, isCapacity ? { code: 'LT_RUN_CAPACITY', fields } : { fields });
}

/** Maximum number of reported faults, which limits the size of the response. */
const MAX_FAULTS = 100;

function sentenceOf({ path, message }: Fault): string {
  const entry = entryText(path);
  return entry === null ? message : `${entry}: ${message}`;
}

/** Returns the list entry of a path, such as `setup.urls[0]`; null if the path contains no list index. */
export function entryText(path: FieldPath): string | null {
  const at = path.findIndex((segment) => typeof segment === 'number');
  return at < 1 ? null : `${path.slice(0, at).join('.')}[${path[at]}]`;
}

/** @param path - Path of the URL entry in the test. */
export function unusableUrl(path: FieldPath, name: string, reason: string): Refusal {
  const fields: readonly FieldReference[] = [{ path: [...path, name], about: 'value' }];
  return new Refusal(422, [`${entryText(path) ?? ''}: ${reason}`], { fields });
}

export function unprocessable(...errors: readonly string[]): Refusal {
  return new Refusal(422, errors);
}
