/** Ports that wait for a minute after their connection: only where this side has to close first. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/core/load/run-report.ts';
import { jobOf, targetOf, type JobChanges } from '../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

/** Real sockets, whose ports wait in earnest, on a clock that is never late. */
async function load(shop: RawTarget, changes: JobChanges, target = targetOf(shop.port)): Promise<Ledger> {
  return (await runInVirtualTime(jobOf([target], changes), shop)).total.ledger;
}

/** Says that it closes, and does so a little later: who closes first is this side. */
const closing: RawReply = (_request, write, socket) => {
  setTimeout(() => {
    write(responseText(200, 'ok', ['Connection: close']));
    setTimeout(() => socket.end(), 30);
  }, 10);
};

const table = (): string => readFileSync('/proc/net/tcp', 'utf8');

/** Ports of this side that wait after connections to a target. */
function waiting({ port }: RawTarget): number {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const TIME_WAIT = '06';
  return table()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((cells) => cells[2] === remote && cells[3] === TIME_WAIT).length;
}

describe.skipIf(process.platform !== 'linux')('a port waits', () => {
  test.each(['per-second', 'cycling'] as const)(
    'not where the target closes after its answer, and each answer counts: %s',
    async (testType) => {
      const shop = await openRawTarget(closing);
      const ledger = await load(shop, { testType, initial: 2, total: 30, duration: 1000 });
      expect(ledger).toMatchObject({
        started: shop.requests.length,
        success: shop.requests.length,
        network: {},
      });
      expect(ledger.success).toBeGreaterThanOrEqual(30);
      expect(waiting(shop)).toBe(0);
    },
  );

  test('where the request has a body, of which the target might not have read everything', async () => {
    const shop = await openRawTarget(closing);
    const target = targetOf(shop.port, { method: 'POST', body: 'sku=42' });
    const ledger = await load(shop, { testType: 'per-second', total: 20 }, target);
    expect(ledger.success).toBe(10);
    expect(waiting(shop)).toBeGreaterThan(0);
  });

  test('where the target would have kept the connection', async () => {
    const shop = await openRawTarget();
    const ledger = await load(shop, { testType: 'per-second', total: 20 });
    expect(ledger.success).toBe(10);
    expect(waiting(shop)).toBeGreaterThan(0);
  });
});
