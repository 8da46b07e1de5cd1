/** A service for others with one host that consents to load, under a clock of the test's own. */
import { testClock, type TestClock } from './clock.ts';
import { openRig, type ServiceRig } from './service.ts';
import { openTarget, pages, type Target } from './target.ts';

export interface Shop {
  readonly rig: ServiceRig;
  readonly clock: TestClock;
  readonly target: Target;
  readonly appId: string;
  /** Path of the file that the host verifies with. */
  readonly proof: string;
}

type RigOptions = NonNullable<Parameters<typeof openRig>[0]>;

export async function openShop(options: RigOptions & { readonly clock?: TestClock } = {}): Promise<Shop> {
  const { clock = testClock(), ...more } = options;
  const rig = await openRig({ mode: 'serve', now: clock.now, ticker: clock.ticker, ...more });
  const target = await openTarget(pages({}));
  const { app_id: appId, verification_id: token } = (
    await rig.call('POST', '/v2/apps', { form: { app: target.host } })
  ).json;
  const proof = `/${token}.txt`;
  target.answerWith(pages({ [proof]: token }));
  const answer = await rig.call('POST', `/v2/apps/${appId}/verify`);
  if (answer.status !== 200) throw new Error(`the shop does not verify: ${answer.text}`);
  return { rig, clock, target, appId, proof };
}

/** Opens the service of a shop once more, on the same data and clock. */
export async function reopen(shop: Shop, options: RigOptions = {}): Promise<ServiceRig> {
  await shop.rig.service.close();
  const { clock, rig } = shop;
  return await openRig({
    mode: 'serve',
    now: clock.now,
    ticker: clock.ticker,
    dataFolder: rig.dataFolder,
    ...options,
  });
}
