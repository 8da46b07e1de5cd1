import { allTargetsOf } from '../../core/model/phase.ts';
import { CallError } from '../../core/call-error.ts';
import { filesOfTarget, type LoadTestSpec } from '../../core/model/load-test.ts';
import { sendOrThrow } from '../uncertainty/sending.ts';
import type { ApplyContext } from '../apply-context.ts';

export type UploadContext = Pick<ApplyContext, 'contentOf' | 'clock' | 'interrupted'> & {
  readonly service: Pick<ApplyContext['service'], 'hasPayloadFile' | 'putPayloadFile'>;
};

/**
 * Uploads the files of a test, except files that the service already has. Retries transient failures.
 * @throws CallError, whose outcome refers to the creation of the test and is never `unknown`; ProblemError if a file
 * has changed.
 */
export async function uploadPayloadFiles(spec: LoadTestSpec, context: UploadContext): Promise<void> {
  const { service } = context;
  const files = new Map(
    allTargetsOf(spec)
      .flatMap(filesOfTarget)
      .map((file) => [file.sha256, file]),
  );
  for (const [sha256, file] of files) {
    try {
      if (await service.hasPayloadFile(sha256)) continue;
      const content = context.contentOf(file);
      await sendOrThrow(
        {
          send: () => service.putPayloadFile(sha256, content),
          decide: ({ transient }) => (transient ? 'again' : 'end'),
        },
        context,
      );
    } catch (error) {
      if (!(error instanceof CallError) || error.outcome !== 'unknown') throw error;
      const { problem, status, errors, transient, retryAfter } = error;
      const notSent = { ...problem, code: 'LT_API_UNREACHABLE' } as const;
      throw new CallError(notSent, { outcome: 'not_sent', status, errors, transient, retryAfter });
    }
  }
}
