/** Variables from lists and from the status, and the types of JSON values, as requests of a run send them. */
import { describe, expect, test } from 'vitest';
import type { JobTarget, JobVariable } from '../../../src/core/load/load-job.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { openRawTarget, responseText, type RawRequest } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

const LIST = {
  items: Array.from({ length: 10 }, (_, index) => ({ id: index, name: `n${index}`, tags: ['a'] })),
  others: Array.from({ length: 10 }, (_, index) => `o${index}`),
  empty: [],
  map: { '*': 'star' },
};

/** Sends the document to each client, and returns the second requests. */
async function follow(
  variables: readonly JobVariable[],
  second: Partial<JobTarget>,
  changes: JobChanges & { readonly document?: string; readonly status?: number } = {},
): Promise<{ readonly requests: readonly RawRequest[]; readonly unexpected: unknown }> {
  const { document = JSON.stringify(LIST), status = 200, ...jobChanges } = changes;
  const shop = await openRawTarget(({ path }, write) => {
    write(path === '/' ? responseText(status, document) : responseText(200, ''));
  });
  const targets = [targetOf(shop.port, { variables }), targetOf(shop.port, { method: 'POST', ...second })];
  const job = jobOf(targets, { testType: 'non-cycling', total: 40, duration: 200, seed: 3, ...jobChanges });
  const report = await runInVirtualTime(job, shop);
  return {
    requests: shop.requests.filter(({ path }) => path !== '/'),
    unexpected: report.total.ledger.unexpected,
  };
}

const json = (pointer: string, pick?: 'first' | 'last' | 'random' | 'all', name = 'v'): JobVariable => ({
  name,
  json: pointer,
  ...(pick === undefined ? {} : { pick }),
});
const pathsOf = (requests: readonly RawRequest[]) => [...new Set(requests.map(({ path }) => path))].sort();

describe('an item of a list', () => {
  test.each<readonly [variable: JobVariable, path: string]>([
    [json('/items/*/id'), '/x/0'],
    [json('/items/*/id', 'first'), '/x/0'],
    [json('/items/*/name', 'last'), '/x/n9'],
    [json('/others/*', 'last'), '/x/o9'],
    [json('/items/*/tags/0', 'last'), '/x/a'],
    [json('/others/*', 'all'), `/x/${encodeURIComponent(JSON.stringify(LIST.others))}`],
    [json('/items/*/none', 'all'), `/x/${encodeURIComponent('[]')}`],
    [json('/map/*'), '/x/star'],
  ])('with the variable %j, the path /x/{{v}} is sent as %s', async (variable, path) => {
    const { requests } = await follow([variable], { path: '/x/{{v}}' });
    expect([requests.length, pathsOf(requests)]).toEqual([40, [path]]);
  });

  test.each([json('/empty/*', 'random'), json('/items/*/tags'), json('/none/*', 'all'), json('/empty/*')])(
    'if the variable %j selects no value of a response, the response counts as unexpected',
    async (variable) => {
      const { requests, unexpected } = await follow([variable], { path: '/x/{{v}}' });
      expect([requests, unexpected]).toEqual([[], { variable: 40 }]);
    },
  );

  test('variables from one list use the same random item, and the choice does not depend on the number of threads', async () => {
    const variables = [
      json('/items/*/id', 'random', 'id'),
      json('/items/*/name', 'random', 'name'),
      json('/others/*', 'random', 'other'),
    ];
    const send = async (threads: number) =>
      (await follow(variables, { path: '/{{id}}/{{name}}/{{other}}' }, { threads })).requests
        .map(({ path }) => path)
        .sort();
    const paths = await send(1);
    expect(await send(4)).toEqual(paths);
    const picked = paths.map((path) => path.split('/').slice(1));
    for (const [id, name] of picked) expect(name).toBe(`n${id}`);
    expect(new Set(picked.map(([id]) => id)).size).toBeGreaterThan(5);
    expect(picked.some(([id, , other]) => other !== `o${id}`)).toBe(true);
  });

  test('a variable can contain the status code of a response', async () => {
    const variables = [{ name: 'v', status: true as const }];
    const { requests } = await follow(variables, { path: '/x/{{v}}' }, { status: 202 });
    expect(pathsOf(requests)).toEqual(['/x/202']);
  });
});

describe('the type of a JSON value', () => {
  test.each<readonly [document: string, text: string, sent: string]>([
    ['{"v":17}', '{"a":"{{v}}"}', '{"a":17}'],
    ['{"v":"17"}', '{"a":"{{v}}"}', '{"a":"17"}'],
    ['{"v":true}', '["{{v}}", "{{v}}" ,"{{v}}!"]', '[true, true ,"true!"]'],
    ['{"v":-1.5e3}', '"{{v}}"', '-1500'],
    ['{"v":"a\\"b"}', '{"a":"{{v}}"}', '{"a":"a\\"b"}'],
    ['{"v":17}', '{"{{v}}":"{{v}}","x{{v}}":"\\"{{v}}\\""}', '{"17":17,"x17":"\\"17\\""}'],
    ['{"v":17}', '{"a":"{{v}}{{v}}","b":"%{1}{{v}}"}', '{"a":"1717","b":"117"}'],
  ])('after the JSON response %s, the body %s is sent as %s', async (document, text, sent) => {
    const { requests } = await follow(
      [json('/v')],
      { path: '/x', body: { kind: 'json', text } },
      { document },
    );
    expect([...new Set(requests.map(({ body }) => body))]).toEqual([sent]);
  });

  test('a variable with all items of a list is sent as a JSON list', async () => {
    const body = { kind: 'json' as const, text: '{"ids":"{{v}}"}' };
    const { requests } = await follow([json('/items/*/id', 'all')], { path: '/x', body });
    expect(requests[0]?.body).toBe('{"ids":[0,1,2,3,4,5,6,7,8,9]}');
  });

  test('a numeric value from a payload row is sent as a JSON string', async () => {
    const body = { kind: 'json' as const, text: '{"r":"{{row}}","v":"{{v}}"}' };
    const rows = { names: ['row'], values: [['5']] };
    const { requests } = await follow(
      [json('/v')],
      { path: '/x', body },
      { document: '{"v":5}', iterationRows: [rows] },
    );
    expect(requests[0]?.body).toBe('{"r":"5","v":5}');
  });

  test('after a string replaces the number in a variable, the variable is sent as a JSON string', async () => {
    const shop = await openRawTarget(({ path }, write) => {
      write(responseText(200, path === '/' ? '{"v":1}' : '{"v":"one"}'));
    });
    const sends = { method: 'POST' as const, body: { kind: 'json' as const, text: '["{{v}}"]' } };
    const targets = [{}, { ...sends, path: '/2' }, { ...sends, path: '/3' }];
    const job = jobOf(
      targets.map((target) => targetOf(shop.port, { variables: [json('/v')], ...target })),
      { testType: 'non-cycling', total: 2, duration: 200 },
    );
    await runInVirtualTime(job, shop);
    expect(shop.requests.map(({ path, body }) => `${path} ${body}`).sort()).toEqual([
      ...['/ ', '/ '],
      ...['/2 [1]', '/2 [1]'],
      ...['/3 ["one"]', '/3 ["one"]'],
    ]);
  });
});
