/** Parsing and normalization of the hosts and URLs in the configuration file. */
import { authorityOf, faultOfPlainUrl, readAppHost, readUrl, displayUrl } from '../core/model/url.ts';

export interface ParsedHost {
  /** Lowercase host, with its port unless it is a default port. */
  readonly host: string;
  /** The default port that was removed from the text; null if the text contained none. */
  readonly droppedPort: string | null;
}

/** Parses `host[:port]`; `fault` is the end of a sentence about the text. */
export function parseHost(text: string): ParsedHost | { readonly fault: string } {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const inUrl = authorityOf(text);
    return {
      fault: `is a URL, not a host; write ${inUrl === null ? '"host" or "host:port"' : `"${inUrl}"`}`,
    };
  }
  const read = readAppHost(text);
  if ('fault' in read) return read;
  const port = /:(\d+)$/.exec(text)?.[1] ?? null;
  const isDefault = port !== null && (Number(port) === 80 || Number(port) === 443);
  return { host: read.host, droppedPort: isDefault ? port : null };
}

/**
 * Normalizes the host in the URL of a request, so that it matches the host of the app; returns an invalid URL
 * unchanged.
 */
export function normalizeUrl(text: string): string {
  const read = readUrl(text);
  if (read === null || authorityOf(text) === read.authority) return text;
  return text.replace(/^(https?:\/\/)[^/?#]*/i, (_, scheme: string) => scheme + read.authority);
}

/** Returns the fault of a URL in a field such as `base_url`; null if the URL is valid. */
export function urlFieldFault(text: string): string | null {
  const fault = faultOfPlainUrl(text);
  return fault === null ? null : `${displayUrl(text)} ${fault}`;
}
