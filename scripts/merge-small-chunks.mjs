// What several commands share is cut into chunks, one for each set of commands that share the same: dozens of small
// files, of which each takes a start 0.5 ms. Those that every command can as well load whole become one file.

import { withoutUnused } from './bundle-options.mjs';

/** A chunk of fewer bytes is small. */
const SMALL = 4096;

/** Options for a second build with which the modules of small chunks are in one file that all load. */
export function together(metafile, entryPoint) {
  const modules = modulesOfSmallChunks(metafile, entryPoint);
  const contents = modules.map((path) => `import ${JSON.stringify(`./${path}`)};`).join('\n');
  const plugin = {
    name: 'small-chunks-together',
    setup(build) {
      build.onResolve({ filter: /^small-chunks$/ }, ({ path }) => ({ path, namespace: 'together' }));
      build.onLoad({ filter: /.*/, namespace: 'together' }, () => ({ contents, resolveDir: process.cwd() }));
    },
  };
  return { inject: ['small-chunks'], plugins: [withoutUnused, plugin] };
}

/** Without those that would bring along what is large, and not loaded by each command anyway. */
function modulesOfSmallChunks({ inputs, outputs }, entryPoint) {
  const chunks = Object.values(outputs).filter(
    ({ bytes, entryPoint }) => bytes < SMALL && entryPoint === undefined,
  );
  const modules = new Set(
    chunks.flatMap((chunk) => Object.keys(chunk.inputs)).filter((path) => path.startsWith('src/')),
  );
  const always = loadedWith(outputs, entryPoint);
  const brings = (path) => importsOf(inputs[path]).some((other) => !modules.has(other) && !always.has(other));
  // Each that is left out may be one that another one brings along.
  for (let left = -1; left !== modules.size;) {
    left = modules.size;
    for (const path of modules) if (brings(path)) modules.delete(path);
  }
  return [...modules];
}

/** The modules of an entry's output and of all chunks that it loads at once. */
function loadedWith(outputs, entryPoint) {
  const [name] = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint);
  const names = new Set([name]);
  for (const each of names) for (const other of importsOf(outputs[each])) names.add(other);
  return new Set([...names].flatMap((each) => Object.keys(outputs[each].inputs)));
}

/** Paths that are imported at once, and are no packages of Node's. */
function importsOf({ imports }) {
  return imports
    .filter(({ kind, external }) => kind === 'import-statement' && external !== true)
    .map(({ path }) => path);
}
