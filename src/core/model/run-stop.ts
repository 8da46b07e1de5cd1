/** Who asked a run to end before its time, as far as the service knows. */
import { formatInstant } from '../instant.ts';

export interface RunStop {
  /** Milliseconds since the epoch, by the clock of the service. */
  readonly at: number;
  /** `closed`: the service itself ended. */
  readonly cause: 'request' | 'app_deleted' | 'closed';
  /** What the request said of who sent it: a claim, for people. Null: nothing, or there was no request. */
  readonly client: string | null;
}

/** `stopped by loadtests stop (process 4711) at 2026-12-24 03:00:00 UTC` */
export function stopText({ at, cause, client }: RunStop): string {
  const when = `at ${formatInstant(at)} UTC`;
  switch (cause) {
    case 'request':
      return `stopped by ${client ?? 'a request'} ${when}`;
    case 'app_deleted':
      return `stopped by ${client ?? 'a request'} ${when}, which deleted its app`;
    case 'closed':
      return `stopped ${when}, as the service ended`;
  }
}
