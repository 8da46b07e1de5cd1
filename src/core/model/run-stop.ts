/** The cause of a stopped run, as far as the service can determine it. */
export interface RunStop {
  /** Time of the stop in milliseconds since the epoch, by the clock of the service. */
  readonly at: number;
  /** `closed` means that the service was shut down. */
  readonly cause: 'request' | 'app_deleted' | 'closed';
  /**
   * Name that the client sent with the request, for display; null if there is none. The service does not verify the
   * name.
   */
  readonly client: string | null;
}

/** Describes a stop: `stopped by loadtests stop (process 4711)`. */
export function stopText({ cause, client }: RunStop): string {
  switch (cause) {
    case 'request':
      return `stopped by ${client ?? 'a request'}`;
    case 'app_deleted':
      return `stopped because ${client ?? 'a request'} deleted the app of the test`;
    case 'closed':
      return `stopped because the service shut down`;
  }
}
