/** Speaks with the service: every answer, also none, is a value. */
import { Signal } from './signal.ts';
import type { Session } from './session.ts';

export type ApiResponse<Body> =
  /** With the text that the body was read from. */
  | { readonly kind: 'given'; readonly body: Body; readonly text: string }
  /** The service said no, and why. */
  | { readonly kind: 'refused'; readonly status: number; readonly reasons: readonly string[] }
  /** Nobody answers. */
  | { readonly kind: 'gone' }
  /** The token is none (any more). */
  | { readonly kind: 'closed' };

/** In ms: a service that has not answered by then is taken for gone. */
const REQUEST_TIMEOUT_MS = 15_000;

export class Api {
  /** Since when nobody answers, in ms since the epoch; null: somebody does. */
  readonly unreachableSince = new Signal<number | null>(null);
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @param path begins with `/v2/`; what comes from elsewhere in it is encoded */
  async get<Body>(path: string): Promise<ApiResponse<Body>> {
    return await this.call('GET', path);
  }

  /** @param json of the body; undefined: it has none */
  async call<Body>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    json?: unknown,
  ): Promise<ApiResponse<Body>> {
    const access = this.#session.access.value;
    if (access.state !== 'open') return { kind: 'closed' };
    if (hasUnsafePath(path)) return { kind: 'refused', status: 404, reasons: ['No record has this address'] };
    try {
      // Beside the page, wherever a proxy has put that.
      const response = await fetch(`.${path}`, {
        method,
        headers: {
          authorization: `Bearer ${access.token}`,
          // What results say of who stopped a run.
          'x-loadtests-client': 'the page of the service',
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: json === undefined ? null : JSON.stringify(json),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      const body = parseJson(text);
      const reasons = reasonsOf(body);
      // A proxy answers for a service that is gone. What the service itself cannot do now, it gives a reason for; what it
      // cannot show now is asked for again.
      if ([502, 503, 504].includes(response.status) && (method === 'GET' || reasons.length === 0))
        return this.#gone();
      // An answer that was cut off says nothing; some have no body at all.
      if (response.ok && body === undefined && text !== '') return this.#gone();
      this.unreachableSince.set(null);
      if (response.status === 401) {
        this.#session.end(access.token);
        return { kind: 'closed' };
      }
      if (!response.ok) return { kind: 'refused', status: response.status, reasons };
      return { kind: 'given', body: body as Body, text }; // of the service that this page comes from
    } catch {
      return this.#gone();
    }
  }

  #gone(): { readonly kind: 'gone' } {
    this.unreachableSince.set(this.unreachableSince.value ?? Date.now());
    return { kind: 'gone' };
  }
}

/** An id comes from the address of a link, which anybody may have written: `..` would make it another route. */
function hasUnsafePath(path: string): boolean {
  return path.split(/[/?]/).some((part) => part === '.' || part === '..');
}

/** Undefined: it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What an error of the API says: `{"errors": […]}`. */
function reasonsOf(body: unknown): readonly string[] {
  const errors = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : null;
  return Array.isArray(errors) ? errors.map(String) : [];
}
