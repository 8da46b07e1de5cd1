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

/** Counts of one thread and one URL, in the order of their encoding. */
const ACCOUNT_COUNTS = ['planned', 'started', 'settled', 'notStarted'] as const;

interface ThreadAccount extends Record<(typeof ACCOUNT_COUNTS)[number], number> {
  /** Tally of all threads. */
  readonly total: Tally;
}

export interface AddedTally {
  readonly tally: TallyData;
  readonly outcomes: Outcomes;
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
      this.targets.map((total) => ({ total, planned: 0, started: 0, settled: 0, notStarted: 0 })),
    );
  }

  plan(thread: number, requests: readonly number[]): void {
    this.#accountsOf(thread).forEach((account, index) => {
      const planned = requests[index];
      if (planned === undefined) throw new Error('Bug: the planned requests belong to a different job');
      account.planned += planned;
      account.total.planned += planned;
    });
  }

  /** Adds the tallies of a thread, one per URL. */
  add(thread: number, tallies: readonly TallyData[]): readonly AddedTally[] {
    const accounts = this.#accountsOf(thread);
    return tallies.map((tally, index) => {
      const account = accounts[index];
      if (account === undefined) throw new Error('Bug: the tallies belong to a different job');
      const outcomes = outcomesOf(tally);
      addTally(account.total, tally);
      account.planned += tally.planned;
      account.started += tally.started;
      account.settled += countFinished(outcomes) + tally.abandoned;
      account.notStarted += countNotStarted(tally);
      return { tally, outcomes };
    });
  }

  /**
   * Balances the ledger of a thread that has stopped reporting. Started requests without an outcome count as abandoned,
   * and planned requests that did not start count under `reason`. Requests that started after the last snapshot of the
   * thread count as not started. Call this at most once per thread.
   */
  close(thread: number, reason: UnstartedReason): void {
    for (const { total, planned, started, settled, notStarted } of this.#accountsOf(thread)) {
      total.abandoned += started - settled;
      total[reason] += planned - started - notStarted;
    }
  }

  #accountsOf(thread: number): readonly ThreadAccount[] {
    const accounts = this.#accounts[thread];
    if (accounts === undefined) throw new Error('Bug: the thread belongs to a different run');
    return accounts;
  }

  save(writer: ByteWriter): void {
    for (const tally of this.targets) writeTally(writer, tally, writeTotal);
    for (const account of this.#accounts.flat())
      for (const name of ACCOUNT_COUNTS) writer.integer(account[name]);
  }

  /** Call this only on a new object of the same size as the saved object. */
  restore(reader: ByteReader): void {
    for (const tally of this.targets) addTally(tally, readTally(reader, tally.service !== null, readTotal));
    for (const account of this.#accounts.flat())
      for (const name of ACCOUNT_COUNTS) account[name] = reader.integer();
  }
}
