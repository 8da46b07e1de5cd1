/** What all runs together may do on one host: asked for before a run starts, and looked at while it goes on. */
import type { JobTarget, LoadJob } from '../../core/load/load-job.ts';
import { declaredLoadByHost, type HostLoad } from '../../core/load/peak-load.ts';
import type { LoadProgress } from '../../core/load/run-report.ts';
import { machineOf } from '../../egress/address-policies.ts';
import { tooMuchLoad } from '../refusal.ts';

export interface HostLimits {
  readonly connectionsPerTarget: number;
  readonly requestsPerSecondPerTarget: number;
}

/** By host: the name that a test gives, and each machine that its addresses lead to. */
type LoadByHost = ReadonlyMap<string, HostLoad>;

interface LimitedRun {
  /** Of each target. */
  readonly hosts: readonly ReadonlySet<string>[];
  readonly declared: LoadByHost;
  measured: LoadByHost;
  progress: LoadProgress | null;
  /** So many looks in a row found too much on one of its hosts. */
  exceededChecks: number;
  /** It is being ended, and counts no more. */
  ending: boolean;
}

const LIMIT_KINDS = [
  ['connections', 'connections', 'connectionsPerTarget'],
  ['requestsPerSecond', 'requests per second', 'requestsPerSecondPerTarget'],
] as const;

/** So many looks, about a second apart, must find too much: one may be a hiccup. */
const MAX_EXCEEDED_CHECKS = 2;
/** What is counted over less time says nothing about a rate. */
const MIN_CHECK_INTERVAL_MS = 500;

export class HostLimiter {
  readonly #limits: HostLimits;
  /** In the order of their starts. */
  readonly #runs = new Map<string, LimitedRun>();

  constructor(limits: HostLimits) {
    this.#limits = limits;
  }

  /** Errors: Refusal 422 for a job that breaks a cap alone, 429 for one that does so together with what goes on. */
  refuseIfOverLimit(job: LoadJob): void {
    for (const [host, use] of declaredLoadOf(job)) {
      for (const [kind, what, limit] of LIMIT_KINDS) {
        const cap = this.#limits[limit];
        const amount = use[kind];
        if (amount > cap) {
          throw tooMuchLoad(`the test may reach ${amount} ${what} on one host; the limit is ${cap}`);
        }
        const inUse = sumLoad(this.#runs.values(), (run) => run.declared.get(host)?.[kind]);
        if (inUse + amount > cap) {
          const text = `running tests use ${inUse} of ${cap} ${what} on one host; another ${amount} would exceed the limit`;
          throw tooMuchLoad(text, 5);
        }
      }
    }
  }

  add(job: LoadJob): void {
    const declared = declaredLoadOf(job);
    const hosts = job.targets.map(hostsOf);
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
   * Looks at what a run is told to do. Gives whether it is to be ended.
   *
   * Shape: what is asked for is no bound: redirects are followed, a closed model asks for no rate, and where answers
   *        are slow connections stay. So where runs do more on a host than they may together, the one that began last
   *        is ended, and the next one if that is not enough.
   */
  recordProgress(runId: string, progress: LoadProgress): boolean {
    const run = this.#runs.get(runId);
    if (run === undefined || run.ending) return false;
    const elapsed = progress.elapsed - (run.progress?.elapsed ?? 0);
    if (elapsed < MIN_CHECK_INTERVAL_MS) return false;
    run.measured = measuredLoadOf(run, progress, elapsed);
    run.progress = progress;
    const tooMuch = [...run.measured.keys()].some(
      (host) => this.#isLatestOn(host, run) && this.#isOverLimit(host),
    );
    run.exceededChecks = tooMuch ? run.exceededChecks + 1 : 0;
    run.ending = run.exceededChecks >= MAX_EXCEEDED_CHECKS;
    return run.ending;
  }

  #isOverLimit(host: string): boolean {
    const going = [...this.#runs.values()].filter((run) => !run.ending);
    return LIMIT_KINDS.some(
      ([kind, , limit]) => sumLoad(going, (run) => run.measured.get(host)?.[kind]) > this.#limits[limit],
    );
  }

  #isLatestOn(host: string, run: LimitedRun): boolean {
    return run === [...this.#runs.values()].findLast((one) => !one.ending && one.declared.has(host));
  }
}

function sumLoad(runs: Iterable<LimitedRun>, of: (run: LimitedRun) => number | undefined): number {
  let sum = 0;
  for (const run of runs) sum += of(run) ?? 0;
  return sum;
}

/**
 * What a job asks for: all of it for each machine, though a client goes to one of several, since nobody knows to which.
 */
function declaredLoadOf(job: LoadJob): LoadByHost {
  return declaredLoadByHost(job, job.targets, hostsOf);
}

function measuredLoadOf(
  { hosts, progress: told }: LimitedRun,
  progress: LoadProgress,
  elapsed: number,
): LoadByHost {
  const { connections } = progress;
  const seen = new Map<string, HostLoad>();
  hosts.forEach((ofTarget, index) => {
    const ended = (progress.targets[index] ?? 0) - (told?.targets[index] ?? 0);
    for (const host of ofTarget) {
      const others = seen.get(host)?.requestsPerSecond ?? 0;
      seen.set(host, { connections, requestsPerSecond: others + (ended * 1000) / elapsed });
    }
  });
  return seen;
}

function hostsOf({ hostname, addresses }: JobTarget): ReadonlySet<string> {
  return new Set([hostname, ...addresses.map(machineOf)]);
}
