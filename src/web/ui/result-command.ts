/** Commands that the web UI displays. */
import { shellQuote } from '../../core/quote.ts';

/**
 * Returns a command that prints the results of a test without a configuration file:
 * `LOADTESTS_BASE_URL=http://127.0.0.1:4900 loadtests results id:…`.
 * @param page - Address of the web UI.
 */
export function resultsCommand(page: URL, testId: string): string {
  return `LOADTESTS_BASE_URL=${shellQuote(serviceUrl(page))} loadtests results ${shellQuote(`id:${testId}`)}`;
}

/** Returns the commands for a first test, with `…` for the API key. */
export function firstTestCommands(page: URL): string {
  const apply = `LOADTESTS_BASE_URL=${shellQuote(serviceUrl(page))} loadtests apply`;
  return `loadtests init\nexport LOADTESTS_API_KEY=…\n${apply}`;
}

/**
 * Returns the command that creates a sign-in link. The command names this service, because the service may use a
 * non-default port.
 */
export function openCommand(page: URL): string {
  return `loadtests open --service ${shellQuote(serviceUrl(page))}`;
}

/** Returns the base URL of the service: the address of the web UI without its file name, query and fragment. */
function serviceUrl(page: URL): string {
  const url = new URL('.', page);
  url.hash = '';
  url.search = '';
  return url.href.replace(/\/$/, '');
}
