/**
 * Hundreds of schedules in two time zones with a jumping clock: each fires once or is missed, as documented.
 */
import { afterEach, expect, test } from 'vitest';
import { formatInstant } from '../../src/core/instant.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../support/test-clock.ts';
import { sampleRows, scaleCount } from '../support/test-scale.ts';
import { smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openShop, reopenShop, type Shop } from '../support/shop.ts';
import { createSeededRandom } from '../support/virtual-clock.ts';

const SCHEDULES = scaleCount(250);
const START = Date.UTC(2028, 1, 28);

/** Instants near which clocks and calendars often fail. */
const INSTANTS = [
  Date.UTC(2028, 1, 28, 23, 59),
  Date.UTC(2028, 1, 29, 12),
  Date.UTC(2028, 2, 1),
  // An hour that Berlin skips, and an hour that it repeats.
  Date.UTC(2028, 2, 26, 1),
  Date.UTC(2028, 9, 29, 0, 30),
  Date.UTC(2028, 11, 31, 23, 59),
  // The end of 32-bit seconds.
  Date.UTC(2038, 0, 19, 3, 14),
  Date.UTC(2040, 1, 29, 23),
];

/** Tests are missed if the service checks them later than this after their due time, in ms. */
const GRACE = 5 * MINUTE;

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

interface Scheduled {
  readonly id: string;
  readonly due: number;
  state: 'pending' | 'fired' | 'missed';
}

async function scheduleAll(shop: Shop, random: () => number): Promise<readonly Scheduled[]> {
  const all: Scheduled[] = [];
  const dueTimes = Array.from({ length: SCHEDULES }, (_, index) => {
    const around = INSTANTS[index % INSTANTS.length] ?? START;
    return Math.round((around + (random() - 0.5) * HOUR) / SECOND) * SECOND;
  });
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let due = dueTimes.pop(); due !== undefined; due = dueTimes.pop()) {
        const json = smallTestFields(`${shop.target.url}/`, { scheduled_at: formatInstant(due) });
        const response = await shop.service.call('POST', '/v2/tests', { json });
        expect(response.json.status).toBe('pending');
        all.push({ id: response.json.test_id, due, state: 'pending' });
      }
    }),
  );
  return all;
}

/** Applies the documented rule: a due test fires at the first check, unless that check is too late. */
function updateStates(all: readonly Scheduled[], now: number): void {
  for (const one of all) {
    if (one.state !== 'pending' || one.due > now) continue;
    one.state = now - one.due > GRACE ? 'missed' : 'fired';
  }
}

test.each(sampleRows(['Europe/Berlin', 'America/St_Johns'], 1))(
  'in the time zone %s, each scheduled test starts once or is missed, despite clock changes and restarts',
  async (name) => {
    process.env['TZ'] = name;
    const random = createSeededRandom(23);
    const pick = (limit: number) => Math.floor(random() * limit);
    const shop = await openShop({ limits: { hostCheckIntervalMs: DAY } });
    shop.clock.set(START);
    const all = await scheduleAll(shop, random);
    let service: TestService = shop.service;
    const started: string[] = [];

    /** Lets the service check until nothing is due, and ends the runs that it has started. */
    const settle = async () => {
      updateStates(all, shop.clock.now());
      const fired = all.filter(({ state }) => state === 'fired').length;
      await waitUntil(() => {
        shop.clock.advance(0);
        return started.length + service.runner.runs.length >= fired ? true : null;
      });
      for (const run of service.runner.runs) run.end();
    };
    const restart = async (awayMs: number) => {
      await service.service.close();
      started.push(...service.runner.runs.map(({ job }) => job.runId));
      shop.clock.advance(awayMs);
      service = await reopenShop({ ...shop, service });
      await settle();
    };

    for (const instant of INSTANTS) {
      shop.clock.set(instant - HOUR);
      await settle();
      const end = instant + HOUR;
      while (shop.clock.now() < end) {
        switch (pick(8)) {
          case 0: {
            // The clock is set back and later corrected; nothing may fire again in between.
            const now = shop.clock.now();
            const back = pick(3 * DAY);
            shop.clock.advance(-back);
            await settle();
            shop.clock.set(now + pick(MINUTE));
            break;
          }
          case 1:
            // The machine was suspended.
            shop.clock.advance(10 * MINUTE);
            break;
          case 2:
            await restart(pick(2) === 0 ? pick(SECOND) : pick(9 * MINUTE));
            break;
          case 3:
            shop.clock.advance(SECOND);
            break;
          default:
            shop.clock.advance(pick(4 * MINUTE));
        }
        await settle();
      }
      // The clock jumps three days ahead and back again.
      if (pick(2) === 0) {
        shop.clock.advance(3 * DAY);
        await settle();
        shop.clock.advance(-3 * DAY);
        await settle();
      }
    }
    await restart(0);

    const outcomes = new Map<string, string>();
    for (const { id } of all) {
      const results = (await service.call('GET', `/v2/tests/${id}/results`)).list;
      const states = results.map(({ status, abort_reason: reason }) =>
        status === 'ready' ? (reason ?? 'fired') : status,
      );
      outcomes.set(id, states.join());
    }
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(all.map(({ id, state }) => [id, state])));
    const count = (state: string) => all.filter((one) => one.state === state).length;
    expect(count('pending')).toBe(0);
    for (const state of ['fired', 'missed']) expect(count(state)).toBeGreaterThan(SCHEDULES / 10);
    expect(new Set(started).size).toBe(count('fired'));
  },
);
