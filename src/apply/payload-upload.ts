/** Gives a service the payload files that a test names, before the test: each once, and only what it lacks. */
import { CallError } from '../core/call-error.ts';
import type { LoadTestSpec } from '../core/model/load-test.ts';
import { sendOrThrow } from './write-retry.ts';
import type { ApplyContext } from './apply-context.ts';

export type UploadContext = Pick<ApplyContext, 'contentOf' | 'clock' | 'interrupted'> & {
  readonly service: Pick<ApplyContext['service'], 'hasPayloadFile' | 'putPayloadFile'>;
};

/**
 * Shape:  sending the same content twice does no harm, so it is sent again while that may help.
 * Errors: CallError with outcome `not_sent`, whatever became of a file: of the test nothing was sent. ProblemError
 *         where a file has changed.
 */
export async function uploadPayloadFiles({ targets }: LoadTestSpec, world: UploadContext): Promise<void> {
  const { service, clock, interrupted } = world;
  const files = new Map(
    targets.flatMap(({ payloadFile }) => (payloadFile === null ? [] : [[payloadFile.sha256, payloadFile]])),
  );
  for (const [sha256, file] of files) {
    try {
      if (await service.hasPayloadFile(sha256)) continue;
      const content = world.contentOf(file);
      await sendOrThrow(
        {
          send: () => service.putPayloadFile(sha256, content),
          decide: ({ transient }) => (transient ? 'again' : 'end'),
          interrupted,
        },
        clock,
      );
    } catch (error) {
      if (!(error instanceof CallError) || error.outcome !== 'unknown') throw error;
      const { problem, status, errors, transient, retryAfter } = error;
      const told = { ...problem, code: 'LT_API_UNREACHABLE' } as const;
      throw new CallError(told, { outcome: 'not_sent', status, errors, transient, retryAfter });
    }
  }
}
