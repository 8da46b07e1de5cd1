/** The warm-up of the code of each thread has no effect on the target and on the report. */
// @module-tag load
import { expect, test } from 'vitest';
import { createSelfSigned, openRawTarget, responseText, type RawReply } from '../support/raw-target.ts';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';

const testEngine = useTestEngine();

const respond: RawReply = (_request, write) => write(responseText(200, 'ok'));

test.each([false, true])(
  'the code warm-up of a thread opens no connection to the target and is not part of the report (TLS: %s)',
  async (secure) => {
    const shop = await openRawTarget(respond, secure ? { tls: createSelfSigned() } : {});
    const target = targetOf(shop.port, { secure, hostname: 'localhost' });
    const { report } = await runJob(
      testEngine.engine,
      jobOf([target], { total: 7, threads: 2, duration: 300 }),
    );
    expect(shop.connections()).toBe(7);
    expect(report.total.ledger).toMatchObject({ planned: 7, started: 7, success: 7 });
    expect(report.connect?.count).toBe(7);
    expect(report.tls?.count ?? 0).toBe(secure ? 7 : 0);
  },
);
