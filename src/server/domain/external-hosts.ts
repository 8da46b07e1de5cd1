/** Which hosts the service may call of itself: those that get callbacks or give payload files. */
import { matchesAny } from '../../core/glob.ts';
import type { CallbackHost } from '../../core/model/capabilities.ts';
import { isLocalHost, readUrl } from '../../core/model/url.ts';
import type { AppStore } from '../store/app-store.ts';

export interface ExternalHostsDeps {
  readonly appStore: AppStore;
  /** Whether the machine of the service is its users' own. */
  readonly loopback: boolean;
  /** Hosts that the operator allows, with or without port; `*` stands for any text. */
  readonly allowed: readonly string[];
}

/** They look at the text alone: where a name leads to is looked at when it is called. */
export interface ExternalHosts {
  isAllowed(host: CallbackHost): boolean;
  /** The same of the host of a URL; false for one that cannot be read. */
  isUrlAllowed(url: string): boolean;
}

export function createExternalHosts(parts: ExternalHostsDeps): ExternalHosts {
  const allowed = parts.allowed.map((entry) => entry.toLowerCase());
  const isAllowed = ({ authority, bareHost }: CallbackHost): boolean => {
    if (parts.loopback && isLocalHost(bareHost)) return true;
    const app = parts.appStore.byHost(authority) ?? parts.appStore.byHost(bareHost);
    return app?.verified === true || matchesAny(allowed, authority) || matchesAny(allowed, bareHost);
  };
  return {
    isAllowed,
    isUrlAllowed(text) {
      const url = readUrl(text);
      return url !== null && isAllowed(url);
    },
  };
}
