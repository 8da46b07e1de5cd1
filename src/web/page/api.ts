/** Speaks with the service: every answer, also none, is a value. */
import { Cell } from './cell.ts';
import type { Session } from './session.ts';

export type Answer<Body> =
  /** With the text that the body was read from. */
  | { readonly kind: 'given'; readonly body: Body; readonly text: string }
  /** The service said no, and why. */
  | { readonly kind: 'refused'; readonly status: number; readonly reasons: readonly string[] }
  /** Nobody answers. */
  | { readonly kind: 'gone' }
  /** The token is none (any more). */
  | { readonly kind: 'closed' };

/** In ms: a service that has not answered by then is taken for gone. */
const PATIENCE = 15_000;

export class Api {
  /** Since when nobody answers, in ms since the epoch; null: somebody does. */
  readonly goneSince = new Cell<number | null>(null);
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @param path begins with `/v2/`; what comes from elsewhere in it is encoded */
  async get<Body>(path: string): Promise<Answer<Body>> {
    return await this.call('GET', path);
  }

  /** @param json of the body; undefined: it has none */
  async call<Body>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    json?: unknown,
  ): Promise<Answer<Body>> {
    const access = this.#session.access.value;
    if (access.state !== 'open') return { kind: 'closed' };
    if (leadsElsewhere(path))
      return { kind: 'refused', status: 404, reasons: ['No record has this address'] };
    try {
      // Beside the page, wherever a proxy has put that.
      const answer = await fetch(`.${path}`, {
        method,
        headers: {
          authorization: `Bearer ${access.token}`,
          // What results say of who stopped a run.
          'x-loadtests-client': 'the page of the service',
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: json === undefined ? null : JSON.stringify(json),
        signal: AbortSignal.timeout(PATIENCE),
      });
      const text = await answer.text();
      const body = jsonOf(text);
      const reasons = reasonsOf(body);
      // A proxy answers for a service that is gone. What the service itself cannot do now, it gives a reason for; what it
      // cannot show now is asked for again.
      if ([502, 503, 504].includes(answer.status) && (method === 'GET' || reasons.length === 0))
        return this.#gone();
      // An answer that was cut off says nothing; some have no body at all.
      if (answer.ok && body === undefined && text !== '') return this.#gone();
      this.goneSince.set(null);
      if (answer.status === 401) {
        this.#session.end(access.token);
        return { kind: 'closed' };
      }
      if (!answer.ok) return { kind: 'refused', status: answer.status, reasons };
      return { kind: 'given', body: body as Body, text }; // of the service that this page comes from
    } catch {
      return this.#gone();
    }
  }

  #gone(): { readonly kind: 'gone' } {
    this.goneSince.set(this.goneSince.value ?? Date.now());
    return { kind: 'gone' };
  }
}

/** An id comes from the address of a link, which anybody may have written: `..` would make it another route. */
function leadsElsewhere(path: string): boolean {
  return path.split(/[/?]/).some((part) => part === '.' || part === '..');
}

/** Undefined: it is no JSON. */
function jsonOf(text: string): unknown {
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
