// The licenses of what esbuild put into dist/: whoever passes the bundle on must pass them on too.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of THIRD-PARTY-LICENSES.txt. The same metafile and packages make the same text. */
export function thirdPartyLicenses(metafile) {
  const packages = bundledDirectories(metafile)
    .map(describe)
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  // Two directories may hold the same version.
  const distinct = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  const parts = [...distinct.values()].map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`,
  );
  return [
    `This contains code of ${distinct.size === 1 ? 'the package' : `the ${distinct.size} packages`} below, each under its own license.\n`,
    ...parts,
  ].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Directories of the packages that left at least one byte in an output. */
function bundledDirectories(metafile) {
  const inputs = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const directories = inputs.flatMap((path) => {
    const found = /^(.*\/)?node_modules\/(@[^/]+\/)?[^/]+/.exec(path);
    return found === null ? [] : [found[0]];
  });
  return [...new Set(directories)];
}

function describe(directory) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  );
  if (typeof license !== 'string') throw new Error(`${name} ${version} is bundled and names no license`);
  const files = readdirSync(directory)
    .filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file))
    .sort(compare);
  const texts = files.map((file) =>
    readFileSync(join(directory, file), 'utf8').replaceAll('\r\n', '\n').trim(),
  );
  if (texts.length === 0) texts.push(standardText(license, author, `${name} ${version}`));
  return { name, version, license, text: texts.join('\n\n') };
}

/** Some packages say "MIT" and leave the text out. */
function standardText(license, author, what) {
  const holder = typeof author === 'string' ? author : author?.name;
  const own = new URL('../LICENSE', import.meta.url);
  if (license !== 'MIT' || holder === undefined || !existsSync(own)) {
    throw new Error(`${what} is bundled under ${license}, and its license has no text`);
  }
  const [, terms] = readFileSync(own, 'utf8').split(/^Copyright .*$/m);
  return `MIT License\n\nCopyright (c) ${holder}\n\n${terms.trim()}`;
}

/** By code units, so that no machine's language changes the order. */
function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
