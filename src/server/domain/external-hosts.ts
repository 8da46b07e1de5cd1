/** Hosts to which the service itself may send requests: callback receivers and sources of payload files. */
import { matchesAny } from '../../core/glob.ts';
import type { CallbackHost } from '../../core/model/capabilities.ts';
import { isLocalHost, readUrl } from '../../core/model/url.ts';
import type { AppStore } from '../store/app-store.ts';

export interface ExternalHostsDeps {
  readonly appStore: AppStore;
  /** True if the loopback addresses belong to the machine of the users. */
  readonly loopback: boolean;
  /** Hosts that the operator allows, with or without a port. `*` matches any string. */
  readonly allowed: readonly string[];
}

/** Checks only host names. Addresses are checked when a request is sent. */
export interface ExternalHosts {
  isAllowed(host: CallbackHost): boolean;
  /** Reports whether requests to the host of a URL are allowed; false for an invalid URL. */
  isUrlAllowed(url: string): boolean;
}

export function createExternalHosts(deps: ExternalHostsDeps): ExternalHosts {
  const allowed = deps.allowed.map((entry) => entry.toLowerCase());
  const isAllowed = ({ authority, bareHost }: CallbackHost): boolean => {
    if (deps.loopback && isLocalHost(bareHost)) return true;
    const app = deps.appStore.byHost(authority) ?? deps.appStore.byHost(bareHost);
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
