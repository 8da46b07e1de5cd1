// The licenses of the packages that esbuild bundled into dist/. They must be distributed with the bundle.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the text of THIRD-PARTY-LICENSES.txt. The same metafile and packages produce the same text. */
export function thirdPartyLicenses(metafile) {
  const packages = bundledDirectories(metafile)
    .map(describe)
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  // Two directories may contain the same version.
  const distinct = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  const parts = [...distinct.values()].map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`,
  );
  return [
    `This contains code of ${distinct.size === 1 ? 'the package' : `the ${distinct.size} packages`} below, each under its own license.\n`,
    ...parts,
  ].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the directories of packages that contribute at least one byte to an output. */
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
  if (typeof license !== 'string')
    throw new Error(`${name} ${version} is bundled and does not declare a license`);
  const files = readdirSync(directory)
    .filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file))
    .sort(compare);
  const texts = files.map((file) =>
    readFileSync(join(directory, file), 'utf8').replaceAll('\r\n', '\n').trim(),
  );
  if (texts.length === 0) texts.push(standardText(license, author, `${name} ${version}`));
  return { name, version, license, text: texts.join('\n\n') };
}

/** Some packages declare "MIT" without including the license text. */
function standardText(license, author, what) {
  const holder = typeof author === 'string' ? author : author?.name;
  const own = new URL('../LICENSE', import.meta.url);
  if (license !== 'MIT' || holder === undefined || !existsSync(own)) {
    throw new Error(`${what} is bundled under ${license}, but its license text is missing`);
  }
  const [, terms] = readFileSync(own, 'utf8').split(/^Copyright .*$/m);
  return `MIT License\n\nCopyright (c) ${holder}\n\n${terms.trim()}`;
}

/** Compares by code units, so that the order does not depend on the locale. */
function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
