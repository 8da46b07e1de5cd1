/** What all runs together may do on one host: asked for before a run starts, and looked at while it goes on. Pure. */
import type { JobTarget, LoadJob } from '../../core/load/job.ts';
import type { LoadProgress } from '../../core/load/report.ts';
import { Refusal, unprocessable } from '../refusal.ts';

export interface HostLimits {
  readonly connectionsPerTarget: number;
  readonly requestsPerSecondPerTarget: number;
}

interface Use {
  connections: number;
  requestsPerSecond: number;
}

/** By host: the name that a test gives, and each address that it leads to. */
type UseByHost = ReadonlyMap<string, Use>;

interface Run {
  readonly job: LoadJob;
  readonly asked: UseByHost;
  seen: UseByHost;
  told: LoadProgress | null;
  /** So many looks in a row found too much on one of its hosts. */
  looks: number;
  /** It is being ended, and counts no more. */
  ending: boolean;
}

const KINDS = [
  ['connections', 'connections', 'connectionsPerTarget'],
  ['requestsPerSecond', 'requests per second', 'requestsPerSecondPerTarget'],
] as const;

/** So many looks, about a second apart, must find too much: one may be a hiccup. */
const LOOKS = 2;
/** What is counted over less time says nothing about a rate. */
const SHORTEST_LOOK_MS = 500;

export class HostCaps {
  readonly #limits: HostLimits;
  /** In the order of their starts. */
  readonly #runs = new Map<string, Run>();

  constructor(limits: HostLimits) {
    this.#limits = limits;
  }

  /** Errors: Refusal 422 for a job that breaks a cap alone, 429 for one that does so together with what goes on. */
  refuseOver(job: LoadJob): void {
    for (const [host, use] of askedBy(job)) {
      for (const [kind, what, limit] of KINDS) {
        const cap = this.#limits[limit];
        const amount = use[kind];
        if (amount > cap) {
          throw unprocessable(`the test may reach ${amount} ${what} on one host; the limit is ${cap}`);
        }
        const inUse = sumOf(this.#runs.values(), (run) => run.asked.get(host)?.[kind]);
        if (inUse + amount > cap) {
          const text = `running tests hold ${inUse} of ${cap} ${what} on one host; ${amount} more are too many`;
          throw new Refusal(429, [text], { retryAfter: 5 });
        }
      }
    }
  }

  add(job: LoadJob): void {
    const asked = askedBy(job);
    this.#runs.set(job.runId, { job, asked, seen: new Map(), told: null, looks: 0, ending: false });
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
  see(runId: string, progress: LoadProgress): boolean {
    const run = this.#runs.get(runId);
    if (run === undefined || run.ending) return false;
    const elapsed = progress.elapsed - (run.told?.elapsed ?? 0);
    if (elapsed < SHORTEST_LOOK_MS) return false;
    run.seen = seenOf(run, progress, elapsed);
    run.told = progress;
    const tooMuch = [...run.seen.keys()].some((host) => this.#isLastOn(host, run) && this.#isOver(host));
    run.looks = tooMuch ? run.looks + 1 : 0;
    run.ending = run.looks >= LOOKS;
    return run.ending;
  }

  #isOver(host: string): boolean {
    const going = [...this.#runs.values()].filter((run) => !run.ending);
    return KINDS.some(
      ([kind, , limit]) => sumOf(going, (run) => run.seen.get(host)?.[kind]) > this.#limits[limit],
    );
  }

  #isLastOn(host: string, run: Run): boolean {
    return run === [...this.#runs.values()].findLast((one) => !one.ending && one.asked.has(host));
  }
}

function sumOf(runs: Iterable<Run>, of: (run: Run) => number | undefined): number {
  let sum = 0;
  for (const run of runs) sum += of(run) ?? 0;
  return sum;
}

/**
 * What a job asks for, as far as it can be known before.
 *
 * Shape: all of it for each address, though a client goes to one of several: nobody knows to which. A closed model
 *        asks for no rate: it makes as many requests as its connections bear.
 */
function askedBy(job: LoadJob): UseByHost {
  const clients = clientsPerSecond(job);
  const connections = peakConnections(job);
  const asked = new Map<string, Use & { readonly destinations: Set<string> }>();
  for (const target of job.targets) {
    for (const host of hostsOf(target)) {
      const use = asked.get(host) ?? { connections: 0, requestsPerSecond: 0, destinations: new Set() };
      use.requestsPerSecond += clients;
      // A client has one connection for each of these.
      use.destinations.add(JSON.stringify([target.secure, target.hostname, target.port]));
      use.connections = connections * use.destinations.size;
      asked.set(host, use);
    }
  }
  return asked;
}

function seenOf({ job, told }: Run, progress: LoadProgress, elapsed: number): UseByHost {
  const seen = new Map<string, Use>();
  job.targets.forEach((target, index) => {
    const ended = (progress.targets[index] ?? 0) - (told?.targets[index] ?? 0);
    for (const host of hostsOf(target)) {
      const use = seen.get(host) ?? { connections: progress.connections, requestsPerSecond: 0 };
      use.requestsPerSecond += (ended * 1000) / elapsed;
      seen.set(host, use);
    }
  });
  return seen;
}

function hostsOf({ hostname, addresses }: JobTarget): ReadonlySet<string> {
  return new Set([hostname, ...addresses]);
}

function clientsPerSecond(job: LoadJob): number {
  switch (job.testType) {
    case 'cycling':
      return 0;
    case 'non-cycling':
      return Math.ceil((job.total * 1000) / job.duration);
    case 'per-second':
      return job.total;
  }
}

/**
 * The most clients of a job at once: in the open models rate × timeout, the time of a client whose one request goes
 * unanswered.
 */
function peakConnections(job: LoadJob): number {
  switch (job.testType) {
    case 'cycling':
      return Math.max(job.initial, job.total);
    case 'non-cycling':
      return Math.min(job.total, Math.ceil((job.total / job.duration) * job.timeout));
    case 'per-second':
      return Math.ceil(job.total * Math.max(1, Math.min(job.timeout, job.duration) / 1000));
  }
}
