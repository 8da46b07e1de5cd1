/** An engine on the source as it is, and jobs for it. Threads cannot load TypeScript, so their entry is built first. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect } from 'vitest';
import type { JobTarget, LoadJob } from '../../src/core/load/load-job.ts';
import type {
  Metrics,
  Ledger,
  RunProgress,
  RunReport,
  TimelineSecond,
} from '../../src/core/load/run-report.ts';
import { milliseconds } from '../../src/core/units.ts';
import type { ActiveRun, Runner } from '../../src/core/ports/runner.ts';
import { createEngine } from '../../src/engine/engine.ts';

export interface TestEngine {
  readonly engine: Runner;
  readonly threadUrl: URL;
  /** The main thread's part, as JavaScript: for processes of their own. */
  readonly runUrl: URL;
  close(): Promise<void>;
}

export async function openTestEngine(): Promise<TestEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'engine-'));
  const entry = (name: string): string =>
    fileURLToPath(new URL(`../../src/engine/${name}.ts`, import.meta.url));
  await build({
    entryPoints: [entry('thread'), entry('engine')],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  });
  const threadUrl = pathToFileURL(join(directory, 'thread.mjs'));
  const engine = createEngine({ threadUrl, version: '0.0.0' });
  return {
    engine,
    threadUrl,
    runUrl: pathToFileURL(join(directory, 'engine.mjs')),
    close: async () => {
      await engine.close();
      rmSync(directory, { recursive: true });
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
    method: 'GET',
    path,
    params: [],
    headers: [],
    credentials: null,
    body: null,
    jsonBody: false,
    variables: [],
    expect: null,
    rows: null,
    delay: null,
    ...changes,
  };
}

export interface JobChanges extends Partial<Omit<LoadJob, 'duration' | 'warmup' | 'timeout'>> {
  readonly duration?: number;
  readonly warmup?: number;
  readonly timeout?: number;
}

/** By default ten clients over half a second, on two threads, with more patience than a busy machine takes. */
export function jobOf(targets: readonly JobTarget[], changes: JobChanges = {}): LoadJob {
  return {
    runId: 'run-1',
    testType: 'non-cycling',
    initial: 0,
    total: 10,
    ramps: null,
    errorThreshold: 100,
    targets,
    iterationRows: [],
    tlsVerify: false,
    userAgent: 'loadtests/0.0.0',
    seed: 1,
    threads: 2,
    trace: null,
    ...changes,
    duration: milliseconds(changes.duration ?? 500),
    warmup: milliseconds(changes.warmup ?? 0),
    timeout: milliseconds(changes.timeout ?? 10_000),
  };
}

export interface JobResult {
  readonly report: RunReport;
  readonly ledger: Ledger;
  readonly progress: readonly RunProgress[];
}

/** Runs a job to its end; its ledger has to close. */
export async function runJob(
  engine: Runner,
  job: LoadJob,
  meanwhile?: (load: ActiveRun) => void,
): Promise<JobResult> {
  const progress: RunProgress[] = [];
  const load = engine.start(job, (told) => progress.push(told));
  meanwhile?.(load);
  const report = await load.ended;
  expectBalancedLedger(report);
  return { report, ledger: report.total.ledger, progress };
}

/** A thread's entry that does something else as well, before and beside the real one. */
export function createThreadEntry(rig: TestEngine, name: string, does: string): URL {
  const path = join(fileURLToPath(new URL('.', rig.threadUrl)), `${name}.mjs`);
  writeFileSync(
    path,
    `import { workerData } from 'node:worker_threads';\n${does}\nawait import('./thread.mjs');\n`,
  );
  return pathToFileURL(path);
}

/** How a process of its own differs from this one. */
export interface ChildProcessOptions {
  /** What the shell does before, with `&&` behind it. */
  readonly prepare?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node. */
  readonly flags?: readonly string[];
  /** Statements of the program before anything else. */
  readonly prelude?: string;
  /** Another entry of the threads than the rig's. */
  readonly threadUrl?: URL;
}

/** What such a process tells in the end. */
export interface ChildProcessReport {
  /** Null when the run was refused. */
  readonly report: RunReport | null;
  readonly refusal: string | null;
  /** Most memory that it had at once, in bytes. */
  readonly peakMemory: number;
}

/** Runs a job in a process of its own; its ledger has to close. */
export function runInChildProcess(
  rig: TestEngine,
  job: LoadJob,
  how: ChildProcessOptions = {},
): {
  readonly child: ChildProcess;
  readonly told: Promise<ChildProcessReport>;
  /** Errors: rejects when the run was refused. */
  readonly report: Promise<RunReport>;
} {
  const program = `
    ${how.prelude ?? ''}
    const { createEngine } = await import(${JSON.stringify(rig.runUrl.href)});
    const threadUrl = new URL(${JSON.stringify((how.threadUrl ?? rig.threadUrl).href)});
    const engine = createEngine({ threadUrl, version: '0.0.0' });
    const told = await engine.start(${JSON.stringify(job)}, () => undefined).ended.then(
      (report) => ({ report, refusal: null }),
      (error) => ({ report: null, refusal: error.message }),
    );
    const peakMemory = process.resourceUsage().maxRSS * 1024;
    process.stdout.write(JSON.stringify({ ...told, peakMemory }), () => process.exit());`;
  const shell = `${how.prepare ?? ''} exec "$0" "$@"`;
  const words = [process.execPath, ...(how.flags ?? []), '--input-type=module', '-e', program];
  const child = spawn('sh', ['-c', shell, ...words], {
    env: { ...process.env, ...how.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told = text(child.stdout).then((printed) => {
    const ended = JSON.parse(printed) as ChildProcessReport; // as the program prints it
    if (ended.report !== null) expectBalancedLedger(ended.report);
    return ended;
  });
  const report = told.then((ended) => {
    if (ended.report === null) throw new Error(ended.refusal ?? 'nothing was told');
    return ended.report;
  });
  // Who looks at what was told need not look at the report.
  report.catch(() => undefined);
  return { child, told, report };
}

/** The books of a run close: for each URL, in all, and second by second. */
export function expectBalancedLedger(report: RunReport): void {
  const { total, targets, timeline, warmup } = report;
  const parts: readonly { readonly ledger: Ledger; readonly statusCodes?: Metrics['statusCodes'] }[] = [
    ...[total, ...targets],
    ...(warmup === null ? [] : [warmup]),
  ];
  for (const { ledger, statusCodes } of parts) {
    const { success, httpError, unexpected, timeout, network, protocol, abandoned } = ledger;
    const failed = sum(httpError) + sum(unexpected) + sum(timeout) + sum(network) + sum(protocol);
    expect(ledger.started + sum(ledger.notStarted), 'planned').toBe(ledger.planned);
    expect(success + failed + abandoned, 'started').toBe(ledger.started);
    if (statusCodes !== undefined)
      expect(sum(statusCodes), 'answered').toBe(success + sum(httpError) + sum(unexpected));
    for (const [name, count] of ledgerEntriesOf(ledger)) {
      expect(Number.isSafeInteger(count) && count >= 0, `${name} is ${count}`).toBe(true);
    }
  }
  const added: Record<string, number> = {};
  for (const [name, count] of targets.flatMap(({ ledger }) => ledgerEntriesOf(ledger))) {
    added[name] = (added[name] ?? 0) + count;
  }
  expect(added, 'all URLs together').toEqual(Object.fromEntries(ledgerEntriesOf(total.ledger)));
  const inSeconds = (what: (second: TimelineSecond) => number): number =>
    timeline.reduce((all, second) => all + what(second), 0);
  const { ledger } = total;
  const inAll = (count: (of: Ledger) => number): number =>
    count(ledger) + (warmup === null ? 0 : count(warmup.ledger));
  expect(
    {
      started: inSeconds((second) => second.started),
      success: inSeconds((second) => second.success),
      error: inSeconds((second) => second.error),
      timeoutError: inSeconds((second) => second.timeoutError),
      networkError: inSeconds((second) => second.networkError),
    },
    'all seconds together',
  ).toEqual({
    started: inAll(({ started }) => started),
    success: inAll(({ success }) => success),
    error: inAll(({ httpError, unexpected }) => sum(httpError) + sum(unexpected)),
    timeoutError: inAll(({ timeout }) => sum(timeout)),
    networkError: inAll(({ network, protocol }) => sum(network) + sum(protocol)),
  });
  // Of the bytes of a warm-up nothing is told but these.
  if (warmup !== null) return;
  expect(
    [inSeconds((second) => second.bytesSent), inSeconds((second) => second.bytesReceived)],
    'the bytes of all seconds together',
  ).toEqual([total.bytesSent, total.bytesReceived]);
}

/** Every count of a ledger with its name, as `httpError 503`. */
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
