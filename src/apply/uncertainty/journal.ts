/**
 * Journal of create and start requests, applied plans and registered apps. The intent to send a request is durable
 * before the request is sent.
 * @remarks Each line contains a JSON object. The last line with a nonce contains the state of the operation.
 * @see docs/internals/reconciler.md, section 4.1
 */
import { isRemoteId, type Address, type AppId, type ResultId, type TestId } from '../../core/model/ids.ts';
import { ProblemError, type Problem } from '../../core/problem.ts';
import { objectOf } from '../../core/unknown-value.ts';

/**
 * State of an operation.
 * - `intended`: no request has been sent yet.
 * - `sent`: possibly executed.
 * - `done`: executed; `id` is the test.
 * - `refused`: certainly not executed.
 * - `absent`: no effect was found after the settle time.
 * - `gone`: executed, but the test no longer exists.
 * - `duplicate`: a duplicate that `recover` has closed; its nonce includes its ID.
 */
export type Phase = 'intended' | 'sent' | 'done' | 'refused' | 'absent' | 'gone' | 'duplicate';

interface JournalLineFields {
  readonly service: string;
  readonly p: string;
  readonly e: string | null;
  readonly address: Address;
  readonly nonce: string;
  readonly phase: Phase;
  /** In ms since the epoch. */
  readonly at: number;
  /** In ms since the machine started; missing in lines of earlier versions and of closed duplicates. */
  readonly up?: number;
  /** ID of a result, as proof that the service provides results. */
  readonly result?: ResultId;
}

export interface CreateLine extends JournalLineFields {
  readonly op: 'create';
  readonly s: string;
  readonly w: string;
  readonly r: number;
  readonly id: TestId | null;
  /** Notes in the create request, without the marker. Missing in some lines, for example of closed duplicates. */
  readonly notes?: string | null;
}

export interface StartLine extends JournalLineFields {
  readonly op: 'start';
  readonly id: TestId;
  /** Results that existed before the start request; null if the service does not provide results. */
  readonly before: readonly ResultId[] | null;
}

export type JournalLine = CreateLine | StartLine;

interface AppliedPlanLine extends Pick<JournalLineFields, 'service' | 'p' | 'e' | 'at'> {
  readonly op: 'plan';
  readonly plan: string;
}

interface AppLine extends Pick<JournalLineFields, 'service' | 'p' | 'e' | 'at'> {
  readonly op: 'app';
  readonly app: AppId;
}

type AnyLine = JournalLine | AppliedPlanLine | AppLine;

export interface JournalIdentity {
  /** Origin of the service, or `embedded`. */
  readonly service: string;
  readonly p: string;
  readonly e: string | null;
}

export interface DamagedLine {
  /** Number of the line, starting at 1. */
  readonly number: number;
  readonly text: string;
}

export interface JournalFile {
  read(): string;
  /**
   * Replaces an incomplete last line with the text, or appends the text. The text is durable when the call returns.
   * @throws ProblemError LT_CLI_DISK if writing fails.
   */
  append(text: string): void;
}

export class Journal {
  readonly #file: JournalFile;
  readonly identity: JournalIdentity;

  constructor(file: JournalFile, identity: JournalIdentity) {
    this.#file = file;
    this.identity = identity;
  }

  /**
   * Appends a line.
   * @throws ProblemError LT_CLI_DISK if writing fails. In that case, the request must not be sent.
   */
  write(line: JournalLine): void {
    this.#file.append(JSON.stringify(line) + '\n');
  }

  /** @throws ProblemError LT_CLI_DISK if writing fails. In that case, the plan must not be applied. */
  recordPlan(digest: string, at: number): void {
    const line: AppliedPlanLine = { op: 'plan', ...this.identity, plan: digest, at };
    this.#file.append(JSON.stringify(line) + '\n');
  }

  /** Ignores write errors, because later commands can find the app in the list. */
  recordApp(app: AppId, at: number): void {
    const line: AppLine = { op: 'app', ...this.identity, app, at };
    try {
      this.#file.append(JSON.stringify(line) + '\n');
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  }

  appIds(): readonly AppId[] {
    const ids = new Set<AppId>();
    for (const line of this.#readableLines()) {
      // The ID becomes part of a URL path, and the journal may have been modified.
      if (line.op === 'app' && line.service === this.identity.service && isRemoteId(line.app))
        ids.add(line.app);
    }
    return [...ids];
  }

  /**
   * Returns the time at which a saved plan was last applied, in ms since the epoch; null if the plan was not applied.
   */
  planAppliedAt(digest: string): number | null {
    let appliedAt: number | null = null;
    for (const line of this.#readableLines()) {
      if (line.op === 'plan' && line.plan === digest) appliedAt = line.at;
    }
    return appliedAt;
  }

  #readableLines(): readonly AnyLine[] {
    return this.#file
      .read()
      .split('\n')
      .flatMap((text) => readLine(text) ?? []);
  }

  /** Returns the problem if writing fails. */
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
   * Returns the unreadable lines.
   * @remarks Excludes text after the last line break. No request followed such text, because the line was not complete.
   */
  damaged(): readonly DamagedLine[] {
    const texts = this.#file.read().split('\n').slice(0, -1);
    return texts.flatMap((text, index) =>
      text.trim() === '' || readLine(text) !== null ? [] : [{ number: index + 1, text }],
    );
  }

  /** Returns the last line of each nonce of this service, project and environment. Ignores unreadable lines. */
  lines(): readonly JournalLine[] {
    const last = new Map<string, JournalLine>();
    for (const line of this.#readableLines()) {
      if (line.service !== this.identity.service || !isOperation(line)) continue;
      if (line.p === this.identity.p && line.e === this.identity.e) last.set(line.nonce, line);
    }
    return [...last.values()];
  }

  /** Returns the IDs of tests of this service in all projects, except tests that are recorded as gone. */
  testIds(): readonly TestId[] {
    const ids = new Map<TestId, Phase>();
    for (const line of this.#readableLines()) {
      if (line.service !== this.identity.service || !isOperation(line) || line.id === null) continue;
      if (isRemoteId(line.id)) ids.set(line.id, line.phase);
    }
    return [...ids].flatMap(([id, phase]) => (phase === 'gone' ? [] : [id]));
  }

  /** Returns the operations with an unknown outcome. */
  open(): readonly JournalLine[] {
    return this.lines().filter((line) => line.phase === 'sent');
  }
}

function isOperation(line: AnyLine): line is JournalLine {
  return line.op === 'create' || line.op === 'start';
}

function readLine(text: string): AnyLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : null;
  } catch {
    return null;
  }
}

function isLine(value: unknown): value is AnyLine {
  const line = objectOf(value);
  const { op } = line;
  const isRecord = op === 'plan' || op === 'app';
  const names = isRecord ? ['service', 'p', op] : ['service', 'p', 'address', 'nonce', 'phase'];
  const texts = names.every((name) => typeof line[name] === 'string');
  const common =
    texts && typeof line['at'] === 'number' && (line['e'] === null || typeof line['e'] === 'string');
  if (isRecord) return common;
  if (!common || !['number', 'undefined'].includes(typeof line['up'])) return false;
  if (!['string', 'undefined'].includes(typeof line['result'])) return false;
  if (op === 'create') {
    const { s, w, r, notes = null } = line;
    const hasNotes = notes === null || typeof notes === 'string';
    return typeof s === 'string' && typeof w === 'string' && typeof r === 'number' && hasNotes;
  }
  const { id, before } = line;
  const hasBefore =
    before === null || (Array.isArray(before) && before.every((result) => typeof result === 'string'));
  return op === 'start' && typeof id === 'string' && isRemoteId(id) && hasBefore;
}
