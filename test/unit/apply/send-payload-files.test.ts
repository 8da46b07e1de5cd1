/** Upload of payload files before the test that uses them. A failure creates no test. */
import { describe, expect, test } from 'vitest';
import { uploadPayloadFiles, type UploadContext } from '../../../src/apply/tests/payload-upload.ts';
import { CallError, type CallOutcome } from '../../../src/core/call-error.ts';
import type { LoadTestSpec } from '../../../src/core/model/load-test.ts';
import { problem } from '../../../src/core/problem.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declaredTest } from '../../support/declared-state.ts';

const SHA = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

const withFiles = (...digests: readonly string[]): LoadTestSpec =>
  declaredTest(
    'home',
    {
      urls: digests.map((sha256) => ({
        payloadFile: { sha256, declared: { path: 'rows.csv', rows: 1, columns: 1, variables: ['user'] } },
      })),
    },
    [],
  ).spec;

const failure = (outcome: CallOutcome, transient: boolean) =>
  new CallError(problem('LT_API_UNKNOWN', 'cut off'), { outcome, status: null, errors: [], transient });

/** Creates a service that has some files and fails with the given errors first. */
function createService(existing: readonly string[], failures: readonly CallError[] = []) {
  const stored = new Set(existing);
  const calls: string[] = [];
  const pendingFailures = [...failures];
  const context: UploadContext = {
    service: {
      hasPayloadFile: (sha256) => Promise.resolve(stored.has(sha256)),
      putPayloadFile: (sha256, content) => {
        calls.push(`${sha256.slice(0, 2)} ${content.length}`);
        const error = pendingFailures.shift();
        if (error !== undefined) return Promise.reject(error);
        stored.add(sha256);
        return Promise.resolve();
      },
    },
    contentOf: () => new Uint8Array(5),
    clock: createVirtualClock(),
    interrupted: new AbortController().signal,
  };
  return { context, calls, stored };
}

describe('payload files', () => {
  test('each payload file that the service lacks is uploaded once', async () => {
    const { context, calls } = createService([OTHER]);
    await uploadPayloadFiles(withFiles(SHA, OTHER, SHA), context);
    expect(calls).toEqual(['ab 5']);
  });

  test('the upload of a payload file is repeated if the response is lost or the request is not sent', async () => {
    const { context, calls, stored } = createService(
      [],
      [failure('unknown', true), failure('not_sent', true)],
    );
    await uploadPayloadFiles(withFiles(SHA), context);
    expect(calls).toHaveLength(3);
    expect(stored.has(SHA)).toBe(true);
  });

  test('if all attempts to upload a payload file fail, the error has the outcome "not_sent"', async () => {
    const { context } = createService(
      [],
      Array.from({ length: 9 }, () => failure('unknown', true)),
    );
    await expect(uploadPayloadFiles(withFiles(SHA), context)).rejects.toMatchObject({
      outcome: 'not_sent',
      problem: { code: 'LT_API_UNREACHABLE' },
    });
  });

  test('the upload of a payload file is not retried after a refusal', async () => {
    const { context, calls } = createService([], [failure('refused', false)]);
    await expect(uploadPayloadFiles(withFiles(SHA), context)).rejects.toMatchObject({ outcome: 'refused' });
    expect(calls).toHaveLength(1);
  });
});
