/** Limits the combined load of active runs on one host, before a run starts and while it is active. */
import { withCommas } from '../../core/counted.ts';
import type { JobTarget, LoadJob } from '../../core/load/load-job.ts';
import { declaredLoadByHost, type HostLoad } from '../../core/model/peak-load.ts';
import { possibleDestinations } from '../../core/model/resolved-url.ts';
import type { LoadProgress } from '../../core/load/run-report.ts';
import { machineOf } from '../../egress/address-policies.ts';
import { tooMuchLoad } from '../refusal.ts';

export interface HostLimits {
  readonly connectionsPerTarget: number;
  readonly requestsPerSecondPerTarget: number;
}

/** Load by host. A key is a host name from a test, or a machine key from `machineOf`. */
type LoadByHost = ReadonlyMap<string, HostLoad>;

interface LimitedRun {
  readonly hosts: readonly ReadonlySet<string>[];
  readonly declared: LoadByHost;
  measured: LoadByHost;
  progress: LoadProgress | null;
  exceededChecks: number;
  /** True after this limiter has requested that the run be stopped. The measured load of the run is then ignored. */
  ending: boolean;
}

const LIMIT_KINDS = [
  ['connections', 'connections', 'connectionsPerTarget'],
  ['requestsPerSecond', 'requests per second', 'requestsPerSecondPerTarget'],
] as const;

/**
 * Number of consecutive checks that must find a limit exceeded before a run is stopped, because a single excess may be
 * a brief spike.
 */
const MAX_EXCEEDED_CHECKS = 2;
/** Minimum interval between checks in ms. Rates that are measured over a shorter interval are unreliable. */
const MIN_CHECK_INTERVAL_MS = 500;

export class HostLimiter {
  readonly #limits: HostLimits;
  /** Active runs, in the order in which they started. */
  readonly #runs = new Map<string, LimitedRun>();

  constructor(limits: HostLimits) {
    this.#limits = limits;
  }

  /**
   * @throws Refusal 422 if the job alone exceeds a limit of a host, 429 if the job and the active runs exceed it
   * together.
   */
  refuseIfOverLimit(job: LoadJob): void {
    for (const [host, use] of declaredLoadOf(job)) {
      for (const [kind, unit, limit] of LIMIT_KINDS) {
        const cap = this.#limits[limit];
        const amount = use[kind];
        if (amount > cap) {
          throw tooMuchLoad(
            `the test may reach ${withCommas(amount)} ${unit} on one host; the limit is ${withCommas(cap)}`,
          );
        }
        const inUse = sumLoad(this.#runs.values(), (run) => run.declared.get(host)?.[kind]);
        if (inUse + amount > cap) {
          const text = `active runs use ${withCommas(inUse)} of ${withCommas(cap)} ${unit} on one host, and this test needs ${withCommas(amount)} more; wait until a run has ended`;
          throw tooMuchLoad(text, 5);
        }
      }
    }
  }

  add(job: LoadJob): void {
    const declared = declaredLoadOf(job);
    const hosts = possibleDestinations(job.targets, job.targets).map(
      (targets) => new Set(targets.flatMap((target) => [...hostsOf(target)])),
    );
    this.#runs.set(job.runId, {
      hosts,
      declared,
      measured: new Map(),
      progress: null,
      exceededChecks: 0,
      ending: false,
    });
  }

  remove(runId: string): void {
    this.#runs.delete(runId);
  }

  /**
   * Records the progress of a run. Returns true if the run must be stopped, because consecutive checks found a limit of
   * one of its hosts exceeded.
   *
   * @remarks The declared load is not an upper bound: clients follow redirects, a closed model declares no rate, and
   * connections accumulate while responses are slow. If several runs together exceed a limit, the run that started
   * last is stopped first.
   */
  recordProgress(runId: string, progress: LoadProgress): boolean {
    const run = this.#runs.get(runId);
    if (run === undefined || run.ending) return false;
    const elapsed = progress.elapsed - (run.progress?.elapsed ?? 0);
    if (elapsed < MIN_CHECK_INTERVAL_MS) return false;
    run.measured = measuredLoadOf(run, progress, elapsed);
    run.progress = progress;
    const isOver = [...run.measured.keys()].some(
      (host) => this.#isLatestOn(host, run) && this.#isOverLimit(host),
    );
    run.exceededChecks = isOver ? run.exceededChecks + 1 : 0;
    run.ending = run.exceededChecks >= MAX_EXCEEDED_CHECKS;
    return run.ending;
  }

  #isOverLimit(host: string): boolean {
    const active = [...this.#runs.values()].filter((run) => !run.ending);
    return LIMIT_KINDS.some(
      ([kind, , limit]) => sumLoad(active, (run) => run.measured.get(host)?.[kind]) > this.#limits[limit],
    );
  }

  #isLatestOn(host: string, run: LimitedRun): boolean {
    return run === [...this.#runs.values()].findLast((other) => !other.ending && other.declared.has(host));
  }
}

function sumLoad(runs: Iterable<LimitedRun>, of: (run: LimitedRun) => number | undefined): number {
  let sum = 0;
  for (const run of runs) sum += of(run) ?? 0;
  return sum;
}

/**
 * Returns the declared load of a job. Each machine of a host counts with the full load of the host, because a client
 * may connect to any of these machines.
 */
function declaredLoadOf(job: LoadJob): LoadByHost {
  return declaredLoadByHost(job, possibleDestinations(job.targets, job.targets), hostsOf);
}

function measuredLoadOf(
  { hosts, progress: previous }: LimitedRun,
  progress: LoadProgress,
  elapsed: number,
): LoadByHost {
  const { connections } = progress;
  const measured = new Map<string, HostLoad>();
  hosts.forEach((ofTarget, index) => {
    const ended = (progress.targets[index] ?? 0) - (previous?.targets[index] ?? 0);
    for (const host of ofTarget) {
      const others = measured.get(host)?.requestsPerSecond ?? 0;
      measured.set(host, { connections, requestsPerSecond: others + (ended * 1000) / elapsed });
    }
  });
  return measured;
}

function hostsOf({ hostname, addresses }: JobTarget): ReadonlySet<string> {
  return new Set([hostname, ...addresses.map(machineOf)]);
}
