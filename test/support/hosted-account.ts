/** The data of a hosted service and its operations, independent of HTTP except for verification. */
import { createHash } from 'node:crypto';
import type { HostedOptions } from './hosted-options.ts';

export interface HostedApp {
  readonly id: string;
  readonly host: string;
  verified: boolean;
  verifyCalls: number;
}

export interface HostedResult {
  readonly id: string;
  readonly startedAt: number;
  /** Null until `finishRuns`. */
  endsAt: number | null;
  stopped: boolean;
  /** Members of its record once it is ready. */
  metrics: Readonly<Record<string, unknown>>;
}

export interface HostedTest {
  readonly id: string;
  readonly createdAt: number;
  /** Fields as sent, with the notes as stored. */
  fields: Record<string, unknown>;
  /** Milliseconds since the epoch; null if not scheduled or already started. */
  scheduledAt: number | null;
  readonly results: HostedResult[];
  /** Overrides the computed status. */
  status: string | null;
}

export type OperationReply =
  | { readonly kind: 'ok'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly value: Readonly<Record<string, unknown>> };

/** The state of an account. It is public and mutable, so that tests can inspect and change it. */
export class HostedAccount {
  readonly apps: HostedApp[] = [];
  readonly tests: HostedTest[] = [];
  readonly #options: HostedOptions;
  #ids = 0;

  constructor(options: HostedOptions) {
    this.#options = options;
    for (const host of options.verifiedHosts) {
      this.apps.push({ id: this.#newId(), host, verified: true, verifyCalls: 0 });
    }
  }

  /** Every result of every test, oldest first: each one is a started run. */
  get runs(): readonly HostedResult[] {
    return this.tests.flatMap((test) => test.results).sort((a, b) => a.startedAt - b.startedAt);
  }

  register(host: unknown): OperationReply {
    if (typeof host !== 'string' || host === '') return refusedReply(422, 'app is missing');
    const known = this.apps.find((app) => app.host === host);
    if (known !== undefined && this.#options.registerAgain === 'refused') {
      return refusedReply(422, 'We are unable to register this app');
    }
    const app = known ?? { id: this.#newId(), host, verified: false, verifyCalls: 0 };
    if (known === undefined) this.apps.push(app);
    return {
      kind: 'ok',
      value: { message: 'success', app_id: app.id, verification_id: `${this.#options.brand}-${app.id}` },
    };
  }

  async verify(id: string): Promise<OperationReply> {
    const app = this.apps.find((one) => one.id === id);
    if (app === undefined) return notFoundReply();
    app.verifyCalls++;
    const { verification, brand } = this.#options;
    app.verified =
      verification === 'http'
        ? await isPublishing(app.host, `${brand}-${app.id}`)
        : app.verified || app.verifyCalls > verification;
    return app.verified
      ? { kind: 'ok', value: { app_id: app.id, message: 'success' } }
      : {
          kind: 'refused',
          status: 422,
          value: { app_id: app.id, message: 'error', errors: [`can't verify domain ${app.host}`] },
        };
  }

  deleteApp(id: string): OperationReply {
    const at = this.apps.findIndex((app) => app.id === id);
    const [app] = at === -1 ? [] : this.apps.splice(at, 1);
    if (app === undefined) return notFoundReply();
    const remaining = this.tests.filter((test) => hostOf(test) !== app.host);
    this.tests.splice(0, this.tests.length, ...remaining);
    return { kind: 'ok', value: undefined };
  }

  create(body: unknown): OperationReply {
    const fields = typeof body === 'object' && body !== null ? { ...(body as Record<string, unknown>) } : {};
    const missing = ['test_type', 'urls', 'duration'].filter((name) => fields[name] === undefined);
    if (missing.length > 0) return refusedReply(422, ...missing.map((name) => `${name} is missing`));
    if (this.#options.labels[String(fields['test_type'])] === undefined) {
      return refusedReply(422, `test_type ${String(fields['test_type'])} is not a valid value`);
    }
    for (const host of urlsOf(fields).map(authority)) {
      if (this.apps.find((app) => app.host === host)?.verified !== true) {
        return refusedReply(422, `${host} is not verified`);
      }
    }
    if (this.#options.oneRunAtATime && fields['scheduled_at'] === undefined && this.#anyRunning()) {
      return refusedReply(422, 'another test is running');
    }
    const test = this.addTest(fields);
    const result = test.scheduledAt === null ? this.#begin(test, this.#options.clock()) : null;
    return {
      kind: 'ok',
      value: {
        message: 'success',
        test_id: test.id,
        status: this.statusOf(test),
        ...(result === null ? {} : { result_id: result.id }),
      },
    };
  }

  /** Adds a test without an HTTP request and without a run. */
  addTest(fields: Readonly<Record<string, unknown>>): HostedTest {
    const { notes } = this.#options;
    const sentNotes = fields['notes'];
    const storedNotes =
      typeof sentNotes !== 'string' || notes === 'kept'
        ? sentNotes
        : notes === 'dropped'
          ? ''
          : sentNotes.slice(0, notes);
    const scheduled = fields['scheduled_at'];
    const test: HostedTest = {
      id: this.#newId(),
      createdAt: this.#options.clock(),
      fields: { ...fields, notes: storedNotes },
      scheduledAt: typeof scheduled === 'string' ? Date.parse(`${scheduled.replace(' ', 'T')}Z`) : null,
      results: [],
      status: null,
    };
    this.tests.push(test);
    return test;
  }

  run(id: string): OperationReply {
    const test = this.tests.find((one) => one.id === id);
    if (test === undefined) return notFoundReply();
    const busy = this.#options.oneRunAtATime ? this.#anyRunning() : this.#running(test) !== null;
    if (busy) return refusedReply(422, 'a test is running');
    const app = this.apps.find((one) => one.host === hostOf(test));
    if (app?.verified !== true) return refusedReply(422, `${hostOf(test)} is not verified`);
    const result = this.#begin(test, this.#options.clock());
    return this.#runReply(test, result);
  }

  /** Stops a run. Its record still has the state "running", as documented. */
  stop(id: string): OperationReply {
    const test = this.tests.find((one) => one.id === id);
    if (test === undefined) return notFoundReply();
    test.scheduledAt = null;
    const running = this.#running(test);
    const reply = this.#runReply(test, running ?? test.results.at(-1) ?? null);
    if (running !== null) {
      running.endsAt = this.#options.clock();
      running.stopped = true;
    }
    return reply;
  }

  /** Ends all runs immediately. */
  finishRuns(): void {
    const now = this.#options.clock();
    for (const run of this.runs) if (run.endsAt === null || run.endsAt > now) run.endsAt = now;
  }

  /** Starts the runs that are due. */
  settle(): void {
    const now = this.#options.clock();
    for (const test of this.tests) {
      if (test.scheduledAt === null || test.scheduledAt > now) continue;
      this.#begin(test, test.scheduledAt);
    }
  }

  statusOf(test: HostedTest): string {
    const { statusWords } = this.#options;
    if (test.status !== null) return test.status;
    if (test.scheduledAt !== null) return statusWords.pending;
    return this.#running(test) === null ? statusWords.complete : statusWords.running;
  }

  ready(result: HostedResult): boolean {
    return result.endsAt !== null && this.#options.clock() >= result.endsAt + this.#options.notReadyFor;
  }

  #runReply(test: HostedTest, result: HostedResult | null): OperationReply {
    const status = this.statusOf(test);
    return {
      kind: 'ok',
      value: {
        message: 'success',
        test_id: test.id,
        status,
        ...(result === null ? {} : { result_id: result.id }),
      },
    };
  }

  #begin(test: HostedTest, startedAt: number): HostedResult {
    const { runFor, metrics } = this.#options;
    const endsAt = runFor === null ? null : startedAt + runFor;
    const result = { id: this.#newId(), startedAt, endsAt, stopped: false, metrics };
    test.results.push(result);
    test.scheduledAt = null;
    return result;
  }

  #running(test: HostedTest): HostedResult | null {
    const now = this.#options.clock();
    return test.results.find((result) => result.endsAt === null || result.endsAt > now) ?? null;
  }

  #anyRunning(): boolean {
    return this.tests.some((test) => this.#running(test) !== null);
  }

  /** Returns 32 hex digits, which are the same in each run of a test file. */
  #newId(): string {
    return createHash('sha256')
      .update(`${this.#options.brand} ${this.#ids++}`)
      .digest('hex')
      .slice(0, 32);
  }
}

export function urlsOf(fields: Readonly<Record<string, unknown>>): string[] {
  const urls = fields['urls'];
  if (!Array.isArray(urls)) return [];
  return urls.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'url' in entry ? String(entry.url) : '',
  );
}

export function hostOf(test: HostedTest): string {
  return authority(urlsOf(test.fields)[0] ?? '');
}

function authority(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

export function refusedReply(status: number, ...errors: string[]): OperationReply {
  return { kind: 'refused', status, value: { message: 'error', errors } };
}

export function notFoundReply(): OperationReply {
  return refusedReply(404, 'Requested record was not found');
}

async function isPublishing(host: string, token: string): Promise<boolean> {
  for (const name of [`${token}.txt`, `${token}.html`, token]) {
    try {
      const response = await fetch(`http://${host}/${name}`, { redirect: 'manual' });
      if (response.status === 200 && (await response.text()).trim() === token) return true;
    } catch {
      return false;
    }
  }
  return false;
}
