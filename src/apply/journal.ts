/**
 * Intents and outcomes of writes that must not happen twice, on disk before and after each.
 *
 * Shape:  one JSON object a line; the last line of a nonce tells how its operation stands.
 * Source: docs/internals/reconciler.md, section 4.1.
 */
import { isRemoteId, type Address, type ResultId, type TestId } from '../core/model/ids.ts';
import { ProblemError, type Problem } from '../core/problem.ts';

/**
 * - `intended`: nothing was sent yet.
 * - `sent`: perhaps executed.
 * - `done`: executed; `id` names the test.
 * - `refused`: surely not executed.
 * - `absent`: was not found in whole lists after the service had its time.
 * - `gone`: was executed; what it made is not there any more.
 * - `doubled`: a test beside the one that counts, explained by `recover`; its nonce here holds its id as well.
 */
export type Phase = 'intended' | 'sent' | 'done' | 'refused' | 'absent' | 'gone' | 'doubled';

interface JournalLineFields {
  readonly service: string;
  readonly p: string;
  readonly e: string | null;
  readonly address: Address;
  readonly nonce: string;
  readonly phase: Phase;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds since the machine began; lines of earlier versions have none. */
  readonly up?: number;
  /** One that the test has had, where it shows that the service has results at all. */
  readonly result?: ResultId;
}

export interface CreateLine extends JournalLineFields {
  readonly op: 'create';
  readonly s: string;
  readonly w: string;
  readonly r: number;
  readonly id: TestId | null;
}

export interface StartLine extends JournalLineFields {
  readonly op: 'start';
  readonly id: TestId;
  /** Results that were there before; null where the service has none to list. */
  readonly before: readonly ResultId[] | null;
}

export type JournalLine = CreateLine | StartLine;

/** What the lines of one service, project and environment have in common. */
export interface JournalIdentity {
  /** Origin of the service, or `embedded`. */
  readonly service: string;
  readonly p: string;
  readonly e: string | null;
}

export interface DamagedLine {
  /** Counts from 1. */
  readonly number: number;
  readonly text: string;
}

/** The file, opened by `cli`. */
export interface JournalFile {
  read(): string;
  /** Appends in place of what a crash left half written, and makes it durable. Errors: ProblemError LT_CLI_DISK when the disk refuses. */
  append(text: string): void;
}

export class Journal {
  readonly #file: JournalFile;
  readonly identity: JournalIdentity;

  constructor(file: JournalFile, identity: JournalIdentity) {
    this.#file = file;
    this.identity = identity;
  }

  /** Errors: ProblemError LT_CLI_DISK; then nothing may be sent. */
  write(line: JournalLine): void {
    this.#file.append(JSON.stringify(line) + '\n');
  }

  /**
   * Writes what was answered. What happened has happened, also when the disk refuses: then the operation stays
   * open, and the next command explains it.
   */
  writeOutcome(line: JournalLine): Problem | null {
    try {
      this.write(line);
      return null;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return error.problem;
    }
  }

  /**
   * Lines that nobody can read, of any identity.
   *
   * Shape:  what stands behind the last line break is none of them: a process ended while it wrote it, so nothing
   *         was sent for it, and the next line takes its place.
   */
  damaged(): readonly DamagedLine[] {
    const texts = this.#file.read().split('\n').slice(0, -1);
    return texts.flatMap((text, index) =>
      text.trim() === '' || readLine(text) !== null ? [] : [{ number: index + 1, text }],
    );
  }

  /** The last line of every nonce of this identity. What cannot be read is passed over. */
  lines(): readonly JournalLine[] {
    const last = new Map<string, JournalLine>();
    for (const text of this.#file.read().split('\n')) {
      const line = readLine(text);
      if (line?.service !== this.identity.service) continue;
      if (line.p === this.identity.p && line.e === this.identity.e) last.set(line.nonce, line);
    }
    return [...last.values()];
  }

  /** Tests of this service that any line names, whosever it is, but for those that are gone. */
  testIds(): readonly TestId[] {
    const ids = new Map<TestId, Phase>();
    for (const text of this.#file.read().split('\n')) {
      const line = readLine(text);
      if (line?.service !== this.identity.service || line.id === null) continue;
      if (isRemoteId(line.id)) ids.set(line.id, line.phase);
    }
    return [...ids].flatMap(([id, phase]) => (phase === 'gone' ? [] : [id]));
  }

  /** Operations that may have been executed and were never explained. */
  open(): readonly JournalLine[] {
    return this.lines().filter((line) => line.phase === 'sent');
  }
}

function readLine(text: string): JournalLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : null;
  } catch {
    return null;
  }
}

function isLine(value: unknown): value is JournalLine {
  if (typeof value !== 'object' || value === null) return false;
  // Fields are read one by one below; what is not there is undefined.
  const line = value as Partial<Record<string, unknown>>;
  const texts = ['service', 'p', 'address', 'nonce', 'phase'].every((name) => typeof line[name] === 'string');
  const common =
    texts && typeof line['at'] === 'number' && (line['e'] === null || typeof line['e'] === 'string');
  if (!common || !['number', 'undefined'].includes(typeof line['up'])) return false;
  if (!['string', 'undefined'].includes(typeof line['result'])) return false;
  if (line['op'] === 'create') return typeof line['s'] === 'string' && typeof line['w'] === 'string';
  return line['op'] === 'start' && typeof line['id'] === 'string';
}
