/** What all runs together may do on one host: asked for before a run starts, and looked at while it goes on. */
import type { JobTarget, LoadJob } from '../../core/load/job.ts';
import { askedLoad, type HostLoad } from '../../core/load/peak.ts';
import type { LoadProgress } from '../../core/load/report.ts';
import { machineOf } from '../../egress/policies.ts';
import { tooMuchLoad } from '../refusal.ts';

export interface HostLimits {
  readonly connectionsPerTarget: number;
  readonly requestsPerSecondPerTarget: number;
}

/** By host: the name that a test gives, and each machine that its addresses lead to. */
type UseByHost = ReadonlyMap<string, HostLoad>;

interface Run {
  /** Of each target. */
  readonly hosts: readonly ReadonlySet<string>[];
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
          throw tooMuchLoad(`the test may reach ${amount} ${what} on one host; the limit is ${cap}`);
        }
        const inUse = sumOf(this.#runs.values(), (run) => run.asked.get(host)?.[kind]);
        if (inUse + amount > cap) {
          const text = `running tests use ${inUse} of ${cap} ${what} on one host; another ${amount} would exceed the limit`;
          throw tooMuchLoad(text, 5);
        }
      }
    }
  }

  add(job: LoadJob): void {
    const asked = askedBy(job);
    const hosts = job.targets.map(hostsOf);
    this.#runs.set(job.runId, { hosts, asked, seen: new Map(), told: null, looks: 0, ending: false });
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
 * What a job asks for: all of it for each machine, though a client goes to one of several, since nobody knows to which.
 */
function askedBy(job: LoadJob): UseByHost {
  return askedLoad(job, job.targets, hostsOf);
}

function seenOf({ hosts, told }: Run, progress: LoadProgress, elapsed: number): UseByHost {
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
