/** Removes recorded requests and headers that a load test should not repeat. */
import { readUrl } from '../model/url.ts';
import { counted } from '../counted.ts';
import type { IntakeNote, IntakeRequest } from './intake.ts';
import { literalOf } from './intake-text.ts';
import { sumOf } from '../sum.ts';

export interface RecordingOptions {
  /** Hosts whose requests are retained; null for all hosts with the same site as the first request. */
  readonly hosts: readonly string[] | null;
  /** True to retain requests for static files, such as images and scripts. */
  readonly staticFiles: boolean;
  /** Number of requests that the client sends before its first iteration. Default: 0. */
  readonly beforeIterations?: number;
  /** Start of the second iteration of the client, in ISO 8601; absent if unknown. */
  readonly nextIteration?: string | undefined;
}

export interface CleanRecording {
  readonly requests: readonly IntakeRequest[];
  readonly notes: readonly IntakeNote[];
}

export function cleanRecording(
  recorded: readonly IntakeRequest[],
  options: RecordingOptions,
): CleanRecording {
  const first = recorded.find((request) => hostOf(request) !== null);
  const site = first === undefined ? null : siteOf(hostOf(first) ?? '');
  const notes: IntakeNote[] = [];
  const omitted = { other: new Map<string, number>(), static: 0, preflight: 0 };
  const kept: IntakeRequest[] = [];
  for (const request of recorded) {
    const host = hostOf(request);
    if (host === null) {
      notes.push({
        kind: 'loss',
        at: request.at,
        message: 'the request is not converted, because its URL is not an HTTP or HTTPS URL',
      });
    } else if (
      options.hosts === null ? siteOf(host) !== site : !options.hosts.some((one) => matchesHost(one, host))
    ) {
      omitted.other.set(host, (omitted.other.get(host) ?? 0) + 1);
    } else if (isPreflight(request)) omitted.preflight += 1;
    else if (!options.staticFiles && isStaticFile(request)) omitted.static += 1;
    else if (!followsRedirect(kept, request))
      kept.push({ ...request, headers: request.headers.filter(({ name }) => !isBrowserHeader(name)) });
  }
  const change = (message: string) => {
    if (first !== undefined) notes.push({ kind: 'change', at: first.at, message });
  };
  if (omitted.other.size > 0) {
    const count = sumOf([...omitted.other.values()]);
    const hosts = [...omitted.other.keys()];
    const more = hosts.length > 5 ? ` and ${hosts.length - 5} more` : '';
    change(
      `omitted: ${counted(count, 'request')} to other hosts (${hosts.slice(0, 5).join(', ')}${more}); "--hosts" selects the hosts`,
    );
  }
  if (omitted.static > 0)
    change(`omitted: ${counted(omitted.static, 'request')} for static files; "--static-files" includes them`);
  if (omitted.preflight > 0) change(`omitted: ${counted(omitted.preflight, 'CORS preflight request')}`);
  return { requests: kept, notes };
}

function hostOf({ url }: IntakeRequest): string | null {
  return readUrl(literalOf(url) ?? '')?.authority ?? null;
}

/** Returns the site of a host: `example.com` for `www.example.com`. The site of an IP address is the address itself. */
function siteOf(host: string): string {
  const name = host.replace(/:\d+$/, '');
  if (/^[\d.]+$|^\[/.test(name)) return name;
  const labels = name.split('.');
  // Public suffixes with two labels, such as co.uk, usually begin with a short label.
  const count = (labels.at(-2)?.length ?? 0) <= 3 && labels.at(-1)?.length === 2 ? 3 : 2;
  return labels.slice(-count).join('.');
}

function matchesHost(pattern: string, host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return (
    pattern === host || pattern === name || (pattern.startsWith('*.') && name.endsWith(pattern.slice(1)))
  );
}

function isPreflight({ method, headers }: IntakeRequest): boolean {
  return (
    method === 'OPTIONS' && headers.some(({ name }) => name.toLowerCase() === 'access-control-request-method')
  );
}

const STATIC_TYPE =
  /^(?:image|font|audio|video)\/|^text\/css|javascript|^application\/(?:font|wasm|manifest\+json)/i;
const STATIC_PATH =
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|m?js|map|woff2?|ttf|otf|eot|mp[34]|webm|wasm)$/i;

function isStaticFile({ method, url, response }: IntakeRequest): boolean {
  if (method !== 'GET') return false;
  const type = response?.headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
  const path = readUrl(literalOf(url) ?? '')?.path.split('?', 1)[0] ?? '';
  return STATIC_TYPE.test(type) || STATIC_PATH.test(path);
}

/**
 * Reports whether a request followed a redirect. If so, replaces the response and delay of the redirected request in
 * `kept` with the response and delay of this request.
 */
function followsRedirect(kept: IntakeRequest[], request: IntakeRequest): boolean {
  const index = kept.findLastIndex(
    ({ response }) => response !== null && response.status >= 300 && response.status < 400,
  );
  const before = kept[index];
  const location = before?.response?.headers.find(({ name }) => name.toLowerCase() === 'location')?.value;
  if (before === undefined || location === undefined || kept.length - index > 3) return false;
  if (
    resolveLocation(literalOf(before.url) ?? '', location) !== withoutFragment(literalOf(request.url) ?? '')
  )
    return false;
  kept[index] = { ...before, response: request.response, delay: request.delay };
  return true;
}

declare const URL: {
  new (text: string, base: string): { readonly href: string };
  canParse(text: string, base: string): boolean;
};

function resolveLocation(base: string, location: string): string | null {
  return URL.canParse(location, base) ? withoutFragment(new URL(location, base).href) : null;
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? '';
}

/**
 * Headers to remove, because a browser adds them, because their values depend on earlier responses, or because they are
 * used for tracing.
 */
const BROWSER_HEADERS: readonly string[] = [
  'user-agent',
  'accept-language',
  'accept-encoding',
  'cookie',
  'content-length',
  'connection',
  'keep-alive',
  'host',
  'pragma',
  'cache-control',
  'upgrade-insecure-requests',
  'dnt',
  'priority',
  'origin',
  'referer',
  'if-none-match',
  'if-modified-since',
  'if-match',
  'if-unmodified-since',
  'if-range',
  'traceparent',
  'tracestate',
  'te',
  'trailer',
  'transfer-encoding',
  'proxy-connection',
  'proxy-authorization',
  'expect',
  'save-data',
  'x-client-data',
  'purpose',
];

function isBrowserHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return lower.startsWith(':') || lower.startsWith('sec-') || BROWSER_HEADERS.includes(lower);
}
