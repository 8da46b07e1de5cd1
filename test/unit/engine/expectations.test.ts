/** What a test expects of answers: each class of the ledger against a target that counts for itself. */
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import type { Expectation } from '../../../src/core/model/expectation.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

/** Ten clients make such requests each. The target's own count equals the ledger's. */
async function play(reply: RawReply, ...targets: readonly Partial<JobTarget>[]): Promise<RunReport> {
  const shop = await openRawTarget(reply);
  const made = targets.map((changes) => targetOf(shop.port, changes));
  const job = jobOf(made, { testType: 'non-cycling', total: 10, duration: 200 });
  const report = await runInVirtualTime(job, shop);
  expect(answered(report)).toBe(shop.requests.length);
  return report;
}

function answered({ total: { ledger } }: RunReport): number {
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  return ledger.success + sum(ledger.httpError) + sum(ledger.unexpected);
}

const expecting = (wanted: Partial<Expectation>): Partial<JobTarget> => ({
  expect: { status: null, headers: null, body: null, json: null, ...wanted },
});

/** Answers in turn, each after 10 ms. */
function inTurn(...responses: readonly string[]): RawReply {
  let count = 0;
  return (_request, write) => {
    setTimeout(write, 10, responses[count++ % responses.length] ?? '');
  };
}

describe('a status', () => {
  test.each<readonly [wanted: Expectation['status'], came: number, fits: boolean]>([
    [[201, 409], 201, true],
    [[201, 409], 409, true],
    [[201, 409], 200, false],
    [['2xx'], 204, true],
    [['2xx'], 404, false],
    [['4xx', 200], 404, true],
    [['5xx'], 503, true],
    [null, 200, true],
    [null, 404, false],
  ])('of %j, with %i', async (status, came, fits) => {
    const report = await play(inTurn(responseText(came, '')), expecting({ status, headers: [] }));
    const { ledger, statusCodes } = report.total;
    expect(statusCodes).toEqual({ [came]: 10 });
    expect(ledger).toMatchObject({ success: fits ? 10 : 0, httpError: {} });
    expect(ledger.unexpected).toEqual(fits ? {} : { status: 10 });
    expect(report.timeline.reduce((sum, { error }) => sum + error, 0)).toBe(fits ? 0 : 10);
  });

  test('that came is told beside what was expected', async () => {
    const report = await play(
      inTurn(responseText(200, ''), responseText(503, '')),
      expecting({ status: [201, '4xx'] }),
    );
    expect(report.errorSamples.map(({ error, count }) => [error, count])).toEqual([
      ['answered 200, expected 201, 4xx', 5],
      ['answered 503, expected 201, 4xx', 5],
    ]);
  });

  test('counts for the error threshold', async () => {
    const shop = await openRawTarget(inTurn(responseText(200, '')));
    const job = jobOf([targetOf(shop.port, expecting({ status: [201] }))], {
      ...{ testType: 'per-second', total: 100, duration: 5000, errorThreshold: 50 },
    });
    expect((await runInVirtualTime(job, shop)).abortReason).toBe('error_threshold');
  });

  test('of another URL is judged as ever', async () => {
    const report = await play(
      ({ path }, write) => {
        write(responseText(path === '/' ? 404 : 503, ''));
      },
      expecting({ status: [404] }),
      { path: '/b' },
    );
    expect(report.targets.map(({ ledger }) => [ledger.success, ledger.httpError])).toEqual([
      [10, {}],
      [0, { 503: 10 }],
    ]);
    expect(report.total.ledger).toMatchObject({ success: 10, httpError: { 503: 10 }, unexpected: {} });
  });
});

describe('a redirect', () => {
  const leads: RawReply = ({ path }, write) => {
    write(path === '/' ? responseText(302, '', ['Location: /end']) : responseText(200, '', ['X-End: yes']));
  };

  test('is a success of its own, and what it leads to is judged', async () => {
    const headers = [{ name: 'x-end', value: 'yes' }];
    const { total } = await play(leads, expecting({ status: [200], headers }));
    expect(total.ledger).toMatchObject({ started: 20, success: 20, unexpected: {} });
  });

  test.each([[[302]], [['3xx' as const, 200]]])(
    'that is expected, as %j, is not followed',
    async (status) => {
      const { total } = await play(leads, expecting({ status }));
      expect(total.statusCodes).toEqual({ 302: 10 });
      expect(total.ledger).toMatchObject({ success: 10, unexpected: {} });
    },
  );

  test('to elsewhere is the final answer', async () => {
    const away = responseText(302, '', ['Location: http://other.test/']);
    const { total } = await play(inTurn(away), expecting({ status: [200] }));
    expect(total.ledger).toMatchObject({ success: 0, unexpected: { status: 10 } });
  });
});

describe('a header', () => {
  test.each<readonly [value: string, line: string | null, fits: boolean]>([
    ['application/json*', 'Content-Type: application/json; charset=utf-8', true],
    ['application/json*', 'content-TYPE:application/json', true],
    ['application/json', 'Content-Type: application/json; charset=utf-8', false],
    ['*json', 'Content-Type: text/json', true],
    ['*json*', 'Content-Type: text/json; a=b', true],
    ['*', 'Content-Type: anything', true],
    ['*', 'Content-Type:', true],
    ['*', null, false],
    ['text/*', null, false],
    ['a*b', 'Content-Type: axb', false],
    ['a*b', 'Content-Type: a*b', true],
    ['café', 'Content-Type: cafÃ©', true],
  ])('of "%s", with "%s"', async (value, line, fits) => {
    const report = await play(
      inTurn(responseText(200, '', line === null ? [] : [line])),
      expecting({ headers: [{ name: 'Content-type', value }] }),
    );
    expect(report.total.ledger.unexpected).toEqual(fits ? {} : { header: 10 });
    if (!fits) {
      expect(report.errorSamples[0]?.error).toBe(
        `answered without the expected header "Content-type: ${value}"`,
      );
    }
  });

  test('comes after the status, and before a variable', async () => {
    const wanted = expecting({ status: [200], headers: [{ name: 'x-a', value: '1' }] });
    const gives = { ...wanted, variables: [{ name: 'id', header: 'x-id' }] };
    const report = await play(
      ({ path }, write) => {
        write(responseText(200, '', path === '/' ? ['X-A: 1'] : []));
      },
      gives,
      { path: '/cart/{{id}}' },
    );
    expect(report.targets[0]?.ledger.unexpected).toEqual({ variable: 10 });
    const other = await play(inTurn(responseText(500, ''), responseText(200, '')), gives, {
      path: '/cart/{{id}}',
    });
    expect(other.targets[0]?.ledger.unexpected).toEqual({ status: 5, header: 5 });
  });

  test('is told apart from a variable that the same header gives', async () => {
    const report = await play(
      ({ path }, write) => {
        write(responseText(200, '', path === '/' ? ['X-Id: 7'] : []));
      },
      {
        ...expecting({ headers: [{ name: 'X-ID', value: '7' }] }),
        variables: [{ name: 'id', header: 'x-id' }],
      },
      { path: '/cart/{{id}}' },
    );
    expect(report.total.ledger).toMatchObject({ success: 20, unexpected: {} });
  });
});

test('closed tests count the same way', async () => {
  const shop: RawTarget = await openRawTarget(
    inTurn(responseText(200, ''), responseText(404, ''), responseText(500, '')),
  );
  const job = jobOf([targetOf(shop.port, expecting({ status: [404] }))], {
    ...{ testType: 'cycling', initial: 3, total: 3, duration: 300, errorThreshold: 100 },
  });
  const report = await runInVirtualTime(job, shop);
  const { ledger, statusCodes } = report.total;
  expect(ledger.success).toBe(statusCodes[404]);
  expect(ledger.unexpected).toEqual({ status: (statusCodes[200] ?? 0) + (statusCodes[500] ?? 0) });
  expect(answered(report)).toBe(shop.requests.length);
});
