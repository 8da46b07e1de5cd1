/**
 * Validation of messages after unsealing: JSON of the expected shape, or null. The sender has the secret but may be
 * faulty or use another version, and must not crash a worker or affect other runs.
 */
import type { GeneratorEnvironment } from '../core/load/generator-totals.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import type { Shard } from '../core/load/shard.ts';
import type { VerifiedHost } from '../core/ports/runner.ts';
import { isObject } from '../core/unknown-value.ts';
import type {
  Heartbeat,
  MailboxMessage,
  OfferReference,
  ProgressMessage,
  ServiceMessage,
  ShardOffer,
  ShardTotals,
  StopCommand,
  WorkerMessage,
} from './cluster-messages.ts';

export const MALFORMED_MESSAGE = 'malformed or unsupported message (sealed with the correct secret)';

type Validator = (value: unknown) => boolean;

const isString: Validator = (value) => typeof value === 'string';
const isNumber: Validator = (value) => typeof value === 'number';
const isBoolean: Validator = (value) => typeof value === 'boolean';
const nullable =
  (validator: Validator): Validator =>
  (value) =>
    value === null || validator(value);
const arrayOf =
  (validator: Validator): Validator =>
  (value) =>
    Array.isArray(value) && value.every(validator);
const recordOf =
  (validator: Validator): Validator =>
  (value) =>
    isObject(value) && Object.values(value).every(validator);
const oneOf =
  (...values: readonly unknown[]): Validator =>
  (value) =>
    values.includes(value);
const anyOf =
  (...validators: readonly Validator[]): Validator =>
  (value) =>
    validators.some((validator) => validator(value));
/** Validates exactly the members of `T`; further members of the value are ignored. */
const membersOf =
  <T>(members: { readonly [Name in keyof T]-?: Validator }) =>
  (value: unknown): value is T =>
    isObject(value) &&
    Object.entries<Validator>(members).every(([name, validator]) => validator(value[name]));

type ServiceMessageOf<Kind extends ServiceMessage['kind']> = Extract<ServiceMessage, { readonly kind: Kind }>;
type WorkerMessageOf<Kind extends WorkerMessage['kind']> = Extract<WorkerMessage, { readonly kind: Kind }>;

const THREAD_SHARD = membersOf<Shard>({
  threadIndex: isNumber,
  first: isNumber,
  stride: isNumber,
  clients: isNumber,
});

const HOST = membersOf<VerifiedHost>({
  host: isString,
  verificationId: isString,
  method: oneOf('http', 'dns'),
});

/** The job is validated only in part. Further errors in it lead to a refusal of the shard when it is used. */
const OFFER = membersOf<ShardOffer>({
  protocol: isNumber,
  runId: isString,
  epoch: isNumber,
  workerId: isString,
  expires: isNumber,
  job: membersOf<Pick<LoadJob, 'runId' | 'duration' | 'targets'>>({
    runId: isString,
    duration: isNumber,
    targets: arrayOf(isObject),
  }),
  hosts: arrayOf(HOST),
  threadShards: (value) => arrayOf(THREAD_SHARD)(value) && Array.isArray(value) && value.length > 0,
});

const STOP = membersOf<StopCommand>({ reason: isString, unstarted: isString, drainMs: isNumber });

const SERVICE_MESSAGE = anyOf(
  membersOf<ServiceMessageOf<'start'>>({ kind: oneOf('start'), startAt: isNumber }),
  membersOf<ServiceMessageOf<'acknowledged'>>({
    kind: oneOf('acknowledged'),
    merged: recordOf(isNumber),
    stop: nullable(STOP),
  }),
  membersOf<ServiceMessageOf<'stop'>>({ kind: oneOf('stop'), stop: STOP }),
  membersOf<ServiceMessageOf<'cancel'>>({ kind: oneOf('cancel') }),
);

const SURROUNDINGS = membersOf<GeneratorEnvironment>({
  version: isString,
  cores: isNumber,
  quota: nullable(isNumber),
  threadReason: isString,
  node: isString,
});

const TOTALS = membersOf<ShardTotals>({
  snapshots: isNumber,
  planned: isNumber,
  started: isNumber,
  finished: isNumber,
  abandoned: isNumber,
  notStarted: isNumber,
  bytesSent: isNumber,
  bytesReceived: isNumber,
});

const WORKER_MESSAGE = anyOf(
  membersOf<WorkerMessageOf<'ready'>>({
    kind: oneOf('ready'),
    name: isString,
    uncertaintyMs: isNumber,
    surroundings: SURROUNDINGS,
  }),
  membersOf<WorkerMessageOf<'refused'>>({ kind: oneOf('refused'), reason: isString }),
  // Snapshots have their own codec.
  membersOf<Omit<ProgressMessage, 'snapshots'>>({
    kind: oneOf('progress'),
    exchanges: arrayOf(isObject),
    done: arrayOf(membersOf<ProgressMessage['done'][number]>({ shard: isNumber, time: isObject })),
    lost: arrayOf(isNumber),
    overloaded: isBoolean,
  }),
  membersOf<WorkerMessageOf<'counts'>>({ kind: oneOf('counts'), finished: isNumber, failed: isNumber }),
  membersOf<WorkerMessageOf<'final'>>({
    kind: oneOf('final'),
    totals: TOTALS,
    startLatenessMs: nullable(isNumber),
    startUncertaintyMs: nullable(isNumber),
    endedBy: oneOf(null, 'lease', 'signal'),
  }),
);

const HEARTBEAT = membersOf<Heartbeat>({
  protocol: isNumber,
  id: isString,
  name: isString,
  version: isString,
  since: isNumber,
  state: oneOf('ready', 'busy', 'draining'),
  runId: nullable(isString),
  threads: isNumber,
  connections: nullable(isNumber),
  ports: nullable(isNumber),
  portReuse: oneOf('all', 'loopback', 'none'),
  families: arrayOf(oneOf(4, 6)),
  clock: membersOf<Heartbeat['clock']>({ offsetMs: isNumber, uncertaintyMs: isNumber }),
  load: isNumber,
});

/** Maximum number of chunks of an offer, which is more than any valid offer has. */
const MAX_CHUNKS = 1024;

const MAILBOX_MESSAGE = anyOf(
  membersOf<OfferReference>({
    kind: oneOf('offer'),
    runId: isString,
    chunks: (value) => arrayOf(isString)(value) && Array.isArray(value) && value.length <= MAX_CHUNKS,
  }),
  membersOf<Extract<MailboxMessage, { readonly kind: 'drain' }>>({ kind: oneOf('drain') }),
);

type MessageReader<Message> = (body: Uint8Array) => Message | null;

// The validators check the shape that the type assertions state.
export const readOffer = createReader(OFFER) as MessageReader<ShardOffer>;
export const readMailboxMessage = createReader(MAILBOX_MESSAGE) as MessageReader<MailboxMessage>;
export const readServiceMessage = createReader(SERVICE_MESSAGE) as MessageReader<ServiceMessage>;
/** Reads a worker message without its snapshots. */
export const readWorkerMessage = createReader(WORKER_MESSAGE) as MessageReader<WorkerMessage>;
export const readHeartbeat = createReader(HEARTBEAT) as MessageReader<Heartbeat>;

function createReader(validator: Validator): MessageReader<unknown> {
  return (body) => {
    const value = parseJsonOrNull(body);
    return validator(value) ? value : null;
  };
}

function parseJsonOrNull(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return null;
  }
}
