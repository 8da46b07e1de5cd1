/**
 * Checks the counts that a worker reports over a whole run. A snapshot may withdraw counts of earlier snapshots, so
 * only the sums are checked.
 */
import { isCount } from '../core/unknown-value.ts';
import { outcomesOf, type Snapshot, type TallyData } from '../core/load/snapshot.ts';

type UrlSums = readonly number[];

export interface ReportedSums {
  /** One entry per URL. If the run has a warm-up, one more entry per URL follows. */
  readonly urls: readonly UrlSums[];
  /** Sum of the corrections of the request rate: see `Snapshot.surplus`. */
  readonly surplus: number;
}

export const NO_SUMS: ReportedSums = { urls: [], surplus: 0 };

/** Maximum number and total length, in characters, of the distinct error names of a worker in one run. */
const MAX_NAMES = 20_000;
const MAX_NAME_CHARACTERS = 4 * 1024 * 1024;

export class ReportedCounts {
  #sums: ReportedSums;
  readonly #names = new Set<string>();
  #nameCharacters = 0;

  constructor(sums: ReportedSums = NO_SUMS) {
    this.#sums = sums;
  }

  get sums(): ReportedSums {
    return this.#sums;
  }

  /** Returns false if a sum, or the number or length of the names, would be out of bounds. */
  add({ targets, warmup, surplus }: Snapshot): boolean {
    const tallies = [...targets, ...(warmup ?? [])];
    const urls = [...this.#sums.urls];
    tallies.forEach((tally, index) => {
      const before = urls[index];
      urls[index] = sumsOf(tally).map((sum, at) => sum + (before?.[at] ?? 0));
    });
    const sums = { urls, surplus: this.#sums.surplus + surplus };
    // Each request contributes at most 1 to the surplus.
    const started = urls.reduce((total, [first = 0]) => total + first, 0);
    if (!urls.flat().every(isCount) || Math.abs(sums.surplus) > started + 1) return false;
    if (!this.#addNames(tallies)) return false;
    this.#sums = sums;
    return true;
  }

  #addNames(tallies: readonly TallyData[]): boolean {
    for (const [index, { unexpected, network, protocol, checkedErrors }] of tallies.entries()) {
      for (const [kind, counts] of Object.entries({ unexpected, network, protocol, checkedErrors })) {
        for (const name of Object.keys(counts)) {
          const key = `${index} ${kind} ${name}`;
          if (this.#names.has(key)) continue;
          this.#nameCharacters += key.length;
          if (this.#names.size >= MAX_NAMES || this.#nameCharacters > MAX_NAME_CHARACTERS) return false;
          this.#names.add(key);
        }
      }
    }
    return true;
  }
}

/** Returns the counts of a URL that can be negative in one snapshot, but whose sums must not be negative. */
function sumsOf(tally: TallyData): UrlSums {
  const { success, error } = outcomesOf(tally);
  return [tally.started, tally.resent, tally.bytesSent, success, error];
}
