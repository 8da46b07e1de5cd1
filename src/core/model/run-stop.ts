/** The cause of a stopped run, as far as the service can determine it. */
import { timeText } from '../instant.ts';

export interface RunStop {
  /** Milliseconds since the epoch, by the clock of the service. */
  readonly at: number;
  /** Cause of the stop. `closed` means that the service was shut down. */
  readonly cause: 'request' | 'app_deleted' | 'closed';
  /** Name that the client sent with the request, for display; it is not verified. Null if there is none. */
  readonly client: string | null;
}

/** Describes a stop: `stopped by loadtests stop (process 4711) at 2026-12-24 03:00:00 UTC`. */
export function stopText({ at, cause, client }: RunStop): string {
  const when = `at ${timeText(at)}`;
  switch (cause) {
    case 'request':
      return `stopped by ${client ?? 'a request'} ${when}`;
    case 'app_deleted':
      return `stopped ${when} because ${client ?? 'a request'} deleted its app`;
    case 'closed':
      return `stopped ${when} because the service shut down`;
  }
}
