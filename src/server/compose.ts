/** Composition root: creates the components of the service, except its HTTP server. */
import { randomBytes, randomInt } from 'node:crypto';
import { readStoredResult } from '../contract/result-codec.ts';
import type { RegisteredWorker } from '../core/model/worker.ts';
import type { WorkerPool } from '../core/ports/worker-pool.ts';
import { OWN_LIMITS, ownCapabilities } from '../core/model/capabilities.ts';
import { classifyAddress } from '../egress/address-kind.ts';
import {
  createInProcessPolicy,
  createServePolicy,
  excludeOwnEndpoints,
  resolveEndpoints,
  type Endpoint,
} from '../egress/address-policies.ts';
import { createNameResolver } from '../egress/name-resolver.ts';
import type { AddressPolicy } from '../egress/allowed-addresses.ts';
import type { MetricsReader, Prometheus } from './prometheus.ts';
import type { ServiceLimits, ServiceOptions } from './options.ts';
import { Apps } from './domain/apps.ts';
import { createCallbackSender } from './domain/callback-sender.ts';
import { Idempotency } from './domain/idempotency.ts';
import { createEmailRecipients, type EmailRecipients } from './domain/email-recipients.ts';
import { renderEmail } from './domain/email-text.ts';
import { Notices, type NoticeSender } from './domain/notices.ts';
import type { OverviewDeps } from './domain/overview.ts';
import { createExternalHosts } from './domain/external-hosts.ts';
import { createPayloadFileLoader } from './domain/payload-file-loader.ts';
import { createPreparation, type Preparation } from './domain/preparation.ts';
import { createRunEndRecorder, type RunEndRecorder } from './domain/run-end-recorder.ts';
import { createRetention, type Retention } from './domain/retention.ts';
import { Runs } from './domain/runs.ts';
import { Schedules } from './domain/schedules.ts';
import { UploadedFiles } from './domain/uploaded-files.ts';
import { Tests } from './domain/tests.ts';
import { createHostVerifier } from '../egress/host-verifier.ts';
import { openAppStore } from './store/app-store.ts';
import { openIdempotencyStore } from './store/idempotency-store.ts';
import { openLabelStore } from './store/label-store.ts';
import { openNoticeStore, type Notice } from './store/notice-store.ts';
import type { Database } from './store/database.ts';
import { openPayloadFileStore } from './store/payload-file-store.ts';
import { openResultStore, type ResultStore } from './store/result-store.ts';
import { openCheckpointStore } from './store/distributed-runs.ts';
import { CALLBACK_SECRET, DECOY_SECRET, readOrCreateSecret } from './store/secret-file.ts';
import { openTestStore, type TestStore } from './store/test-store.ts';
import { readSmtpRelay } from './smtp-relay.ts';
import { isBehindProxy } from './client-address.ts';

export interface InstanceContext {
  readonly database: Database;
  readonly limits: ServiceLimits;
  readonly prometheus: Prometheus | null;
  /** Returns the port of the service; valid once the service listens. */
  readonly ownPort: () => number;
}

export interface ServiceComponents {
  readonly apps: Apps;
  readonly tests: Tests;
  readonly overview: OverviewDeps;
  readonly uploadedFiles: UploadedFiles;
  readonly runs: Runs;
  readonly runEnds: RunEndRecorder;
  readonly preparation: Preparation;
  /** Starts scheduled tests; null if the service does not support scheduled tests. */
  readonly schedules: Schedules | null;
  readonly notices: Notices;
  /** Deletes results that exceed the retention policy; null if all results are retained. */
  readonly retention: Retention | null;
  /** Reads the metrics of the service; null if the service exposes no metrics. */
  readonly metricsReader: MetricsReader | null;
}

/** @throws ProblemError LT_SERVER_ADDRESS if the mail relay URL or an allowed recipient is invalid. */
export async function composeService(
  options: ServiceOptions,
  own: InstanceContext,
): Promise<ServiceComponents> {
  const { log, now, version, workerPool = null } = options;
  const { database, limits, prometheus } = own;
  const randomHex = () => randomBytes(16).toString('hex');
  const userAgent = `loadtests/${version}`;
  const observers = prometheus === null ? [] : [prometheus.observer];
  const nameResolver = createNameResolver(options.dnsServers ?? []);
  const mail = await createEmailSetup(options);
  const policy = createAddressPolicy(options, {
    ...own,
    protectedEndpoints: () => [...(mail?.endpoints ?? []), ...(options.endpoints?.() ?? [])],
  });
  const loopback = isUsersOwnMachine(options);
  const verification = createHostVerifier({
    policy,
    nameResolver,
    userAgent,
    log,
    now,
    randomHex,
    decoySecret: () => readOrCreateSecret(options.dataDirectory, DECOY_SECRET),
    trustedBlocks: options.allowPrivate,
    trustLoopback: options.mode === 'in-process',
  });
  const appStore = openAppStore(database);
  const store = openTestStore(database);
  const labels = openLabelStore(database);
  labels.addMissing(store.list());
  const results = openResultStore(database);
  const recipients = createEmailRecipients({ appStore, allowed: options.allowEmail ?? [] });
  const outside = createExternalHosts({ appStore, loopback, allowed: options.allowCallbacks ?? [] });
  const noticeStore = openNoticeStore(database);
  const notices = new Notices({
    store: noticeStore,
    senders: {
      callback: createCallbackSender({
        policy,
        names: nameResolver,
        hosts: outside,
        userAgent,
        now,
        secret: () => readOrCreateSecret(options.dataDirectory, CALLBACK_SECRET),
        deadlineMs: limits.callbackDeadlineMs,
      }),
      email:
        mail?.createSender(recipients, (notice) => renderNoticeEmail(notice, { store, results })) ??
        noEmailSender,
    },
    log,
    now,
    random: Math.random,
  });
  const runEnds = createRunEndRecorder({ database, tests: store, results, notices, observers, log });
  const runner =
    typeof options.runner === 'function' ? options.runner(openCheckpointStore(database)) : options.runner;
  const runs = new Runs({
    results,
    ends: runEnds,
    runner,
    phases: options.phases,
    verification,
    observers,
    log,
    version,
    limits,
    now,
  });
  const apps = new Apps({
    store: appStore,
    runs,
    verification,
    log,
    now,
    randomHex,
    ...verifyLimits(options, limits),
  });
  const abilities = () =>
    ownCapabilities(
      {
        schedules: options.mode === 'serve' && { after: now() },
        canEmail: mail && ((address) => recipients.isAllowed(address)),
        canCall: (host) => outside.isAllowed(host),
      },
      {
        ...OWN_LIMITS,
        connectionsPerHost: limits.connectionsPerTarget,
        requestsPerSecondPerHost: limits.requestsPerSecondPerTarget,
      },
    );
  const fileStore = openPayloadFileStore(database);
  const preparation = createPreparation({
    appStore,
    apps,
    verification,
    abilities,
    userAgent,
    payloads: createPayloadFileLoader({
      policy,
      names: nameResolver,
      hosts: outside,
      uploaded: fileStore,
      userAgent,
    }),
    randomSeed: () => options.seed ?? randomInt(2 ** 32),
    threads: options.threads ?? null,
  });
  const schedules =
    options.mode === 'serve'
      ? new Schedules({
          database,
          tests: store,
          results,
          preparation,
          runs,
          ends: runEnds,
          log,
          version,
          now,
          randomHex,
        })
      : null;
  const tests = new Tests({
    database,
    store,
    labels,
    results,
    runs,
    ends: runEnds,
    notices,
    schedules,
    preparation,
    abilities,
    now,
    randomHex,
    idempotency: new Idempotency(openIdempotencyStore(database), now),
    maxBytes: limits.maxTestBytes,
  });
  const metricsReader =
    prometheus?.createReader({
      callbacks: () => noticeStore.counts(),
      workers: workerPool && (() => connectedWorkers(workerPool)),
    }) ?? null;
  const { keepResults = null } = options;
  const retention = keepResults === null ? null : createRetention({ results, policy: keepResults, log, now });
  const overview = { apps, runs, results, tests: store, labels, now };
  const uploadedFiles = new UploadedFiles({ store: fileStore, maxBytes: limits.maxPayloadBytes, now });
  return {
    apps,
    tests,
    uploadedFiles,
    overview,
    runs,
    runEnds,
    preparation,
    schedules,
    notices,
    retention,
    metricsReader,
  };
}

/**
 * Returns the verification limits. An in-process service has none, because its only user could call the hosts directly.
 */
function verifyLimits(options: ServiceOptions, limits: ServiceLimits) {
  if (options.mode === 'in-process') {
    return { attemptsPerMinute: Infinity, totalAttemptsPerMinute: Infinity, refusalDelayStepMs: 0 };
  }
  return {
    attemptsPerMinute: limits.verifyAttemptsPerMinute,
    totalAttemptsPerMinute: limits.totalVerifyAttemptsPerMinute,
    refusalDelayStepMs: limits.refusalDelayStepMs,
  };
}

/**
 * True if the loopback addresses belong to the machine of the users. This applies to an in-process service, and to a
 * service that listens only on loopback and has no remote public URL.
 */
function isUsersOwnMachine(options: ServiceOptions): boolean {
  if (options.mode === 'in-process') return true;
  if (isBehindProxy(options.publicUrl)) return false;
  return options.host === 'localhost' || classifyAddress(options.host) === 'loopback';
}

/** Creates a policy that also refuses load on the service itself and on its dependencies, such as the mail relay. */
function createAddressPolicy(
  options: ServiceOptions,
  own: { readonly ownPort: () => number; readonly protectedEndpoints: () => readonly Endpoint[] },
): AddressPolicy {
  const loopback = isUsersOwnMachine(options);
  const policy =
    options.mode === 'in-process'
      ? createInProcessPolicy()
      : createServePolicy({ allowPrivate: options.allowPrivate, loopback });
  return excludeOwnEndpoints(policy, { ports: () => [own.ownPort()], endpoints: own.protectedEndpoints });
}

interface EmailSetup {
  readonly endpoints: readonly Endpoint[];
  readonly createSender: (
    recipients: EmailRecipients,
    render: (notice: Notice) => ReturnType<typeof renderNoticeEmail>,
  ) => NoticeSender;
}

async function createEmailSetup(options: ServiceOptions): Promise<EmailSetup | null> {
  const relay = await readSmtpRelay(options);
  if (relay === null) return null;
  const { createEmailSender } = await import('./domain/email-sender.ts');
  const endpoints = await resolveEndpoints(relay.hostname, relay.port);
  if (endpoints.length === 0) options.log.warn({ event: 'relay-unknown', host: relay.hostname });
  return {
    endpoints,
    createSender: (recipients, render) => createEmailSender({ relay, recipients, render }),
  };
}

/** Sender for a service without a mail relay. An earlier process with a relay may have stored email notices. */
const noEmailSender: NoticeSender = () => Promise.resolve({ kind: 'failed', error: 'no_relay' });

function renderNoticeEmail(
  notice: Notice,
  stores: { readonly store: TestStore; readonly results: ResultStore },
) {
  const test = stores.store.get(notice.testId);
  const run = stores.results.get(notice.testId, notice.resultId);
  if (test === null || run?.document == null) return null;
  return renderEmail(test.spec, readStoredResult(run), notice);
}

/** Returns null if the state of the workers is unknown. */
function connectedWorkers(workerPool: WorkerPool): readonly RegisteredWorker[] | null {
  try {
    return workerPool.list().filter(({ state }) => state !== 'lost');
  } catch {
    return null;
  }
}
