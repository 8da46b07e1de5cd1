/** A row that was visible; `to` is null if it remains visible. Times are in ms. */
export interface PlayedRow {
  readonly row: number;
  readonly from: number;
  readonly to: number | null;
  readonly runs: readonly {
    readonly column: number;
    readonly text: string;
    readonly bold: boolean;
    readonly dim: boolean;
    readonly color: string | null;
  }[];
}

export function playTerminal(events: readonly (readonly [number, string])[]): readonly PlayedRow[];
export function drawTerminal(played: readonly PlayedRow[], title: string): string;
