/** Registration and verification of one app, with the texts that ask the user to publish the token. */
import { describe, expect, test } from 'vitest';
import { refuseUnavailableTargets } from '../../../src/apply/apps/available-targets.ts';
import { refuseUnresolvedApp, registerApp, verifyApp } from '../../../src/apply/apps/prepare-app.ts';
import type { ApplyContext } from '../../../src/apply/apply-context.ts';
import type { ApplyEvent } from '../../../src/apply/events.ts';
import type { DeclaredApp } from '../../../src/core/model/app.ts';
import { appId } from '../../../src/core/model/ids.ts';
import { seconds } from '../../../src/core/units.ts';
import { createApplyContext } from '../../support/apply-context.ts';
import { declareState, type TestFields } from '../../support/declared-state.ts';
import { createMemoryService, faultOnCall, type MemoryOptions } from '../../support/memory-service.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function appOf(fields: Partial<DeclaredApp> = {}): DeclaredApp {
  const [app] = declareState().app('shop', fields).state.apps;
  if (app === undefined) throw new Error('Bug: the state declares no app');
  return app;
}

function stage(options: Partial<MemoryOptions> = {}, parts: Partial<ApplyContext> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, latency: 0, ...options });
  const events: ApplyEvent[] = [];
  const context = createApplyContext({
    service: service.port,
    clock,
    emit: (event) => void events.push(event),
    ...parts,
  });
  const texts = () => events.flatMap((event) => ('text' in event ? [`${event.kind}: ${event.text}`] : []));
  return { clock, service, context, events, texts };
}

const NO_ADDRESS = () => Promise.resolve('"shop.example" has no address');

describe('an app whose host has no address', () => {
  test('an app whose host does not resolve is refused, and the error points to the app in the configuration file', async () => {
    const { context } = stage({}, { resolutionFailure: NO_ADDRESS });
    const source = { file: 'loadtests.yaml', line: 3, column: 1, length: 4, lineText: 'shop' };
    await expect(refuseUnresolvedApp(appOf({ source }), context)).rejects.toMatchObject({
      problem: {
        code: 'LT_PLAN_BLOCKED',
        message: '"shop.example" has no address',
        hint: 'check the spelling of the host name and the DNS settings of this machine',
        source,
      },
    });
  });

  test.each<[reason: string, fields: Partial<DeclaredApp>]>([
    ['a command publishes the token', { publish: { kind: 'command', command: 'publish' } }],
    ['the file declares its addresses', { connection: { resolve: ['192.0.2.1'] } }],
  ])('an app whose host does not resolve is accepted if %s', async (_, fields) => {
    const { context } = stage({}, { resolutionFailure: NO_ADDRESS });
    await refuseUnresolvedApp(appOf(fields), context);
  });
});

describe('the registration of an app', () => {
  const lists = (options: Partial<MemoryOptions>) => stage({ verified: ['shop.example'], ...options });

  test('a registration returns the ID and the verification ID of the new app', async () => {
    const { service, context } = stage();
    const { id, verificationId } = await registerApp(appOf(), context);
    expect(service.apps.map((app) => app.id)).toEqual([id]);
    expect(verificationId).toBe(`memory-${id}`);
  });

  test('for an app that is found in the list after a refused registration, registerApp returns the ID and no verification ID', async () => {
    const { service, context, texts } = lists({ registerAgain: 'refused' });
    expect(await registerApp(appOf(), context)).toEqual({ id: 'app0', verificationId: null });
    expect(service.count('registerApp')).toBe(1);
    expect(texts()).toEqual([]);
  });

  test('after a refused registration, apply searches the list of apps until the settle time is over, and then reports the refusal', async () => {
    const { clock, service, context, texts } = stage({
      faults: faultOnCall('registerApp', 1, { kind: 'refused', status: 422 }),
    });
    const from = clock.monotonic();
    await expect(registerApp(appOf(), context)).rejects.toMatchObject({ status: 422 });
    expect(clock.monotonic() - from).toBe(context.settle);
    expect(service.count('registerApp')).toBe(1);
    expect(texts()).toEqual([
      'note: the service refused to register shop.example; checking whether this host is already registered',
    ]);
  });

  test.each<[name: string, status: number, options: Partial<MemoryOptions>]>([
    ['the service rejects the key', 401, {}],
    ['the service supports idempotency keys', 422, { idempotent: true }],
  ])(
    'after a refused registration, apply does not wait for the list of apps if %s',
    async (_, status, options) => {
      const at = stage({ ...options, faults: faultOnCall('registerApp', 1, { kind: 'refused', status }) });
      await at.service.port.listApps();
      const from = at.clock.monotonic();
      await expect(registerApp(appOf(), at.context)).rejects.toMatchObject({ status });
      expect(at.clock.monotonic()).toBe(from);
      expect(at.texts()).toEqual([]);
    },
  );

  test('if a registration fails and the list of apps cannot be read, apply reports the error of the registration', async () => {
    const { context } = stage({
      faults: ({ operation }) =>
        operation === 'registerApp' ? { kind: 'refused', status: 409 } : { kind: 'refused', status: 403 },
    });
    await expect(registerApp(appOf(), context)).rejects.toMatchObject({ status: 409 });
  });
});

describe('the verification of an app', () => {
  const registered = { id: appId('app0'), verificationId: 'acme-a-b1' };

  /** An account with the app, which the service verifies after a number of failures. */
  async function account(verifyFails: number, parts: Partial<ApplyContext> = {}) {
    const at = stage({ verifyFails }, parts);
    const { id, verificationId } = await at.service.port.registerApp('shop.example');
    return { ...at, registered: { id, verificationId } };
  }

  test.each<[method: string, hint: string]>([
    [
      'http',
      'publish a text file that contains only acme-a-b1 at http://shop.example/acme-a-b1.txt (app.shop)',
    ],
    ['dns', 'add a TXT record "acme-a=b1" to shop.example'],
  ])(
    'with the verification method %s, the user is asked exactly once to publish the token, even if two attempts fail',
    async (method, text) => {
      const { context, events, registered: app } = await account(2);
      await verifyApp(appOf({ method }), { ...app, verificationId: registered.verificationId }, context);
      expect(events.filter(({ kind }) => kind === 'publish')).toEqual([
        { kind: 'publish', app: appOf({ method }), verificationId: 'acme-a-b1', text },
      ]);
    },
  );

  test('the TXT record for an app whose ID contains hyphens consists of the prefix, an equals sign and the whole ID', async () => {
    const { context } = stage({
      faults: ({ operation }) => (operation === 'verifyApp' ? { kind: 'lost' } : null),
    });
    const app = { id: appId('9b1f-4c2a'), verificationId: 'acme-loads-9b1f-4c2a' };
    await expect(verifyApp(appOf({ method: 'dns', wait: seconds(0) }), app, context)).rejects.toMatchObject({
      problem: { hint: 'add a TXT record "acme-loads=9b1f-4c2a" to shop.example' },
    });
  });

  test('a missing verification ID is derived from the ID of the app', async () => {
    const { context, texts, registered: app } = await account(1);
    await verifyApp(appOf(), { id: app.id, verificationId: null }, context);
    expect(texts()[0]).toContain(`publish a text file that contains only acme-${app.id} at`);
  });

  test('if the file declares a token directory, the token is published before the first verification attempt, without instructions to the user', async () => {
    const published: unknown[] = [];
    const {
      context,
      events,
      service,
      registered: app,
    } = await account(1, {
      publish: (_, ids) => {
        published.push({ ids, attempts: service.count('verifyApp') });
        return Promise.resolve();
      },
    });
    const publish = { kind: 'directory', directory: 'public' } as const;
    await verifyApp(appOf({ publish }), app, context);
    expect(published).toEqual([{ ids: { appId: app.id, verificationId: app.verificationId }, attempts: 0 }]);
    expect(events.filter(({ kind }) => kind === 'publish')).toEqual([]);
  });

  test('if several verification attempts fail for the same reason, the reason is reported once', async () => {
    const { context, texts, registered: app } = await account(4);
    await verifyApp(appOf(), app, context);
    expect(texts().filter((text) => text.startsWith('note'))).toEqual([
      'note: shop.example is not verified yet: the token is not there',
    ]);
  });

  test('the note about a failed verification states that the host has no address, unless the file declares addresses', async () => {
    let calls = 0;
    // The name is found before the first attempt, and lost afterward.
    const resolutionFailure = () => Promise.resolve(calls++ === 0 ? null : 'no address');
    const first = await account(1, { resolutionFailure });
    await verifyApp(appOf(), first.registered, first.context);
    expect(first.texts()).toContain('note: shop.example is not verified yet: no address');
    const second = await account(1, { resolutionFailure });
    await verifyApp(appOf({ connection: { resolve: ['192.0.2.1'] } }), second.registered, second.context);
    expect(second.texts()).toContain('note: shop.example is not verified yet: the token is not there');
  });

  test('a verification fails immediately if no process listens on the local port of the app', async () => {
    const {
      clock,
      context,
      service,
      registered: app,
    } = await account(9, {
      isSilent: (host) => Promise.resolve(host === 'shop.example'),
    });
    const from = clock.monotonic();
    await expect(verifyApp(appOf(), app, context)).rejects.toMatchObject({
      problem: {
        code: 'LT_PLAN_BLOCKED',
        message:
          '"shop.example" is not verified: connection refused: no local process is listening on that port',
        hint: 'start the target first, or declare "web_server" in the file to start it automatically',
      },
    });
    expect(service.count('verifyApp')).toBe(1);
    expect(clock.monotonic()).toBe(from);
  });

  test('a verification with a TXT record continues if no process listens on the local port of the app', async () => {
    const { context, service, registered: app } = await account(1, { isSilent: () => Promise.resolve(true) });
    await verifyApp(appOf({ method: 'dns' }), app, context);
    expect(service.count('verifyApp')).toBe(2);
  });

  test('the name of the TXT record does not contain the port of the app', async () => {
    const { context, events, registered: app } = await account(1);
    await verifyApp(appOf({ method: 'dns', host: 'shop.example:8080' }), app, context);
    expect(events).toMatchObject([
      { text: expect.stringMatching(/^add a TXT record "\S+" to shop\.example$/) as string },
      {},
    ]);
  });

  test('a verification that does not succeed in time fails with the latest reason and the instructions', async () => {
    const { clock, context, registered: app } = await account(99);
    const from = clock.monotonic();
    await expect(verifyApp(appOf({ wait: seconds(8) }), app, context)).rejects.toMatchObject({
      problem: {
        code: 'LT_PLAN_BLOCKED',
        message: '"shop.example" is not verified: the token is not there',
        hint: `publish a text file that contains only ${app.verificationId} at http://shop.example/${app.verificationId}.txt (app.shop)`,
      },
    });
    expect(clock.monotonic() - from).toBe(8_000);
  });

  test('a signal ends the wait for the next verification attempt', async () => {
    const interruption = new AbortController();
    const {
      clock,
      context,
      service,
      registered: app,
    } = await account(99, {
      interrupted: interruption.signal,
    });
    clock.at(clock.now() + 1_500, () => {
      interruption.abort();
    });
    await expect(verifyApp(appOf(), app, context)).rejects.toThrow('is not verified');
    expect(service.count('verifyApp')).toBe(2);
  });

  test('a verification request that the service refuses with status 422 is not repeated', async () => {
    const { context, service, registered: app } = await account(0);
    service.configure({ faults: faultOnCall('verifyApp', 1, { kind: 'refused', status: 422 }) });
    await expect(verifyApp(appOf(), app, context)).rejects.toMatchObject({ status: 422 });
    expect(service.count('verifyApp')).toBe(1);
  });
});

describe('the targets of a test on the embedded service', () => {
  const silent = 'no local process is listening on that port';

  test.each<[name: string, fields: TestFields, checked: readonly string[]]>([
    [
      'the target hosts with their ports',
      { urls: ['https://a.example/1', 'http://a.example:81/'] },
      ['a.example:443', 'a.example:81'],
    ],
    ['the common host of two URLs only once', { urls: ['/1', '/2'] }, ['shop.example:443']],
    [
      'the hosts of the setup and the teardown',
      {
        setup: { targets: targetsOf('http://a.example/') },
        teardown: { targets: targetsOf('http://b.example/') },
      },
      ['a.example:80', 'shop.example:443', 'b.example:80'],
    ],
    [
      'the addresses that the file declares',
      {
        urls: ['https://a.example:8443/'],
        connection: [{ host: 'a.example', options: { resolve: ['192.0.2.1', '2001:db8::1'] } }],
      },
      ['192.0.2.1:8443', '[2001:db8::1]:8443'],
    ],
  ])(
    'before a test starts on the embedded service, apply checks the availability of %s',
    async (_, fields, expected) => {
      const checked: string[] = [];
      const [home] = declareState().app('shop').test('home', fields).state.tests;
      if (home === undefined) throw new Error('Bug: the state declares no test');
      await refuseUnavailableTargets(home, {
        isEmbedded: true,
        isSilent: (host) => {
          checked.push(host);
          return Promise.resolve(false);
        },
        resolutionFailure: () => Promise.resolve(null),
      });
      expect(checked).toEqual(expected);
    },
  );

  test.each([
    [
      'without a listening process',
      true,
      silent,
      'start the target first, or declare "web_server" in the file to start it automatically',
    ],
    [
      'without an address',
      false,
      'no address',
      'check the spelling of the host name and the DNS settings of this machine',
    ],
  ])('a test with a target %s is refused with the reason and a hint', async (_, isSilent, reason, hint) => {
    const source = { file: 'loadtests.yaml', line: 9, column: 1, length: 4, lineText: 'home' };
    const [home] = declareState().app('shop').test('home').state.tests;
    if (home === undefined) throw new Error('Bug: the state declares no test');
    const refusal = refuseUnavailableTargets(
      { ...home, source },
      {
        isEmbedded: true,
        isSilent: () => Promise.resolve(isSilent),
        resolutionFailure: () => Promise.resolve('no address'),
      },
    );
    await expect(refusal).rejects.toMatchObject({
      problem: { code: 'LT_PLAN_BLOCKED', hint, source },
      message: expect.stringContaining(`its target "shop.example:443" is not available: `) as string,
    });
    await expect(refusal).rejects.toThrow(reason);
  });
});

function targetsOf(url: string) {
  return (
    declareState()
      .app('shop')
      .test('x', { urls: [{ url }] }).state.tests[0]?.spec.targets ?? []
  );
}
