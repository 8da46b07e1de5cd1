/** Client of the HTTP API. Every outcome is returned as a value, including a missing response. */
import { objectOf } from '../../core/unknown-value.ts';
import { Signal } from './signal.ts';
import type { Session } from './session.ts';

export type ApiResponse<Body> =
  /** `body` is the parsed body, `text` its source text. */
  | { readonly kind: 'ok'; readonly body: Body; readonly text: string }
  | { readonly kind: 'refused'; readonly status: number; readonly reasons: readonly string[] }
  | { readonly kind: 'unreachable' }
  /** The tab has no session, or the service rejected its token. */
  | { readonly kind: 'signed-out' };

/**
 * Returns the reason why a request failed; an empty string if it succeeded.
 * @param start - Start of the text, such as `Not saved`.
 */
export function faultText(response: ApiResponse<unknown>, start: string): string {
  if (response.kind === 'ok') return '';
  return `${start}: ${response.kind === 'refused' ? response.reasons.join('; ') : 'the service did not respond'}`;
}

export function notShownText(
  name: 'run' | 'test',
  { status, reasons }: Pick<Extract<ApiResponse<unknown>, { kind: 'refused' }>, 'status' | 'reasons'>,
): string {
  return status === 404
    ? `The ${name} was not found. It may have been deleted with its app${RETENTION[name]}.`
    : `The service refused to show this ${name}: ${reasons.join('; ')}`;
}

/** Empty for tests, because tests have no retention period. */
const RETENTION = { run: ' or after its retention period', test: '' } as const;

/** Time after which a service that has not responded counts as unreachable. */
const REQUEST_TIMEOUT_MS = 15_000;

export class Api {
  /**
   * Time of the last response before the service became unreachable, in ms since the epoch; null while the service is
   * reachable.
   */
  readonly unreachableSince = new Signal<number | null>(null);
  readonly session: Session;
  #respondedAt = Date.now();

  constructor(session: Session) {
    this.session = session;
  }

  /** @param path - Starts with `/v2/`. Variable segments must be encoded. */
  async get<Body>(path: string): Promise<ApiResponse<Body>> {
    return await this.call('GET', path);
  }

  /**
   * Does not throw if the service is unreachable.
   * @param json - Request body; undefined for a request without a body.
   * @param isJson - False if the body of the response is not JSON.
   */
  async call<Body>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    json?: unknown,
    isJson = true,
  ): Promise<ApiResponse<Body>> {
    const access = this.session.access.value;
    if (access.state !== 'open') return { kind: 'signed-out' };
    if (hasUnsafePath(path)) return { kind: 'refused', status: 404, reasons: ['the address is invalid'] };
    try {
      // Uses a URL relative to the document, because a proxy can serve the web UI below a path prefix.
      const response = await fetch(`.${path}`, {
        method,
        headers: {
          authorization: `Bearer ${access.token}`,
          // Name that the result of a run contains if the web UI stops the run.
          'x-loadtests-client': 'the loadtests web UI',
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: json === undefined ? null : JSON.stringify(json),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      const body = parseJson(text);
      const reasons = reasonsOf(body);
      // A proxy sends these statuses if it cannot reach the service; the service itself always sends reasons. A GET
      // request with such a status counts as unanswered even with reasons, because polling repeats the request.
      if ([502, 503, 504].includes(response.status) && (method === 'GET' || reasons.length === 0))
        return this.#unreachable();
      // A non-empty body that is not valid JSON was probably truncated. An empty body is valid for some requests.
      if (isJson && response.ok && body === undefined && text !== '') return this.#unreachable();
      this.unreachableSince.set(null);
      this.#respondedAt = Date.now();
      if (response.status === 401) {
        this.session.end(access.token);
        return { kind: 'signed-out' };
      }
      if (!response.ok) return { kind: 'refused', status: response.status, reasons };
      return { kind: 'ok', body: body as Body, text }; // The service also provides this web UI.
    } catch {
      return this.#unreachable();
    }
  }

  #unreachable(): { readonly kind: 'unreachable' } {
    this.unreachableSince.set(this.#respondedAt);
    return { kind: 'unreachable' };
  }
}

/**
 * Reports whether a path contains `.` or `..` segments. With such a segment, an ID from a manipulated link could select
 * a different resource.
 */
function hasUnsafePath(path: string): boolean {
  return path.split(/[/?]/).some((segment) => segment === '.' || segment === '..');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the reasons of an API error: `{"errors": […]}`. */
function reasonsOf(body: unknown): readonly string[] {
  const { errors } = objectOf(body);
  return Array.isArray(errors) ? errors.map(String) : [];
}
