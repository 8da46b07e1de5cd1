/** Source locations of the errors of apply. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HostedOperation } from '../support/hosted-options.ts';
import { startHostedService, type HostedFault } from '../support/hosted-service.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOME = `version: 1
project: shop
service: { base_url: 'http://127.0.0.1:$RIG_PORT', auth_header: acme-auth, settle: 1s }
apps:
  shop: { app: 127.0.0.1:4080, verification: { method: http, manual: true, wait: 0s } }
tests:
  home: { test_type: non-cycling, total: 5, duration: 1s, urls: ['http://127.0.0.1:4080/'] }
`;

const NIGHT = HOME.replace('duration: 1s,', "duration: 1s, scheduled_at: '2099-01-01T00:00:00Z',");
const LATER = NIGHT.replace('total: 5', 'total: 6');

interface Row {
  /** The operation that the service rejects. */
  readonly on: HostedOperation;
  readonly response?: HostedFault['response'];
  readonly verified: boolean;
  /** File that is applied first, without a fault. */
  readonly before?: string;
  readonly file: string;
  readonly flags?: readonly string[];
  readonly location: string;
  readonly text: string;
}

const REJECTED = { status: 422, body: { message: 'error', errors: ['not today'] } };

const ROWS: readonly Row[] = [
  {
    on: 'createTest',
    verified: true,
    file: HOME,
    location: '7:3',
    text: 'test.home: POST /v2/tests: the service refused the request (422): "not today"',
  },
  {
    on: 'createTest',
    response: { status: 401 },
    verified: true,
    file: HOME,
    location: '7:3',
    text: 'test.home: POST /v2/tests: the service rejected the API key (401)',
  },
  {
    on: 'createTest',
    response: 'reset',
    verified: true,
    file: HOME,
    location: '7:3',
    text: 'the outcome of creating "home" is unknown',
  },
  {
    on: 'runTest',
    verified: true,
    before: HOME,
    file: HOME,
    flags: ['--run'],
    location: '7:3',
    text: 'test.home: PUT /v2/tests/',
  },
  {
    on: 'runTest',
    response: 'reset',
    verified: true,
    before: HOME,
    file: HOME,
    flags: ['--run'],
    location: '7:3',
    text: 'the outcome of starting test.home is unknown',
  },
  {
    on: 'stopTest',
    response: { status: 401 },
    verified: true,
    before: NIGHT,
    file: LATER,
    location: '7:3',
    text: 'test.home: PUT /v2/tests/',
  },
  {
    on: 'registerApp',
    verified: false,
    file: HOME,
    location: '5:3',
    text: 'app.shop: POST /v2/apps: the service refused the request (422): "not today"',
  },
  {
    on: 'verifyApp',
    response: { status: 404, body: { message: 'error', errors: ['not today'] } },
    verified: false,
    file: HOME,
    location: '5:3',
    text: 'app.shop: POST /v2/apps/',
  },
  {
    on: 'verifyApp',
    verified: false,
    file: HOME,
    location: '5:3',
    text: '"127.0.0.1:4080" is not verified: ',
  },
];

describe('source locations of apply errors', () => {
  test.each(ROWS)(
    'if the operation $on fails, the error with the text "$text" has the location of its test or app in the configuration file',
    async (row) => {
      const service = await startHostedService({ verifiedHosts: row.verified ? ['127.0.0.1:4080'] : [] });
      const directory = createTestDirectory();
      onTestFinished(() => service.close());
      const env = { LOADTESTS_API_KEY: service.options.key };
      const apply = async (text: string, ...flags: readonly string[]) => {
        writeFileSync(
          join(directory, 'loadtests.yaml'),
          text.replace('$RIG_PORT', new URL(service.url).port),
        );
        return await runInProcess(['apply', '--yes', ...flags], { directory, env });
      };
      if (row.before !== undefined) expect((await apply(row.before)).exit).toBe(0);
      service.injectFault({ on: row.on, response: row.response ?? REJECTED, times: Infinity });

      const { stdout, stderr } = await apply(row.file, '--json', ...(row.flags ?? []));

      const [line] = row.location.split(':').map(Number);
      const { problems } = JSON.parse(stdout) as { problems: readonly ReportedProblem[] };
      const errors = problems.filter(({ severity }) => severity === 'error');
      expect(errors).toEqual([expect.objectContaining({ file: 'loadtests.yaml', line })]);
      expect(errors[0]?.message).toContain(row.text);
      expect(stderr).toContain(`loadtests.yaml:${row.location}: error`);
    },
  );
});

describe('an error that only the service detects', () => {
  const projectOf = (host: string) => {
    const directory = createTestDirectory();
    const text = `version: 1
project: shop
apps: { shop: "${host}" }
tests:
  home:
    test_type: non-cycling
    total: 1
    duration: 1s
    urls:
      - url: "http://${host}/"
        headers: { X-User: "{{user}}", X-Ghost: "{{ghost}}" }
        payload_file_url: "http://${host}/rows.json"
        request_type: POST
        raw_post_body: "of {{nobody}}"
`;
    writeFileSync(join(directory, 'loadtests.yaml'), text);
    return directory;
  };

  test.each(['apply', 'run home --once'])(
    'each error of "loadtests %s" about a field that the service refuses has the location of the field',
    async (command) => {
      const rows = { version: 1, variables: [{ names: ['user'], values: [['ada']] }] };
      const target = await openTestTarget((_, response) => response.end(JSON.stringify(rows)));
      const ran = await runInProcess([...command.split(' '), '--yes', '--json'], {
        directory: projectOf(target.host),
      });
      expect(ran.stderr).toMatch(/loadtests\.yaml:11:49: error LT_API_REFUSED: .*"urls\[0\]: .*ghost/);
      expect(ran.stderr).toMatch(/loadtests\.yaml:14:24: error LT_API_REFUSED: .*"urls\[0\]: .*nobody/);
      expect(ran.stderr).toMatch(/raw_post_body: "of \{\{nobody\}\}"\n {30}~{15}\n/);
      expect(ran.exit).toBe(7);
      expect(target.requests).not.toContain('POST /');
    },
  );

  test('the error about a payload file that cannot be downloaded has the location of its URL in the configuration file', async () => {
    const target = await openTestTarget((_, response) => response.writeHead(404).end());
    const ran = await runInProcess(['apply', '--yes'], { directory: projectOf(target.host) });
    expect(ran.stderr).toMatch(/loadtests\.yaml:12:27: error LT_API_REFUSED: .*"payload_file_url"/);
  });
});

interface ReportedProblem {
  readonly severity: string;
  readonly message: string;
}
