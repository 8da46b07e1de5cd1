/** Location of the code of the engine's threads. */

/** Returns the location of the built entry: see `scripts/build.mjs`. */
export function engineThreadUrl(): URL {
  return new URL('../../dist/engine/thread.js', import.meta.url);
}
