/** Commands that the web UI prints: they work against the service that serves the page. */

/**
 * `LOADTESTS_BASE_URL=http://127.0.0.1:4900 loadtests results id:…`, which needs no file.
 *
 * @param page address of the page, which is next to the paths of the API
 */
export function resultsCommand(page: URL, testId: string): string {
  return `LOADTESTS_BASE_URL=${shellQuote(serviceUrl(page))} loadtests results ${shellQuote(`id:${testId}`)}`;
}

/** The commands for a first test. `…` replaces the API key. */
export function firstTestCommands(page: URL): string {
  const apply = `LOADTESTS_BASE_URL=${shellQuote(serviceUrl(page))} loadtests apply`;
  return `loadtests init\nexport LOADTESTS_API_KEY=…\n${apply}`;
}

/** Prints a new sign-in link. `--service` is required if the service does not listen on the default port. */
export function openCommand(page: URL): string {
  return `loadtests open --service ${shellQuote(serviceUrl(page))}`;
}

function serviceUrl(page: URL): string {
  const url = new URL('.', page);
  url.hash = '';
  url.search = '';
  return url.href.replace(/\/$/, '');
}

/** Quotes a word for a shell if necessary. */
function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
