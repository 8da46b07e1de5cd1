/**
 * Calls `act` for each item in order, with at most `parallelism` calls in progress.
 * @throws The error of the first call that fails. Calls for other items may continue afterward.
 */
export async function forEachConcurrent<T>(
  items: readonly T[],
  parallelism: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  // All loops share one generator, so that no item is processed twice. A loop that fails closes the generator.
  const remaining = (function* () {
    yield* items;
  })();
  const loop = async () => {
    for (const item of remaining) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(parallelism, items.length) }, loop));
}
