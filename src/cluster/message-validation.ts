/**
 * From what was opened to a message: JSON of the expected shape, or null. Whoever sealed it knows the secret, and may still
 * be of another make, or broken: that ends neither a worker nor a run beside its own.
 */
import type { Envelope, WorkerMessage, ShardOffer, Heartbeat, ServiceMessage } from './cluster-messages.ts';

export const MALFORMED_MESSAGE =
  'it was sealed with the secret, and is nothing that this version understands';

type Validator = (value: unknown) => boolean;

const isString: Validator = (value) => typeof value === 'string';
const isNumber: Validator = (value) => typeof value === 'number';
const isBoolean: Validator = (value) => typeof value === 'boolean';
const nullable =
  (form: Validator): Validator =>
  (value) =>
    value === null || form(value);
const arrayOf =
  (form: Validator): Validator =>
  (value) =>
    Array.isArray(value) && value.every(form);
const recordOf =
  (form: Validator): Validator =>
  (value) =>
    isObject(value) && Object.values(value).every(form);
const oneOf =
  (...values: readonly unknown[]): Validator =>
  (value) =>
    values.includes(value);
const anyOf =
  (...forms: readonly Validator[]): Validator =>
  (value) =>
    forms.some((form) => form(value));
/** Whatever else it has. */
const objectOf =
  (fields: Readonly<Record<string, Validator>>): Validator =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, form]) => form(value[name]));

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const THREAD_SHARD = objectOf({
  threadIndex: isNumber,
  first: isNumber,
  stride: isNumber,
  clients: isNumber,
});

/** Its job is looked at where it is used: what is wrong with it is a reason to refuse the part. */
const OFFER = objectOf({
  ...{ protocol: isNumber, runId: isString, epoch: isNumber, workerId: isString, expires: isNumber },
  job: objectOf({ runId: isString, duration: isNumber, targets: arrayOf(isObject) }),
  hosts: arrayOf(objectOf({ host: isString, verificationId: isString, method: oneOf('http', 'dns') })),
  threadShards: (value) => arrayOf(THREAD_SHARD)(value) && Array.isArray(value) && value.length > 0,
});

const STOP = objectOf({ reason: isString, unstarted: isString, drainMs: isNumber });

const SERVICE_MESSAGE = anyOf(
  objectOf({ kind: oneOf('start'), startAt: isNumber }),
  objectOf({ kind: oneOf('acknowledged'), merged: recordOf(isNumber), stop: nullable(STOP) }),
  objectOf({ kind: oneOf('stop'), stop: STOP }),
  objectOf({ kind: oneOf('cancel') }),
);

const SURROUNDINGS = objectOf({
  version: isString,
  cores: isNumber,
  quota: nullable(isNumber),
  threadReason: isString,
  node: isString,
});

const TOTALS = objectOf({
  ...{ snapshots: isNumber, planned: isNumber, started: isNumber, finished: isNumber, abandoned: isNumber },
  ...{ notStarted: isNumber, bytesSent: isNumber, bytesReceived: isNumber },
});

const WORKER_MESSAGE = anyOf(
  objectOf({ kind: oneOf('ready'), name: isString, uncertaintyMs: isNumber, surroundings: SURROUNDINGS }),
  objectOf({ kind: oneOf('refused'), reason: isString }),
  objectOf({
    ...{
      kind: oneOf('progress'),
      exchanges: arrayOf(isObject),
      lost: arrayOf(isNumber),
      overloaded: isBoolean,
    },
    done: arrayOf(objectOf({ shard: isNumber, time: isObject })),
  }),
  objectOf({ kind: oneOf('counts'), finished: isNumber, failed: isNumber }),
  objectOf({
    ...{ kind: oneOf('final'), totals: TOTALS, endedBy: oneOf(null, 'lease', 'signal') },
    ...{ startLatenessMs: nullable(isNumber), startUncertaintyMs: nullable(isNumber) },
  }),
);

const HEARTBEAT = objectOf({
  ...{
    protocol: isNumber,
    id: isString,
    name: isString,
    version: isString,
    since: isNumber,
    threads: isNumber,
    load: isNumber,
  },
  ...{ state: oneOf('ready', 'busy', 'draining'), runId: nullable(isString) },
  ...{
    connections: nullable(isNumber),
    ports: nullable(isNumber),
    portReuse: oneOf('all', 'loopback', 'none'),
  },
  families: arrayOf(oneOf(4, 6)),
  clock: objectOf({ offsetMs: isNumber, uncertaintyMs: isNumber }),
});

/** More than any part has, since its text would be longer than a string can be: who forges one makes nobody read for long. */
const MAX_CHUNKS = 1024;

const ENVELOPE = objectOf({
  ...{ runId: isString, epoch: isNumber, workerId: isString, expires: isNumber, sealed: nullable(isString) },
  chunks: (value) => arrayOf(isString)(value) && Array.isArray(value) && value.length <= MAX_CHUNKS,
});

/** Whoever can write to Redis may have put it there. */
export function isEnvelope(data: unknown): data is Envelope {
  return ENVELOPE(data);
}

type MessageReader<Message> = (body: Uint8Array) => Message | null;

// What has the shape of a message is one.
export const readOffer = createReader(OFFER) as MessageReader<ShardOffer>;
export const readServiceMessage = createReader(SERVICE_MESSAGE) as MessageReader<ServiceMessage>;
/** Without its slices, which have a codec of their own. */
export const readWorkerMessage = createReader(WORKER_MESSAGE) as MessageReader<WorkerMessage>;
export const readHeartbeat = createReader(HEARTBEAT) as MessageReader<Heartbeat>;

function createReader(form: Validator): MessageReader<unknown> {
  return (body) => {
    const value = parseJsonOrNull(body);
    return form(value) ? value : null;
  };
}

/** The kind of an order; a later service may give others too. */
export function readCommandKind(body: Uint8Array): string | null {
  const value = parseJsonOrNull(body);
  return isObject(value) && typeof value['kind'] === 'string' ? value['kind'] : null;
}

function parseJsonOrNull(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return null;
  }
}
