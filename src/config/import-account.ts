/** Source of an import: the tests and apps of a service. */
import { allTargetsOf } from '../core/model/phase.ts';
import { canonical, type Sha256 } from '../core/canonical.ts';
import { createAppFinder, findObservedApp } from '../core/model/app.ts';
import { connectionOf, mapTexts } from '../core/model/connection.ts';
import type { TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { filePartsIn } from '../core/model/request-body.ts';
import { revealText } from '../core/model/secret.ts';
import { authorityOf, readUrl } from '../core/model/url.ts';
import type { DesiredState, ObservedState } from '../core/model/state.ts';
import { digestsOf, parseUnlistedDigests } from '../core/reconcile/digests.ts';
import { matchTests, type Match } from '../core/reconcile/match.ts';
import { readMarker, type Marker } from '../core/reconcile/ownership-marker.ts';
import { performSteps } from '../core/steps.ts';
import { VARIABLES_UNLISTED, describeAccountTest, type AccountTest } from './import-account-content.ts';
import type { Draft, Drafts, SourceEntry } from './import-draft.ts';
import { isKey, keyOf, withoutSecrets } from './import-names.ts';
import { declaredFilePaths, type Revision, type SettledDrafts } from './import-settlement.ts';

export interface AccountSource {
  /** State of the service, to which known ownership markers that the service did not store were added. */
  readonly observed: ObservedState;
  /** Tests whose marker the service did not store. */
  readonly unmarked: readonly TestId[];
  readonly project: string;
  readonly environment: string | null;
  /** State declared by the current file, with its references to secrets and payload files; null without a file. */
  readonly declared: DesiredState | null;
  readonly sha256: Sha256;
}

interface Candidate {
  readonly test: ObservedTest;
  readonly marker: Marker | null;
  /** Key in the marker; null if the marker belongs to another project or environment. */
  readonly ownKey: string | null;
}

export class AccountImport {
  readonly #source: AccountSource;
  readonly #testsInFile: ReadonlyMap<string, DesiredState['tests'][number]>;
  readonly #files: ReadonlyMap<string, string>;

  constructor(source: AccountSource) {
    this.#source = source;
    this.#testsInFile = new Map(source.declared?.tests.map((test) => [String(test.key), test]));
    this.#files = declaredFilePaths(source.declared);
  }

  draft(): Drafts<AccountTest> {
    const { apps, tests } = this.#source.observed;
    const candidates = tests.map((test) => this.#candidateOf(test));
    const own = new Map<string, ObservedTest[]>();
    for (const { test, ownKey } of candidates) {
      if (ownKey !== null) own.set(ownKey, [...(own.get(ownKey) ?? []), test]);
    }
    return {
      apps: apps.filter((app) => findObservedApp(apps, app) === app),
      tests: candidates.flatMap((candidate) => {
        const { test, marker, ownKey } = candidate;
        const versions = ownKey === null ? [test] : (own.get(ownKey) ?? []);
        if (versions.at(-1) !== test) return [];
        const pinReason = this.#pinReasonOf(candidate);
        const earlier = versions.slice(0, -1);
        return [this.#draftTest({ test, marker, pinReason, earlier }, ownKey !== null)];
      }),
    };
  }

  #candidateOf(test: ObservedTest): Candidate {
    const { project, environment } = this.#source;
    const reading = readMarker(test.notes);
    const marker = reading.kind === 'marker' ? reading.marker : null;
    const isOwn = marker?.project === project && marker.environment === environment && isKey(marker.key);
    return { test, marker, ownKey: isOwn ? marker.key : null };
  }

  /** Returns the reason for adopting a test by its ID; null if its marker identifies it. */
  #pinReasonOf({ test, marker, ownKey }: Candidate): string | null {
    if (ownKey !== null)
      return this.#source.unmarked.includes(test.id)
        ? 'the service does not store the ownership marker of this test'
        : null;
    if (marker === null) return 'this test has no ownership marker';
    const environment = marker.environment === null ? '' : ` and the environment "${marker.environment}"`;
    return `the ownership marker of this test belongs to the project "${marker.project}"${environment}`;
  }

  #draftTest(origin: AccountTest, keepsKey: boolean): Draft<AccountTest> {
    const { test, marker, pinReason, earlier } = origin;
    return {
      ...entryOf(test),
      key: preferredKey(test, marker),
      keepsKey,
      origin,
      earlier: earlier.map(entryOf),
      obstacle: this.#obstacleOf(test),
      // The fallback adopts the test by its ID, because rules then allow variables that the file does not define.
      fallback:
        pinReason === null ? this.#draftTest({ ...origin, pinReason: VARIABLES_UNLISTED }, keepsKey) : null,
      describe: (key) =>
        describeAccountTest(origin, {
          declared: this.#testsInFile.get(key) ?? null,
          sha256: this.#source.sha256,
          payloadPathOf: (sha256) => this.#files.get(sha256) ?? null,
        }),
    };
  }

  /** Returns the reason why the file cannot express the test; null if it can. */
  #obstacleOf(test: ObservedTest): string | null {
    if (typeof test.testType !== 'string')
      return `its test_type "${test.testType.unrecognized}" is not supported`;
    const files = allTargetsOf({ ...test, targets: test.targets() }).flatMap(
      ({ payloadFile, bodyFile, multipart }) => [
        payloadFile,
        bodyFile,
        ...filePartsIn(multipart ?? []).map(({ file }) => file),
      ],
    );
    if (!hasOneConnection(test))
      return 'its hosts have different connection settings, which "import" cannot write';
    return files.some((file) => file !== null && !this.#files.has(file.sha256))
      ? 'it uses a file that no test in the configuration file uses; store the file next to the configuration file and declare the test manually'
      : null;
  }

  /**
   * Returns revisions for tests that a plan for the file would create or replace, and for apps that cannot or need not
   * be declared.
   */
  review(
    desired: DesiredState,
    { apps, tests }: SettledDrafts<AccountTest>,
  ): readonly Revision<AccountTest>[] {
    const { observed, sha256 } = this.#source;
    const { matches } = performSteps(matchTests(desired, observed, sha256));
    const byKey = new Map(matches.map((match) => [String(match.declared.key), match]));
    const appOf = createAppFinder(desired.apps);
    const used = new Set(
      desired.tests.flatMap(({ spec }) => allTargetsOf(spec).map(({ url }) => appOf(url)?.host)),
    );
    const verified = new Set(
      observed.apps.filter(({ status }) => status !== 'unverified').map(({ id }) => String(id)),
    );
    return [
      ...tests.flatMap((test): readonly Revision<AccountTest>[] => {
        const match = byKey.get(test.key);
        if (match === undefined || match.found.kind === 'present') return [];
        const { origin, keepsKey } = test.draft;
        if (origin.pinReason === null) {
          const reason = pinReasonOf(match, origin, sha256);
          return [{ test, reason, replacement: this.#draftTest({ ...origin, pinReason: reason }, keepsKey) }];
        }
        const fields = match.found.kind === 'other' ? match.found.changes.map(({ field }) => field) : [];
        const reason =
          fields.length === 0
            ? 'the file cannot adopt it with "id"'
            : `the file cannot express its ${fields.join(', ')}`;
        return [{ test, reason, replacement: null }];
      }),
      ...apps.flatMap((app): readonly Revision<AccountTest>[] => {
        const { draft, printed } = app;
        const isDeclared = desired.apps.some((one) => one.key === printed.key && one.host === draft.host);
        if (!isDeclared) return [{ app, reason: 'the file would contain a different spelling of this host' }];
        return verified.has(draft.id) || used.has(printed.host)
          ? []
          : [{ app, reason: 'it is not verified, and no test uses it' }];
      }),
    ];
  }
}

/**
 * Reports whether the HTTPS hosts of a test have the same settings, apart from addresses, and the HTTP hosts as well.
 */
function hasOneConnection({ connection, ...test }: ObservedTest): boolean {
  if (connection === null) return true;
  const urls = allTargetsOf({ ...test, targets: test.targets() }).flatMap(({ url }) => readUrl(url) ?? []);
  const textsOf = (secure: boolean) =>
    urls.flatMap((url) => {
      if (url.secure !== secure) return [];
      const { resolve: _, ...options } = connectionOf(connection, url) ?? {};
      return [canonical({ ...mapTexts(options, revealText) })];
    });
  return new Set(textsOf(true)).size <= 1 && new Set(textsOf(false)).size <= 1;
}

function entryOf(test: ObservedTest): SourceEntry {
  return { id: test.id, name: withoutSecrets(test.name ?? test.targets()[0]?.url ?? '') };
}

function preferredKey(test: ObservedTest, marker: Marker | null): string {
  if (marker !== null && isKey(marker.key)) return marker.key;
  const url = test.targets()[0]?.url ?? '';
  return keyOf(withoutSecrets(test.name ?? url), keyOf(authorityOf(url) ?? '', 'test'));
}

function pinReasonOf(match: Match, { marker }: AccountTest, sha256: Sha256): string {
  const declared = parseUnlistedDigests(digestsOf(match.declared.spec, sha256).unlisted);
  const stored = marker === null ? null : parseUnlistedDigests(marker.unlisted);
  return stored !== null && declared?.variables !== stored.variables
    ? VARIABLES_UNLISTED
    : 'the fields of this test do not match its ownership marker';
}
