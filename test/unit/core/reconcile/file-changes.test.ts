/** Differences between two versions of the content of a file. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testKey } from '../../../../src/core/model/ids.ts';
import type { Json } from '../../../../src/core/canonical.ts';
import type {
  FileContent,
  FileField,
  FileSection,
  RequestFields,
} from '../../../../src/core/model/file-content.ts';
import { changeOf, findFileChanges, type FileChange } from '../../../../src/core/reconcile/file-changes.ts';

const at = (line: number) => ({ file: 'loadtests.yaml', line, column: 1 });

/** A field whose value is also its meaning. */
function field(path: string, value: Json, parts: Partial<FileField> = {}): FileField {
  const meaning = JSON.stringify(value);
  return { path: path.split('/'), value, meaning, orderedIn: null, secrets: [], source: at(9), ...parts };
}

function section(fields: readonly FileField[], parts: Partial<FileSection> = {}): FileSection {
  return { source: at(1), fields, requests: new Map(), value: { all: 1 }, ...parts };
}

/** A request `GET /NAME` with a header. */
function request(name: string, value: Json = 'a', parts: Partial<RequestFields> = {}): RequestFields {
  const own = { name: null, method: 'GET', url: `/${name}`, ...parts };
  const fields = [
    ...(own.name === null ? [] : [field('name', own.name)]),
    ...[field('url', own.url), field('request_type', own.method), field('headers/x', value)],
  ];
  return { label: `GET /${name}`, source: at(5), fields, value: { url: `/${name}` }, ...own };
}

const withRequests = (requests: readonly RequestFields[], list = 'urls') =>
  section([], { requests: new Map([[list, requests]]) });

function content(
  sections: Readonly<Record<string, FileSection>>,
  rows: Readonly<Record<string, readonly string[]>> = {},
): FileContent {
  return { sections: new Map(Object.entries(sections)), rowsOf: (path) => rows[path] ?? null };
}

function changes(before: FileContent, after: FileContent, moved: readonly [string, string][] = []) {
  return findFileChanges(before, after, new Map(moved.map(([from, to]) => [testKey(from), testKey(to)])));
}

function changed(address: string, parts: Partial<FileChange>): FileChange {
  const values = { before: null, after: null, source: at(9) };
  return changeOf(address, { field: null, kind: 'changed', ...values, ...parts });
}

describe('sections', () => {
  test('an added or removed test or app is one change with the values of the whole section, and other sections have one change for each field', () => {
    const one = section([field('a', 1), field('b/c', 2)]);
    const file = content({ 'test.home': one, 'app.shop': one, app: one, limits: one });
    const parts = { before: null, after: { all: 1 }, kind: 'added', source: at(1) } as const;
    expect(changes(content({}), file)).toEqual([
      changed('test.home', parts),
      changed('app.shop', parts),
      changed('app', { field: 'a', kind: 'added', after: 1 }),
      changed('app', { field: 'b.c', kind: 'added', after: 2 }),
      changed('limits', { field: 'a', kind: 'added', after: 1 }),
      changed('limits', { field: 'b.c', kind: 'added', after: 2 }),
    ]);
    const gone = { before: { all: 1 }, after: null, kind: 'removed', source: null } as const;
    expect(changes(file, content({}))).toEqual([
      changed('test.home', gone),
      changed('app.shop', gone),
      changed('app', { field: 'a', kind: 'removed', before: 1, source: null }),
      changed('app', { field: 'b.c', kind: 'removed', before: 2, source: null }),
      changed('limits', { field: 'a', kind: 'removed', before: 1, source: null }),
      changed('limits', { field: 'b.c', kind: 'removed', before: 2, source: null }),
    ]);
  });

  test('the section "moved" is not reported, and the section "project" is reported unless it was added', () => {
    const file = (project: string) =>
      content({ moved: section([field('a', 'b')]), project: section([field('project', project)]) });
    expect(changes(content({}), file('a'))).toEqual([]);
    expect(changes(file('a'), file('b'))).toEqual([
      changed('project', { field: 'project', before: 'a', after: 'b' }),
    ]);
    expect(changes(file('a'), content({}))).toEqual([
      changed('project', { field: 'project', kind: 'removed', before: 'a', source: null }),
    ]);
  });

  const named = (id: string | null, total = 1, path = 'id') =>
    section([...(id === null ? [] : [field(path, id)]), field('total', total)]);
  const renamed = (from: string, to: string) =>
    changed(`test.${to}`, { field: 'key', kind: 'renamed', before: from, after: to, source: at(1) });
  const total = changed('test.b', { field: 'total', before: 1, after: 2 });

  test('a test with an unchanged id or an entry in "moved" is renamed, and its fields are compared', () => {
    const before = (id: string | null) => content({ 'test.a': named(id) });
    const after = (id: string | null) => content({ 'test.b': named(id, 2) });
    expect(changes(before('x'), after('x'))).toEqual([renamed('a', 'b'), total]);
    expect(changes(before(null), after(null), [['a', 'b']])).toEqual([renamed('a', 'b'), total]);
  });

  test('a test without an id or with a different id is not renamed', () => {
    const kinds = (before: FileSection, after: FileSection) =>
      changes(content({ 'test.a': before }), content({ 'test.b': after })).map(({ kind }) => kind);
    const separate = ['added', 'removed'];
    expect(kinds(named(null), named(null))).toEqual(separate);
    expect(kinds(named('x'), named('y'))).toEqual(separate);
    expect(kinds(named('x'), named(null))).toEqual(separate);
    expect(kinds(named('x', 1, 'values/id'), named('x', 1, 'values/id'))).toEqual(separate);
    expect(kinds(named('x', 1, 'id/x'), named('x', 1, 'id/x'))).toEqual(separate);
    expect(kinds(named('x', 1, 'name'), named('x', 1, 'name'))).toEqual(separate);
    const number = section([field('id', 5)]);
    expect(kinds(number, number)).toEqual(separate);
  });

  test('a test is not compared with the test of an earlier key that still exists or never existed', () => {
    const moved: [string, string][] = [['a', 'b']];
    const both = content({ 'test.a': named('x'), 'test.b': named(null, 2) });
    expect(changes(content({ 'test.a': named('x') }), both, moved)).toMatchObject([
      { address: 'test.b', kind: 'added' },
    ]);
    expect(changes(content({}), content({ 'test.b': named(null) }), moved)).toMatchObject([
      { address: 'test.b', kind: 'added' },
    ]);
  });
});

describe('fields', () => {
  const fieldChanges = (before: readonly FileField[], after: readonly FileField[], rows = {}) =>
    changes(content({ 'test.a': section(before) }), content({ 'test.a': section(after) }, rows));

  test('a changed, added or removed field is one change with both values, and with the line of the section if the field was removed', () => {
    const before = [field('same', 1), field('a/b', 1), field('gone', 'x')];
    const after = [field('same', 1), field('new', null), field('a/b', 2)];
    expect(fieldChanges(before, after)).toEqual([
      changed('test.a', { field: 'new', kind: 'added' }),
      changed('test.a', { field: 'a.b', before: 1, after: 2 }),
      changed('test.a', { field: 'gone', kind: 'removed', before: 'x', source: at(1) }),
    ]);
    expect(
      fieldChanges([field('a', '60s', { meaning: '1m' })], [field('a', '1m', { meaning: '1m' })]),
    ).toEqual([]);
    expect(fieldChanges([field('a/b', 1)], [{ ...field('a', 1), path: ['a.b'] }])).toHaveLength(2);
  });

  test('a change of the names of secrets contains the names of both versions', () => {
    const value = (name: string, secrets: readonly string[]) =>
      field('headers/x', `\${${name}}`, { secrets });
    expect(fieldChanges([value('a', ['A'])], [value('b', ['B', 'C'])])).toMatchObject([
      { secrets: { before: ['A'], after: ['B', 'C'] } },
    ]);
    expect(fieldChanges([value('a', ['A'])], [value('b', ['A'])])).toMatchObject([{ secrets: null }]);
    expect(fieldChanges([], [value('b', ['A'])])).toMatchObject([{ secrets: { before: [], after: ['A'] } }]);
    expect(fieldChanges([value('b', ['A'])], [])).toMatchObject([{ secrets: { before: ['A'], after: [] } }]);
    expect(fieldChanges([], [value('b', [])])).toMatchObject([{ secrets: null }]);
  });

  test('a different order of the members of an ordered map is one change, and the order of other members is ignored', () => {
    const member = (name: string, orderedIn: string | null = 'json') =>
      field(name, name, { orderedIn, source: at(name.length) });
    const [a, b, c] = [member('json/a'), member('json/bb'), member('json/ccc')];
    const order = { before: ['json.a', 'json.bb'], after: ['json.bb', 'json.a'] };
    expect(fieldChanges([a, b, c], [b, a])).toEqual([
      changed('test.a', { field: 'json.ccc', kind: 'removed', before: 'json/ccc', source: at(1) }),
      changed('test.a', { field: 'json', ...order, source: at(7) }),
    ]);
    const free = [member('headers/a', null), member('headers/b', null)];
    expect(fieldChanges([a, ...free], [...free.toReversed(), a])).toEqual([]);
    const other = [member('multipart/a', 'multipart'), member('multipart/b', 'multipart')];
    expect(fieldChanges([a, ...other, b], [...other, a, b])).toEqual([]);
    expect(fieldChanges([a, ...other, b], [b, ...other.toReversed(), a]).map((one) => one.field)).toEqual([
      'json',
      'multipart',
    ]);
  });

  test('a change of a payload file contains the numbers of added and removed rows if both files can be read', () => {
    const path = 'payload_file';
    const file = (value: Json, meaning: string) =>
      content({ 'test.a': section([field(path, value, { meaning })]) }, ROWS);
    const ROWS = { 'a.csv': ['1', '2', '2', '3'], 'b.csv': ['2', '4', '5', '1', '4'] };
    const rowsOf = (before: Json, after: Json) =>
      changes(file(before, 'a'), file(after, 'b')).map(({ rows }) => rows);
    expect(rowsOf('a.csv', 'b.csv')).toEqual([{ added: 3, removed: 2 }]);
    expect(rowsOf('a.csv', 'a.csv')).toEqual([{ added: 0, removed: 0 }]);
    expect(rowsOf('a.csv', 'gone.csv')).toEqual([null]);
    expect(rowsOf('gone.csv', 'a.csv')).toEqual([null]);
    expect(rowsOf(['a.csv'], 'a.csv')).toEqual([null]);
    expect(rowsOf('a.csv', ['a.csv'])).toEqual([null]);
    const other = (value: string) => content({ 'test.a': section([field('other', value)]) }, ROWS);
    expect(changes(other('a.csv'), other('b.csv')).map(({ rows }) => rows)).toEqual([null]);
  });

  test('the numbers of added and removed rows equal the sums of the differences of all counts', () => {
    const rows = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
    const countOf = (list: readonly string[], row: string) => list.filter((one) => one === row).length;
    fc.assert(
      fc.property(rows, rows, (before, after) => {
        const side = (list: readonly string[], meaning: string) =>
          content({ 'test.a': section([field('payload_file', 'a.csv', { meaning })]) }, { 'a.csv': list });
        const sum = (more: readonly string[], less: readonly string[]) =>
          ['a', 'b', 'c'].reduce(
            (total, row) => total + Math.max(0, countOf(more, row) - countOf(less, row)),
            0,
          );
        expect(changes(side(before, '1'), side(after, '2'))[0]?.rows).toEqual({
          added: sum(after, before),
          removed: sum(before, after),
        });
      }),
    );
  });
});

describe('requests', () => {
  const requestChanges = (before: readonly RequestFields[], after: readonly RequestFields[], list = 'urls') =>
    changes(
      content({ 'test.a': withRequests(before, list) }),
      content({ 'test.a': withRequests(after, list) }),
    );
  const inRequest = (url: string, parts: Partial<FileChange>) => changed('test.a', { url, ...parts });
  const header = { field: 'headers.x', before: 'a', after: 'b' } as const;

  test('an added, removed or changed request is reported with its label', () => {
    const [a, b, c] = [request('a'), request('b'), request('c')];
    expect(requestChanges([a, c], [a, b, c])).toEqual([
      inRequest('GET /b', { kind: 'added', after: { url: '/b' }, source: at(5) }),
    ]);
    expect(requestChanges([a, b, c], [a, c])).toEqual([
      inRequest('GET /b', { kind: 'removed', before: { url: '/b' }, source: at(1) }),
    ]);
    expect(requestChanges([a, b], [a, request('b', 'b')])).toEqual([inRequest('GET /b', header)]);
  });

  test('the requests of a phase are reported with the name of the phase', () => {
    const found = requestChanges([request('a')], [request('a', 'b'), request('b')], 'setup.urls');
    expect(found.map(({ url }) => url)).toEqual(['setup: GET /a', 'setup: GET /b']);
    expect(requestChanges([request('a')], [], 'a.urls.b').map(({ url }) => url)).toEqual([
      'a.urls.b: GET /a',
    ]);
  });

  test('the requests of an added or removed list are added or removed', () => {
    const none = content({ 'test.a': section([]) });
    const some = content({ 'test.a': withRequests([request('a')], 'setup.urls') });
    expect(changes(none, some).map(({ kind }) => kind)).toEqual(['added']);
    expect(changes(some, none).map(({ kind }) => kind)).toEqual(['removed']);
  });

  test('a request is compared with the earlier request of the same name, otherwise of the same method and URL, otherwise of the same URL', () => {
    const named = (name: string, url: string) => request(url, 'a', { label: name, name });
    const post = { method: 'POST', label: 'POST /a' };
    const [get, added] = [request('a'), request('new')];
    const found = (before: readonly RequestFields[], after: readonly RequestFields[]) =>
      requestChanges(before, after).map((one) =>
        `${one.kind} ${one.url ?? 'order'} ${one.field ?? ''}`.trim(),
      );
    expect(found([named('x', 'a')], [added, named('x', 'b')])).toEqual(['added GET /new', 'changed x url']);
    expect(found([get], [added, named('x', 'a')])).toEqual(['added GET /new', 'added x name']);
    expect(found([get], [added, request('a', 'a', post)])).toEqual([
      'added GET /new',
      'changed POST /a request_type',
    ]);
    expect(found([named('x', 'a'), named('y', 'b')], [named('y', 'a')])).toEqual([
      'removed x',
      'changed y url',
    ]);
    expect(found([request('a', 'a', { ...post, name: 'x' })], [get, request('a', 'a', post)])).toEqual([
      'added GET /a',
      'removed POST /a name',
    ]);
  });

  test('a request that repeats another request is added or removed without a change of the order', () => {
    const numbered = (...values: readonly string[]) => values.map((value) => request('a', value));
    const [two, three] = [numbered('2', '3'), numbered('1', '2', '3')];
    expect(requestChanges(two, three)).toEqual([
      inRequest('GET /a', { kind: 'added', after: { url: '/a' }, source: at(5) }),
    ]);
    expect(requestChanges(three, two)).toEqual([
      inRequest('GET /a', { kind: 'removed', before: { url: '/a' }, source: at(1) }),
    ]);
  });

  test('moved requests are one change with both orders, and each is compared with its earlier version', () => {
    const [a, b, c] = [request('a'), request('b'), request('c')];
    const order = (before: readonly string[], after: readonly string[]) =>
      changed('test.a', { field: 'urls', before, after, source: at(1) });
    expect(requestChanges([a, b, c], [request('c', 'b'), a, b])).toEqual([
      order(['GET /a', 'GET /b', 'GET /c'], ['GET /c', 'GET /a', 'GET /b']),
      inRequest('GET /c', header),
    ]);
    expect(requestChanges([a, b, c], [c, request('d'), a])).toEqual([
      order(['GET /a', 'GET /b', 'GET /c'], ['GET /c', 'GET /d', 'GET /a']),
      inRequest('GET /d', { kind: 'added', after: { url: '/d' }, source: at(5) }),
      inRequest('GET /b', { kind: 'removed', before: { url: '/b' }, source: at(1) }),
    ]);
    const named = (name: string) => request('same', name, { label: name, name });
    expect(requestChanges([named('x'), named('y')], [named('y'), named('x')])).toEqual([
      order(['x', 'y'], ['y', 'x']),
    ]);
  });

  test('if a moved request occurs twice, only one of the requests is compared with the earlier version', () => {
    const [a, b] = [request('a'), request('b')];
    expect(requestChanges([a, b], [b, b, a]).map(({ kind, url }) => `${kind} ${url ?? 'order'}`)).toEqual([
      'changed order',
      'added GET /b',
    ]);
  });
});
