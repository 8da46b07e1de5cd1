/** Titles of tests, for display. */
/** Returns the name of a test or, if it has none, its first URL without the query, which may be confidential. */
export function titleOf({
  name,
  targets,
}: {
  readonly name: string | null;
  readonly targets: readonly { readonly url: string }[];
}): string {
  return name ?? (targets[0]?.url ?? '').replace(/[?#].*$/su, '');
}
