/** Reads targets of vegeta: requests in its HTTP format, or one JSON object per line. */
import {
  EMPTY_REQUEST,
  type IntakeBody,
  type IntakeField,
  type IntakeFlow,
  type IntakeNote,
  type IntakeRequest,
  type SourcePosition,
  START,
} from '../core/intake/intake.ts';
import { createPositions, InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { at, entriesOf, itemsOf, textOf } from './source-tree.ts';
import { parseJsonSource } from './json-tree.ts';

type TargetSource = Pick<IntakeSource, 'path' | 'text' | 'readFile'>;

/** Returns one flow per target, because targets are independent of each other. */
export function readTargets(source: TargetSource): readonly IntakeFlow[] {
  const isJson = source.text.trimStart().startsWith('{');
  const requests = isJson ? readJsonTargets(source) : readHttpTargets(source);
  if (requests.length === 0) throw new InvalidSource(source, START, 'the source contains no targets');
  return requests.map((request): IntakeFlow => ({
    at: request.at,
    name: `${request.method} ${request.url.map((part) => (typeof part === 'string' ? part.replace(/^https?:\/\/[^/?#]+/i, '') : '')).join('')}`,
    weight: 1,
    values: [],
    requests: [request],
    notes: [],
  }));
}

/** Reads targets in the HTTP format: `GET http://…`, then lines of headers, then `@file` for the body. */
function readHttpTargets(source: TargetSource): readonly IntakeRequest[] {
  const positionAt = createPositions(source.text);
  const requests: IntakeRequest[] = [];
  let offset = 0;
  let isOpen = false;
  for (const line of source.text.split('\n')) {
    const text = line.trim();
    const where = positionAt(offset + line.length - line.trimStart().length);
    offset += line.length + 1;
    if (text === '') isOpen = false;
    const target = /^([A-Z]+)\s+(https?:\/\/\S+)$/.exec(text);
    const header = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*)$/.exec(text);
    const last = requests.at(-1);
    if (text === '' || text.startsWith('#')) continue;
    if (target !== null) {
      requests.push({ ...EMPTY_REQUEST, at: where, method: target[1] ?? 'GET', url: [target[2] ?? ''] });
      isOpen = true;
    } else if (!isOpen || last === undefined) {
      throw new InvalidSource(
        source,
        where,
        'a target must begin with a method and a URL, such as "GET http://127.0.0.1:8080/"',
      );
    } else if (text.startsWith('@')) {
      requests[requests.length - 1] = { ...last, ...bodyOfFile(source, text.slice(1), where, last) };
    } else if (header !== null) {
      const field: IntakeField = { name: header[1] ?? '', value: [header[2] ?? ''] };
      requests[requests.length - 1] = { ...last, headers: [...last.headers, field] };
    } else
      throw new InvalidSource(
        source,
        where,
        'a line after a target must be a header, such as "accept: text/html", or a body file, such as "@body.json"',
      );
  }
  return requests;
}

function bodyOfFile(
  source: TargetSource,
  path: string,
  where: SourcePosition,
  { notes }: IntakeRequest,
): { readonly body: IntakeBody | null; readonly notes: readonly IntakeNote[] } {
  const file = source.readFile(path.replace(/^\.\//, ''));
  if ('text' in file) return { body: { kind: 'text', text: [file.text] }, notes };
  const message = `the body of the request is omitted: the file ${JSON.stringify(path)} ${file.reason}`;
  return { body: null, notes: [...notes, { kind: 'loss', at: where, message }] };
}

function readJsonTargets(source: TargetSource): readonly IntakeRequest[] {
  return source.text.split('\n').flatMap((line, index): readonly IntakeRequest[] => {
    if (line.trim() === '') return [];
    // With these newlines, positions have the line numbers of the source.
    const node = parseJsonSource({ path: source.path, text: '\n'.repeat(index) + line });
    const url = textOf(at(node, 'url'));
    if (url === null) throw new InvalidSource(source, node.at, 'a target requires "url"');
    const headers = entriesOf(at(node, 'header')).flatMap(([name, { node: values }]) =>
      itemsOf(values).map((value): IntakeField => ({ name, value: [textOf(value) ?? ''] })),
    );
    const encoded = textOf(at(node, 'body'));
    const body: IntakeBody | null =
      encoded === null ? null : { kind: 'text', text: [Buffer.from(encoded, 'base64').toString('utf8')] };
    return [
      {
        ...EMPTY_REQUEST,
        at: node.at,
        method: (textOf(at(node, 'method')) ?? 'GET').toUpperCase(),
        url: [url],
        headers,
        body,
      },
    ];
  });
}
