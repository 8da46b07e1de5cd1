/** Location of the built code of the engine's threads; see `scripts/build.mjs`. */

export function engineThreadUrl(): URL {
  return new URL('../../dist/engine/thread.js', import.meta.url);
}
