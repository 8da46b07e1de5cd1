/**
 * Session of the web UI. The one-time code of a sign-in link is exchanged for a token. The token is stored at most
 * until the tab is closed, and is not part of the address.
 */
import { objectOf } from '../../core/unknown-value.ts';
import { Signal } from './signal.ts';
import { signInCodeOf } from './routes.ts';

export type Access =
  | { readonly state: 'opening' }
  | { readonly state: 'open'; readonly token: string }
  /**
   * No session. `absent`: there is no code or token; `refused`: the service rejected the code; `ended`: the token
   * is no longer valid; `left`: the user signed out.
   */
  | { readonly state: 'closed'; readonly why: 'absent' | 'refused' | 'ended' | 'left' };

type TabMessage =
  | { readonly kind: 'who-has-a-token' }
  | { readonly kind: 'token'; readonly token: string }
  /** Notification that the service no longer accepts the token. */
  | { readonly kind: 'ended'; readonly token: string }
  | { readonly kind: 'left' };

const TOKEN_KEY = 'loadtests-token';
const CHANNEL_NAME = 'loadtests-session';
const TAB_REPLY_TIMEOUT_MS = 300;
const RETRY_DELAY_MS = 1000;

export class Session {
  readonly access = new Signal<Access>({ state: 'opening' });
  readonly #channel = new BroadcastChannel(CHANNEL_NAME);
  /** Tokens that are no longer valid. A hidden tab could still offer such a token, because hidden tabs do not poll. */
  readonly #ended = new Set<string>();
  #replyTimer: number | undefined;

  constructor() {
    this.#channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
      const { value } = this.access;
      if (data.kind === 'ended') {
        this.#close(data.token);
      } else if (data.kind === 'left') {
        this.#signOutTab();
      } else if (data.kind === 'token') {
        if (value.state !== 'open' && !this.#ended.has(data.token)) this.#open(data.token);
      } else if (value.state === 'open') this.#broadcast({ kind: 'token', token: value.token });
    });
  }

  /**
   * Starts the session with the code in the address, the token of this tab, or the token of another tab. The
   * code is removed from the address and the history.
   */
  begin(): void {
    const code = signInCodeOf(location.hash);
    if (code !== null) {
      history.replaceState(null, '', `${location.pathname}#/`);
      void this.#exchange(code);
      return;
    }
    const token = sessionStorage.getItem(TOKEN_KEY);
    if (token !== null) this.#open(token);
    else if (this.access.value.state !== 'open') this.#requestToken();
  }

  /** Ends the session after the service rejected its token, for example because the service restarted. */
  end(token: string): void {
    if (!this.#close(token)) return;
    this.#broadcast({ kind: 'ended', token });
    // Another tab may have a new token.
    this.#broadcast({ kind: 'who-has-a-token' });
  }

  /** Ends the session in all tabs of this browser. */
  signOut(): void {
    this.#broadcast({ kind: 'left' });
    this.#signOutTab();
  }

  /**
   * Signs out this tab and revokes its token. Each tab revokes its own token, because tabs that were opened with
   * different links have different tokens.
   */
  #signOutTab(): void {
    const { value } = this.access;
    sessionStorage.removeItem(TOKEN_KEY);
    this.access.set({ state: 'closed', why: 'left' });
    if (value.state !== 'open') return;
    this.#ended.add(value.token);
    void this.#revoke(value.token);
  }

  /** Repeats the request while the service is unreachable or busy. */
  async #revoke(token: string): Promise<void> {
    const response = await fetch('v2/sessions', {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
      keepalive: true,
    }).catch(() => null);
    if (response === null || isBusy(response.status))
      setTimeout(() => void this.#revoke(token), RETRY_DELAY_MS);
  }

  /** Returns false if the tab does not use the token. */
  #close(token: string): boolean {
    this.#ended.add(token);
    const { value } = this.access;
    if (value.state !== 'open' || value.token !== token) return false;
    sessionStorage.removeItem(TOKEN_KEY);
    this.access.set({ state: 'closed', why: 'ended' });
    return true;
  }

  #open(token: string): void {
    clearTimeout(this.#replyTimer);
    sessionStorage.setItem(TOKEN_KEY, token);
    this.access.set({ state: 'open', token });
  }

  #requestToken(): void {
    this.#broadcast({ kind: 'who-has-a-token' });
    this.#replyTimer = setTimeout(
      () => this.access.set({ state: 'closed', why: 'absent' }),
      TAB_REPLY_TIMEOUT_MS,
    );
  }

  async #exchange(code: string): Promise<void> {
    const response = await fetch('v2/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    }).catch(() => null);
    // If the service is unreachable or busy, repeats the exchange, because the code may still be valid.
    if (response === null || isBusy(response.status)) {
      setTimeout(() => void this.#exchange(code), RETRY_DELAY_MS);
      return;
    }
    const body: unknown = response.ok ? await response.json().catch(() => null) : null;
    const issued = objectOf(body)['token'];
    if (typeof issued === 'string') {
      this.#open(issued);
      this.#broadcast({ kind: 'token', token: issued });
      return;
    }
    // If the link was opened twice, the tab may still have the token from the first time.
    const token = sessionStorage.getItem(TOKEN_KEY);
    if (token === null) this.access.set({ state: 'closed', why: 'refused' });
    else this.#open(token);
  }

  #broadcast(message: TabMessage): void {
    this.#channel.postMessage(message);
  }
}

/** Reports whether a retry may succeed: the request was rate limited, or the service or a proxy failed. */
function isBusy(status: number): boolean {
  return status === 429 || status >= 500;
}
