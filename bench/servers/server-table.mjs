/** Results of the server comparison, for the terminal and as a table for the page about the engine. */
import { readFileSync, writeFileSync } from 'node:fs';
import { formatted } from '../../scripts/format-generated.mjs';

const BEGIN = '<!-- Written by "npm run servers -- --write". -->';
const END = '<!-- End of the generated table. -->';

export function printServer(row, write) {
  const { make, version, name, requests, bytes, differences, failed } = row;
  const server = `${make}${version === null ? '' : ` ${version}`}, ${name}`.padEnd(60);
  if (failed !== null) {
    write(`${server} ${failed}`);
    return;
  }
  const compared = `${requests.toLocaleString('en-US').padStart(9)} requests${bytes ? ', bytes' : ''}`;
  const closed = closedText(row);
  if (differences.length === 0) write(`${server} ${compared}: equal${closed === '' ? '' : `; ${closed}`}`);
  else for (const line of [`${compared}: DIFFERENT`, ...differences]) write(`${server} ${line}`);
}

/** Replaces the text between the two comments of the page. */
export async function writePage(path, rows) {
  const page = readFileSync(path, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${path} does not contain the comments around the table`);
  const text = [before, BEGIN, '\n\n', pageTable(rows), '\n\n', END, after].join('');
  writeFileSync(path, await formatted(text, 'md'));
}

function closedText({ sentAgain, lost }) {
  const again = sentAgain > 0 ? [`${sentAgain.toLocaleString('en-US')} sent again`] : [];
  const requests = lost === 1 ? 'POST request' : 'POST requests';
  return [...again, ...(lost > 0 ? [`${lost.toLocaleString('en-US')} ${requests} failed`] : [])].join(', ');
}

/** Formats the table, without servers that are not installed. */
export function pageTable(rows) {
  const lines = rows
    .filter(({ failed }) => failed === null)
    .map((row) => ({ ...row, closed: closedText(row) }))
    .map(({ make, version, name, requests, closed, bytes, differences }) => [
      make,
      version ?? '',
      name,
      requests.toLocaleString('en-US'),
      closed === '' ? 'none' : closed,
      bytes ? 'compared' : 'not in the log',
      differences.length === 0 ? 'none' : differences.join('; '),
    ]);
  return [
    '| server | version | setup | requests | closed unannounced | bytes | differences |',
    '| --- | --- | --- | --: | --- | --- | --- |',
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}
