/** Tests that use extensions of the API, on a third-party service that ignores unknown fields. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findBlockingExtensions, EXTENSION_NAMES, type Extension } from '../../src/core/model/extensions.ts';
import { load } from '../../src/index.ts';
import { apply } from '../../src/library/apply.ts';
import { HOSTED_DEFAULTS } from '../support/hosted-options.ts';
import { startHostedService } from '../support/hosted-service.ts';

// The build defines this constant.
vi.stubGlobal('PACKAGE_VERSION', '1.2.3');

const SHOP = 'http://shop.example.com';
const LOAD = 'test_type: cycling, total: 5, duration: 1s';
const LOGIN = `{ url: '${SHOP}/login', variables: [{ name: token, property: X-Token }] }`;

/** One test for each extension; the type requires all of them. */
const USES: Readonly<Record<Extension, string>> = {
  methods: `{ ${LOAD}, urls: [{ url: '${SHOP}/', request_type: PUT }] }`,
  stages: `{ test_type: cycling, stages: [{ for: 1s, to: 5 }], urls: ['${SHOP}/'] }`,
  flows: `{ ${LOAD}, flows: { browse: { weight: 3, urls: ['${SHOP}/'] }, buy: { urls: ['${SHOP}/cart'] } } }`,
  groups: `{ ${LOAD}, urls: [{ repeat: 3, urls: ['${SHOP}/'] }] }`,
  parallel: `{ ${LOAD}, urls: [{ parallel: ['${SHOP}/a', '${SHOP}/b'] }] }`,
  setup: `{ ${LOAD}, setup: { urls: ['${SHOP}/login'] }, urls: ['${SHOP}/'] }`,
  teardown: `{ ${LOAD}, teardown: { urls: ['${SHOP}/logout'] }, urls: ['${SHOP}/'] }`,
  on_failure: `{ ${LOAD}, on_failure: stop, urls: ['${SHOP}/'] }`,
  on_start: `{ ${LOAD}, on_start: { urls: ['${SHOP}/login'] }, urls: ['${SHOP}/'] }`,
  resolve_url: `{ ${LOAD}, urls: [{ url: '${SHOP}/', variables: [{ name: next, property: Location }] }, '{{next}}'] }`,
  fractional_rates: `{ test_type: per-second, total: 2.5, duration: 2s, urls: ['${SHOP}/'] }`,
  warmup: `{ test_type: cycling, total: 5, duration: 2s, warmup: 1s, urls: ['${SHOP}/'] }`,
  expect: `{ ${LOAD}, urls: [{ url: '${SHOP}/', expect: { status: [201] } }] }`,
  expect_conditions: `{ ${LOAD}, urls: [{ url: '${SHOP}/', expect: { json: { /id: { exists: true } } } }] }`,
  expressions: `{ ${LOAD}, urls: ['${SHOP}/%{uuid}'] }`,
  values: `{ ${LOAD}, values: { sku: '1' }, urls: ['${SHOP}/{{sku}}'] }`,
  connections: `{ test_type: per-second, total: 5, duration: 2s, connections: 3, urls: ['${SHOP}/'] }`,
  iterations: `{ ${LOAD}, iterations: 12, urls: ['${SHOP}/'] }`,
  pace: `{ ${LOAD}, pace: 500ms, urls: ['${SHOP}/'] }`,
  arrivals: `{ test_type: per-second, total: 5, duration: 2s, arrivals: random, urls: ['${SHOP}/'] }`,
  connection: `{ ${LOAD}, connection: { tls_min: '1.3' }, urls: ['https://shop.example.com/'] }`,
  aws_sigv4: `{ ${LOAD}, urls: [{ url: '${SHOP}/', aws_sigv4: { region: eu-central-1, service: execute-api, access_key_id: AKIA, secret_access_key: secret } }] }`,
  abort_after: `{ ${LOAD}, thresholds: { p95: { limit: '< 1s', abort_after: 0s } }, urls: ['${SHOP}/'] }`,
  keep_alive: `{ ${LOAD}, keep_alive: false, urls: ['${SHOP}/'] }`,
  row_options: `{ ${LOAD}, urls: [{ url: '${SHOP}/', payload_file: { file: rows.csv, order: random } }] }`,
  pick: `{ ${LOAD}, urls: [{ url: '${SHOP}/', variables: [{ name: a, property: /items/*/id, source: json, pick: random }] }] }`,
  delay: `{ ${LOAD}, urls: [{ url: '${SHOP}/', delay: 1s }] }`,
  variables: `{ ${LOAD}, urls: [{ url: '${SHOP}/', variables: [{ name: a, property: sid, source: cookie }] }] }`,
  payload_file: `{ ${LOAD}, urls: [{ url: '${SHOP}/', payload_file: rows.csv }] }`,
  body_file: `{ ${LOAD}, urls: [{ url: '${SHOP}/', request_type: POST, body_file: order.xml }] }`,
  multipart: `{ ${LOAD}, urls: [{ url: '${SHOP}/', request_type: POST, multipart: { title: Invoice } }] }`,
  json: `{ ${LOAD}, urls: [${LOGIN}, { url: '${SHOP}/', request_type: POST, json: { token: '{{token}}' } }] }`,
};

/** Applies the test of an extension to a service that lists the given extensions. */
async function applyTest(name: Extension, known: readonly string[] | null) {
  const service = await startHostedService({ verifiedHosts: ['shop.example.com'], extensions: known });
  const directory = mkdtempSync(join(tmpdir(), 'extensions-'));
  onTestFinished(async () => {
    await service.close();
    rmSync(directory, { recursive: true });
  });
  const header = `version: 1\nproject: shop\nservice: { base_url: '${service.url}', auth_header: ${HOSTED_DEFAULTS.keyHeader}, settle: 100ms }\n`;
  writeFileSync(join(directory, 'rows.csv'), 'user\nanna\n');
  writeFileSync(join(directory, 'order.xml'), '<order/>');
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `${header}apps: { shop: shop.example.com }\ntests:\n  checkout: ${USES[name]}\n`,
  );
  const env = { LOADTESTS_API_KEY: HOSTED_DEFAULTS.key };
  const loaded = await load({ directory, env });
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join());
  const [declared] = loaded.value.desired.tests;
  if (declared === undefined) throw new Error('no test');
  const applyAgain = async () => {
    const { plan, problems } = await apply(loaded.value, { env, approve: () => true });
    return { actions: plan?.actions ?? [], problems };
  };
  return { service, declared, ...(await applyAgain()), applyAgain };
}

const others = (name: string) => EXTENSION_NAMES.filter((one) => one !== name);
const blocking = EXTENSION_NAMES.filter((name) => name !== 'json');

describe('extensions that the service does not list', () => {
  test.each(blocking)(
    'a test that requires the extension "%s" is blocked with a reason that names the extension, and no write request is sent',
    async (name) => {
      const { service, declared, actions, problems } = await applyTest(name, others(name));
      expect(findBlockingExtensions(declared.spec, new Set(others(name)))).toEqual([name]);
      expect(actions).toMatchObject([
        { verb: 'blocked', address: 'test.checkout', reason: `it requires the extension "${name}"` },
      ]);
      const [problem] = problems;
      expect(problem).toMatchObject({ code: 'LT_PLAN_BLOCKED', source: { line: 6, column: 3 } });
      expect(service.log.filter(({ method }) => method !== 'GET')).toEqual([]);
    },
  );

  test.each(blocking)(
    'a test that requires the extension "%s" is blocked if the service has no OpenAPI document',
    async (name) => {
      const { service, actions } = await applyTest(name, null);
      expect(actions.map(({ verb }) => verb)).toEqual(['blocked']);
      expect(service.log.filter(({ method }) => method !== 'GET')).toEqual([]);
    },
  );

  test('if the service does not list the extension "json", apply omits the flag of the extension with a warning, and the next plan has no changes', async () => {
    const { service, actions, problems, applyAgain } = await applyTest('json', others('json'));
    expect(actions.map(({ verb }) => verb)).toEqual(['create']);
    expect(problems).toMatchObject([
      { code: 'LT_PLAN_EXTENSION', severity: 'warning', source: { line: 6, column: 3 } },
    ]);
    const [create] = service.calls('createTest');
    expect(create?.body).toContain('"raw_post_body":"{\\"token\\":\\"{{token}}\\"}"');
    expect(create?.body).not.toContain('raw_post_body_json');
    expect((await applyAgain()).actions.map(({ verb }) => verb)).toEqual(['no-op']);
  });
});

describe('extensions that the service lists', () => {
  // Only the service of this project stores files.
  test.each(EXTENSION_NAMES.filter((name) => !name.endsWith('_file') && name !== 'row_options'))(
    'a test that uses the extension "%s" is created on a service that lists this extension',
    async (name) => {
      const { service, actions, applyAgain } = await applyTest(name, [name]);
      expect(actions.map(({ verb }) => verb)).toEqual(['create']);
      expect(
        service.calls('createTest').map(({ body }) => body.includes('"raw_post_body_json":true')),
      ).toEqual([name === 'json']);
      // The service does not list the flag, because it does not know it.
      if (name === 'json') expect((await applyAgain()).actions.map(({ verb }) => verb)).toEqual(['no-op']);
    },
  );
});
