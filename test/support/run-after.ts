/** Performs an action after a number of ms, and resolves when it is complete. */
export function runAfter(ms: number, action: () => unknown): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      action();
      resolve();
    }, ms);
  });
}
