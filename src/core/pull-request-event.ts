import { objectOf } from './unknown-value.ts';

/**
 * Returns the base or head commit of the pull request in a GitHub event; null if the event does not contain a valid
 * commit.
 */
export function pullRequestCommit(event: unknown, side: 'base' | 'head'): string | null {
  const { sha } = objectOf(objectOf(objectOf(event)['pull_request'])[side]);
  return typeof sha === 'string' && isCommit(sha) ? sha : null;
}

export function isCommit(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}
