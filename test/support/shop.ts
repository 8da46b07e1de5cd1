/** A service in server mode with one verified host, and a clock that the test controls. */
import { createTestClock, type TestClock } from './test-clock.ts';
import { openTestService, type TestService } from './test-service.ts';
import { openTestTarget, servePages, type TestTarget } from './test-target.ts';

export interface Shop {
  readonly service: TestService;
  readonly clock: TestClock;
  readonly target: TestTarget;
  readonly appId: string;
  /** Path of the verification file. */
  readonly proof: string;
}

type TestServiceOptions = NonNullable<Parameters<typeof openTestService>[0]>;

export async function openShop(
  options: TestServiceOptions & { readonly clock?: TestClock } = {},
): Promise<Shop> {
  const { clock = createTestClock(), ...more } = options;
  const service = await openTestService({ mode: 'serve', now: clock.now, ticker: clock.ticker, ...more });
  const target = await openTestTarget(servePages({}));
  const { app_id: appId, verification_id: token } = (
    await service.call('POST', '/v2/apps', { form: { app: target.host } })
  ).json;
  const proof = `/${token}.txt`;
  target.respondWith(servePages({ [proof]: token }));
  const response = await service.call('POST', `/v2/apps/${appId}/verify`);
  if (response.status !== 200) throw new Error(`the shop was not verified: ${response.text}`);
  return { service, clock, target, appId, proof };
}

/** Opens the service again with the same data and clock. */
export async function reopenShop(shop: Shop, options: TestServiceOptions = {}): Promise<TestService> {
  await shop.service.service.close();
  const { clock, service } = shop;
  return await openTestService({
    mode: 'serve',
    now: clock.now,
    ticker: clock.ticker,
    dataDirectory: service.dataDirectory,
    ...options,
  });
}
