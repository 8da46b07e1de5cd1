/** Hosts and URLs of the file: read as core reads them, and respelt where that helps. */
import { authorityOf, faultOfPlainUrl, readAppHost, readUrl, displayUrl } from '../core/model/url.ts';

export interface ParsedHost {
  /** Lower-case host with its non-default port. */
  readonly host: string;
  /** The port was written though it is a default one. */
  readonly droppedPort: string | null;
}

/** Reads `host[:port]`, or says what is wrong with it, as the end of a sentence. */
export function parseHost(text: string): ParsedHost | { readonly fault: string } {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const inUrl = authorityOf(text);
    return { fault: `is a URL, but an app is a host${inUrl === null ? '' : `; write "${inUrl}"`}` };
  }
  const read = readAppHost(text);
  if ('fault' in read) return read;
  const port = /:(\d+)$/.exec(text)?.[1] ?? null;
  const isDefault = port !== null && (Number(port) === 80 || Number(port) === 443);
  return { host: read.host, droppedPort: isDefault ? port : null };
}

/** The URL of a request as it was written; the host respelt where its written form would not be recognised. */
export function normalizeUrl(text: string): string {
  const read = readUrl(text);
  if (read === null || authorityOf(text) === read.authority) return text;
  return text.replace(/^(https?:\/\/)[^/?#]*/i, (_, scheme: string) => scheme + read.authority);
}

/** What is wrong with a URL that is no part of a test; null when it can be called. */
export function urlFieldFault(text: string): string | null {
  const fault = faultOfPlainUrl(text);
  return fault === null ? null : `${displayUrl(text)} ${fault}`;
}
