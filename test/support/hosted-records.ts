/** Records of a hosted service, with the spellings that differ between services. */
import {
  hostOf,
  urlsOf,
  type HostedAccount,
  type HostedApp,
  type HostedResult,
  type HostedTest,
} from './hosted-account.ts';
import type { HostedOptions } from './hosted-options.ts';

type Fields = Record<string, unknown>;

export function writeApp(app: HostedApp, options: HostedOptions, listed: boolean): Fields {
  const shown = options.appStatus === 'shown' || (options.appStatus === 'record' && !listed);
  return {
    app: app.host,
    ...(shown ? { status: app.verified ? 'verified' : 'unverified' } : {}),
    app_id: app.id,
  };
}

export function writeTest(test: HostedTest, account: HostedAccount, options: HostedOptions): Fields {
  const { fields } = test;
  const type = String(fields['test_type']);
  const first = urlsOf(fields)[0] ?? '';
  const name = fields['name'] ?? (options.unnamed === 'first-url' ? first : options.unnamed);
  return {
    domain: hostOf(test).replace(/:\d+$/, ''),
    duration: writeNumber(fields['duration'], options),
    initial: writeNumber(fields['initial'] ?? 0, options),
    timeout: writeNumber(fields['timeout'] ?? 10_000, options),
    total: writeNumber(fields['total'] ?? 60, options),
    ...(fields['stages'] === undefined ? {} : { stages: fields['stages'] }),
    name,
    notes: fields['notes'] ?? (options.emptyValue === 'documented' ? '' : null),
    ...writeOptional('callback', fields['callback'], null, options),
    ...writeOptional('callback_email', fields['callback_email'], null, options),
    ...writeOptional('scheduled_at', fields['scheduled_at'], null, options),
    status: account.statusOf(test),
    test_id: test.id,
    test_type: options.labels[type] ?? type,
    urls: (Array.isArray(fields['urls']) ? fields['urls'] : []).map((entry: unknown) =>
      writeUrl(typeof entry === 'object' && entry !== null ? (entry as Fields) : {}, options),
    ),
  };
}

function writeUrl(entry: Fields, options: HostedOptions): Fields {
  return {
    ...writeOptional('authentication', writeCredentials(entry['credentials'], options), null, options),
    ...writeOptional('headers', entry['headers'], {}, options),
    ...writeOptional('payload_file_url', entry['payload_file_url'], null, options),
    ...writeOptional('raw_post_body', entry['raw_post_body'], null, options),
    ...writeOptional('request_params', entry['request_params'], {}, options),
    request_type: entry['request_type'] ?? 'GET',
    truncated_url: String(entry['url']).slice(0, 30),
    url: entry['url'],
  };
}

function writeCredentials(credentials: unknown, { echoPasswords }: HostedOptions): unknown {
  if (typeof credentials !== 'object' || credentials === null) return undefined;
  const { login, password } = credentials as { login?: unknown; password?: unknown };
  return { type: 'basic', login, ...(echoPasswords ? { password } : {}) };
}

/**
 * Writes a field without a value. String fields never become an object or a list, because no service does
 * that.
 */
function writeOptional(
  name: string,
  value: unknown,
  documented: unknown,
  { emptyValue }: HostedOptions,
): Fields {
  if (value !== undefined && value !== null) return { [name]: value };
  const map = documented !== null || name === 'authentication';
  switch (emptyValue) {
    case 'documented':
      return { [name]: documented };
    case 'null':
      return { [name]: null };
    case 'object':
      return { [name]: map ? {} : '' };
    case 'list':
      return { [name]: map && name !== 'authentication' ? [] : null };
    case 'absent':
      return {};
  }
}

function writeNumber(value: unknown, { numbersAsStrings }: HostedOptions): unknown {
  return numbersAsStrings ? String(value) : value;
}

export function writeResult(result: HostedResult, test: HostedTest, account: HostedAccount): Fields {
  const head = { result_id: result.id, started_at: new Date(result.startedAt).toISOString() };
  if (!account.ready(result)) return { ...head, status: 'not_ready' };
  return {
    ...head,
    status: 'ready',
    public_results_url: `http://reports.example/${test.id}/results/${result.id}`,
    // Runs end immediately here, regardless of their declared duration. A stopped run has no abort reason.
    ...(result.stopped ? {} : { abort_reason: null }),
    ...result.metrics,
  };
}

/** Creates a shuffle with a different order each time, but the same in each run of a test file. */
export function createShuffle(seed: number | null): <T>(items: readonly T[]) => T[] {
  let state = seed ?? 0;
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
  return (items) => {
    const result = [...items];
    if (seed === null) return result;
    for (let at = result.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      const [a, b] = [result[at], result[other]];
      if (a === undefined || b === undefined) continue;
      result[at] = b;
      result[other] = a;
    }
    return result;
  };
}
