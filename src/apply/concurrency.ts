/** The same for many things, several of them at once. */

/** Acts on each item in its order, at most `parallelism` of them at a time. Errors: the first that an act throws. */
export async function forEachConcurrent<T>(
  items: readonly T[],
  parallelism: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  // All workers take from one iterator, so that each item is taken once.
  const left = items.values();
  const worker = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(parallelism, items.length) }, worker));
}
