/**
 * Load tests of public repositories, written as configuration files. The first line of each file names the repository
 * and describes the original.
 */
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_EXCHANGES } from '../../src/core/load/run-report.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget, type TestTarget } from '../support/test-target.ts';
import { sampleRows } from '../support/test-scale.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const CORPUS = import.meta.dirname;
const FILES = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .sort();

/** Value of a setup, which output masks. */
const MEMBER = '987654';

const env = { ID_TOKEN: 'not-a-secret', FUNCTION_KEY: 'not-a-secret' };

/** Opens a target that responds with the values that the files extract or expect. */
async function openStandIn(): Promise<TestTarget> {
  return await openTestTarget((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://target.example');
    if (pathname === '/abc1234') response.statusCode = 404;
    if (['/orders', '/api/ratings', '/api/auth/register'].includes(pathname)) response.statusCode = 201;
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('X-Request-Id', '1');
    if (pathname.endsWith('/bulk')) {
      void countQueries(request).then((queries) =>
        response.end(`{"results": [], "request_id": "r", "total_queries": ${queries}}`),
      );
      return;
    }
    response.end(
      pathname === '/instruments'
        ? '["AB12", "CD34"]'
        : pathname === '/events'
          ? '[{"id": 7}, {"id": 9}]'
          : pathname === '/api/cases'
            ? '{"data": [{"id": 5}, {"id": 8}]}'
            : `{"data": {"jobId": "j-17", "accessToken": "of-the-member", "access_token": "of-the-user", "side_a_content": "", "memberInfo": {"id": ${MEMBER}}, "orderId": 5}, "result": "Non et, asker_name, url", "token": "of-the-user", "items": [1], "pizza": {"id": 3}, "traders": [1], "meta": {}, "slug": "names", "is_stale": false}`,
    );
  });
}

/** Returns the number of queries in the body of a request. */
async function countQueries(request: IncomingMessage): Promise<number> {
  const { queries } = (await json(request)) as { readonly queries: readonly unknown[] };
  return queries.length;
}

interface PlanDocument {
  readonly exit_code: number;
  readonly problems: readonly unknown[];
  readonly load: {
    readonly starts: number;
    readonly requests: number | null;
    readonly seconds: number;
  };
}

interface OnceDocument {
  readonly iterations: readonly {
    readonly exchanges: readonly { readonly request_header: string; readonly success: boolean }[];
  }[];
}

/** Creates a directory with the file, and the flags of commands that read it. */
function copyFile(file: string, host: string) {
  const directory = createTestDirectory();
  cpSync(join(CORPUS, dirname(file)), directory, { recursive: true });
  const copy = join(directory, basename(file));
  // On a busy machine, the stand-in responds late.
  writeFileSync(copy, readFileSync(copy, 'utf8').replaceAll(/within: \d+m?s/g, 'within: 9s'));
  return { directory, flags: ['-f', basename(file), '--var', `host=${host}`, '--json'] };
}

test.each(FILES)('the load test %s is valid', async (file) => {
  const { directory, flags } = copyFile(file, 'target.example:8080');
  const validated = await runInProcess(['validate', ...flags], { directory, env });
  expect(JSON.parse(validated.stdout)).toMatchObject({ exit_code: 0, problems: [] });
});

// By default, only one of six files is executed; with TEST_SCALE=1, all files are.
test.each(sampleRows(FILES, Math.ceil(FILES.length / 6)))(
  'the plan of the load test %s states the load, and an iteration completes without a failed request',
  async (file) => {
    const target = await openStandIn();
    const { directory, flags } = copyFile(file, target.host);
    const planned = await runInProcess(['plan', ...flags], { directory, env });
    const plan = JSON.parse(planned.stdout) as PlanDocument;
    expect(plan).toMatchObject({ exit_code: 0, problems: [], load: { starts: 1 } });
    expect(plan.load.seconds).toBeGreaterThan(0);

    const key = basename(file, '.yaml');
    const ran = await runInProcess(['run', key, '--once', '--yes', ...flags], { directory, env });
    expect(ran.exit, ran.stderr).toBe(0);
    const { iterations } = JSON.parse(ran.stdout) as OnceDocument;
    const exchanges = iterations.flatMap((iteration) => iteration.exchanges);
    expect(exchanges.every(({ success }) => success)).toBe(true);
    const sent = exchanges.map(({ request_header: header }) => header.split(' ').slice(0, 2).join(' '));
    const received = target.requests.map((request) => request.replace(MEMBER, '***'));
    // The flows run at the same time.
    expect(sent.sort()).toEqual(received.slice(0, MAX_EXCHANGES).sort());
    expect(sent.length).toBeGreaterThan(0);
  },
);
