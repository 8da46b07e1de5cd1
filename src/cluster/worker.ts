/** A worker: says that it is there, takes parts out of its mailbox one at a time, and makes their load. */
import { randomBytes } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Secret } from '../core/model/secret.ts';
import { openNames } from '../egress/names.ts';
import type { AddressPolicy } from '../egress/resolve.ts';
import { openVerification, type VerificationLog } from '../egress/verification.ts';
import { readConnectionRoom } from '../engine/limits.ts';
import { BEGINNING, ORDERS_BOX, receivePatiently } from './letters.ts';
import { keepAlive, openMailbox } from './mailbox.ts';
import {
  PRESENCE_EVERY_MS,
  PROTOCOL_VERSION,
  type PartOffer,
  type Presence,
  type WorkerOrder,
} from './messages.ts';
import { PartRun, type MakeLoad, type PartFigures, type PartTools } from './part-run.ts';
import { pinFromHere } from './pin.ts';
import { sayPresence, takePresenceBack } from './presence.ts';
import { NOT_UNDERSTOOD, readOrder } from './read-messages.ts';
import { readRedisClock, redisTime, type RedisClock } from './redis-clock.ts';
import type { OpenRedis } from './redis.ts';
import { Seal } from './seal.ts';

export interface WorkerOptions {
  readonly redis: OpenRedis;
  readonly secret: Secret;
  /** Null: that of the machine. */
  readonly name: string | null;
  /** Engine threads for a run. */
  readonly threads: number;
  /** Connections that it may have at once; null: as many as the process can. */
  readonly maxConnections: number | null;
  readonly allowPrivate: readonly string[];
  readonly policy: AddressPolicy;
  readonly makeLoad: MakeLoad;
  readonly version: string;
  readonly log: WorkerLog;
}

interface Line {
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface WorkerLog {
  info(line: Line): void;
  warn(line: Line): void;
}

/** What it has done since its start, and does now. */
export interface WorkerFigures extends PartFigures {
  readonly parts: number;
  readonly refused: number;
  /** Engine threads that make load now. */
  readonly threads: number;
}

export interface RunningWorker {
  readonly id: string;
  readonly name: string;
  state(): Presence['state'];
  figures(): WorkerFigures;
  /** Settles when somebody has asked it to take nothing more, and it has nothing left. */
  readonly drained: Promise<void>;
  /** Takes nothing new; what it has may go on for so long, and is stopped then. Safe to call twice. */
  close(graceMs: number): Promise<void>;
}

const KEEP_ALIVE_EVERY_MS = 60_000;
const READ_CLOCK_EVERY_MS = 10_000;
const ORDERS_WAIT_MS = 2000;
const MAILBOX_WAIT_MS = 15_000;

/** Each last word to Redis may take so long. */
const GOODBYE_MS = 1000;

/** Orders that are older than this are of another time. */
const ORDER_EXPIRES_MS = 60_000;

/** Epochs of so many runs are remembered, so that none is taken twice. */
const MOST_RUNS = 1000;

const NOTHING_MADE: PartFigures = { started: 0, ended: 0, connections: 0 };

export async function openWorker(options: WorkerOptions): Promise<RunningWorker> {
  const worker = new OpenWorker(options);
  await worker.begin();
  return worker;
}

class OpenWorker implements RunningWorker {
  readonly id = randomBytes(8).toString('hex');
  readonly name: string;
  readonly drained: Promise<void>;
  readonly #options: WorkerOptions;
  readonly #redis;
  readonly #waiting;
  readonly #seal: Seal;
  readonly #since = Date.now();
  /** By run: the newest epoch that was taken. */
  readonly #epochs = new Map<string, number>();
  #mailbox: { close(): Promise<void> } | null = null;
  #clock: { readonly read: RedisClock; readonly at: number } | null = null;
  #part: PartRun | null = null;
  #draining = false;
  #closed: Promise<void> | null = null;
  #parts = 0;
  #refused = 0;
  /** Requests of the parts that are over. */
  #started = 0;
  #ended = 0;
  #loop = performance.eventLoopUtilization();
  #timer: NodeJS.Timeout | null = null;
  #keptAlive = -Infinity;
  #setDrained: () => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.name = options.name ?? hostname();
    this.#seal = new Seal(options.secret);
    this.#redis = options.redis.connect('worker');
    this.#waiting = options.redis.connect('worker-mailbox', MAILBOX_WAIT_MS);
    this.drained = new Promise((resolve) => {
      this.#setDrained = resolve;
    });
  }

  async begin(): Promise<void> {
    this.#mailbox = openMailbox({
      ...{ redis: this.#redis, waiting: this.#waiting, seal: this.#seal, workerId: this.id },
      take: async (offer) => {
        await this.#take(offer);
      },
      refuse: (reason) => {
        this.#refused++;
        this.#options.log.warn({ event: 'part-refused', reason });
      },
    });
    await this.#present();
    const tick = (afterMs: number) => {
      this.#timer = setTimeout(() => {
        const began = performance.now();
        void this.#present()
          .catch(() => undefined)
          .then(() => {
            // What had to wait for a Redis that was away is old when it arrives, and nobody believes it.
            const isOld = performance.now() - began > PRESENCE_EVERY_MS;
            if (this.#closed === null) tick(isOld ? 0 : PRESENCE_EVERY_MS);
          });
      }, afterMs);
    };
    tick(PRESENCE_EVERY_MS);
    void this.#followOrders();
  }

  state(): Presence['state'] {
    return this.#draining ? 'draining' : this.#part === null ? 'ready' : 'busy';
  }

  figures(): WorkerFigures {
    const now = this.#part?.figures() ?? NOTHING_MADE;
    return {
      ...{ parts: this.#parts, refused: this.#refused },
      ...{ started: this.#started + now.started, ended: this.#ended + now.ended },
      ...{ connections: now.connections, threads: this.#part?.offer.shares.length ?? 0 },
    };
  }

  async close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    await this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    this.#draining = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const part = this.#part;
    await soon(this.#present());
    if (this.#mailbox !== null) await soon(this.#mailbox.close());
    if (part !== null) {
      const force = setTimeout(() => {
        part.giveUp();
      }, graceMs);
      await part.ended;
      clearTimeout(force);
    }
    await soon(takePresenceBack(this.#redis, this.id));
    this.#redis.disconnect();
    this.#waiting.disconnect();
  }

  async #take(offer: PartOffer): Promise<void> {
    const { log } = this.#options;
    const { runId, epoch } = offer;
    const told = { run: runId, epoch };
    const newest = this.#epochs.get(runId) ?? 0;
    if (this.#draining || epoch <= newest || offer.protocol !== PROTOCOL_VERSION) {
      this.#refused++;
      const reason = this.#draining
        ? 'this worker is to end'
        : epoch <= newest
          ? 'it was taken before'
          : 'it is of another version of the protocol';
      log.warn({ event: 'part-refused', ...told, reason });
      return;
    }
    this.#note(runId, epoch);
    log.info({ event: 'part-taken', ...told, threads: offer.shares.length });
    const part = new PartRun(offer, this.#partTools());
    this.#part = part;
    // That it was taken has made keys anew.
    this.#keptAlive = -Infinity;
    void this.#present().catch(() => undefined);
    const { end, reason } = await part.ended;
    const { started, ended } = part.figures();
    this.#part = null;
    this.#started += started;
    this.#ended += ended;
    if (end === 'made') this.#parts++;
    else this.#refused++;
    log.info({ event: 'part-ended', ...told, end, reason });
    void this.#present().catch(() => undefined);
    if (this.state() === 'draining') this.#setDrained();
  }

  #partTools(): PartTools {
    const { redis, version, makeLoad, policy, allowPrivate, log, maxConnections } = this.#options;
    const verification = openVerification({
      ...{ policy, names: openNames(), vouched: allowPrivate, trustLoopback: false },
      ...{ userAgent: `loadtests/${version}`, log: log satisfies VerificationLog },
      ...{ now: () => Date.now(), randomHex: () => randomBytes(16).toString('hex') },
    });
    return {
      ...{ redis: this.#redis, seal: this.#seal, name: this.name, version, makeLoad },
      connect: (blockMs: number) => redis.connect('worker-waiting', blockMs),
      room: () => readConnectionRoom(maxConnections),
      pin: async (offer: PartOffer) => await pinFromHere(offer, verification, policy),
      warn: (line) => {
        log.warn(line);
      },
    };
  }

  #note(runId: string, epoch: number): void {
    this.#epochs.set(runId, epoch);
    const [oldest] = this.#epochs.keys();
    if (this.#epochs.size > MOST_RUNS && oldest !== undefined) this.#epochs.delete(oldest);
  }

  async #present(): Promise<void> {
    const now = performance.now();
    if (this.#clock === null || now - this.#clock.at > READ_CLOCK_EVERY_MS) {
      this.#clock = { read: await readRedisClock(this.#redis), at: now };
    }
    const { read } = this.#clock;
    const loop = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(loop, this.#loop);
    this.#loop = loop;
    const { threads, maxConnections, version } = this.#options;
    const { connections, ports, portReuse } = readConnectionRoom(maxConnections);
    const presence: Presence = {
      ...{ protocol: PROTOCOL_VERSION, id: this.id, name: this.name, version, since: this.#since },
      ...{ state: this.state(), runId: this.#part?.offer.runId ?? null, threads },
      ...{ connections, ports, portReuse },
      families: familiesHere(),
      clock: { offsetMs: Date.now() - redisTime(read), uncertaintyMs: read.uncertaintyMs },
      load: utilization,
    };
    await sayPresence(this.#redis, this.#seal, presence, read);
    if (now - this.#keptAlive < KEEP_ALIVE_EVERY_MS) return;
    this.#keptAlive = now;
    await keepAlive(this.#redis, this.id);
  }

  async #followOrders(): Promise<void> {
    const redis = this.#options.redis.connect('worker-orders', ORDERS_WAIT_MS);
    const from = { seal: this.#seal, box: ORDERS_BOX };
    let after = BEGINNING;
    while (this.#closed === null) {
      const { letters, last } = await receivePatiently(redis, from, after, ORDERS_WAIT_MS);
      after = last;
      for (const { workerId, mark, body } of letters) {
        const now = this.#clock === null ? 0 : redisTime(this.#clock.read);
        if (workerId !== this.id || now - mark > ORDER_EXPIRES_MS) continue;
        const kind = readOrder(body);
        if (kind === null) this.#options.log.warn({ event: 'message-refused', reason: NOT_UNDERSTOOD });
        if (kind === ('drain' satisfies WorkerOrder['kind'])) this.#drain();
      }
    }
    redis.disconnect();
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    this.#options.log.info({ event: 'drain-ordered', name: this.name });
    void this.#present().catch(() => undefined);
    if (this.#part === null) this.#setDrained();
  }
}

/** Commands wait for a Redis that is away; who ends does not. Never rejects. */
async function soon(act: Promise<unknown>): Promise<void> {
  await Promise.race([act.catch(() => undefined), sleep(GOODBYE_MS, undefined, { ref: false })]);
}

function familiesHere(): readonly (4 | 6)[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = new Set(all.flatMap(({ internal, family }) => (internal ? [] : [family])));
  return [...(outside.has('IPv4') ? [4 as const] : []), ...(outside.has('IPv6') ? [6 as const] : [])];
}
