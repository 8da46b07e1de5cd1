/** Returns a function that computes a value on the first call and returns the same value on each call. */
export function once<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | null = null;
  return () => (computed ??= { value: compute() }).value;
}
