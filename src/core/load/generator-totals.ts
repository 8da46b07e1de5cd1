/**
 * Adds up how well the threads of a run kept up, and how much of the declared load they offered: all of it behind the
 * warm-up. Mutable, like the totals.
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { CalmSums } from './calm.ts';
import { STEPS } from './calmness.ts';
import { Histogram } from './histogram.ts';
import type { LoadJob } from './job.ts';
import {
  clientCount,
  clientsDueBefore,
  clientsOfWarmup,
  dueAt,
  isOpenModel,
  ON_TIME,
  retiresAt,
} from './pace.ts';
import type { Machine, Offered } from './report.ts';
import type { SliceShape } from './slice-codec.ts';
import type { Slice } from './slice.ts';
import { readTotal, writeTotal } from './tally-codec.ts';
import type { ThreadReason } from './threads.ts';

/** Clients that never started are looked at within so many seconds as well, so that a gap does not drown in a long run. */
const WINDOW_SECONDS = 5;

/** What the generator knows of its surroundings. */
export interface Surroundings {
  readonly version: string;
  /** That the process may use. */
  readonly cores: number;
  /** CPU time that it may use, in cores; null where nothing limits it. */
  readonly quota: number | null;
  /** What the number of its threads comes from. */
  readonly because: ThreadReason;
  /** Version of Node.js. */
  readonly node: string;
}

/** Raised when figures are measured in another way, so that they are not compared with those of before. */
const MEASURING = 3;

interface Thread {
  busy: number;
  mostBusy: number;
  seconds: number;
  stoodStill: number;
}

export class GeneratorTotals {
  readonly calm: CalmSums;
  readonly lag = Histogram.createTotal();
  readonly #job: LoadJob;
  /** The first second behind the warm-up. */
  readonly #begins: number;
  readonly #threads: readonly Thread[];
  #longest = 0;
  #unheld = 0;
  /** Clients that never started, by the second in which they were due. */
  readonly #never: number[] = [];

  constructor(job: LoadJob, workers: number) {
    this.#job = job;
    this.#begins = job.warmup / 1000;
    this.calm = new CalmSums({ workers, targets: job.targets.length, begins: this.#begins }, job.timeout);
    this.#threads = Array.from({ length: workers }, () => ({
      ...{ busy: 0, mostBusy: 0, seconds: 0, stoodStill: 0 },
    }));
  }

  add(slice: Slice): void {
    const thread = this.#threads[slice.worker];
    if (thread === undefined) throw new Error('Bug: a slice of another run');
    const { late, stoodStill, busy, passedOver, unheld } = slice.thread;
    this.calm.add(slice);
    if (slice.second < this.#begins) return;
    this.lag.add(slice.lag);
    thread.busy += busy;
    thread.mostBusy = Math.max(thread.mostBusy, busy);
    thread.seconds++;
    thread.stoodStill += stoodStill;
    this.#longest = Math.max(this.#longest, late);
    this.#unheld += unheld;
    for (const [second, clients] of Object.entries(passedOver)) this.#miss(Number(second), clients);
    // Of several URLs the one that found no socket most often: a client finds none for all of them.
    this.#miss(slice.second, Math.max(0, ...slice.targets.map(({ noSocket }) => noSocket)));
  }

  /** The share of its time in which the busiest thread had something to do. */
  busiest(): number {
    return Math.max(0, ...this.#threads.map((thread) => meanOf(thread)));
  }

  /** In ms, of the thread that stood still for longest. */
  stoodStill(): number {
    return Math.max(0, ...this.#threads.map((thread) => thread.stoodStill));
  }

  /** Clients of the open models that this machine never started. */
  never(): number {
    return sum(this.#never);
  }

  offered(): Offered {
    const job = this.#job;
    if (!isOpenModel(job)) return { model: 'closed', held: this.#held() };
    return {
      model: 'open',
      due: clientCount(job) - clientsOfWarmup(job),
      late: this.lag.countAbove(ON_TIME * 1000),
      never: this.never(),
      lateP99: (this.lag.quantile(0.99) ?? 0) / 1000,
      lateMax: this.lag.max / 1000,
      worstWindow: this.#worstWindow(),
    };
  }

  machine({ cores, quota, because, node }: Surroundings): Machine {
    const { sums } = this.calm;
    return {
      ...{ cores, quota, because, node },
      measuring: MEASURING,
      loops: this.#threads.map((thread) => ({ mean: meanOf(thread), most: thread.mostBusy })),
      seconds: Math.max(0, ...this.#threads.map(({ seconds }) => seconds)),
      longestStandstill: this.#longest,
      unquiet: STEPS.map((step, index) => ({ step, seconds: sums[index]?.unquiet.size ?? 0 })),
    };
  }

  keep(writer: ByteWriter): void {
    this.calm.keep(writer);
    writeTotal(writer, this.lag);
    for (const { busy, mostBusy, seconds, stoodStill } of this.#threads) {
      for (const value of [busy, mostBusy, seconds, stoodStill]) writer.number(value);
    }
    writer.number(this.#longest);
    writer.number(this.#unheld);
    writer.list(Object.entries(this.#never), ([second, clients]) => {
      writer.count(Number(second));
      writer.count(clients);
    });
  }

  /** Takes up what was kept of a run of the same size; only for new totals. */
  take(reader: ByteReader, shape: SliceShape): void {
    this.calm.take(reader, shape);
    this.lag.add(readTotal(reader));
    for (const thread of this.#threads) {
      thread.busy = reader.number();
      thread.mostBusy = reader.number();
      thread.seconds = reader.number();
      thread.stoodStill = reader.number();
    }
    this.#longest = reader.number();
    this.#unheld = reader.number();
    for (const [second, clients] of reader.list(
      () => [reader.count(shape.lastSecond), reader.count()] as const,
    )) {
      this.#never[second] = clients;
    }
  }

  #miss(second: number, clients: number): void {
    if (clients > 0) this.#never[second] = (this.#never[second] ?? 0) + clients;
  }

  /** The share of the declared connection time in which this machine let clients be there. */
  #held(): number {
    let declared = 0;
    for (let client = 0; client < clientCount(this.#job); client++) {
      const begins = Math.max(this.#job.warmup, dueAt(this.#job, client));
      declared += Math.max(0, retiresAt(this.#job, client) - begins);
    }
    return declared === 0 ? 1 : Math.max(0, 1 - this.#unheld / declared);
  }

  #worstWindow(): Extract<Offered, { model: 'open' }>['worstWindow'] {
    let worst: { readonly second: number; readonly due: number; readonly never: number } | null = null;
    this.#never.forEach((_clients, last) => {
      for (let second = Math.max(this.#begins, last - WINDOW_SECONDS + 1); second <= last; second++) {
        const until = second + WINDOW_SECONDS;
        const never = sum(this.#never.slice(second, until));
        const due = this.#dueWithin(second, until);
        if (worst === null || never * worst.due > worst.never * due) worst = { second, due, never };
      }
    });
    return worst;
  }

  #dueWithin(first: number, until: number): number {
    return clientsDueBefore(this.#job, until * 1000) - clientsDueBefore(this.#job, first * 1000);
  }
}

/** Of an array that may have gaps. */
function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function meanOf({ busy, seconds }: Thread): number {
  return seconds === 0 ? 0 : busy / seconds;
}
