/**
 * The `record` command: forwards requests of a command or of other clients to targets, and converts the requests to a
 * test.
 */
import type { IntakeSource } from '../../core/intake/source-text.ts';
import { join } from 'node:path';
import { runRecordedCommand, type RecordedEnvironment } from '../session/recorded-command.ts';
import { startRecordingProxy, type RecordedTarget, type RecordingProxy } from '../session/recording-proxy.ts';
import { checkConversionFlags, convertSource, type ConversionFlags } from '../steps/convert-source.ts';
import { printable } from '../../core/printable.ts';
import { writeNewFile } from '../../disk/output-file.ts';
import { makeTemporaryDirectory } from '../../disk/temporary-directory.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { rootCertificates } from '../../egress/root-certificates.ts';
import { entriesOf, harOf, redactEntries, type HarEntry } from '../steps/recording-har.ts';
import { newFileOf } from '../files/output-files.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';
import type { Outcome } from '../terminal/outcome.ts';
import { onceAtExit, untilAborted } from '../terminal/process-control.ts';

export interface RecordFlags extends ConversionFlags {
  readonly target?: readonly string[];
  readonly map?: readonly string[];
  readonly port?: number;
  readonly env?: readonly string[];
  readonly har?: string;
  readonly iterationsMarker?: string;
  readonly staticFiles?: boolean;
  readonly twice?: boolean;
  readonly quiet?: boolean;
}

export async function record(
  context: Context,
  command: readonly string[],
  flags: RecordFlags,
): Promise<Outcome> {
  const targets = targetsOf(flags);
  const variables = (flags.env ?? []).map(variableOf);
  if (flags.twice === true && command.length === 0)
    throw usageError(
      '--twice requires a command',
      'append the command: loadtests record --target URL --twice -- COMMAND',
    );
  if (flags.twice === true && flags.iterationsMarker !== undefined)
    throw usageError('--twice and --iterations-marker cannot be combined', 'use one of them');
  checkConversionFlags(context, flags);
  const har = newFileOf(context.directory, flags.har);
  context.interruption.handleGracefully();
  const proxy = await startProxy(targets);
  const trust = makeTrustFile(context, proxy);
  const environment = { ...environmentOf(proxy, trust?.path ?? ''), variables };
  try {
    const once = async () => await recordOnce(context, command, { proxy, environment });
    const first = await once();
    const runsAgain = flags.twice === true && !context.interruption.signal.aborted;
    const second = runsAgain ? [await once()] : [];
    if (har !== null) writeNewFile(har, harOf(redactEntries([first, ...second].flat())), PRIVATE);
    const { before, iterations, next }: RecordedIterations =
      flags.iterationsMarker === undefined
        ? { before: [], iterations: [first, ...second], next: undefined }
        : iterationsOf(first, flags.iterationsMarker);
    const [iteration = [], again] = iterations;
    const source: IntakeSource = {
      path: RECORDING,
      text: harOf([...before, ...iteration]),
      readFile: () => ({ reason: 'is not part of a recording' }),
      environment: null,
      recording: {
        hosts: targets.map(({ target }) => target.host),
        staticFiles: flags.staticFiles === true,
        beforeIterations: before.length,
        nextIteration: next?.startedDateTime,
      },
      selection: { tags: [], paths: [] },
      others: again === undefined ? [] : [{ path: `the second ${RECORDING}`, text: harOf(again) }],
    };
    return await convertSource(context, source, {
      format: 'har',
      writtenBy: 'record',
      flags,
      directory: context.directory,
    });
  } finally {
    proxy.close();
    trust?.remove();
  }
}

const PRIVATE = 0o600;

interface RecordedIterations {
  /**
   * Requests before the first iteration. If iterations are split by connection, only requests on the connection of the
   * first iteration.
   */
  readonly before: readonly HarEntry[];
  readonly iterations: readonly (readonly HarEntry[])[];
  /** First request of the next iteration of the same client; undefined if there is none. */
  readonly next: HarEntry | undefined;
}

/** @param marker - Method and path of the requests that begin an iteration, such as `GET /login`. */
function iterationsOf(entries: readonly HarEntry[], marker: string): RecordedIterations {
  const isMarker = ({ request }: HarEntry) => {
    const { pathname, search } = new URL(request.url);
    return [pathname, pathname + search].some((path) => `${request.method} ${path}` === marker.trim());
  };
  const methodsOf = (iteration: readonly HarEntry[] = []) =>
    iteration.map(({ request }) => request.method).join(' ');
  // A connection may belong to one client, or a client may use several connections. The entries are therefore split
  // both with and without regard to connections.
  const [joint, separate] = [false, true].map((byConnection) => splitAt(entries, isMarker, byConnection));
  const isEven = ([one, other = one]: readonly (readonly HarEntry[])[] = []) =>
    methodsOf(one) === methodsOf(other);
  const split = !isEven(joint) && isEven(separate) ? separate : joint;
  const first = split?.[0]?.[0];
  if (split === undefined || first === undefined)
    throw usageError(
      `no recorded request matches ${JSON.stringify(marker)}`,
      'set --iterations-marker to the method and path of the first request in an iteration, such as "GET /login"',
    );
  const isSameClient = ({ connection }: HarEntry) => split === joint || connection === first.connection;
  return {
    before: entries.slice(0, entries.indexOf(first)).filter(isSameClient),
    iterations: split,
    next: split
      .slice(1)
      .flatMap((one) => one.slice(0, 1))
      .find(isSameClient),
  };
}

/**
 * Starts an iteration at each marker. Any other request belongs to the iteration that received one of its cookies.
 * Without such a cookie, the request belongs to the latest iteration (with `byConnection`, on the same connection).
 * Requests without an iteration are omitted.
 */
function splitAt(
  entries: readonly HarEntry[],
  isMarker: (entry: HarEntry) => boolean,
  byConnection: boolean,
): readonly (readonly HarEntry[])[] {
  const iterations: HarEntry[][] = [];
  /** Latest iteration, by connection. The key is an empty string if connections are ignored. */
  const latest = new Map<string, HarEntry[]>();
  /** Iteration that received each cookie; null if several iterations received it. */
  const receivers = new Map<string, HarEntry[] | null>();
  for (const entry of entries) {
    const connection = byConnection ? entry.connection : '';
    const cookies = valuesOf(entry.request.headers, 'cookie').flatMap((value) => value.split(/;\s*/));
    const receiver = cookies.map((cookie) => receivers.get(cookie)).find((one) => (one ?? null) !== null);
    const iteration = isMarker(entry) ? [] : (receiver ?? latest.get(connection));
    if (iteration === undefined) continue;
    if (iteration.length === 0) iterations.push(iteration);
    iteration.push(entry);
    latest.set(connection, iteration);
    for (const header of valuesOf(entry.response.headers, 'set-cookie')) {
      const cookie = header.split(';', 1)[0] ?? '';
      const isShared = receivers.has(cookie) && receivers.get(cookie) !== iteration;
      receivers.set(cookie, isShared ? null : iteration);
    }
  }
  return iterations;
}

function valuesOf(headers: HarEntry['request']['headers'], name: string): readonly string[] {
  return headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value);
}

/** Name of the source in messages. */
const RECORDING = 'recording';

function targetsOf({ target = [], map = [], port = 0 }: RecordFlags): readonly RecordedTarget[] {
  const mapped = map.map((text): RecordedTarget => {
    const [, number = '', url = ''] = /^(\d{1,5})=(.+)$/.exec(text) ?? [];
    if (Number(number) < 1 || Number(number) > 65_535)
      throw usageError(
        '--map requires a port from 1 to 65535 and the URL of a target',
        'use the form --map 8081=http://127.0.0.1:9090',
      );
    return { target: targetOf(url, '--map'), port: Number(number) };
  });
  if (target.length === 0 && mapped.length > 0) return mapped;
  const [first = '', ...others] = target;
  return [
    { target: targetOf(first, '--target'), port },
    ...mapped,
    ...others.map((one): RecordedTarget => ({ target: targetOf(one, '--target'), port: null })),
  ];
}

function targetOf(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw usageError(
      flag === '--map'
        ? '--map requires an http or https URL after the port'
        : 'record requires --target with an http or https URL',
      `use the form ${flag === '--map' ? '--map 8081=' : '--target '}http://127.0.0.1:8080`,
    );
  if (url.pathname !== '/' || url.search !== '' || url.username !== '' || url.password !== '')
    throw usageError(
      `the target URL of ${flag} must not contain a path, a query or credentials`,
      `use ${url.origin}`,
    );
  return url;
}

function variableOf(text: string): readonly [name: string, value: string] {
  const [, name, value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw usageError('--env requires a valid variable name and a value', 'use the form --env BASE_URL={url}');
  return [name, value];
}

async function startProxy(targets: readonly RecordedTarget[]): Promise<RecordingProxy> {
  try {
    return await startRecordingProxy(targets);
  } catch (error) {
    if (error instanceof EgressError)
      throw usageError(error.reason, 'set --target or --map to the URL of the system under test');
    throw usageError(
      `the recording proxy cannot be started: ${reasonOf(error)}`,
      'choose other ports with --port and --map',
    );
  }
}

interface TrustFile {
  readonly path: string;
  readonly remove: () => void;
}

/**
 * Writes the certificate of the recording's authority and the root certificates of Node.js to a file. Returns null if
 * no target uses TLS.
 */
function makeTrustFile(context: Context, { certificate }: RecordingProxy): TrustFile | null {
  if (certificate === null) return null;
  const directory = makeTemporaryDirectory();
  const remove = onceAtExit(context, directory.remove);
  const path = join(directory.path, 'ca.pem');
  writeNewFile(path, [certificate.authority.trim(), ...rootCertificates, ''].join('\n'), PRIVATE);
  return { path, remove };
}

/** Variables with the trusted certificates, for Node.js, OpenSSL and Go, the `requests` package of Python, and curl. */
const TRUST_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'];

function environmentOf(
  { origin, certificate }: RecordingProxy,
  trusted: string,
): Omit<RecordedEnvironment, 'variables'> {
  const proxies = [
    'HTTP_PROXY',
    'http_proxy',
    ...(certificate === null ? [] : ['HTTPS_PROXY', 'https_proxy']),
  ];
  return {
    placeholders: {
      url: origin,
      port: new URL(origin).port,
      ...(certificate === null ? {} : { ca: trusted, fingerprint: certificate.fingerprint }),
    },
    proxy: {
      LOADTESTS_RECORD_URL: origin,
      NODE_USE_ENV_PROXY: '1',
      ...Object.fromEntries(proxies.map((name) => [name, origin])),
      ...(certificate === null ? {} : Object.fromEntries(TRUST_VARIABLES.map((name) => [name, trusted]))),
    },
  };
}

/** Runs the command or, if there is none, waits for a signal. */
async function recordOnce(
  context: Context,
  command: readonly string[],
  { proxy, environment }: { readonly proxy: RecordingProxy; readonly environment: RecordedEnvironment },
): Promise<readonly HarEntry[]> {
  if (command.length === 0) {
    const { ca, fingerprint } = environment.placeholders;
    if (ca !== undefined)
      context.stderr.write(
        `To record HTTPS requests, clients must use ${proxy.origin} as their proxy and trust the certificates in ${ca} (Chromium: --ignore-certificate-errors-spki-list=${fingerprint ?? ''}).\n`,
      );
    context.stderr.write(`Recording at ${proxy.origin}. Press Ctrl-C to end the recording.\n`);
    await untilAborted(context.interruption.signal);
  } else {
    const failure = await runRecordedCommand(context, command, environment);
    if (failure !== null) context.stderr.write(`The recorded command failed: ${failure}\n`);
  }
  const { exchanges, omitted } = proxy.take();
  for (const what of omitted) context.stderr.write(`${printable(what)}\n`);
  if (exchanges.length === 0)
    throw usageError(
      'no request was recorded',
      command.length === 0
        ? `send requests to ${proxy.origin} before you press Ctrl-C`
        : 'send the requests to the proxy: use {url} in the command, or the environment variable LOADTESTS_RECORD_URL',
    );
  return await entriesOf(exchanges);
}
