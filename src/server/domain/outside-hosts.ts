/** Which hosts the service may call of itself: those that get callbacks or give payload files. */
import { matchesAny } from '../../core/glob.ts';
import { classifyAddress } from '../../egress/classify.ts';
import type { AppStore } from '../store/apps.ts';
import { parseUrl } from './app-host.ts';

export interface OutsideHostsParts {
  readonly appStore: AppStore;
  /** Whether the machine of the service is its users' own. */
  readonly loopback: boolean;
  /** Hosts that the operator allows, with or without port; `*` stands for any text. */
  readonly allowed: readonly string[];
}

export interface OutsideHosts {
  /**
   * Why the service does not call a URL, as the end of a sentence that begins with its field; null when it may.
   * Looks at the text alone: where its name leads to is looked at when it is called.
   */
  refusalOf(url: string): string | null;
}

export function openOutsideHosts(parts: OutsideHostsParts): OutsideHosts {
  const allowed = parts.allowed.map((entry) => entry.toLowerCase());
  const mayBeCalled = (url: URL): boolean => {
    if (parts.loopback && isLoopbackName(url.hostname)) return true;
    const app = parts.appStore.byHost(url.host) ?? parts.appStore.byHost(url.hostname);
    return app?.verified === true || matchesAny(allowed, url.host) || matchesAny(allowed, url.hostname);
  };
  return {
    refusalOf(text) {
      if (/\p{Cc}/u.test(text) || text.trim() !== text) {
        return 'holds a control character, or a blank at its ends';
      }
      // A backslash is a slash to some readers of URLs and not to others.
      if (!/^https?:\/\/[^\\]+$/i.test(text)) return 'must be an absolute URL with http:// or https://';
      const url = parseUrl(text);
      if (url === null || url.port === '0') return 'has no usable host';
      if (url.username !== '' || url.password !== '') return 'holds a user part, which is never sent';
      if (mayBeCalled(url)) return null;
      return `has the host ${url.host}, which is neither a verified app nor a host that the operator allows`;
    },
  };
}

function isLoopbackName(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return classifyAddress(hostname.replace(/^\[|\]$/g, '')) === 'loopback';
}
