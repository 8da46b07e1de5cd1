/** An engine from the source, and jobs for it. Threads cannot load TypeScript, so they run the built program. */
import type { DrawingIteration } from '../../src/engine/slot-plan.ts';
import { Random } from '../../src/core/random.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect } from 'vitest';
import type { JobField, JobTarget, LoadJob } from '../../src/core/load/load-job.ts';
import type {
  Metrics,
  Ledger,
  RunProgress,
  RunReport,
  TimelineSecond,
} from '../../src/core/load/run-report.ts';
import type { RequestBody } from '../../src/core/model/request-body.ts';
import { milliseconds } from '../../src/core/units.ts';
import type { ActiveLoad, Runner } from '../../src/core/ports/runner.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { engineThreadUrl } from '../../src/engine/thread-url.ts';

export interface TestEngine {
  readonly engine: Runner;
  readonly threadUrl: URL;
  /** The entry of the main thread as JavaScript, for child processes; built when it is first read. */
  readonly runUrl: URL;
  /** Directory of temporary files. */
  readonly directory: string;
}

/** An engine that its user closes. */
export interface OpenTestEngine extends TestEngine {
  close(): Promise<void>;
}

export function openTestEngine(): OpenTestEngine {
  const directory = mkdtempSync(join(tmpdir(), 'engine-'));
  const threadUrl = engineThreadUrl();
  const engine = createEngine({ threadUrl, version: '0.0.0' });
  let runUrl: URL | null = null;
  return {
    engine,
    threadUrl,
    directory,
    get runUrl() {
      runUrl ??= buildRunEntry(directory);
      return runUrl;
    },
    close: async () => {
      await engine.close();
      rmSync(directory, { recursive: true });
    },
  };
}

function buildRunEntry(directory: string): URL {
  const outfile = join(directory, 'engine.mjs');
  buildSync({
    entryPoints: [fileURLToPath(new URL('../../src/engine/engine.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  });
  return pathToFileURL(outfile);
}

/** Opens an engine before the tests of a file, and closes it after them. Only tests and hooks may read its members. */
export function useTestEngine(): TestEngine {
  let opened: OpenTestEngine | null = null;
  const current = (): OpenTestEngine => {
    if (opened === null) throw new Error('the engine is not open yet');
    return opened;
  };
  beforeAll(() => {
    opened = openTestEngine();
  });
  afterAll(() => opened?.close());
  return {
    get engine() {
      return current().engine;
    },
    get threadUrl() {
      return current().threadUrl;
    },
    get runUrl() {
      return current().runUrl;
    },
    get directory() {
      return current().directory;
    },
  };
}

export function targetOf(port: number, changes: Partial<JobTarget> = {}): JobTarget {
  const path = changes.path ?? '/';
  return {
    url: `http://shop.test:${port}${path}`,
    secure: false,
    hostname: 'shop.test',
    port,
    authority: `shop.test:${port}`,
    addresses: ['127.0.0.1'],
    connection: null,
    method: 'GET',
    path,
    headers: [],
    credentials: null,
    awsSigv4: null,
    body: null,
    variables: [],
    expect: null,
    rows: null,
    delay: null,
    endsOnFailure: false,
    resolveUrl: false,
    ...changes,
  };
}

/** Returns an iteration with the given values, for rendering requests. */
export function iterationOf(values: (string | undefined)[]): DrawingIteration {
  return { values, number: 0, iterationNumber: 0, random: new Random(1) };
}

/** Returns a body of plain text. */
export function textBody(text: string): RequestBody<string, string> {
  return { kind: 'text', text };
}

/** Returns form fields, or query parameters of a method without a body. */
export function paramsBody(fields: readonly JobField[]): RequestBody<string, string> {
  return { kind: 'params', fields };
}

export interface JobChanges extends Partial<Omit<LoadJob, 'duration' | 'warmup' | 'timeout' | 'pace'>> {
  readonly duration?: number;
  readonly warmup?: number;
  readonly timeout?: number;
  readonly pace?: number;
}

/**
 * Creates a job; by default ten clients over half a second on one thread, with a timeout that suits a busy
 * machine.
 */
export function jobOf(targets: readonly JobTarget[], changes: JobChanges = {}): LoadJob {
  return {
    runId: 'run-1',
    testType: 'non-cycling',
    initial: 0,
    total: 10,
    ramps: null,
    errorThreshold: 100,
    targets,
    flows: null,
    groups: null,
    iterationRows: [],
    values: [],
    bodyFiles: [],
    arrivals: null,
    iterations: null,
    iterationsPerClient: null,
    onStart: null,
    clientRows: 0,
    connections: null,
    keepAlive: true,
    tlsVerify: false,
    userAgent: 'loadtests/0.0.0',
    seed: 1,
    threads: 1,
    trace: null,
    ...changes,
    duration: milliseconds(changes.duration ?? 500),
    pace: changes.pace === undefined ? null : milliseconds(changes.pace),
    warmup: milliseconds(changes.warmup ?? 0),
    timeout: milliseconds(changes.timeout ?? 10_000),
  };
}

export interface JobResult {
  readonly report: RunReport;
  readonly ledger: Ledger;
  readonly progress: readonly RunProgress[];
}

/** Runs a job to its end and checks its ledger. */
export async function runJob(
  engine: Runner,
  job: LoadJob,
  during?: (load: ActiveLoad) => void,
): Promise<JobResult> {
  const progress: RunProgress[] = [];
  const load = engine.start(job, (update) => progress.push(update));
  during?.(load);
  const report = await load.ended;
  expectBalancedLedger(report);
  return { report, ledger: report.total.ledger, progress };
}

/** Creates an entry of a thread that runs additional code before and during the real one. */
export function createThreadEntry(rig: TestEngine, name: string, code: string): URL {
  const path = join(rig.directory, `${name}.mjs`);
  const engineEntry = JSON.stringify(rig.threadUrl.href);
  writeFileSync(
    path,
    `import { workerData } from 'node:worker_threads';\n${code}\nawait import(${engineEntry});\n`,
  );
  return pathToFileURL(path);
}

/** Differences of a child process from this process. */
export interface ChildProcessOptions {
  /** Shell command that runs before the program. */
  readonly prepare?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node.js. */
  readonly flags?: readonly string[];
  /** Statements at the start of the program. */
  readonly prelude?: string;
  /** URL of the module that the threads run; default: that of the engine. */
  readonly threadUrl?: URL;
}

/** Output of such a process. */
export interface ChildProcessReport {
  /** Null if the run was refused. */
  readonly report: RunReport | null;
  readonly refusal: string | null;
  /** Peak memory in bytes. */
  readonly peakMemory: number;
}

/** Runs a job in a child process and checks its ledger. */
export function runInChildProcess(
  rig: TestEngine,
  job: LoadJob,
  options: ChildProcessOptions = {},
): {
  readonly child: ChildProcess;
  readonly output: Promise<ChildProcessReport>;
  /** Rejects if the run was refused. */
  readonly report: Promise<RunReport>;
} {
  const program = `
    ${options.prelude ?? ''}
    const { createEngine } = await import(${JSON.stringify(rig.runUrl.href)});
    const threadUrl = new URL(${JSON.stringify((options.threadUrl ?? rig.threadUrl).href)});
    const engine = createEngine({ threadUrl, version: '0.0.0' });
    const outcome = await engine.start(${JSON.stringify(job)}, () => undefined).ended.then(
      (report) => ({ report, refusal: null }),
      (error) => ({ report: null, refusal: error.message }),
    );
    const peakMemory = process.resourceUsage().maxRSS * 1024;
    process.stdout.write(JSON.stringify({ ...outcome, peakMemory }), () => process.exit());`;
  const shell = `${options.prepare ?? ''} exec "$0" "$@"`;
  const args = [process.execPath, ...(options.flags ?? []), '--input-type=module', '-e', program];
  const child = spawn('sh', ['-c', shell, ...args], {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = text(child.stdout).then((printed) => {
    const ended = JSON.parse(printed) as ChildProcessReport; // as the program prints it
    if (ended.report !== null) expectBalancedLedger(ended.report);
    return ended;
  });
  const report = output.then((ended) => {
    if (ended.report === null) throw new Error(ended.refusal ?? 'the program printed no reason');
    return ended.report;
  });
  // A caller may await only one of the two promises.
  report.catch(() => undefined);
  return { child, output, report };
}

/** A process that runs jobs, one after another. */
export interface EngineProcess {
  /** Runs a job and checks its ledger. Rejects if the run was refused. */
  run(job: LoadJob): Promise<RunReport>;
  close(): Promise<void>;
}

/** Starts a process with additional environment variables. */
export function startEngineProcess(rig: TestEngine, env: Readonly<Record<string, string>>): EngineProcess {
  const program = `
    const { createEngine } = await import(${JSON.stringify(rig.runUrl.href)});
    const engine = createEngine({ threadUrl: new URL(${JSON.stringify(rig.threadUrl.href)}), version: '0.0.0' });
    process.on('message', async (job) => {
      process.send(await engine.start(job, () => undefined).ended);
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    run: async (job) => {
      const report = await new Promise<RunReport>((resolve, reject) => {
        const onExit = (): void => reject(new Error('the process exited; see its output'));
        child.once('exit', onExit);
        child.once('message', (message) => {
          child.off('exit', onExit);
          resolve(message as RunReport); // as the program sends it
        });
        child.send(job, (error) => {
          if (error !== null) reject(error);
        });
      });
      expectBalancedLedger(report);
      return report;
    },
    close: async () => {
      // The process exits by itself if a run is refused.
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** Checks that the counts of iterations agree with each other, and that those of the flows add up to the total. */
function expectConsistentIterations({ iterations, flows, total }: RunReport): void {
  const each = [
    ...(iterations === null ? [] : [iterations]),
    ...(flows ?? []).map((flow) => flow.iterations),
  ];
  for (const { started, completed, failed, times } of each) {
    expect(started, 'iterations').toBeGreaterThanOrEqual(completed + failed);
    const measured = (times?.measured.counts ?? []).reduce((all, [, count]) => all + count, 0);
    expect(measured, 'durations').toBeLessThanOrEqual(completed);
  }
  if (iterations === null) return;
  expect(total.ledger.planned, 'requests of iterations').toBeGreaterThanOrEqual(iterations.started);
  for (const name of ['started', 'completed', 'failed', 'withErrors'] as const) {
    const ofFlows = flows?.reduce((all, flow) => all + flow.iterations[name], 0);
    if (ofFlows !== undefined) expect(ofFlows, name).toBe(iterations[name]);
  }
}

/** Checks that the ledger of a run is balanced: for each URL, in total, and per second. */
export function expectBalancedLedger(report: RunReport): void {
  expectConsistentIterations(report);
  const { total, targets, timeline, warmup } = report;
  const sections: readonly { readonly ledger: Ledger; readonly statusCodes?: Metrics['statusCodes'] }[] = [
    ...[total, ...targets],
    ...(warmup === null ? [] : [warmup]),
  ];
  for (const { ledger, statusCodes } of sections) {
    const { success, httpError, unexpected, timeout, network, protocol, abandoned } = ledger;
    const failed = sum(httpError) + sum(unexpected) + sum(timeout) + sum(network) + sum(protocol);
    expect(ledger.started + sum(ledger.notStarted), 'planned').toBe(ledger.planned);
    expect(success + failed + abandoned, 'started').toBe(ledger.started);
    if (statusCodes !== undefined)
      expect(sum(statusCodes), 'responses').toBe(success + sum(httpError) + sum(unexpected));
    for (const [name, count] of ledgerEntriesOf(ledger)) {
      expect(Number.isSafeInteger(count) && count >= 0, `${name} is ${count}`).toBe(true);
    }
  }
  const sums: Record<string, number> = {};
  for (const [name, count] of targets.flatMap(({ ledger }) => ledgerEntriesOf(ledger))) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  expect(sums, 'the sums of all URLs').toEqual(Object.fromEntries(ledgerEntriesOf(total.ledger)));
  const sumOfSeconds = (valueOf: (second: TimelineSecond) => number): number =>
    timeline.reduce((total, second) => total + valueOf(second), 0);
  const { ledger } = total;
  const withWarmup = (count: (of: Ledger) => number): number =>
    count(ledger) + (warmup === null ? 0 : count(warmup.ledger));
  expect(
    {
      started: sumOfSeconds((second) => second.started),
      success: sumOfSeconds((second) => second.success),
      error: sumOfSeconds((second) => second.error),
      timeoutError: sumOfSeconds((second) => second.timeoutError),
      networkError: sumOfSeconds((second) => second.networkError),
    },
    'the sums of all seconds',
  ).toEqual({
    started: withWarmup(({ started }) => started),
    success: withWarmup(({ success }) => success),
    error: withWarmup(({ httpError, unexpected }) => sum(httpError) + sum(unexpected)),
    timeoutError: withWarmup(({ timeout }) => sum(timeout)),
    networkError: withWarmup(({ network, protocol }) => sum(network) + sum(protocol)),
  });
  // The report contains nothing else about the bytes of a warm-up.
  if (warmup !== null) return;
  expect(
    [sumOfSeconds((second) => second.bytesSent), sumOfSeconds((second) => second.bytesReceived)],
    'the bytes of all seconds',
  ).toEqual([total.bytesSent, total.bytesReceived]);
}

/** Returns every count of a ledger with its name, such as `httpError 503`. */
function ledgerEntriesOf(ledger: Ledger): readonly (readonly [name: string, count: number])[] {
  return Object.entries(ledger).flatMap(([name, counts]: [string, number | Record<string, number>]) =>
    typeof counts === 'number'
      ? [[name, counts] as const]
      : Object.entries(counts).map(([key, count]) => [`${name} ${key}`, count] as const),
  );
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}
