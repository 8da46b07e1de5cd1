/** Allow list of email recipients, so that the service cannot be used to send unsolicited email. */
import { matchesAny } from '../../core/glob.ts';
import { isPlainEmailAddress } from '../../core/model/email-address.ts';
import { ProblemError, problem } from '../../core/problem.ts';
import type { AppStore } from '../store/app-store.ts';

export interface EmailRecipients {
  /** @param address - An email address without a display name. */
  isAllowed(address: string): boolean;
}

/**
 * Creates the allow list: the operator's entries, and addresses at verified app hosts without a port.
 *
 * @remarks A verified `www.example.com` does not allow addresses at `example.com`, because control of a host does not
 * imply control of its parent domain.
 * @param deps - `allowed` contains the operator's entries: addresses and domains, in which `*` matches any string.
 * @throws ProblemError LT_SERVER_ADDRESS if one of the operator's entries is invalid.
 */
export function createEmailRecipients(deps: {
  readonly appStore: AppStore;
  readonly allowed: readonly string[];
}): EmailRecipients {
  checkRecipients(deps.allowed);
  const allowed = deps.allowed.map((entry) => entry.toLowerCase());
  return {
    isAllowed(address) {
      const text = address.toLowerCase();
      const domain = text.slice(text.lastIndexOf('@') + 1);
      if (matchesAny(allowed, text) || matchesAny(allowed, domain)) return true;
      return deps.appStore.byHost(domain)?.verified === true;
    },
  };
}

/** @throws ProblemError LT_SERVER_ADDRESS if an entry is not an email address or domain. */
export function checkRecipients(entries: readonly string[]): void {
  const invalid = entries.find((entry) => !isAddressOrDomain(entry));
  if (invalid === undefined) return;
  const message = `"${invalid}" is not a valid email address or domain`;
  const hint =
    'use an address such as "team@example.com", a domain such as "example.com", or a pattern such as "*.example.com"';
  throw new ProblemError(problem('LT_SERVER_ADDRESS', message, { hint }));
}

function isAddressOrDomain(entry: string): boolean {
  const sample = entry.replaceAll('*', 'x');
  return entry === '*' || isPlainEmailAddress(sample.includes('@') ? sample : `x@${sample}`);
}
