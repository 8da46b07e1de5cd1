/** Round trips of the codecs: decoding returns the encoded value. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeApp, encodeApp } from '../../../src/contract/app-codec.ts';
import { validateResponse } from '../../../src/contract/response-validation.ts';
import type { TestCreate } from '../../../src/contract/generated/test-create.ts';
import type { TestRecord } from '../../../src/contract/generated/test-record.ts';
import { decodeResult } from '../../../src/contract/result-codec.ts';
import {
  decodeTestCreate,
  decodeTestRecord,
  encodeTestCreate,
  encodeTestRecord,
} from '../../../src/contract/test-codec.ts';
import { mapAwsTexts } from '../../../src/core/model/aws-sigv4.ts';
import { mapTexts } from '../../../src/core/model/connection.ts';
import { mapBody } from '../../../src/core/model/request-body.ts';
import type { LoadTestSpec, NamedText, TargetSpec } from '../../../src/core/model/load-test.ts';
import { revealText } from '../../../src/core/model/secret.ts';
import { listedDifferences } from '../../../src/core/reconcile/differences.ts';
import { digestOfFields, digestsOf } from '../../../src/core/reconcile/digests.ts';
import { normalizeObserved, normalizeSpec } from '../../../src/core/reconcile/normalize.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import { arbitrarySpec } from '../../support/arbitrary-declarations.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** Changes the requests of a test and of its phases. */
function mapTargets(spec: LoadTestSpec, change: (target: TargetSpec) => TargetSpec): LoadTestSpec {
  const { setup, teardown } = spec;
  return {
    ...spec,
    targets: spec.targets.map(change),
    setup: setup && { ...setup, targets: setup.targets.map(change) },
    teardown: teardown && { ...teardown, targets: teardown.targets.map(change) },
  };
}

/** Returns the spec that the service stores: secrets in plain text. */
function revealSecrets(spec: LoadTestSpec): LoadTestSpec {
  const connection =
    spec.connection?.map((one) => ({ ...one, options: mapTexts(one.options, revealText) })) ?? null;
  return { ...mapTargets(spec, revealTarget), connection };
}

function revealTarget(target: TargetSpec): TargetSpec {
  const revealFields = (fields: TargetSpec['headers']) =>
    fields?.map(({ name, value }) => ({ name, value: revealText(value) })) ?? null;
  return {
    ...target,
    credentials: target.credentials && {
      login: revealText(target.credentials.login),
      password: revealText(target.credentials.password),
    },
    awsSigv4: target.awsSigv4 && mapAwsTexts(target.awsSigv4, revealText),
    headers: revealFields(target.headers),
    body: target.body && mapBody(target.body, { text: revealText, file: (file) => file }),
  };
}

/** Sorts fields by name, because a JSON map has no order. */
function sortFields(spec: LoadTestSpec): LoadTestSpec {
  const sorted = (fields: readonly NamedText[]) => [...fields].sort((a, b) => (a.name < b.name ? -1 : 1));
  return mapTargets(spec, (target) => ({
    ...target,
    headers: target.headers && sorted(target.headers),
    body:
      target.body?.kind === 'params' ? { ...target.body, fields: sorted(target.body.fields) } : target.body,
  }));
}

function roundTrip(spec: LoadTestSpec): LoadTestSpec | null {
  const body = JSON.stringify(encodeTestCreate(spec, spec.notes));
  return decodeTestCreate(JSON.parse(body) as TestCreate)?.spec ?? null;
}

describe('create codec', () => {
  test('the service decodes a create request to the same fields that the client encoded', () => {
    fc.assert(
      fc.property(arbitrarySpec, (spec) => {
        const decoded = roundTrip(spec);
        expect(decoded && sortFields(decoded)).toEqual(sortFields(revealSecrets(spec)));
      }),
      { numRuns: scaleCount(500) },
    );
  });

  test('a create request with an invalid scheduled_at is not decoded', () => {
    fc.assert(
      fc.property(arbitrarySpec, (spec) => {
        const wire = { ...encodeTestCreate(spec, null), scheduled_at: 'tomorrow' };
        expect(decodeTestCreate(wire)).toBeNull();
      }),
      { numRuns: scaleCount(20) },
    );
  });
});

describe('test record codec', () => {
  test('a test record matches its schema and equals the created test', () => {
    fc.assert(
      fc.property(arbitrarySpec, (spec) => {
        const stored = roundTrip(spec);
        if (stored === null) throw new Error('the create was not decoded');
        const record: unknown = JSON.parse(
          JSON.stringify(encodeTestRecord({ id: 't1', status: 'complete', spec: stored })),
        );
        expect(validateResponse('test-record', record)).toBeNull();
        const observed = decodeTestRecord(record as TestRecord);
        const differences = listedDifferences(normalizeObserved(observed), normalizeSpec(stored));
        expect(differences.changes).toEqual([]);
        expect(digestOfFields(normalizeObserved(observed), sha256)).toBe(digestsOf(stored, sha256).listed);
      }),
      { numRuns: scaleCount(500) },
    );
  });

  test('a test record does not contain the password in the credentials of a URL', () => {
    fc.assert(
      fc.property(arbitrarySpec, (spec) => {
        const withPassword = mapTargets(spec, (target) => ({
          ...target,
          credentials: { login: 'ci', password: 'canary-password' },
        }));
        const record = encodeTestRecord({
          id: 't1',
          status: 'complete',
          spec: revealSecrets(withPassword),
        });
        expect(JSON.stringify(record)).not.toContain('canary-password');
      }),
    );
  });
});

describe('result codec', () => {
  const metrics = fc.record(
    Object.fromEntries(
      ['success', 'error', 'timeout_error', 'network_error', 'data_received', 'avg_response_time'].map(
        (name) => [
          name,
          fc.oneof(fc.nat(), fc.nat().map(String), fc.constantFrom(null, '', 'NaN', -1, '-1', 'many')),
        ],
      ),
    ),
    { requiredKeys: [] },
  );

  test('the metrics of a decoded result are finite and not negative, and its success and error rates add up to 100 percent', () => {
    fc.assert(
      fc.property(metrics, (fields) => {
        const { metrics: decoded } = decodeResult({ result_id: 'r1', status: 'ready', ...fields }).record;
        for (const value of Object.values(decoded)) {
          expect(Number.isFinite(value)).toBe(true);
          expect(value).toBeGreaterThanOrEqual(0);
        }
        expect(decoded.error_rate ?? 0).toBeLessThanOrEqual(100);
        if (decoded.error_rate !== undefined) {
          expect(decoded.error_rate + (decoded.success_rate ?? 0)).toBeCloseTo(100);
        }
      }),
    );
  });

  test.each([
    ['ready', 'ready'],
    ['READY', 'ready'],
    ['not_ready', 'not_ready'],
    ['Not ready', 'not_ready'],
    ['not-ready', 'not_ready'],
    ['done', 'other'],
    [null, 'other'],
  ] as const)('the status %j in a result of the API is decoded as %s', (value, status) => {
    expect(decodeResult({ result_id: 'r1', status: value }).status).toBe(status);
  });
});

test('the ID, host and verification status of an app are unchanged after encoding and decoding', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), fc.boolean(), (id, verified) => {
      expect(decodeApp(encodeApp({ id, host: 'shop.example:8443', verified }))).toEqual({
        id,
        host: 'shop.example:8443',
        status: verified ? 'verified' : 'unverified',
      });
    }),
  );
});
