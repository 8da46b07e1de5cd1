/** Resources that one test opens, or that a group of tests shares. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeAll, onTestFinished } from 'vitest';

type Close = () => unknown;

/** Functions that close the resources of the group that is being set up; the latest first. */
const groupClosers = new AsyncLocalStorage<Close[]>();

/** Closes a resource when the test ends that opened it, or the group whose tests share it. */
export function onScopeEnd(close: Close): void {
  const closers = groupClosers.getStore();
  if (closers === undefined) onTestFinished(async () => void (await close()));
  else closers.unshift(close);
}

/**
 * Opens a resource for all tests of a file or group, which must not depend on the data of one another. Returns a
 * function that returns it, to be called by tests.
 * @param open - opens everything with helpers that call `onScopeEnd`
 */
export function useShared<Resource>(open: () => Promise<Resource>): () => Resource {
  let opened: { readonly resource: Resource } | null = null;
  beforeAll(async () => {
    const closers: Close[] = [];
    const closeAll = async () => {
      for (const close of closers) await close();
    };
    try {
      opened = { resource: await groupClosers.run(closers, open) };
    } catch (error) {
      await closeAll();
      throw error;
    }
    return closeAll;
  });
  return () => {
    if (opened === null) throw new Error('the shared resource is not open yet');
    return opened.resource;
  };
}
