/** Cleanup of processes and directories at the end of the benchmark, including after an error or a signal. */
const closers = new Set();

/** Registers a cleanup function. The returned function runs it immediately, and only once. */
export function onExit(close) {
  let closing = null;
  const once = () => {
    closers.delete(once);
    closing ??= Promise.resolve(close());
    return closing;
  };
  closers.add(once);
  return once;
}

/** Runs all cleanup functions, the latest first: a process ends before its directory is removed. */
export async function closeAll() {
  for (const close of [...closers].reverse()) await close();
}

export function closeOnSignals() {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ]) {
    process.once(signal, () => {
      closeAll().finally(() => process.exit(code));
    });
  }
}
