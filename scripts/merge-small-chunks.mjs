// Code that several commands share is split into one chunk per set of commands. Each of these dozens of small
// files adds 0.5 ms to a start, so the ones that every command can load are merged into one file.

import { withoutUnused } from './bundle-options.mjs';

/** Chunks below this size, in bytes, are small. */
const SMALL = 4096;

/**
 * Returns options for a second build in which all commands load the modules of small chunks from one file.
 */
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

/** Excludes chunks that would add large modules that not every command loads. */
function modulesOfSmallChunks({ inputs, outputs }, entryPoint) {
  const chunks = Object.values(outputs).filter(
    ({ bytes, entryPoint }) => bytes < SMALL && entryPoint === undefined,
  );
  const modules = new Set(
    chunks.flatMap((chunk) => Object.keys(chunk.inputs)).filter((path) => path.startsWith('src/')),
  );
  const always = loadedWith(outputs, entryPoint);
  const brings = (path) => importsOf(inputs[path]).some((other) => !modules.has(other) && !always.has(other));
  // An excluded chunk may import another chunk of the list.
  for (let left = -1; left !== modules.size;) {
    left = modules.size;
    for (const path of modules) if (brings(path)) modules.delete(path);
  }
  return [...modules];
}

/** Returns the modules of an entry's output and of all chunks that it imports statically. */
function loadedWith(outputs, entryPoint) {
  const [name] = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint);
  const names = new Set([name]);
  for (const each of names) for (const other of importsOf(outputs[each])) names.add(other);
  return new Set([...names].flatMap((each) => Object.keys(outputs[each].inputs)));
}

/** Returns the static imports of a file, except Node's own modules. */
function importsOf({ imports }) {
  return imports
    .filter(({ kind, external }) => kind === 'import-statement' && external !== true)
    .map(({ path }) => path);
}
