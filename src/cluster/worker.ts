/** Worker process: publishes heartbeats, accepts shards from its mailbox one at a time, and generates their load. */
import { randomBytes } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setBounded } from '../core/bounded-map.ts';
import type { Secret } from '../core/model/secret.ts';
import { createNameResolver } from '../egress/name-resolver.ts';
import type { AddressPolicy } from '../egress/allowed-addresses.ts';
import { createHostVerifier, type VerificationLog } from '../egress/host-verifier.ts';
import { readConnectionCapacity } from '../engine/machine-limits.ts';
import { STREAM_START, receiveOrEmpty, type SealedMessage } from './sealed-stream.ts';
import { fetchOffer, mailboxOf } from './mailbox.ts';
import {
  HEARTBEAT_INTERVAL_MS,
  PROTOCOL_VERSION,
  type ShardOffer,
  type Heartbeat,
  type OfferReference,
} from './cluster-messages.ts';
import { ProgressPublisher, type ShardId } from './progress-publisher.ts';
import { WorkerRun, type StartLoad, type WorkerRunCounts, type WorkerRunContext } from './worker-run.ts';
import { resolveTargets } from './resolve-targets.ts';
import { sendHeartbeat, deregister } from './worker-registry.ts';
import { MALFORMED_MESSAGE, readMailboxMessage } from './message-codec.ts';
import { readRedisClock, redisTime, type RedisClock } from './redis-clock.ts';
import { createCommandError, type OpenRedis } from './redis-connection.ts';
import { Seal } from './seal.ts';

export interface WorkerOptions {
  readonly redis: OpenRedis;
  readonly secret: Secret;
  readonly name: string;
  /** Maximum number of engine threads per run. */
  readonly threads: number;
  /** Maximum number of concurrent connections; null if only the open-file limit applies. */
  readonly maxConnections: number | null;
  readonly allowPrivate: readonly string[];
  readonly policy: AddressPolicy;
  readonly startLoad: StartLoad;
  readonly version: string;
  readonly log: WorkerLog;
}

interface LogLine {
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface WorkerLog {
  info(line: LogLine): void;
  warn(line: LogLine): void;
}

/** Totals since the start of the worker, and the current numbers of connections and threads. */
export interface WorkerCounts extends WorkerRunCounts {
  readonly shards: number;
  readonly refusedShards: number;
  /** Number of engine threads of the current shard; 0 without a shard. */
  readonly threads: number;
}

export interface RunningWorker {
  readonly id: string;
  readonly name: string;
  state(): Heartbeat['state'];
  counts(): WorkerCounts;
  /** Resolves when a drain has been requested and the current shard has ended. */
  readonly drained: Promise<void>;
  /**
   * Stops accepting shards. The current shard may continue for `graceMs` and is then stopped. Can be called repeatedly.
   */
  close(graceMs: number): Promise<void>;
}

const CLOCK_READ_INTERVAL_MS = 10_000;

/** Maximum wait of one mailbox read, in ms; short, so that a failed read is repeated before an offer expires. */
const MAILBOX_WAIT_MS = 1000;

/** Timeout of each operation on Redis during shutdown, in ms. */
const SHUTDOWN_TIMEOUT_MS = 1000;

/** Maximum number of runs for which the latest accepted epoch is stored. Epochs prevent accepting an offer twice. */
const MAX_REMEMBERED_RUNS = 1000;

const EMPTY_COUNTS: WorkerRunCounts = { started: 0, ended: 0, connections: 0 };

export async function openWorker(options: WorkerOptions): Promise<RunningWorker> {
  const worker = new ClusterWorker(options);
  await worker.begin();
  return worker;
}

class ClusterWorker implements RunningWorker {
  readonly id = randomBytes(8).toString('hex');
  readonly name: string;
  readonly drained: Promise<void>;
  readonly #options: WorkerOptions;
  readonly #redis;
  readonly #mailboxRedis;
  readonly #seal: Seal;
  readonly #since = Date.now();
  readonly #epochs = new Map<string, number>();
  /** Resolves when all offers received so far have been processed. */
  #offers: Promise<void> = Promise.resolve();
  #clock: { readonly read: RedisClock; readonly at: number } | null = null;
  #run: WorkerRun | null = null;
  #draining = false;
  #closed: Promise<void> | null = null;
  #shards = 0;
  #refusedShards = 0;
  /** Numbers of started and ended requests of earlier shards. */
  #started = 0;
  #ended = 0;
  #loopUtilization = performance.eventLoopUtilization();
  #timer: NodeJS.Timeout | null = null;
  /** The latest heartbeat of the timer. */
  #heartbeat: Promise<void> = Promise.resolve();
  /** True if the latest heartbeat failed. */
  #isFailing = false;
  /** True after the last run of the worker, which sends no more heartbeats. */
  #hasEnded = false;
  #setDrained: () => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.name = options.name;
    this.#seal = new Seal(options.secret);
    this.#redis = options.redis.connect('worker');
    this.#mailboxRedis = options.redis.connect('worker-mailbox', MAILBOX_WAIT_MS);
    this.drained = new Promise((resolve) => {
      this.#setDrained = resolve;
    });
  }

  /** @throws ProblemError if Redis rejects the first heartbeat. */
  async begin(): Promise<void> {
    try {
      await this.#sendHeartbeat();
    } catch (error) {
      this.#redis.disconnect();
      this.#mailboxRedis.disconnect();
      throw createCommandError(this.#options.redis, error);
    }
    const tick = (afterMs: number) => {
      this.#timer = setTimeout(() => {
        const startedAt = performance.now();
        this.#heartbeat = this.#trySendHeartbeat();
        void this.#heartbeat.then(() => {
          // A heartbeat that was delayed by an outage of Redis is outdated on arrival, so the next one follows
          // immediately.
          const isOld = performance.now() - startedAt > HEARTBEAT_INTERVAL_MS;
          if (!this.#hasEnded) tick(isOld ? 0 : HEARTBEAT_INTERVAL_MS);
        });
      }, afterMs);
    };
    tick(HEARTBEAT_INTERVAL_MS);
    void this.#followMailbox();
  }

  state(): Heartbeat['state'] {
    return this.#draining ? 'draining' : this.#run === null ? 'ready' : 'busy';
  }

  counts(): WorkerCounts {
    const current = this.#run?.counts() ?? EMPTY_COUNTS;
    return {
      shards: this.#shards,
      refusedShards: this.#refusedShards,
      started: this.#started + current.started,
      ended: this.#ended + current.ended,
      connections: current.connections,
      threads: this.#run?.offer.threadShards.length ?? 0,
    };
  }

  async close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    await this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    this.#draining = true;
    const run = this.#run;
    await withShutdownTimeout(this.#sendHeartbeat());
    if (run !== null) {
      const force = setTimeout(() => run.abort(), graceMs);
      await run.ended;
      clearTimeout(force);
    }
    this.#hasEnded = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // Otherwise, this heartbeat could register the worker again.
    await withShutdownTimeout(this.#heartbeat);
    await withShutdownTimeout(deregister(this.#redis, this.id));
    this.#redis.disconnect();
    this.#mailboxRedis.disconnect();
  }

  async #acceptOffer(offer: ShardOffer): Promise<void> {
    const { log } = this.#options;
    const { runId, epoch } = offer;
    const fields = { run: runId, epoch };
    const newest = this.#epochs.get(runId) ?? 0;
    if (this.#draining || epoch <= newest || offer.protocol !== PROTOCOL_VERSION) {
      const reason = this.#draining
        ? 'the worker is shutting down'
        : epoch <= newest
          ? 'the worker has already accepted a shard of this run'
          : 'unsupported protocol version';
      await this.#refuse(offer, reason);
      return;
    }
    setBounded(this.#epochs, runId, epoch, MAX_REMEMBERED_RUNS);
    log.info({ event: 'shard-accepted', ...fields, threads: offer.threadShards.length });
    const run = new WorkerRun(offer, this.#createRunContext());
    this.#run = run;
    void this.#trySendHeartbeat();
    const { end, reason } = await run.ended;
    const { started, ended } = run.counts();
    this.#run = null;
    this.#started += started;
    this.#ended += ended;
    if (end === 'completed') this.#shards++;
    else this.#refusedShards++;
    log.info({ event: 'shard-ended', ...fields, end, reason });
    void this.#trySendHeartbeat();
    if (this.state() === 'draining') this.#setDrained();
  }

  #createRunContext(): WorkerRunContext {
    const { redis, secret, version, startLoad, policy, allowPrivate, log, maxConnections } = this.#options;
    const verification = createHostVerifier({
      policy,
      nameResolver: createNameResolver(),
      trustedBlocks: allowPrivate,
      trustLoopback: false,
      userAgent: `loadtests/${version}`,
      log: log satisfies VerificationLog,
      now: () => Date.now(),
      randomHex: () => randomBytes(16).toString('hex'),
      decoySecret: () => secret,
    });
    return {
      redis: this.#redis,
      seal: this.#seal,
      name: this.name,
      version,
      startLoad,
      connect: (blockMs: number) => redis.connect('worker-waiting', blockMs),
      readCapacity: () => readConnectionCapacity(maxConnections),
      resolveTargets: async (offer: ShardOffer) => await resolveTargets(offer, verification, policy),
      warn: (line) => log.warn(line),
    };
  }

  /** Sends a heartbeat and logs the first of several failures. A worker without heartbeats is listed as lost. */
  async #trySendHeartbeat(): Promise<void> {
    try {
      await this.#sendHeartbeat();
      this.#isFailing = false;
    } catch (error) {
      if (this.#isFailing || this.#hasEnded) return;
      this.#isFailing = true;
      const { message } = createCommandError(this.#options.redis, error);
      this.#options.log.warn({ event: 'heartbeat-failed', reason: message });
    }
  }

  async #sendHeartbeat(): Promise<void> {
    const now = performance.now();
    if (this.#clock === null || now - this.#clock.at > CLOCK_READ_INTERVAL_MS) {
      this.#clock = { read: await readRedisClock(this.#redis), at: now };
    }
    const { read } = this.#clock;
    const loop = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(loop, this.#loopUtilization);
    this.#loopUtilization = loop;
    const { threads, maxConnections, version } = this.#options;
    const { connections, ports, portReuse } = readConnectionCapacity(maxConnections);
    const heartbeat: Heartbeat = {
      protocol: PROTOCOL_VERSION,
      id: this.id,
      name: this.name,
      version,
      since: this.#since,
      state: this.state(),
      runId: this.#run?.offer.runId ?? null,
      threads,
      connections,
      ports,
      portReuse,
      families: localIpFamilies(),
      clock: { offsetMs: Date.now() - redisTime(read), uncertaintyMs: read.uncertaintyMs },
      // The value is derived from two clocks, so it may be slightly outside the range from 0 to 1.
      load: Math.min(1, Math.max(0, utilization)),
    };
    await sendHeartbeat(this.#redis, this.#seal, heartbeat, read);
  }

  async #followMailbox(): Promise<void> {
    const from = { seal: this.#seal, stream: mailboxOf(this.id) };
    let after = STREAM_START;
    while (this.#closed === null) {
      const request = [this.#mailboxRedis, from, after, MAILBOX_WAIT_MS] as const;
      const { messages, last } = await receiveOrEmpty([...request], (reason) => {
        // If a shard offer is lost with the mailbox, the service treats the worker as not ready.
        this.#options.log.warn({ event: 'mailbox-replaced', reason });
        this.#redis.del(from.stream.key).catch(() => undefined);
      });
      after = last;
      for (const message of messages) this.#receive(message);
    }
  }

  #receive(message: SealedMessage): void {
    // Ignores a copy of a message to another worker.
    if (message.workerId !== this.id) return;
    const content = readMailboxMessage(message.body);
    if (content === null) this.#options.log.warn({ event: 'message-refused', reason: MALFORMED_MESSAGE });
    else if (content.kind === 'drain') this.#drain();
    else
      this.#offers = this.#offers.then(async () => {
        await this.#takeOffer(message, content);
      });
  }

  async #takeOffer(message: SealedMessage, reference: OfferReference): Promise<void> {
    const offer = await fetchOffer(this.#redis, this.#seal, message, reference);
    if (typeof offer !== 'string') {
      await this.#acceptOffer(offer);
      return;
    }
    const shard = { runId: reference.runId, epoch: message.epoch, workerId: this.id };
    await this.#refuse(shard, offer);
  }

  /** Logs the refusal of an offer, and sends it to the service, which then does not wait for the worker. */
  async #refuse(shard: ShardId, reason: string): Promise<void> {
    const { runId, epoch } = shard;
    this.#refusedShards++;
    this.#options.log.warn({ event: 'shard-refused', run: runId, epoch, reason });
    // The service would apply the refusal of a repeated offer to the shard that the worker has accepted.
    if (epoch <= (this.#epochs.get(runId) ?? 0)) return;
    const publisher = new ProgressPublisher(this.#redis, this.#seal, shard);
    publisher.publish({ kind: 'refused', reason });
    await publisher.flush(SHUTDOWN_TIMEOUT_MS);
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    this.#options.log.info({ event: 'drain-requested', name: this.name });
    void this.#trySendHeartbeat();
    if (this.#run === null) this.#setDrained();
  }
}

/** Waits for a promise up to `SHUTDOWN_TIMEOUT_MS`. Never rejects. */
async function withShutdownTimeout(act: Promise<unknown>): Promise<void> {
  await Promise.race([act.catch(() => undefined), sleep(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false })]);
}

function localIpFamilies(): readonly (4 | 6)[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const families = new Set(addresses.flatMap(({ internal, family }) => (internal ? [] : [family])));
  return [...(families.has('IPv4') ? [4 as const] : []), ...(families.has('IPv6') ? [6 as const] : [])];
}
