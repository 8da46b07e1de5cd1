/** Who may get mail: nobody who has not agreed to it, so that a service with a relay is no mail bomb. */
import { matchesAny } from '../../core/glob.ts';
import { isPlainEmailAddress } from '../../core/model/email-address.ts';
import { ProblemError, problem } from '../../core/problem.ts';
import type { AppStore } from '../store/app-store.ts';

export interface EmailRecipients {
  /** @param address a plain one */
  isAllowed(address: string): boolean;
}

/**
 * An address may get mail where it lies at the host of a verified app, on its default port, or where the operator
 * allows it.
 *
 * Shape:  whoever controls a host need not control the domain above it, where others have their mailboxes; so a
 *         verified `www.example.com` opens no mailbox at `example.com`.
 * @param allowed addresses and domains, with `*` for any text
 * Errors: as `checkRecipients`.
 */
export function createEmailRecipients(parts: {
  readonly appStore: AppStore;
  readonly allowed: readonly string[];
}): EmailRecipients {
  checkRecipients(parts.allowed);
  const allowed = parts.allowed.map((entry) => entry.toLowerCase());
  return {
    isAllowed(address) {
      const text = address.toLowerCase();
      const domain = domainOf(text);
      if (matchesAny(allowed, text) || matchesAny(allowed, domain)) return true;
      return parts.appStore.byHost(domain)?.verified === true;
    },
  };
}

/** Errors: ProblemError LT_SERVER_ADDRESS for an entry that is neither an address nor a domain. */
export function checkRecipients(entries: readonly string[]): void {
  const wrong = entries.find((entry) => !isAddressOrDomain(entry));
  if (wrong === undefined) return;
  const message = `"${wrong}" is not a valid mail address or domain`;
  const hint = 'write "team@example.com", "example.com" or, with "*" for any text, "*.example.com"';
  throw new ProblemError(problem('LT_SERVER_ADDRESS', message, { hint }));
}

function isAddressOrDomain(entry: string): boolean {
  const sample = entry.replaceAll('*', 'x');
  return entry === '*' || isPlainEmailAddress(sample.includes('@') ? sample : `x@${sample}`);
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
