/** The route of what was not delivered. */
import type { FastifyInstance } from 'fastify';
import type { CallbackList } from '../../contract/generated/callback-list.ts';
import { ROUTES } from '../../contract/routes.ts';
import { hostOf, type Notices } from '../domain/notices.ts';

export function addCallbackRoutes(server: FastifyInstance, notices: Notices): void {
  const { method, path } = ROUTES.listCallbacks;
  server.route({
    method,
    url: path,
    handler: (): CallbackList =>
      notices.list().map((notice) => ({
        callback_id: notice.id,
        test_id: notice.testId,
        result_id: notice.resultId,
        channel: notice.channel,
        // Not the URL: its path and query may be what lets one in.
        host: hostOf(notice),
        state: notice.state,
        attempts: notice.attempts,
        next_attempt_at: timeOf(notice.nextAttemptAt),
        last_error: notice.lastError,
        created_at: new Date(notice.createdAt).toISOString(),
      })),
  });
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
