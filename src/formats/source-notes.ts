import type { IntakeNote, SourcePosition } from '../core/intake/intake.ts';
import { entriesOf, type SourceNode } from './source-tree.ts';

export class SourceNotes {
  readonly all: IntakeNote[] = [];

  lose(at: SourcePosition, message: string): void {
    this.all.push({ kind: 'loss', at, message });
  }

  loseOnce(at: SourcePosition, message: string): void {
    if (!this.#has(message)) this.lose(at, message);
  }

  /** Adds a change, unless a note already has the same message. */
  change(at: SourcePosition, message: string): void {
    if (!this.#has(message)) this.all.push({ kind: 'change', at, message });
  }

  loseUnknown(node: SourceNode | null, known: readonly string[], prefix = ''): void {
    for (const [key, { keyAt }] of entriesOf(node)) {
      if (!known.includes(key)) this.lose(keyAt, `"${prefix}${key}" is not converted`);
    }
  }

  #has(message: string): boolean {
    return this.all.some((note) => note.message === message);
  }
}
