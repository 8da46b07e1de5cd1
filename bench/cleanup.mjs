/** What has to be ended or removed before the benchmark may end: by itself, by an error, or by a signal. */
const closers = new Set();

/** Registers a closer; the function returned runs it now, once. */
export function atEnd(close) {
  let closing = null;
  const once = () => {
    closers.delete(once);
    closing ??= Promise.resolve(close());
    return closing;
  };
  closers.add(once);
  return once;
}

/** The latest comes first: a process goes before the directory that it works in. */
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
