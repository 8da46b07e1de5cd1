/** Shared connections verified exactly: real loops and sockets on a simulated clock. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shareOf, splitIntoShards } from '../../../src/core/load/shard.ts';
import { chooseThreads } from '../../../src/core/load/thread-count.ts';
import { Client } from '../../../src/engine/client.ts';
import { ConnectionPool } from '../../../src/engine/connection-pool.ts';
import { computePortRequirement, countRequiredConnections } from '../../../src/engine/machine-limits.ts';
import { openRawTarget, responseText, type RawReply } from '../../support/raw-target.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { runInVirtualTime, virtualTimeOf, type VirtualRunEvents } from '../../support/virtual-run.ts';

const after =
  (ms: number): RawReply =>
  (_request, write) => {
    setTimeout(write, ms, responseText(200, ''));
  };

function unused(): never {
  throw new Error('no exchange begins');
}

const OPEN: JobChanges = { testType: 'per-second', total: 100, duration: 1000, threads: 1 };

/** Simulates a test of `/0`, `/1`, …, and returns its report and the requests as seen by the target. */
async function simulate(changes: JobChanges, urls = 1, reply = after(20), events: VirtualRunEvents = {}) {
  const shop = await openRawTarget(reply);
  const targets = Array.from({ length: urls }, (_, index) => targetOf(shop.port, { path: `/${index}` }));
  const report = await runInVirtualTime(jobOf(targets, { ...OPEN, ...changes }), shop, events);
  const requests = shop.requests.map(({ connection, path, at }) => ({
    connection,
    path,
    at: virtualTimeOf(at),
  }));
  return { report, shop, requests };
}

describe('shared connections', () => {
  test('100 clients per second wait in order of arrival for one connection that serves 50 requests per second', async () => {
    const { report, shop, requests } = await simulate({ connections: 1 });
    // Client n is due at 10 n and is sent at 20 n, when the response to the client before it has arrived.
    expect(requests.map(({ at }) => at)).toEqual(Array.from({ length: 100 }, (_, client) => 20 * client));
    expect(shop.connections()).toBe(1);
    expect(report.total.ledger).toMatchObject({ planned: 100, started: 100, success: 100 });
    // The response time of client n is 20 + 10 n, and its wait is 10 n.
    expect(report.total.latency).toMatchObject({ min: 20, max: 1010 });
    expect(report.total.latency?.mean).toBeCloseTo(515, 0);
    expect(report.total.serviceTime).toMatchObject({ min: 20, max: 20 });
    expect(report.pool).toMatchObject({ opened: 1, peak: 1, waited: 99 });
    expect(report.pool?.waitP99).toBeCloseTo(980, -1);
    // The target causes the waits, so the lower bounds of the response times contain them.
    expect(report.bounds.p95?.low).toBeGreaterThan(900);
  });

  test('clients do not wait while connections are free, and connections are reused', async () => {
    const { report, shop } = await simulate({ connections: 7 }, 1, after(15));
    expect(shop.connections()).toBe(2);
    expect(report.pool).toEqual({ opened: 2, peak: 2, waited: 0, waitP99: 0 });
    expect(report.total.latency).toMatchObject({ min: 15, max: 15 });
  });

  test('each request of an iteration waits separately for a shared connection, after clients that have waited longer', async () => {
    const { report, requests } = await simulate({ connections: 1, total: 2, testType: 'non-cycling' }, 2);
    // The clients are due at 0 and 500, so the second one does not wait.
    expect(requests.map(({ path, at }) => `${path} ${at}`)).toEqual(['/0 0', '/1 20', '/0 500', '/1 520']);
    expect(report.pool?.waited).toBe(0);
    const crowded = await simulate({ connections: 1 }, 2, after(15));
    const [first, second, third] = crowded.requests.map(({ path }) => path);
    // The second client was due at 10, before the first one needed the connection again at 15.
    expect([first, second, third]).toEqual(['/0', '/0', '/1']);
  });

  test('if the target closes the connection after each response, each client opens a new connection', async () => {
    const { report, shop } = await simulate({ connections: 2 }, 1, (_request, write, socket) => {
      setTimeout(() => {
        write(responseText(200, '', ['Connection: close']));
        socket.end();
      }, 15);
    });
    expect(shop.connections()).toBe(100);
    expect(report.pool).toMatchObject({ opened: 100, peak: 2 });
    expect(report.total.ledger.success).toBe(100);
  });

  test('a timeout frees the connection for the next client, and clients that are still waiting at the end count as omitted', async () => {
    const { report, shop } = await simulate({ connections: 1, total: 10, timeout: 400 }, 1, () => undefined);
    const { ledger, latency } = report.total;
    expect(ledger.planned).toBe(10);
    expect(ledger.started).toBe(shop.requests.length);
    expect(ledger.timeout.response + ledger.abandoned).toBe(ledger.started);
    expect(ledger.notStarted.stopped).toBe(10 - ledger.started);
    expect(ledger.notStarted.stopped).toBeGreaterThan(5);
    expect(report.total.omitted).toBe(ledger.notStarted.stopped);
    // The first client that never got a connection was due when at least three others waited before it.
    expect(latency?.max).toBeGreaterThan(1000);
  });

  test.each(['stopped', 'error_threshold'] as const)(
    'clients that wait for a connection do not start after the run ends with the reason %s',
    async (reason) => {
      const { report } = await simulate({ connections: 1 }, 1, after(20), { stop: { at: 300, reason } });
      const { planned, started, notStarted } = report.total.ledger;
      expect(planned).toBe(100);
      expect(started).toBe(16);
      expect(notStarted.stopped + notStarted.aborted).toBe(84);
    },
  );

  test('the lower bounds of response times exclude waits that a stall of the load generator may have caused', async () => {
    // One connection serves 50 clients per second. Of 49 that are due per second, each waits as long as the stall.
    const { report } = await simulate({ connections: 1, total: 49 }, 1, after(20), {
      stall: { at: 100, lasting: 300 },
    });
    expect(report.total.latency?.p50).toBeGreaterThan(250);
    expect(report.bounds.p50?.low).toBeLessThan(100);
  });

  test('the lower bound of a wait for a connection excludes all stalls since a connection was last free', () => {
    const stalls = { totalStalledMs: 0, stalledBeforeTick: 0 };
    const createConnection = () => ({ begin: () => unused(), close: () => undefined });
    const pool = new ConnectionPool({ limit: 1, destinations: 1, createConnection, stalls });
    const clients = Array.from({ length: 3 }, () => {
      const events = { onOpened: unused, onResponse: unused, onFailure: unused };
      return new Client(events, {
        destinations: 1,
        values: 0,
        usesRandom: false,
        groups: 0,
        hasLanes: false,
      });
    });
    const [first, second, third] = clients;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no clients');
    // The tick in which the clients begin is 300 ms late.
    stalls.totalStalledMs = 300;
    expect(pool.borrow(first, 0, 300)).toBe(true);
    expect(pool.borrow(second, 0, 300)).toBe(false);
    expect(pool.borrow(third, 0, 310)).toBe(false);
    stalls.totalStalledMs = 350;
    stalls.stalledBeforeTick = 300;
    expect(pool.nextServed(0)).toBeNull();
    pool.giveBack(first, 0);
    expect(pool.nextServed(0)).toBe(second);
    expect(pool.borrow(second, 0, 800)).toBe(true);
    expect(pool.minWait(0, 800 - second.waitsSince)).toBe(150);
    expect(pool.removeWaiting()).toEqual([third]);
    second.waitsSince = -1;
    // The connection was free after both stalls, so they cannot have delayed the next client.
    stalls.stalledBeforeTick = 350;
    pool.giveBack(second, 0);
    expect(pool.borrow(first, 0, 900)).toBe(true);
    expect(pool.borrow(third, 0, 900)).toBe(false);
    expect(pool.minWait(0, 1000 - third.waitsSince)).toBe(100);
  });

  test('each thread receives at least one shared connection, and the shares of all threads add up to the declared number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 60 }),
        (threads, connections, total) => {
          const job = jobOf([targetOf(80)], { testType: 'non-cycling', total, connections, threads });
          const shards = splitIntoShards(job, threads);
          const shares = shards.map((shard) => shareOf(shard, connections));
          expect(Math.min(...shares)).toBeGreaterThan(0);
          expect(shares.reduce((sum, share) => sum + share, 0)).toBe(connections);
          expect(shards.reduce((sum, { clients }) => sum + clients, 0)).toBe(total);
          const choice = chooseThreads(job, { cores: 8, quota: null, threadsInUse: 0, targetIsLocal: false });
          expect(choice.threads).toBe(shards.length);
        },
      ),
    );
  });

  test('a test with 50 shared connections requires 50 source ports and connections, regardless of its number of clients', () => {
    const job = jobOf([targetOf(80)], {
      testType: 'per-second',
      total: 5000,
      duration: 60_000,
      connections: 50,
    });
    expect(computePortRequirement(job, 'none')).toEqual({ ports: 50, holdMs: 0 });
    expect(countRequiredConnections(job)).toBe(50);
    expect(computePortRequirement({ ...job, connections: null }, 'none').ports).toBe(300_000);
  });
});
