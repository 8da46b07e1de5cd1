/** The command that shows what the page shows. */

/**
 * `LOADTESTS_BASE_URL=http://127.0.0.1:4900 loadtests results id:…`: it needs no file.
 *
 * @param base of the page: what the API's paths are beside
 */
export function resultsCommand(base: URL, testId: string): string {
  const url = new URL('.', base);
  url.hash = '';
  url.search = '';
  return `LOADTESTS_BASE_URL=${shellQuote(url.href.replace(/\/$/, ''))} loadtests results ${shellQuote(`id:${testId}`)}`;
}

/** Fit for a shell. */
function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
