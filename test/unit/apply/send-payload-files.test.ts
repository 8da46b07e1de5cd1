/** Payload files go to the service before the test that names them, once, and a failure creates nothing. */
import { describe, expect, test } from 'vitest';
import { uploadPayloadFiles, type UploadContext } from '../../../src/apply/payload-upload.ts';
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

/** A service that has some files, and fails so many times. */
function service(has: readonly string[], failures: readonly CallError[] = []) {
  const there = new Set(has);
  const calls: string[] = [];
  const left = [...failures];
  const world: UploadContext = {
    service: {
      hasPayloadFile: (sha256) => Promise.resolve(there.has(sha256)),
      putPayloadFile: (sha256, content) => {
        calls.push(`${sha256.slice(0, 2)} ${content.length}`);
        const wrong = left.shift();
        if (wrong !== undefined) return Promise.reject(wrong);
        there.add(sha256);
        return Promise.resolve();
      },
    },
    contentOf: () => new Uint8Array(5),
    clock: createVirtualClock(),
    interrupted: new AbortController().signal,
  };
  return { world, calls, there };
}

describe('payload files', () => {
  test('are sent where the service lacks them, each once', async () => {
    const { world, calls } = service([OTHER]);
    await uploadPayloadFiles(withFiles(SHA, OTHER, SHA), world);
    expect(calls).toEqual(['ab 5']);
  });

  test('are sent again after an answer that did not come, since twice does no harm', async () => {
    const { world, calls, there } = service([], [failure('unknown', true), failure('not_sent', true)]);
    await uploadPayloadFiles(withFiles(SHA), world);
    expect(calls).toHaveLength(3);
    expect(there.has(SHA)).toBe(true);
  });

  test('that cannot be sent leave the test surely unsent, whatever became of them', async () => {
    const { world } = service(
      [],
      Array.from({ length: 9 }, () => failure('unknown', true)),
    );
    await expect(uploadPayloadFiles(withFiles(SHA), world)).rejects.toMatchObject({
      outcome: 'not_sent',
      problem: { code: 'LT_API_UNREACHABLE' },
    });
  });

  test('that are refused are told as that', async () => {
    const { world, calls } = service([], [failure('refused', false)]);
    await expect(uploadPayloadFiles(withFiles(SHA), world)).rejects.toMatchObject({ outcome: 'refused' });
    expect(calls).toHaveLength(1);
  });
});
