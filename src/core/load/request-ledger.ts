/** Request counts of a run, by URL and by thread. */
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

interface ThreadAccount {
  planned: number;
  started: number;
  settled: number;
  notStarted: number;
}

export interface LedgerSize {
  readonly threads: number;
  readonly targets: number;
  readonly open: boolean;
}

export class RequestLedger {
  readonly targets: readonly Tally[];
  readonly #accounts: readonly (readonly ThreadAccount[])[];

  constructor({ threads, targets, open }: LedgerSize) {
    const each = <T>(length: number, create: () => T): T[] => Array.from({ length }, create);
    this.targets = each(targets, () => createTally('total', open));
    this.#accounts = each(threads, () =>
      each(targets, () => ({ planned: 0, started: 0, settled: 0, notStarted: 0 })),
    );
  }

  plan(thread: number, requests: readonly number[]): void {
    this.targets.forEach((target, index) => {
      const planned = requests[index];
      const account = this.#accounts[thread]?.[index];
      if (planned === undefined || account === undefined)
        throw new Error('Bug: the planned requests belong to a different job');
      account.planned += planned;
      target.planned += planned;
    });
  }

  /** Adds the tallies of a thread, one per URL, and returns the outcomes of each tally. */
  add(thread: number, tallies: readonly TallyData[]): readonly Outcomes[] {
    return tallies.map((tally, index) => {
      const total = this.targets[index];
      const account = this.#accounts[thread]?.[index];
      if (total === undefined || account === undefined)
        throw new Error('Bug: the tallies belong to a different job');
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
   * Balances the ledger of a thread that has stopped reporting. Started requests without an outcome count as abandoned,
   * and planned requests that did not start count under `reason`. Requests that started after the last snapshot of the
   * thread count as not started.
   */
  close(thread: number, reason: UnstartedReason): void {
    this.#accounts[thread]?.forEach((account, index) => {
      const total = this.targets[index];
      if (total === undefined) return;
      total.abandoned += account.started - account.settled;
      total[reason] += account.planned - account.started - account.notStarted;
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

  /** Call this only on a new object of the same size as the saved object. */
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
