import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../../../src/core/model/secret.ts';
import type { FieldChange } from '../../../../src/core/reconcile/differences.ts';
import { planAgainstState } from '../../../../src/core/reconcile/file-comparison.ts';
import { planMembers } from '../../../../src/core/report/plan-document.ts';
import { NO_PAINT } from '../../../../src/report/paint.ts';
import { planText } from '../../../../src/report/plan-text.ts';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import { createMachine, planOptions, type SimulatedMachine } from '../../../support/simulated-machine.ts';
import { createMemoryService, type MemoryService } from '../../../support/memory-service.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { START_TIME, createVirtualClock } from '../../../support/virtual-clock.ts';
import {
  declaredTest,
  declareState,
  type TestFields,
  type UrlChanges,
} from '../../../support/declared-state.ts';

let service: MemoryService;
let laptop: SimulatedMachine;

beforeEach(() => {
  const clock = createVirtualClock();
  service = createMemoryService({
    clock,
    verified: ['shop.example', 'search.example'],
    latency: 0,
    runFor: 1,
  });
  laptop = createMachine(service, { clock });
});

function declared(fields: TestFields) {
  return declareState().app('shop').app('search').test('checkout', fields);
}

/** Returns the changes that a plan shows after the first fields were applied. */
async function changesOf(before: TestFields, after: TestFields): Promise<readonly FieldChange[] | 'none'> {
  await laptop.apply(declared(before));
  const plan = await laptop.plan(declared(after));
  const [action] = plan.actions.filter(({ verb }) => verb !== 'stop');
  if (action?.verb === 'no-op') return 'none';
  if (action?.verb !== 'replace') throw new Error(`the plan has ${action?.verb ?? 'nothing'}`);
  return action.changes;
}

/** All fields, each with a value other than its default. */
const FULL: TestFields = {
  name: 'Checkout smoke',
  type: 'cycling',
  initial: 5,
  total: 250,
  duration: '1m',
  timeout: '5s',
  errorThreshold: 20,
  callback: 'https://ci.example/hook',
  callbackEmail: 'team@shop.example',
  scheduledAt: START_TIME + 86_400_000,
  notes: 'Before the sale',
  tlsVerify: false,
  urls: [
    '/',
    {
      url: '/cart',
      method: 'POST',
      credentials: { login: 'ci', password: 'hidden' },
      headers: [{ name: 'Accept', value: 'application/json' }],
      params: [{ name: 'sku', value: '42' }],
      payloadFileUrl: 'https://search.example/rows.json',
      variables: [{ name: 'csrf', property: 'X-Csrf-Token', source: 'header' }],
    },
  ],
};

function cart(changed: UrlChanges): TestFields {
  const [home = '/', second] = FULL.urls ?? [];
  return { ...FULL, urls: [home, { ...(typeof second === 'object' ? second : {}), ...changed }] };
}

describe('changes of a single field', () => {
  test.each<[string, TestFields, FieldChange]>([
    ['name', { ...FULL, name: 'Smoke' }, change('/name', 'Checkout smoke', 'Smoke')],
    ['name, which is removed', { ...FULL, name: null }, change('/name', 'Checkout smoke', null)],
    ['initial', { ...FULL, initial: 6 }, change('/initial', 5, 6)],
    ['total', { ...FULL, total: 500 }, change('/total', 250, 500)],
    ['total, which returns to its default', { ...FULL, total: null }, change('/total', 250, null)],
    ['duration', { ...FULL, duration: '90s' }, change('/duration', 60, 90)],
    ['timeout', { ...FULL, timeout: '6s' }, change('/timeout', 5000, 6000)],
    ['error_threshold', { ...FULL, errorThreshold: 5 }, change('/error_threshold', 20, 5, false)],
    [
      'error_threshold, which returns to its default',
      { ...FULL, errorThreshold: null },
      change('/error_threshold', 20, 50, false),
    ],
    [
      'callback',
      { ...FULL, callback: 'https://ci.example/other' },
      change('/callback', 'https://ci.example/hook', 'https://ci.example/other'),
    ],
    [
      'callback_email',
      { ...FULL, callbackEmail: 'ada@shop.example' },
      change('/callback_email', 'team@shop.example', 'ada@shop.example'),
    ],
    [
      'scheduled_at',
      { ...FULL, scheduledAt: START_TIME + 90_000_000 },
      change('/scheduled_at', '2026-03-03 09:00:00', '2026-03-03 10:00:00'),
    ],
    ['notes', { ...FULL, notes: 'After it' }, change('/notes', 'Before the sale', 'After it')],
    ['notes, which are removed', { ...FULL, notes: null }, change('/notes', 'Before the sale', null)],
    ['tls_verify', { ...FULL, tlsVerify: true }, change('/tls_verify', false, null)],
    ['arrivals', { ...FULL, arrivals: 'random' }, change('/arrivals', null, 'random')],
    ['iterations', { ...FULL, iterations: 12 }, change('/iterations', null, 12)],
    ['iterations_per_client', { ...FULL, iterationsPerClient: 3 }, change('/iterations_per_client', null, 3)],
    ['pace', { ...FULL, pace: milliseconds(250) }, change('/pace', null, 250)],
    ['connections', { ...FULL, connections: 5 }, change('/connections', null, 5)],
    ['keep_alive', { ...FULL, keepAlive: false }, change('/keep_alive', null, false)],
    [
      'url',
      cart({ url: '/basket' }),
      change('/urls/1/url', 'https://shop.example/cart', 'https://shop.example/basket'),
    ],
    ['request_type', cart({ method: null }), change('/urls/1/request_type', 'POST', null)],
    [
      'login',
      cart({ credentials: { login: 'ada', password: 'hidden' } }),
      change('/urls/1/credentials/login', '‹2 characters›', 'ada'),
    ],
    [
      'a header',
      cart({ headers: [{ name: 'Accept', value: 'text/html' }] }),
      change('/urls/1/headers/accept', '‹16 characters›', 'text/html'),
    ],
    [
      'a parameter',
      cart({ params: [{ name: 'sku', value: '43' }] }),
      change('/urls/1/request_params/sku', '‹2 characters›', '43'),
    ],
    [
      'payload_file_url',
      cart({ payloadFileUrl: null }),
      change('/urls/1/payload_file_url', 'https://search.example/rows.json', null),
    ],
    [
      'variables',
      cart({ variables: [{ name: 'token', property: 'X-Csrf-Token', source: 'header' }] }),
      change('/urls/1/variables', null, ['token = header X-Csrf-Token'], false),
    ],
  ])('a plan shows exactly the changed field: %s', async (_name, after, expected) => {
    expect(await changesOf(FULL, after)).toEqual([expected]);
  });

  test('a plan shows raw_post_body_json as changed if only the escaping of values in a body changes', async () => {
    const body = '{"sku":"{{csrf}}"}';
    const change = { field: '/urls/1/raw_post_body_json', from: null, to: true, readable: false };
    expect(
      await changesOf(cart({ params: null, body }), cart({ params: null, body, jsonBody: true })),
    ).toEqual([change]);
  });

  test('a plan ignores the field "initial" of non-cycling tests and of per-second tests without stages', async () => {
    expect(await changesOf({ ...FULL, initial: null }, { ...FULL, type: 'non-cycling', initial: 7 })).toEqual(
      [change('/test_type', 'cycling', 'non-cycling')],
    );
    expect(await changesOf({ type: 'per-second', initial: 1 }, { type: 'per-second', initial: 2 })).toBe(
      'none',
    );
  });

  test('a plan shows a changed raw_post_body, but not its previous content', async () => {
    const body = (text: string): TestFields => ({ urls: [{ url: '/', method: 'POST', body: text }] });
    expect(await changesOf(body('{"sku":42}'), body('{"sku":43}'))).toEqual([
      change('/urls/0/raw_post_body', '‹10 characters›', '{"sku":43}'),
    ]);
  });

  test.each<[string, string[], string[], FieldChange]>([
    ['added', ['/'], ['/', '/cart'], change('/urls/1/url', null, 'https://shop.example/cart')],
    ['removed', ['/', '/cart'], ['/'], change('/urls/1/url', 'https://shop.example/cart', null)],
    [
      'inserted at the start',
      ['/', '/cart'],
      ['/new', '/', '/cart'],
      change('/urls/0/url', null, 'https://shop.example/new'),
    ],
    [
      'removed from the start',
      ['/old', '/', '/cart'],
      ['/', '/cart'],
      change('/urls/0/url', 'https://shop.example/old', null),
    ],
  ])('a plan shows exactly one change if a URL is %s', async (_name, before, after, expected) => {
    expect(await changesOf({ urls: before }, { urls: after })).toEqual([expected]);
  });

  test('if a URL is inserted before a URL with variables, a plan shows no change of the variables', async () => {
    const [home = '/', second = '/cart'] = FULL.urls ?? [];
    expect(await changesOf(FULL, { ...FULL, urls: [home, '/new', second] })).toEqual([
      change('/urls/1/url', null, 'https://shop.example/new'),
    ]);
  });
});

function change(
  field: string,
  from: FieldChange['from'],
  to: FieldChange['to'],
  readable = true,
): FieldChange {
  return { field, from, to, readable };
}

describe('equal declarations', () => {
  test.each<[string, TestFields, TestFields]>([
    ['identical fields', FULL, FULL],
    ['explicit defaults', {}, { initial: 0, total: 60, timeout: '10s', errorThreshold: 50 }],
    ['the first URL as the name', {}, { name: 'https://shop.example/' }],
    ['tls_verify: true', {}, { tlsVerify: true }],
    ['an explicit GET', {}, { urls: [{ url: '/', method: 'GET' }] }],
    ['empty lists', {}, { urls: [{ url: '/', headers: [], params: [], variables: [] }] }],
    ['empty strings', {}, { name: '', notes: '', callback: '' }],
    ['notes with surrounding white space', { notes: 'Sale\n' }, { notes: '  Sale' }],
    ['notes with different line breaks', { notes: 'One\nTwo\n' }, { notes: 'One\r\nTwo' }],
    ['a different password', cart({}), cart({ credentials: { login: 'ci', password: 'other' } })],
    [
      'a header name in upper case',
      cart({}),
      cart({ headers: [{ name: 'ACCEPT', value: 'application/json' }] }),
    ],
    [
      'the header of a variable in lower case',
      cart({}),
      cart({ variables: [{ name: 'csrf', property: 'x-csrf-token', source: 'header' }] }),
    ],
    ['a different spelling of a URL', {}, { urls: ['HTTPS://SHOP.EXAMPLE:443'] }],
  ])('a plan has no changes for %s', async (_name, before, after) => {
    expect(await changesOf(before, after)).toBe('none');
  });

  test('a plan has no changes for reordered headers and parameters', async () => {
    const target = (flip: boolean): TestFields => {
      const named = ['a', 'b', 'c'].map((name) => ({ name, value: name }));
      const fields = flip ? [...named].reverse() : named;
      return { urls: [{ url: '/', headers: fields, params: fields }] };
    };
    expect(await changesOf(target(false), target(true))).toBe('none');
  });
});

describe('secrets in plans', () => {
  const token = (value: string | null, before = 'Bearer ') => ({
    name: 'Authorization',
    value: { parts: [before, new Secret('TOKEN', value)] },
  });
  const secret = (value: string, before?: string): TestFields => ({
    urls: [{ url: '/', headers: [token(value, before)] }],
  });

  test('a plan shows a rotated secret as a change', async () => {
    expect(await changesOf(secret('one'), secret('one'))).toBe('none');
    expect(await changesOf(secret('one'), secret('two'))).toEqual([
      { ...change('/urls/0/headers/authorization', 'Bearer ***', 'Bearer ***'), rotated: true },
    ]);
  });

  test('a plan shows changed text before a secret as a change', async () => {
    expect(await changesOf(secret('one'), secret('one', 'Basic '))).toEqual([
      change('/urls/0/headers/authorization', '‹10 characters›', 'Basic ***'),
    ]);
  });

  test('a test with a rotated secret is replaced once, and the previous test is superseded', async () => {
    await laptop.apply(declared(secret('one')));
    const { plan, exit } = await laptop.apply(declared(secret('two')), { plan: { maxAge: milliseconds(0) } });
    expect([plan.summary.replace, plan.summary.run, exit]).toEqual([1, 0, 0]);
    expect((await laptop.plan(declared(secret('two')))).summary).toMatchObject({
      unchanged: 1,
      superseded: 1,
    });
    // The newest test is used, and it has the other secret.
    expect((await laptop.plan(declared(secret('one')))).summary).toMatchObject({ replace: 1 });
  });

  test('the plan text lists rotated secrets and secrets that cannot be compared', async () => {
    const url = {
      ...(typeof FULL.urls?.[1] === 'object' ? FULL.urls[1] : { url: '/' }),
      headers: [token('one')],
    };
    const text = async (now: TestFields) => {
      const plan = planMembers(await laptop.plan(declared(now)), 'https://api.example', sha256);
      const about = { command: 'plan', service: plan.service, next: null, verbose: true };
      return planText(plan, about, NO_PAINT);
    };
    await laptop.apply(declared({ urls: [url] }));
    expect(await text({ urls: [{ ...url, headers: [token('two')] }] })).toContain(
      'urls/0/headers/authorization   Bearer *** → Bearer ***  (the secret has changed)\n',
    );
    const unchanged = await text({ urls: [url] });
    expect(unchanged).toContain('urls/0/credentials/password   not compared with the service\n');
    expect(unchanged).not.toContain('headers/authorization');
  });

  test('a plan with runs warns once about secrets that cannot be compared', async () => {
    const url = { url: '/', credentials: { login: 'ci', password: 'hidden' } };
    const both = declared({ urls: [url] }).test('login', { urls: [url] });
    await laptop.apply(both);
    expect((await laptop.plan(both)).problems).toEqual([]);
    const { problems, summary } = await laptop.plan(both, { maxAge: milliseconds(0) });
    expect(summary.run).toBe(2);
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([
      ['LT_PLAN_SECRET_UNKNOWN', 'warning'],
    ]);
    expect(problems[0]?.message).toContain('"checkout", "login"');
    expect(problems[0]?.hint).toContain('--replace checkout --replace login');
  });

  test('a plan lists all passwords and keys as not compared, including those of phases and connections', async () => {
    const awsSigv4 = { region: 'eu', service: 'sqs', accessKeyId: 'A', secretAccessKey: 'S' };
    const fields: TestFields = {
      urls: [
        { url: '/', credentials: { login: 'ci', password: 'hidden' } },
        { url: '/a', credentials: { login: 'ci', password: '' } },
        { url: '/b', awsSigv4: { ...awsSigv4, sessionToken: 'T' } },
      ],
      connection: [
        { host: 'shop.example', options: { cert: 'C', key: 'K', passphrase: 'P' } },
        { host: 'search.example', options: { ca: 'A' } },
      ],
    };
    const { spec } = declaredTest(
      'home',
      { urls: [{ url: '/', awsSigv4: { ...awsSigv4, sessionToken: null } }] },
      [],
    );
    const { targets } = spec;
    const state = declared({ ...fields, setup: { targets }, teardown: { targets } });
    await laptop.apply(state);
    const { actions } = await laptop.plan(state);
    expect(actions[0]).toMatchObject({
      verb: 'no-op',
      uncomparedSecrets: [
        '/urls/0/credentials/password',
        '/urls/2/aws_sigv4/secret_access_key',
        '/urls/2/aws_sigv4/session_token',
        '/setup/urls/0/aws_sigv4/secret_access_key',
        '/teardown/urls/0/aws_sigv4/secret_access_key',
        '/connection/shop.example/key',
        '/connection/shop.example/passphrase',
      ],
    });
  });

  test.each(['********', 'sk_•••42', '[REDACTED]'])(
    'a secret that a service returns as %s is not compared',
    async (shown) => {
      await laptop.apply(declared(secret('one')));
      const [own] = service.tests;
      const targets = own?.spec.targets.map((target) => ({
        ...target,
        headers: [{ name: 'Authorization', value: `Bearer ${shown}` }],
      }));
      service.edit(own?.id ?? '', { targets: targets ?? [] });
      const { actions } = await laptop.plan(declared(secret('one')));
      expect(actions[0]).toMatchObject({
        verb: 'no-op',
        uncomparedSecrets: ['/urls/0/headers/authorization'],
      });
    },
  );

  test('a plan against another file has no changes if only the value of a secret differs', () => {
    const before = declared(secret('one')).state;
    const after = declared(secret('two')).state;
    const options = planOptions(0);
    expect(planAgainstState(before, after, { options, sha256 }).summary).toMatchObject({ unchanged: 1 });
  });

  test('a plan with a secret that is not set has no changes and lists the secret as not compared', async () => {
    await laptop.apply(declared(secret('one')));
    const unset = declared({ urls: [{ url: '/', headers: [token(null)] }] });
    const { summary, actions } = await laptop.plan(unset);
    expect(summary.unchanged).toBe(1);
    expect(actions[0]).toMatchObject({ verb: 'no-op', uncomparedSecrets: ['/urls/0/headers/authorization'] });
  });

  test('the changes of a plan, the local state and the notes of a test do not contain the values of secrets', async () => {
    const sensitive = (value: string): TestFields => ({
      urls: [
        {
          url: '/',
          method: 'POST',
          headers: ['Authorization', 'Cookie', 'X-Api-Key', 'Proxy-Authorization'].map((name) => ({
            name,
            value,
          })),
          credentials: { login: 'ci', password: value },
          body: { parts: ['{"key":"', new Secret('KEY', value), '"}'] },
        },
      ],
    });
    const changes = await changesOf(sensitive('canary-one'), sensitive('canary-two'));
    expect(changes).toHaveLength(5);
    expect(JSON.stringify(changes)).not.toContain('canary');
    const [own] = laptop.lines();
    expect(JSON.stringify([own, service.tests.map(({ spec }) => spec.notes)])).not.toContain('canary');
  });

  test('a plan does not contain the previous value of a secret from a changed or removed URL', async () => {
    const target = (value: string) => ({
      url: '/old',
      method: 'POST' as const,
      headers: ['Accept', 'X-Odd', 'Authorization'].map((name) => ({ name, value: hidden(value) })),
      params: [{ name: 'sku', value: hidden(value) }],
      credentials: { login: hidden(value), password: hidden(value) },
    });
    const hidden = (value: string) => ({ parts: ['', new Secret('OLD', value)] });
    const body = { url: '/body', method: 'POST' as const, body: hidden('canary-b') };
    const before: TestFields = { urls: [target('canary-a'), body] };
    const plain = [{ name: 'X-Odd', value: 'plain' }];
    for (const after of [
      ['/'],
      [
        { ...target('canary-a'), headers: plain, params: null, credentials: null },
        { ...body, body: 'plain' },
      ],
      ['/', '/', target('other')],
    ]) {
      const changes = await changesOf(before, { urls: after });
      expect(changes).not.toBe('none');
      expect(JSON.stringify(changes)).not.toContain('canary');
    }
  });

  test('if the value of a parameter becomes a secret, the test is replaced because its ownership marker was written for an earlier version', async () => {
    await laptop.apply(declared({ urls: [{ url: '/', params: [{ name: 'k', value: 'one' }] }] }));
    const value = { parts: [new Secret('K', 'one')] };
    const plan = await laptop.plan(declared({ urls: [{ url: '/', params: [{ name: 'k', value }] }] }));
    expect(plan.actions[0]).toMatchObject({
      verb: 'replace',
      changes: [],
      note: 'its ownership marker was written for an earlier version of the test',
    });
  });
});
