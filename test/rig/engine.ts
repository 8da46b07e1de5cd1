/** An engine on the source as it is, and jobs for it. Threads cannot load TypeScript, so their entry is built first. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { JobTarget, LoadJob } from '../../src/core/load/job.ts';
import type { Ledger, RunProgress, RunReport } from '../../src/core/load/report.ts';
import { ledgerGaps } from '../../src/core/load/slice.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createEngine, type Engine, type RunningLoad } from '../../src/engine/run.ts';

export interface EngineRig {
  readonly engine: Engine;
  readonly workerUrl: URL;
  /** The main thread's part, as JavaScript: for processes of their own. */
  readonly runUrl: URL;
  close(): Promise<void>;
}

export async function openEngine(): Promise<EngineRig> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'));
  const entry = (name: string): string =>
    fileURLToPath(new URL(`../../src/engine/${name}.ts`, import.meta.url));
  await build({
    entryPoints: [entry('worker'), entry('run')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  });
  const workerUrl = pathToFileURL(join(folder, 'worker.mjs'));
  const engine = createEngine({ workerUrl, version: '0.0.0' });
  return {
    engine,
    workerUrl,
    runUrl: pathToFileURL(join(folder, 'run.mjs')),
    close: async () => {
      await engine.close();
      rmSync(folder, { recursive: true });
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
    variables: [],
    rows: null,
    ...changes,
  };
}

export interface JobChanges extends Partial<Omit<LoadJob, 'duration' | 'timeout'>> {
  readonly duration?: number;
  readonly timeout?: number;
}

/** By default ten clients over half a second, on two threads. */
export function jobOf(targets: readonly JobTarget[], changes: JobChanges = {}): LoadJob {
  return {
    runId: 'run-1',
    testType: 'non-cycling',
    initial: 0,
    total: 10,
    errorThreshold: 100,
    targets,
    passRows: [],
    tlsVerify: false,
    userAgent: 'loadtests/0.0.0',
    seed: 1,
    threads: 2,
    trace: false,
    ...changes,
    duration: milliseconds(changes.duration ?? 500),
    timeout: milliseconds(changes.timeout ?? 2000),
  };
}

export interface Ran {
  readonly report: RunReport;
  readonly ledger: Ledger;
  readonly progress: readonly RunProgress[];
}

/** Runs a job to its end; every ledger, in all and of each URL, has to close. */
export async function run(
  engine: Engine,
  job: LoadJob,
  meanwhile?: (load: RunningLoad) => void,
): Promise<Ran> {
  const progress: RunProgress[] = [];
  const load = engine.start(job, (told) => progress.push(told));
  meanwhile?.(load);
  const report = await load.ended;
  for (const figures of [report.total, ...report.targets]) {
    const gaps = ledgerGaps(figures.ledger);
    if (gaps.planned !== 0 || gaps.started !== 0) {
      throw new Error(`the ledger does not close: ${JSON.stringify({ gaps, ledger: figures.ledger })}`);
    }
  }
  return { report, ledger: report.total.ledger, progress };
}
