/** Puts the service together from its parts. Listens nowhere. */
import { randomBytes, randomInt } from 'node:crypto';
import { decodeResult, encodeStoredResult } from '../contract/result-codec.ts';
import { OWN_LIMITS, ownAbilities } from '../core/model/abilities.ts';
import { classifyAddress } from '../egress/classify.ts';
import { inProcessPolicy, servePolicy, withoutOwn, type Endpoint } from '../egress/policies.ts';
import { openNames } from '../egress/names.ts';
import { resolveAllowed, type AddressPolicy } from '../egress/resolve.ts';
import { noMetrics, type MetricsReader } from './metrics.ts';
import type { Prometheus } from './prometheus.ts';
import type { ServiceLimits, ServiceOptions } from './options.ts';
import { Apps } from './domain/apps.ts';
import { createCallbackSender } from './domain/callbacks.ts';
import { Idempotency } from './domain/idempotency.ts';
import type { MailRelay } from './domain/mail.ts';
import { openMailRecipients, type MailRecipients } from './domain/mail-recipients.ts';
import { renderMail } from './domain/mail-text.ts';
import { Notices, type NoticeSender } from './domain/notices.ts';
import type { OverviewParts } from './domain/overview.ts';
import { openOutsideHosts } from './domain/outside-hosts.ts';
import { openPayloadFiles } from './domain/payload-files.ts';
import { openPreparation, type Preparation } from './domain/preparation.ts';
import { openRunEnds, type RunEnds } from './domain/run-ends.ts';
import { openRetention, type Retention } from './domain/retention.ts';
import { Runs } from './domain/runs.ts';
import { Schedules } from './domain/schedules.ts';
import { SentFiles } from './domain/sent-files.ts';
import { Tests } from './domain/tests.ts';
import { openVerification } from '../egress/verification.ts';
import { openAppStore } from './store/apps.ts';
import { openIdempotencyStore } from './store/idempotency.ts';
import { openLabelStore } from './store/labels.ts';
import { openNoticeStore, type Notice } from './store/notices.ts';
import type { Database } from './store/database.ts';
import { openPayloadFileStore } from './store/payload-files.ts';
import { openResultStore, type ResultStore } from './store/results.ts';
import { openRunsElsewhere } from './store/runs-elsewhere.ts';
import { CALLBACK_SECRET, readOrMakeSecret } from './store/secret-file.ts';
import { openTestStore, type TestStore } from './store/tests.ts';
import { relayOf } from './mail-relay.ts';
import { isBehindProxy } from './visitor.ts';

export interface OwnParts {
  readonly database: Database;
  readonly limits: ServiceLimits;
  /** Null where nobody watches. */
  readonly watched: Prometheus | null;
  /** Known once the service listens. */
  readonly ownPort: () => number;
}

export interface ServiceParts {
  readonly apps: Apps;
  readonly tests: Tests;
  readonly overview: OverviewParts;
  readonly files: SentFiles;
  readonly runs: Runs;
  readonly ends: RunEnds;
  readonly preparation: Preparation;
  /** Null where nothing can wait. */
  readonly schedules: Schedules | null;
  readonly notices: Notices;
  /** Null where all results are kept. */
  readonly retention: Retention | null;
  /** Null where nobody watches. */
  readonly metricsReader: MetricsReader | null;
}

/** Errors: ProblemError LT_SERVER_ADDRESS for a relay that cannot be read. */
export async function createParts(options: ServiceOptions, own: OwnParts): Promise<ServiceParts> {
  const { log, now, version, workforce = null } = options;
  const { database, limits, watched } = own;
  const randomHex = () => randomBytes(16).toString('hex');
  const userAgent = `loadtests/${version}`;
  const metrics = watched?.metrics ?? noMetrics;
  const names = openNames(options.dnsServers ?? []);
  const mail = await openMail(options);
  const policy = policyOf(options, {
    ...own,
    others: () => [...(mail?.endpoints ?? []), ...(options.endpoints?.() ?? [])],
  });
  const loopback = isUsersOwnMachine(options);
  const verification = openVerification({
    ...{ policy, names, userAgent, log, now, randomHex },
    vouched: options.allowPrivate,
    trustLoopback: options.mode === 'in-process',
  });
  const appStore = openAppStore(database);
  const store = openTestStore(database);
  const labels = openLabelStore(database);
  labels.addMissing(store.list());
  const results = openResultStore(database);
  const recipients = openMailRecipients({ appStore, allowed: options.allowMail ?? [] });
  const outside = openOutsideHosts({ appStore, loopback, allowed: options.allowCallbacks ?? [] });
  const noticeStore = openNoticeStore(database);
  const notices = new Notices({
    store: noticeStore,
    senders: {
      callback: createCallbackSender({
        ...{ policy, names, hosts: outside, userAgent, now },
        secret: () => readOrMakeSecret(options.dataFolder, CALLBACK_SECRET),
        deadlineMs: limits.callbackDeadlineMs,
      }),
      email: mail?.createSender(recipients, (notice) => mailOf(notice, { store, results })) ?? noMail,
    },
    ...{ log, now, random: Math.random },
  });
  const ends = openRunEnds({ database, tests: store, results, notices, metrics, log });
  const runner =
    typeof options.runner === 'function' ? options.runner(openRunsElsewhere(database)) : options.runner;
  const runs = new Runs({
    ...{ results, ends, runner, verification, metrics, log, version, limits, now },
  });
  const apps = new Apps({
    ...{ store: appStore, runs, verification, log, now, randomHex },
    ...verifyLimits(options, limits),
  });
  const abilities = () =>
    ownAbilities(
      {
        schedules: options.mode === 'serve' && { after: now() },
        mayMail: mail && ((address) => recipients.mayGet(address)),
        mayCall: (host) => outside.mayCall(host),
      },
      {
        ...OWN_LIMITS,
        connectionsPerHost: limits.connectionsPerTarget,
        requestsPerSecondPerHost: limits.requestsPerSecondPerTarget,
      },
    );
  const fileStore = openPayloadFileStore(database);
  const preparation = openPreparation({
    ...{ appStore, apps, verification, abilities, userAgent },
    payloads: openPayloadFiles({ policy, names, hosts: outside, sent: fileStore, userAgent }),
    randomSeed: () => randomInt(2 ** 32),
    threads: options.threads ?? null,
  });
  const schedules =
    options.mode === 'serve'
      ? new Schedules({
          ...{ database, tests: store, results, preparation, runs, ends },
          ...{ log, version, now, randomHex },
        })
      : null;
  const tests = new Tests({
    ...{ database, store, labels, results, runs, ends, schedules, preparation, abilities, now, randomHex },
    idempotency: new Idempotency(openIdempotencyStore(database), now),
    mostBytes: limits.testBytes,
  });
  const metricsReader =
    watched?.createReader({
      running: () => runs.running(),
      connections: () => runs.connections(),
      callbacks: () => noticeStore.counts(),
      workers: workforce && (() => workforce.list()),
    }) ?? null;
  const { keepResults: keep = null } = options;
  const retention = keep === null ? null : openRetention({ results, keep, log, now });
  const overview = { apps, runs, results, tests: store, labels, now };
  const files = new SentFiles({ store: fileStore, mostBytes: limits.payloadBytes, now });
  return {
    apps,
    tests,
    files,
    overview,
    runs,
    ends,
    preparation,
    schedules,
    notices,
    retention,
    metricsReader,
  };
}

/** One command's one user learns nothing through it that he could not see for himself. */
function verifyLimits(options: ServiceOptions, limits: ServiceLimits) {
  if (options.mode === 'in-process') {
    return { triesPerMinute: Infinity, triesPerMinuteInAll: Infinity, refusalGrainMs: 0 };
  }
  return {
    triesPerMinute: limits.verifyTriesPerMinute,
    triesPerMinuteInAll: limits.verifyTriesPerMinuteInAll,
    refusalGrainMs: limits.refusalGrainMs,
  };
}

/**
 * Whether loopback is the machine of those who use the service, and of nobody else: it listens there alone, and no
 * proxy brings callers from elsewhere.
 */
function isUsersOwnMachine(options: ServiceOptions): boolean {
  if (options.mode === 'in-process') return true;
  if (isBehindProxy(options.publicUrl)) return false;
  return options.host === 'localhost' || classifyAddress(options.host) === 'loopback';
}

/** The service never loads itself or what it depends on, however their addresses are spelled. */
function policyOf(
  options: ServiceOptions,
  own: { readonly ownPort: () => number; readonly others: () => readonly Endpoint[] },
): AddressPolicy {
  const loopback = isUsersOwnMachine(options);
  const policy =
    options.mode === 'in-process'
      ? inProcessPolicy()
      : servePolicy({ allowPrivate: options.allowPrivate, loopback });
  return withoutOwn(policy, { ports: () => [own.ownPort()], endpoints: own.others });
}

interface Mail {
  readonly endpoints: readonly Endpoint[];
  readonly createSender: (
    recipients: MailRecipients,
    textOf: (notice: Notice) => ReturnType<typeof mailOf>,
  ) => NoticeSender;
}

/** Null: there is no relay, so no mail is promised to anybody. */
async function openMail(options: ServiceOptions): Promise<Mail | null> {
  const relay = await relayOf(options);
  if (relay === null) return null;
  const { createMailSender } = await import('./domain/mail.ts');
  return {
    endpoints: await endpointsOf(relay, options),
    createSender: (recipients, textOf) => createMailSender({ relay, recipients, textOf }),
  };
}

async function endpointsOf(relay: MailRelay, options: ServiceOptions): Promise<readonly Endpoint[]> {
  try {
    const addresses = await resolveAllowed(relay.hostname, relay.port, () => null);
    return addresses.map((address) => ({ address, port: relay.port }));
  } catch {
    options.log.warn({ event: 'relay-unknown', host: relay.hostname });
    return [];
  }
}

/** Mail that was promised by a service that had a relay. */
const noMail: NoticeSender = () => Promise.resolve({ kind: 'failed', error: 'no_relay' });

function mailOf(notice: Notice, stores: { readonly store: TestStore; readonly results: ResultStore }) {
  const test = stores.store.get(notice.testId);
  const run = stores.results.get(notice.testId, notice.resultId);
  const kept = run?.kept ?? null;
  if (test === null || run === null || kept === null) return null;
  return renderMail(test.spec, decodeResult(encodeStoredResult({ ...run, kept })), notice);
}
