/** Source ports in TIME_WAIT: they occur only if the load generator must close the connection first. */
// @module-tag load
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/core/load/run-report.ts';
import { jobOf, targetOf, type JobChanges, textBody } from '../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

/** Runs a job with real sockets, and real TIME_WAIT, on a simulated clock. */
async function runLoad(shop: RawTarget, changes: JobChanges, target = targetOf(shop.port)): Promise<Ledger> {
  return (await runInVirtualTime(jobOf([target], changes), shop)).total.ledger;
}

/** Announces the close and closes slightly later, so that the load generator closes first. */
const closingReply: RawReply = (_request, write, socket) => {
  setTimeout(() => {
    write(responseText(200, 'ok', ['Connection: close']));
    setTimeout(() => socket.end(), 30);
  }, 10);
};

const readTcpTable = (): string => readFileSync('/proc/net/tcp', 'utf8');

/** Counts the local ports in TIME_WAIT after connections to a target. */
function countTimeWaitPorts({ port }: RawTarget): number {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const TIME_WAIT = '06';
  return readTcpTable()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((cells) => cells[2] === remote && cells[3] === TIME_WAIT).length;
}

describe.skipIf(process.platform !== 'linux')('source ports in TIME_WAIT', () => {
  test.each(['per-second', 'cycling'] as const)(
    'in a %s test, no source port enters TIME_WAIT and every request succeeds if each response announces the close of its connection',
    async (testType) => {
      const shop = await openRawTarget(closingReply);
      const ledger = await runLoad(shop, { testType, initial: 2, total: 30, duration: 1000 });
      expect(ledger).toMatchObject({
        started: shop.requests.length,
        success: shop.requests.length,
        network: {},
      });
      expect(ledger.success).toBeGreaterThanOrEqual(30);
      expect(countTimeWaitPorts(shop)).toBe(0);
    },
  );

  test('source ports enter TIME_WAIT after requests with a body, even if each response announces the close of its connection', async () => {
    const shop = await openRawTarget(closingReply);
    const target = targetOf(shop.port, { method: 'POST', body: textBody('sku=42') });
    const ledger = await runLoad(shop, { testType: 'per-second', total: 20 }, target);
    expect(ledger.success).toBe(10);
    expect(countTimeWaitPorts(shop)).toBeGreaterThan(0);
  });

  test('source ports enter TIME_WAIT if the responses do not announce the close of their connections', async () => {
    const shop = await openRawTarget();
    const ledger = await runLoad(shop, { testType: 'per-second', total: 20 });
    expect(ledger.success).toBe(10);
    expect(countTimeWaitPorts(shop)).toBeGreaterThan(0);
  });
});
