/** Where the code of the engine's threads is. A file of its own, so that a worker loads no service with it. */

/** As seen from dist/chunks, where this file is bundled. */
export function engineThreadUrl(): URL {
  return new URL('../engine/thread.js', import.meta.url);
}
