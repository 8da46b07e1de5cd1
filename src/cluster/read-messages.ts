/**
 * From what was opened to a message: JSON of the expected shape, or null. Whoever sealed it knows the secret, and may still
 * be of another make, or broken: that ends neither a worker nor a run beside its own.
 */
import type { Envelope, OfWorker, PartOffer, Presence, ToWorkers } from './messages.ts';

export const NOT_UNDERSTOOD = 'it was sealed with the secret, and is nothing that this version understands';

type Form = (value: unknown) => boolean;

const text: Form = (value) => typeof value === 'string';
const number: Form = (value) => typeof value === 'number';
const flag: Form = (value) => typeof value === 'boolean';
const orNull =
  (form: Form): Form =>
  (value) =>
    value === null || form(value);
const listOf =
  (form: Form): Form =>
  (value) =>
    Array.isArray(value) && value.every(form);
const mapOf =
  (form: Form): Form =>
  (value) =>
    isObject(value) && Object.values(value).every(form);
const oneOf =
  (...values: readonly unknown[]): Form =>
  (value) =>
    values.includes(value);
const either =
  (...forms: readonly Form[]): Form =>
  (value) =>
    forms.some((form) => form(value));
/** Whatever else it has. */
const object =
  (fields: Readonly<Record<string, Form>>): Form =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, form]) => form(value[name]));

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const SHARE = object({ worker: number, first: number, stride: number, clients: number });

/** Its job is looked at where it is used: what is wrong with it is a reason to refuse the part. */
const OFFER = object({
  ...{ protocol: number, runId: text, epoch: number, workerId: text, expires: number },
  job: object({ runId: text, duration: number, targets: listOf(isObject) }),
  hosts: listOf(object({ host: text, verificationId: text, method: oneOf('http', 'dns') })),
  shares: (value) => listOf(SHARE)(value) && Array.isArray(value) && value.length > 0,
});

const STOP = object({ reason: text, unstarted: text, drainMs: number });

const TO_WORKERS = either(
  object({ kind: oneOf('go'), startAt: number }),
  object({ kind: oneOf('acknowledged'), merged: mapOf(number), stop: orNull(STOP) }),
  object({ kind: oneOf('stop'), stop: STOP }),
  object({ kind: oneOf('cancel') }),
);

const SURROUNDINGS = object({
  version: text,
  cores: number,
  quota: orNull(number),
  because: text,
  node: text,
});

const SUMS = object({
  ...{ slices: number, planned: number, started: number, finished: number, abandoned: number },
  ...{ notStarted: number, bytesSent: number, bytesReceived: number },
});

const OF_WORKER = either(
  object({ kind: oneOf('ready'), name: text, uncertaintyMs: number, surroundings: SURROUNDINGS }),
  object({ kind: oneOf('refused'), reason: text }),
  object({
    ...{ kind: oneOf('told'), exchanges: listOf(isObject), lost: listOf(number), overloaded: flag },
    done: listOf(object({ share: number, time: isObject })),
  }),
  object({ kind: oneOf('pulse'), finished: number, failed: number }),
  object({
    ...{ kind: oneOf('closed'), sums: SUMS, endedBy: oneOf(null, 'lease', 'signal') },
    ...{ startedLate: orNull(number), startUncertainty: orNull(number) },
  }),
);

const PRESENCE = object({
  ...{ protocol: number, id: text, name: text, version: text, since: number, threads: number, load: number },
  ...{ state: oneOf('ready', 'busy', 'draining'), runId: orNull(text) },
  ...{ connections: orNull(number), ports: orNull(number), portReuse: oneOf('all', 'loopback', 'none') },
  families: listOf(oneOf(4, 6)),
  clock: object({ offsetMs: number, uncertaintyMs: number }),
});

/** More than any part has, since its text would be longer than a string can be: who forges one makes nobody read for long. */
const MOST_PIECES = 1024;

const ENVELOPE = object({
  ...{ runId: text, epoch: number, workerId: text, expires: number, sealed: orNull(text) },
  pieces: (value) => listOf(text)(value) && Array.isArray(value) && value.length <= MOST_PIECES,
});

/** Whoever can write to Redis may have put it there. */
export function isEnvelope(data: unknown): data is Envelope {
  return ENVELOPE(data);
}

type Reader<Message> = (body: Uint8Array) => Message | null;

// What has the shape of a message is one.
export const readOffer = readerOf(OFFER) as Reader<PartOffer>;
export const readToWorkers = readerOf(TO_WORKERS) as Reader<ToWorkers>;
/** Without its slices, which have a codec of their own. */
export const readOfWorker = readerOf(OF_WORKER) as Reader<OfWorker>;
export const readPresence = readerOf(PRESENCE) as Reader<Presence>;

function readerOf(form: Form): Reader<unknown> {
  return (body) => {
    const value = jsonIn(body);
    return form(value) ? value : null;
  };
}

/** The kind of an order; a later service may give others too. */
export function readOrder(body: Uint8Array): string | null {
  const value = jsonIn(body);
  return isObject(value) && typeof value['kind'] === 'string' ? value['kind'] : null;
}

function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return null;
  }
}
