// docs/reference/problem-codes.md: every problem code with its cause, its fix and its exit code.
import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { exitCodeLink, table } from './format-generated.mjs';

/** Groups of codes, by the second word of their names. */
const GROUPS = [
  ['CONFIG', 'Configuration file'],
  ['CLI', 'Command line'],
  ['IMPORT', 'Import'],
  ['PLAN', 'Plans'],
  ['API', 'Requests to the service'],
  ['RUN', 'Runs'],
  ['CLUSTER', 'Redis and workers'],
  ['SERVER', 'Services'],
];

/** The page as Markdown. */
export async function codePage(note) {
  const codes = Object.entries(await readCodes());
  const groups = GROUPS.map(([group, title]) => ({
    title,
    codes: codes.filter(([code]) => code.split('_')[1] === group),
  }));
  const documented = groups.reduce((sum, group) => sum + group.codes.length, 0);
  if (documented !== codes.length) throw new Error('a problem code belongs to no group of the reference');
  return [
    note,
    '',
    '# Problem codes',
    '',
    'This page lists every problem code with its cause and its fix. loadtests prints the code of each error and warning, and `loadtests explain CODE` prints the same text. A released code keeps its meaning.',
    '',
    'The tables show the exit code of a command that ends because of the problem. A warning does not change the [exit code](exit-codes.md).',
    '',
    ...groups.flatMap(({ title, codes: own }) => [
      `**${title}**`,
      '',
      ...table(
        ['Code', 'Exit code', 'Problem'],
        own.map(([code, { exit, title: problem }]) => [
          `[\`${code}\`](#${code.toLowerCase()})`,
          exitCodeLink(exit),
          problem,
        ]),
      ),
    ]),
    ...groups.flatMap((group) => group.codes).flatMap(section),
  ].join('\n');
}

async function readCodes() {
  const source = readFileSync('src/core/codes.ts', 'utf8');
  const { code } = await transform(source, { loader: 'ts', format: 'esm' });
  const { CODES } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return CODES;
}

function section([code, entry]) {
  return [
    `## ${code}`,
    '',
    `${entry.title}. Exit code ${exitCodeLink(entry.exit)}.`,
    '',
    `**Cause**: ${escaped(entry.cause)}`,
    '',
    `**Fix**: ${escaped(entry.fix)}`,
    '',
  ];
}

/** Markdown reads `<` as the start of a tag and `*` as emphasis. A page of the repository becomes a link. */
function escaped(text) {
  return text.replaceAll(/[<*]/g, '\\$&').replaceAll(/\bdocs\/([a-z/-]+\.md)/g, '[docs/$1](../$1)');
}
