/** Which hosts the service may call of itself: those that get callbacks or give payload files. */
import { matchesAny } from '../../core/glob.ts';
import type { OutsideHost } from '../../core/model/abilities.ts';
import { isThisMachine, readUrl } from '../../core/model/url.ts';
import type { AppStore } from '../store/apps.ts';

export interface OutsideHostsParts {
  readonly appStore: AppStore;
  /** Whether the machine of the service is its users' own. */
  readonly loopback: boolean;
  /** Hosts that the operator allows, with or without port; `*` stands for any text. */
  readonly allowed: readonly string[];
}

/** They look at the text alone: where a name leads to is looked at when it is called. */
export interface OutsideHosts {
  mayCall(host: OutsideHost): boolean;
  /** The same of the host of a URL; false for one that cannot be read. */
  mayCallUrl(url: string): boolean;
}

export function openOutsideHosts(parts: OutsideHostsParts): OutsideHosts {
  const allowed = parts.allowed.map((entry) => entry.toLowerCase());
  const mayCall = ({ authority, bareHost }: OutsideHost): boolean => {
    if (parts.loopback && isThisMachine(bareHost)) return true;
    const app = parts.appStore.byHost(authority) ?? parts.appStore.byHost(bareHost);
    return app?.verified === true || matchesAny(allowed, authority) || matchesAny(allowed, bareHost);
  };
  return {
    mayCall,
    mayCallUrl(text) {
      const url = readUrl(text);
      return url !== null && mayCall(url);
    },
  };
}
