/** Generated values in requests: repeatable with the seed of the run, on any number of threads. */
import { expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import { compileJob } from '../../../src/engine/request-compiler.ts';
import { iterationOf, jobOf, targetOf, textBody, type JobChanges } from '../../support/test-engine.ts';
import { openRawTarget, responseText, type RawRequest } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

async function requestsOf(
  targets: readonly Partial<JobTarget>[],
  changes: JobChanges,
): Promise<readonly RawRequest[]> {
  let count = 0;
  const shop = await openRawTarget((_request, write) => {
    // Responses arrive in a different order in each run.
    setTimeout(write, (count++ * 7) % 20, responseText(200, ''));
  });
  await runInVirtualTime(
    jobOf(
      targets.map((target) => targetOf(shop.port, target)),
      { testType: 'non-cycling', total: 20, duration: 200, seed: 7, ...changes },
    ),
    shop,
  );
  return shop.requests;
}

const pathsOf = (requests: readonly RawRequest[]) => requests.map(({ path }) => path).sort();

test('the same seed produces the same values on one and four threads, and a different seed produces different values', async () => {
  const path = '/%{client}/%{iteration}/%{uuid}/%{text:8}/%{*:1-1000000}/%{pick:a,b}';
  const targets = [{ path }, { path: '/second/%{client}/%{hex:8}' }];
  const one = pathsOf(await requestsOf(targets, { threads: 1 }));
  expect(one).toHaveLength(40);
  expect(new Set(one).size).toBe(40);
  expect(pathsOf(await requestsOf(targets, { threads: 4 }))).toEqual(one);
  const other = pathsOf(await requestsOf(targets, { threads: 1, seed: 8 }));
  expect(other.filter((line) => one.includes(line))).toEqual([]);
});

test('clients and iterations of an open test are numbered from 0', async () => {
  const requests = await requestsOf([{ path: '/%{client}-%{iteration}' }], { threads: 3, total: 12 });
  const numbers = Array.from({ length: 12 }, (_, index) => `/${index}-${index}`);
  expect(pathsOf(requests)).toEqual(numbers.sort());
});

test('in a cycling test, every iteration has a unique number, and clients are numbered from 0', async () => {
  const requests = await requestsOf([{ path: '/%{client}-%{iteration}' }], {
    testType: 'cycling',
    initial: 3,
    total: 3,
    threads: 2,
  });
  const numbers = requests.map(({ path }) => path.slice(1).split('-').map(Number));
  expect(new Set(numbers.map(([client]) => client))).toEqual(new Set([0, 1, 2]));
  expect(new Set(numbers.map(([, iteration]) => iteration)).size).toBe(requests.length);
});

function render(target: Partial<JobTarget>): string {
  const job = jobOf([targetOf(80, target)]);
  return compileJob(job).targets[0]?.render(iterationOf([])) ?? '';
}

test('a random choice is encoded for the URL, form, JSON body or header that contains it', () => {
  const request = render({
    method: 'POST',
    path: '/%{pick:a%20b%26}?q=%{pick:ü}',
    headers: [{ name: 'x-choice', value: '%{pick:ü}' }],
    body: { kind: 'params', fields: [{ name: 'a', value: '%{pick:b & c}' }] },
  });
  expect(request).toContain('POST /a%20b%26?q=%C3%BC HTTP/1.1');
  expect(request).toContain('x-choice: Ã¼\r\n');
  expect(request).toContain('\r\n\r\na=b+%26+c');
  expect(render({ method: 'POST', body: { kind: 'json', text: '{"a":"%{pick:\\"}"}' } })).toMatch(
    /\{"a":"\\""\}$/,
  );
});

test('escaped variables and expressions are sent literally, without the backslash', () => {
  const b = '\\';
  const request = render({
    method: 'POST',
    headers: [{ name: 'x-a', value: `${b}{{a}} ${b}%{1} %{1}` }],
    body: textBody(`${b}{{a}} ${b}%{2} %{3} ${b}${b}%{4}`),
  });
  expect(request).toContain('x-a: {{a}} %{1} 1\r\n');
  expect(request).toMatch(/\{\{a\}\} %\{2\} 3 \\\\4$/);
});

test('the values of an iteration are the same in all its requests, and differ between iterations', async () => {
  const rows = { names: ['user'], values: [['ada'], ['grace & co']] };
  for (const threads of [1, 4]) {
    const requests = await requestsOf(
      [
        { path: '/first/{{email}}' },
        { path: '/second?e={{email}}&i={{id}}', headers: [{ name: 'x-id', value: '{{id}}' }] },
      ],
      {
        threads,
        iterationRows: [rows],
        values: [
          { name: 'id', value: '%{uuid}' },
          { name: 'email', value: '{{user}}-{{id}}@example.com' },
        ],
      },
    );
    const firsts = requests.flatMap(({ path }) =>
      path.startsWith('/first/') ? [path.slice('/first/'.length)] : [],
    );
    const seconds = requests.flatMap(({ path }) =>
      path.startsWith('/second') ? [new URLSearchParams(path.split('?')[1])] : [],
    );
    expect(firsts).toHaveLength(20);
    expect(new Set(firsts).size).toBe(20);
    expect(seconds.map((query) => query.get('e')).sort()).toEqual(firsts.map(decodeURIComponent).sort());
    for (const query of seconds) {
      expect(query.get('e')).toMatch(/^(?:ada|grace & co)-[0-9a-f-]{36}@example\.com$/);
      expect(query.get('e')).toContain(query.get('i'));
    }
  }
});

test('values of a flow are generated only in iterations of the flow, after the values of the test', async () => {
  const flows = [
    { name: 'a', weight: 3, urls: 1, values: [{ name: 'v', value: 'a-{{id}}' }] },
    { name: 'b', weight: 1, urls: 1, values: [{ name: 'v', value: 'b-{{id}}' }] },
  ];
  const values = [{ name: 'id', value: '%{iteration}' }];
  const requests = await requestsOf([{ path: '/a/{{v}}' }, { path: '/b/{{v}}' }], {
    threads: 3,
    flows,
    values,
  });
  const parts = requests.map(({ path }) => path.split(/[/-]/).slice(1));
  expect(parts.map(([, , id]) => Number(id)).sort((x, y) => x - y)).toEqual(
    Array.from({ length: 20 }, (_, index) => index),
  );
  expect(parts.filter(([flow, value]) => flow !== value)).toEqual([]);
  expect(parts.filter(([flow]) => flow === 'b')).toHaveLength(5);
});

test('items of a list are random, keep their JSON type, and are equal on one and four threads with the same seed', async () => {
  const rows = { names: ['ids'], values: [['[1, "b c", {"k": 2}]']], json: ['1'] };
  const text = '{"first":"%{item:ids}","second":"{{id}}","text":"-%{item:ids}-"}';
  const run = async (threads: number) => {
    const requests = await requestsOf(
      [{ method: 'POST', path: '/%{item:ids}', body: { kind: 'json', text } }],
      {
        threads,
        iterationRows: [rows],
        values: [{ name: 'id', value: '%{item:ids}' }],
      },
    );
    return requests.map(({ path, body }) => {
      const sent = JSON.parse(body) as Record<'first' | 'second' | 'text', unknown>;
      return { path: decodeURIComponent(path.slice(1)), ...sent };
    });
  };
  const key = (value: unknown) => JSON.stringify(value);
  const sent = await run(1);
  const valuesOf = (member: 'path' | 'first' | 'second' | 'text') =>
    [...new Set(sent.map((one) => key(one[member])))].sort();
  expect(valuesOf('path')).toEqual(['"1"', '"b c"', '"{\\"k\\":2}"']);
  expect(valuesOf('first')).toEqual(['"b c"', '1', '{"k":2}']);
  expect(valuesOf('second')).toEqual(['"b c"', '1', '{"k":2}']);
  expect(valuesOf('text')).toEqual(['"-1-"', '"-b c-"', '"-{\\"k\\":2}-"']);
  expect((await run(4)).map(key).sort()).toEqual(sent.map(key).sort());
});

test.each(['[]', 'null', 'x', '{"a":1}', '[1'])(
  'a request with the expression %{item:ids} is not sent if the value of the variable ids is %s',
  async (list) => {
    const rows = { names: ['ids'], values: [[list]] };
    expect(await requestsOf([{ path: '/%{item:ids}' }], { iterationRows: [rows] })).toEqual([]);
  },
);
