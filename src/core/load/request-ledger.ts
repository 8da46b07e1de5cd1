/** What workers counted of each URL, and what they still owe. Mutable on purpose, like the totals. */
import type { ByteReader, ByteWriter } from './bytes.ts';
import {
  addTally,
  createTally,
  countFinished,
  countNotStarted,
  outcomesOf,
  type Outcomes,
  type Tally,
  type TallyData,
  type UnstartedReason,
} from './snapshot.ts';
import { readTally, readTotal, writeTally, writeTotal } from './tally-codec.ts';

/** What one worker still owes for one URL. */
interface ThreadAccount {
  planned: number;
  started: number;
  settled: number;
  notStarted: number;
}

export interface LedgerSize {
  readonly workers: number;
  readonly targets: number;
  /** Response and service time differ. */
  readonly open: boolean;
}

export class RequestLedger {
  /** Of each URL. */
  readonly targets: readonly Tally[];
  readonly #accounts: readonly (readonly ThreadAccount[])[];

  constructor({ workers: threads, targets, open }: LedgerSize) {
    const each = <T>(length: number, create: () => T): T[] => Array.from({ length }, create);
    this.targets = each(targets, () => createTally('total', open));
    this.#accounts = each(threads, () =>
      each(targets, () => ({ planned: 0, started: 0, settled: 0, notStarted: 0 })),
    );
  }

  /** Notes that a worker is to start so many requests of each URL. */
  plan(thread: number, requests: number): void {
    for (const account of this.#accounts[thread] ?? []) account.planned += requests;
    for (const target of this.targets) target.planned += requests;
  }

  /** Gives what came of the requests of each URL. */
  add(thread: number, tallies: readonly TallyData[]): readonly Outcomes[] {
    return tallies.map((tally, index) => {
      const total = this.targets[index];
      const account = this.#accounts[thread]?.[index];
      if (total === undefined || account === undefined) throw new Error('Bug: a slice of another job');
      const outcomes = outcomesOf(tally);
      addTally(total, tally);
      account.planned += tally.planned;
      account.started += tally.started;
      account.settled += countFinished(outcomes) + tally.abandoned;
      account.notStarted += countNotStarted(tally);
      return outcomes;
    });
  }

  /**
   * Closes the books of a worker that will not report any more: what it had started is abandoned, the rest was not
   * started. What it did after its last slice is not known to anybody.
   */
  close(thread: number, why: UnstartedReason): void {
    this.#accounts[thread]?.forEach((account, index) => {
      const total = this.targets[index];
      if (total === undefined) return;
      total.abandoned += account.started - account.settled;
      total[why] += account.planned - account.started - account.notStarted;
      account.settled = account.started;
      account.notStarted = account.planned - account.started;
    });
  }

  save(writer: ByteWriter): void {
    for (const tally of this.targets) writeTally(writer, tally, writeTotal);
    for (const account of this.#accounts.flat()) {
      for (const value of [account.planned, account.started, account.settled, account.notStarted]) {
        writer.integer(value);
      }
    }
  }

  /** Takes up what books of the same size have kept; only for new ones. */
  restore(reader: ByteReader): void {
    for (const tally of this.targets) addTally(tally, readTally(reader, tally.service !== null, readTotal));
    for (const account of this.#accounts.flat()) {
      account.planned = reader.integer();
      account.started = reader.integer();
      account.settled = reader.integer();
      account.notStarted = reader.integer();
    }
  }
}
