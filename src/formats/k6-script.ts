/** The position, the notes and the requests of a k6 script while it is interpreted. */
import type { IntakeField, IntakeNote, SourcePosition } from '../core/intake/intake.ts';
import type { IntakeSource, PositionAt } from '../core/intake/source-text.ts';
import { FlowRequests } from './flow-requests.ts';
import type { Value } from './k6-values.ts';

interface Located {
  readonly start: number;
}

/** Maximum number of statements, expressions and parts of values that are evaluated. */
export const MAX_STEPS = 100_000;

export class K6Script {
  readonly source: IntakeSource;
  readonly #notes: IntakeNote[];
  positionAt: PositionAt = () => ({ line: 1, column: 1 });
  requests: FlowRequests = new FlowRequests();
  /** Values that each iteration generates before its first request. */
  values: IntakeField[] = [];
  /** True while the function of an iteration is interpreted. */
  isIteration = false;
  #steps = 0;

  /** @param notes - receives the notes that do not belong to a request */
  constructor(source: IntakeSource, notes: IntakeNote[]) {
    this.source = source;
    this.#notes = notes;
  }

  /** Counts a step. Reports whether the script exceeds the maximum number of steps. */
  countStep(): boolean {
    this.#steps += 1;
    return this.#steps > MAX_STEPS;
  }

  at(node: Located): SourcePosition {
    return this.positionAt(node.start);
  }

  unknown(node: Located, name: string): Value {
    return { kind: 'unknown', name, at: this.at(node) };
  }

  lose(node: Located, message: string): void {
    if (this.isIteration) this.requests.lose(this.at(node), message);
    else {
      const note: IntakeNote = { kind: 'loss', at: this.at(node), message };
      const isSame = ({ at, message: other }: IntakeNote) =>
        other === message && at.line === note.at.line && at.column === note.at.column;
      if (!this.#notes.some(isSame)) this.#notes.push(note);
    }
  }

  change(node: Located, message: string): void {
    if (this.#notes.every((note) => note.message !== message))
      this.#notes.push({ kind: 'change', at: this.at(node), message });
  }
}
