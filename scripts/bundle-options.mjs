// Bundler options, shared by dist/ and by the engine that the benchmarks measure.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

// CommonJS packages call `require`. The banner resolves Node's own modules first: a `createRequire` in each
// file would add 6 ms to `validate`.
const banner = [
  // Older versions of Node.js lack this function. The check comes first, because the code below needs it.
  'if (process.getBuiltinModule === undefined) {',
  '  console.error(`loadtests needs Node.js 20.19 or later, but this is Node.js ${process.versions.node}.`);',
  '  process.exit(1);',
  '}',
  'const require = (name) =>',
  '  process.getBuiltinModule(name) ??',
  "  process.getBuiltinModule('node:module').createRequire(import.meta.url)(name);",
].join('\n');

/**
 * Packages that a dependency imports and loadtests never uses, with the importing dependency: commander
 * starts other programs for external commands, and Fastify compiles route schemas.
 */
const UNUSED = {
  'node:child_process': 'commander',
  '@fastify/ajv-compiler': 'fastify',
  '@fastify/fast-json-stringify-compiler': 'fastify',
};

export const withoutUnused = {
  name: 'without-unused',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(${Object.keys(UNUSED).join('|')})$`) }, ({ path, importer }) =>
      importer.includes(`/node_modules/${UNUSED[path]}/`) ? { path, namespace: 'empty' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: '' }));
  },
};

/** Options for the pattern engine, which is written next to the directories of the bundles that load it. */
export const PATTERNS = {
  entryPoints: { 'pattern/re2': 'src/pattern/re2.cjs' },
  format: 'cjs',
  banner: {},
  outExtension: { '.js': '.cjs' },
};

/**
 * Runs esbuild without writing files.
 *
 * @param options - Options for esbuild: entry points and output paths.
 * @returns `outputFiles` (paths and contents) and `metafile` (inputs of each output).
 */
export async function bundle(options) {
  return await esbuild.build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['libsql'],
    plugins: [withoutUnused],
    alias: { undici: './scripts/undici-subset.mjs' },
    define: { PACKAGE_VERSION: JSON.stringify(version) },
    banner: { js: banner },
    // Minified, so that each start reads less. Names and line breaks stay, so that a stack trace remains
    // useful.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 120,
    // Symbolic links are not resolved, so that the metafile names packages by their path in node_modules.
    preserveSymlinks: true,
    // License texts are written to a file of their own.
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
    ...options,
  });
}

/**
 * Features of uPlot that no chart uses, and the text that replaces them: other shapes of lines, axes with dates,
 * its own legend, bands, and the functions for callers. esbuild then removes the code that only they need.
 */
const UNUSED_IN_UPLOT = [
  // Functions for callers, and the shapes of lines.
  [/^uPlot\.assign = [^]*^}\n(?=\nexport )/m, ''],
  // Axes with dates, and scales that are neither linear nor logarithmic.
  [/^const (?:days|months|engNames) = [[{][^]*?^[\]}];$/gm, ''],
  [/^const (?:days3|months3|localTz|NL\w*|yyyy|md|aa|hmm\w*|ss) *=.*$/gm, ''],
  [/^genIncrs\(2, -53, 53, \[1\]\);$/m, ''],
  [/^\tconst _(?:tzDate|fmtDate|time\w+) .*;$/gm, ''],
  [/^const \[ timeIncrs.*$/gm, ''],
  [/^\t+let isTime = .*$/gm, ''],
  [/\bisTime\b|\bscaleX\.time\b|\b(?:sc\.distr|xScaleDistr|distr) == (?:2|4|100)\b/g, 'false'],
  // The legend.
  [/^\tconst showLegend = .*$/m, ''],
  [/\bshowLegend\b|\blegend\.live\b/g, 'false'],
  [/(?<=const markers {4}= legend\.markers;\s+)\{[^]*?^\t\}$/m, 'legend.idxs = activeIdxs;'],
  [
    /^const legendOpts = \{[^]*?^\};$/m,
    'const legendOpts = {idx: null, idxs: null, values: [], markers: {}};',
  ],
  [/ : sv \|\| numSeriesVal;$/m, ' : sv;'],
  [/^\tfunction setLegendValues[^]*?^\t\}$/m, ''],
  // Charts without a common x axis.
  [/\bmode == 2\b/g, 'false'],
  [/\bmode == 1\b/g, 'true'],
  // Bands between lines, and changes of the lines after the start.
  [/\bflags != 0 && bands\b/, 'false && bands'],
  [/^\tself\.(?:addBand|setBand|delBand|addSeries|delSeries) = .*$/gm, ''],
  [/^\tfunction (?:\w+Band|addSeries|delSeries|initLegendRow)\([^]*?^\t}$/gm, ''],
  // The highlighted line below the pointer.
  [/^\tconst cursorFocus = .*$/m, ''],
  [/\bcursorFocus\b|\bcursorOnePt\b(?! =)/g, 'false'],
  [/^\tconst cursorOnePt = .*$/m, ''],
  [/^\t\t\tlet shouldAlpha = .*$/m, ''],
  [/\b(?:shouldAlpha|opts\.focus != null)(?=\))/g, 'false'],
  [/^\tfunction set(?:Alpha|Focus)\([^]*?^\t\}$/gm, ''],
  [/\bclosest(?:Dist|Series) = (?:inf|null);/g, ''],
  // Vertical and reversed x axes.
  [/\bconst dir = scaleX\.dir \* \(.*\);$/gm, 'const dir = 1;'],
  [/(?<![.\w])dir == 1\b/g, 'true'],
  [/(?<![.\w])dir == -1\b/g, 'false'],
  [/\b(?:scaleX|sx|sori)\.?(?:ori)? == 0\b/g, 'true'],
  [/^.*\bhCursor &&.*$|\bhCursor = yCursor;|^\tlet [hy]Cursor;$/gm, ''],
  [/\bif \(cursor\.y\)\s+yCursor = .*$/m, ''],
  [/\b(?:scaleX|sx|sori)\.?(?:ori)? == 1\b/g, 'false'],
  [/\b(?:scale|sc)\.dir == -1\b/g, 'false'],
  [/^\t\t\tbezierCurveTo[HV],$/gm, ''],
  [/\b(?:moveTo|lineTo|rect|arc)V\b(?=,)|(?<=ori == 0 \? rectH : )rectV/g, 'null'],
  [/^const (?:facet|xySeriesOpts) = \{[^]*?^\};$/gm, ''],
  // Fewer points than entries, and the clipping of bands.
  [/\bconst decimate = .*;$/m, ''],
  [/^.*\bdrawAcc = .*$|^const drawAcc.*$|, drawAcc(?=;)/gm, ''],
  [/^\tbands\.forEach\([^]*?^\t\}\);$/m, ''],
  [/\bdecimate(?=\) \{)|\bband(?:Fill|Clip)Dir (?:!=|==) +-?\d/g, 'false'],
  [/\blet \[ bandFillDir, bandClipDir \] = .*;$/gm, ''],
  [/, bandFillDir(?=\))/g, ''],
  [/\bfalse \? scale\.m(?:in|ax) :/g, ''],
  [/(?<=\|\| |if \()bandClip\b(?=\))/g, 'false'],
  // Round corners.
  [/\bendRad == 0 && baseRad == 0/, 'true'],
  [/^\tlet (?:arcTo|moveTo) = ori[^]*?;$(?=\n\n)/gm, ''],
  // Ranges and ticks that no chart leaves to uPlot.
  [/(?<=sc\.range = fnOrSelf\(rn) \|\| [^]*?\n\t+\)(?=\);)/, ''],
  [/\brangeIsArr && \(.*?\)(?=\) \{)|!rangeIsArr && isObj\(rn\)/g, 'false'],
  [/\[_min, _max\] = range(?:Num|Log)\(_min, .*\);$/gm, ';'],
  [/\bsc\.distr == 3 \? logAxisSplits :/, ''],
  [/\baxis\.filter \|\| \(.*\)(?=\);)/, 'axis.filter || retArg1'],
  [/\|\| numAxisVals$/m, ''],
  [/\b(?:scaleOpts|wsc|sc)\.from != null(?: && .*(?=\)$))?/gm, 'false'],
  // Titles, marks and lines of axes, turned texts, automatic padding, and formats of numbers.
  [/\baxis\.label != null\b|\b(?:ticks|border)\.show\b/g, 'false'],
  [/\blet angle = .*;$/m, ''],
  [/\bangle [<>] 0 \? \w+ :|\bangle \|\|/g, ''],
  [/\bif \(angle\)/, 'if (false)'],
  [/\blabelFont,$|.*\blabelFont += .*;$|(?<=\[axis\.font), axis\.labelFont/gm, ''],
  [/\bopts\.(?:id != null|title(?=\)))/g, 'false'],
  [/^\tfunction autoPadSide\([^]*?^\t\}$/m, ''],
  [/\(opts\.padding \|\| .*(?=\.map)/, 'opts.padding'],
  [/\bifNull\(p, autoPadSide\)/, 'p'],
  [/^const (?:numFormatter|fmtNum) .*$/gm, ''],
  // Plugins, the lock of the cursor, and zoom and proximity by uPlot.
  [/^\t\(opts\.plugins \|\| \[\]\)\.forEach\([^]*?^\t\}\);$/gm, ''],
  [/\bdrag\.setScale && hasSelect && chgSelect\b|\bcursor\.lock\b|\bcursor\._lock\b(?! =)/g, 'false'],
  [/^\tif \(cursor\.dataIdx == null\) \{[^]*?^\t\}$/m, ''],
  [/\bcursor\.dataIdx\(self, i, idx, valAtPosX\)/, 'idx'],
  [/\bdragY(?=\)| &&)/g, 'false'],
  [/^\tself\.batch = batch;$/m, ''],
  [/\bif \(deferHooks\)/, 'if (false)'],
  [/\bgetBBox != null\b/, 'false'],
];

/**
 * Removes the unused features of uPlot, which are two fifths of its minified code.
 * @type {import('esbuild').Plugin}
 */
const withoutUnusedPlotFeatures = {
  name: 'without-unused-plot-features',
  setup(build) {
    build.onLoad({ filter: /uPlot\.esm\.js$/ }, ({ path }) => {
      const contents = UNUSED_IN_UPLOT.reduce(
        (text, [pattern, replacement]) => {
          const next = text.replace(pattern, replacement);
          if (next === text) throw new Error(`uPlot has changed: ${String(pattern)} was not found`);
          return next;
        },
        readFileSync(path, 'utf8'),
      );
      return { contents };
    });
  },
};

/**
 * Bundles a script for browsers. The output includes the licenses of its packages, because it is embedded in
 * other files.
 */
export async function bundleForBrowser(options) {
  const built = await bundle({
    platform: 'browser',
    format: 'iife',
    target: ['chrome110', 'firefox115', 'safari16.4'],
    external: [],
    plugins: [withoutUnusedPlotFeatures],
    alias: {},
    banner: {},
    minify: true,
    lineLimit: 0,
    ...options,
  });
  const licenses = `/*!\n${thirdPartyLicenses(built.metafile)}*/\n`;
  const outputFiles = built.outputFiles.map(({ path, text }) => ({
    path,
    contents: path.endsWith('.js') ? licenses + text : text,
  }));
  return { ...built, outputFiles };
}
