/** Where the code of the engine's threads is. A file of its own, so that a worker loads no service with it. */

/** As seen from dist/chunks, where this file is bundled. */
export function engineWorkerUrl(): URL {
  return new URL('../engine/worker.js', import.meta.url);
}
