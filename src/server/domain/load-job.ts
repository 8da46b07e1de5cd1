/** Converts a stored test and the addresses of its verified hosts to a job for a load generator. */
import type {
  JobConnection,
  JobField,
  JobTarget,
  JobVariable,
  LoadJob,
  PayloadRows,
} from '../../core/load/load-job.ts';
import { rowLimitOf } from '../../core/model/payload-file.ts';
import {
  SPEC_DEFAULTS,
  limitIterations,
  paceOf,
  type LoadTestSpec,
  type NamedText,
  type TargetSpec,
  type VariableSpec,
} from '../../core/model/load-test.ts';
import { mapAwsTexts } from '../../core/model/aws-sigv4.ts';
import { connectionOf, mapTexts } from '../../core/model/connection.ts';
import { mapBody } from '../../core/model/request-body.ts';
import { revealText } from '../../core/model/secret.ts';
import { readUrl, type ReadUrl } from '../../core/model/url.ts';
import { parseVariableSource } from '../../core/model/variable.ts';
import type { TestPayload } from './payload-file-loader.ts';

export interface JobSettings {
  readonly runId: string;
  readonly userAgent: string;
  readonly seed: number;
  readonly threads: number | null;
  readonly payload: TestPayload;
  /** Rows for the setup, which is sent once for each row. Each iteration receives the columns of one row. */
  readonly setupRows: readonly PayloadRows[];
}

export interface PinnedUrl {
  readonly target: TargetSpec;
  readonly parsed: ReadUrl;
  readonly addresses: readonly string[];
}

/** @param spec - A test in which `faultsOfTest` found no faults. */
export function createLoadJob(
  spec: LoadTestSpec,
  urls: readonly PinnedUrl[],
  settings: JobSettings,
): LoadJob {
  const { requestRows, iterationRows } = settings.payload;
  const lists = [...requestRows.filter((rows) => rows !== null), ...iterationRows, ...settings.setupRows];
  const limit = rowLimitOf(lists.map(({ order, values }) => ({ order, rows: values.length })));
  return {
    runId: settings.runId,
    ...paceOf(spec),
    ...limitIterations(spec, limit),
    errorThreshold: spec.errorThreshold ?? SPEC_DEFAULTS.errorThreshold,
    targets: urls.map((url, index) => ({
      ...targetOf(url, requestRows[index] ?? null),
      connection: jobConnectionOf(spec, url.parsed),
    })),
    iterationRows,
    clientRows: settings.payload.clientRows,
    values: spec.values ?? [],
    bodyFiles: settings.payload.bodyFiles,
    pace: spec.pace,
    keepAlive: spec.keepAlive ?? true,
    tlsVerify: spec.tlsVerify ?? true,
    userAgent: settings.userAgent,
    seed: settings.seed,
    threads: settings.threads,
    trace: null,
  };
}

export function jobConnectionOf(
  { connection }: LoadTestSpec,
  host: Pick<ReadUrl, 'authority' | 'bareHost'>,
): JobConnection | null {
  const options = connectionOf(connection, host);
  return options && mapTexts(options, revealText);
}

function targetOf(
  { target, parsed, addresses }: PinnedUrl,
  rows: PayloadRows | null,
): Omit<JobTarget, 'connection'> {
  const { credentials } = target;
  return {
    url: target.url,
    secure: parsed.secure,
    hostname: parsed.bareHost.replace(/^\[|\]$/g, ''),
    port: parsed.port,
    authority: parsed.authority,
    addresses,
    method: target.method ?? SPEC_DEFAULTS.method,
    path: parsed.path,
    resolveUrl: target.resolveUrl ?? false,
    headers: fieldsOf(target.headers),
    credentials: credentials && {
      login: revealText(credentials.login),
      password: revealText(credentials.password),
    },
    awsSigv4: target.awsSigv4 && mapAwsTexts(target.awsSigv4, revealText),
    body: target.body && mapBody(target.body, { text: revealText, file: ({ sha256 }) => sha256 }),
    variables: (target.variables ?? []).map(variableOf),
    expect: target.expect,
    rows,
    delay: target.delay,
    endsOnFailure: target.onFailure === 'stop',
  };
}

function variableOf({ name, property, source, pick }: VariableSpec): JobVariable {
  switch (parseVariableSource(source)) {
    case 'header':
      return { name, header: property };
    case 'cookie':
      return { name, cookie: property };
    case 'json':
      return { name, json: property, ...(pick === undefined ? {} : { pick }) };
    case 'body':
      return { name, pattern: property };
    case 'status':
      return { name, status: true };
    case null:
      throw new Error('Bug: an accepted test has a variable with an unknown source');
  }
}

function fieldsOf(fields: readonly NamedText[] | null): readonly JobField[] {
  return (fields ?? []).map(({ name, value }) => ({ name, value: revealText(value) }));
}

export function readUrls(
  spec: LoadTestSpec,
): readonly { readonly target: TargetSpec; readonly read: ReadUrl }[] {
  return spec.targets.map((target) => {
    const read = readUrl(target.url);
    if (read === null) throw new Error('Bug: an accepted test has an invalid URL');
    return { target, read };
  });
}
