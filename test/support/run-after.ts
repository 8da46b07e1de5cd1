/** Does something after so many milliseconds; resolves when it is done. */
export function runAfter(ms: number, act: () => unknown): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      act();
      resolve();
    }, ms);
  });
}
