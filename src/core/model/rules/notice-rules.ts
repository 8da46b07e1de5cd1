/** Rules for the notices about the end of a run: callback and email. */
import type { Capabilities } from '../capabilities.ts';
import { isPlainEmailAddress } from '../email-address.ts';
import type { LoadTestSpec } from '../load-test.ts';
import { TEST_FIELDS } from '../test-fields.ts';
import { displayUrl, faultOfPlainUrl, readUrl } from '../url.ts';
import { quote } from '../../quote.ts';
import { addFault, type FaultList } from './fault.ts';

export function checkNotices(found: FaultList, spec: LoadTestSpec, capabilities: Capabilities): void {
  checkCallback(found, spec, capabilities);
  checkEmail(found, spec, capabilities);
}

function checkCallback(found: FaultList, { callback }: LoadTestSpec, capabilities: Capabilities): void {
  if (callback === null) return;
  const reason = faultOfPlainUrl(callback) ?? callbackRefusalOf(callback, capabilities);
  if (reason === null) return;
  addFault(found, {
    path: [TEST_FIELDS.callback.name],
    about: 'value',
    message: `the callback ${displayUrl(callback)} ${reason}`,
  });
}

/** Returns the reason why the service refuses to call a URL; null if the service may call it or the URL is invalid. */
export function callbackRefusalOf(url: string, { canCall }: Capabilities): string | null {
  const host = readUrl(url);
  if (host === null || canCall(host)) return null;
  return `has the host ${host.authority}, which is neither a verified app nor a host that the service is allowed to contact; declare the host as an app`;
}

function checkEmail(
  found: FaultList,
  { callbackEmail: address }: LoadTestSpec,
  { canEmail }: Capabilities,
): void {
  if (address === null) return;
  const path = [TEST_FIELDS.callbackEmail.name];
  if (!isPlainEmailAddress(address)) {
    const message = `${quote(address)} is not a valid email address; set "callback_email" to one address, such as "team@example.com"`;
    addFault(found, { path, about: 'value', message });
  } else if (canEmail === null) {
    const message =
      '"callback_email" requires a service with a mail relay, such as "loadtests serve --smtp URL"; this service has none';
    addFault(found, { path, about: 'key', message });
  } else if (!canEmail(address)) {
    const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
    const message =
      `"callback_email" has the domain ${domain}, which is neither the host of a verified app nor allowed by the service; ` +
      `use a different address, or start "loadtests serve" with --allow-mail ${domain}`;
    addFault(found, { path, about: 'value', message });
  }
}
