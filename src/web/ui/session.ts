/**
 * The right to speak with the service: a one-time code of the address is traded for a token, which lives as long as the
 * tabs of the page do and never stands in an address.
 */
import { Signal } from './signal.ts';
import { signInCodeOf } from './routes.ts';

export type Access =
  | { readonly state: 'opening' }
  | { readonly state: 'open'; readonly token: string }
  /**
   * `absent`: no code and no token; `refused`: the code was not accepted; `ended`: the token is none any more; `left`: the
   * reader has signed out.
   */
  | { readonly state: 'closed'; readonly why: 'absent' | 'refused' | 'ended' | 'left' };

/** What tabs of the page tell each other. */
type TabMessage =
  | { readonly kind: 'who-has-a-token' }
  | { readonly kind: 'token'; readonly token: string }
  /** The service does not know it any more. */
  | { readonly kind: 'ended'; readonly token: string }
  /** The reader has signed out, of all tabs. */
  | { readonly kind: 'left' };

const TOKEN_KEY = 'loadtests-token';
const CHANNEL_NAME = 'loadtests-session';
/** In ms. */
const TAB_REPLY_TIMEOUT_MS = 300;
const RETRY_DELAY_MS = 1000;

export class Session {
  readonly access = new Signal<Access>({ state: 'opening' });
  readonly #channel = new BroadcastChannel(CHANNEL_NAME);
  /** Tabs that nobody sees ask the service for nothing, and would hand them out for ever. */
  readonly #ended = new Set<string>();
  #silence: number | undefined;

  constructor() {
    this.#channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
      const { value } = this.access;
      if (data.kind === 'ended') {
        this.#close(data.token);
      } else if (data.kind === 'left') {
        this.#leave();
      } else if (data.kind === 'token') {
        if (value.state !== 'open' && !this.#ended.has(data.token)) this.#open(data.token);
      } else if (value.state === 'open') this.#tell({ kind: 'token', token: value.token });
    });
  }

  /** With the code that the address holds, which is taken out of it and out of the history, or with what other tabs have. */
  begin(): void {
    const code = signInCodeOf(location.hash);
    if (code !== null) {
      history.replaceState(null, '', `${location.pathname}#/`);
      void this.#trade(code);
      return;
    }
    const token = sessionStorage.getItem(TOKEN_KEY);
    if (token !== null) this.#open(token);
    else if (this.access.value.state !== 'open') this.#askOthers();
  }

  /** The service does not know the token: it was restarted, or the time of the token is over. */
  end(token: string): void {
    if (!this.#close(token)) return;
    this.#tell({ kind: 'ended', token });
    // Another tab may have a new one.
    this.#tell({ kind: 'who-has-a-token' });
  }

  /** Ends the session in all tabs of this browser. */
  signOut(): void {
    this.#tell({ kind: 'left' });
    this.#leave();
  }

  /** Tabs that were opened by links of their own have other tokens: each gives up its own. */
  #leave(): void {
    const { value } = this.access;
    sessionStorage.removeItem(TOKEN_KEY);
    this.access.set({ state: 'closed', why: 'left' });
    if (value.state !== 'open') return;
    this.#ended.add(value.token);
    void this.#revoke(value.token);
  }

  /** Until the service has heard it. */
  async #revoke(token: string): Promise<void> {
    const response = await fetch('v2/sessions', {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
      // The tab may be closed at once.
      keepalive: true,
    }).catch(() => null);
    if (response === null || isBusy(response.status))
      setTimeout(() => void this.#revoke(token), RETRY_DELAY_MS);
  }

  /** Tells whether it was the token of this tab: another tab may have brought a new one since. */
  #close(token: string): boolean {
    this.#ended.add(token);
    const { value } = this.access;
    if (value.state !== 'open' || value.token !== token) return false;
    sessionStorage.removeItem(TOKEN_KEY);
    this.access.set({ state: 'closed', why: 'ended' });
    return true;
  }

  #open(token: string): void {
    clearTimeout(this.#silence);
    sessionStorage.setItem(TOKEN_KEY, token);
    this.access.set({ state: 'open', token });
  }

  #askOthers(): void {
    this.#tell({ kind: 'who-has-a-token' });
    this.#silence = setTimeout(() => {
      this.access.set({ state: 'closed', why: 'absent' });
    }, TAB_REPLY_TIMEOUT_MS);
  }

  async #trade(code: string): Promise<void> {
    const response = await fetch('v2/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    }).catch(() => null);
    // The code is still good.
    if (response === null || isBusy(response.status)) {
      setTimeout(() => void this.#trade(code), RETRY_DELAY_MS);
      return;
    }
    const told: unknown = response.ok ? await response.json().catch(() => null) : null;
    if (typeof told === 'object' && told !== null && 'token' in told && typeof told.token === 'string') {
      this.#open(told.token);
      this.#tell({ kind: 'token', token: told.token });
      return;
    }
    // A link that was opened twice: the tab may have a token of the first time.
    const token = sessionStorage.getItem(TOKEN_KEY);
    if (token === null) this.access.set({ state: 'closed', why: 'refused' });
    else this.#open(token);
  }

  #tell(message: TabMessage): void {
    this.#channel.postMessage(message);
  }
}

/** The service has no time now, or a proxy answers for it. */
function isBusy(status: number): boolean {
  return status === 429 || status >= 500;
}
