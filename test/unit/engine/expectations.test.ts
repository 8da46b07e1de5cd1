/** Expectations on responses: each class of the ledger, compared with the target's own count. */
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { recordOfReport } from '../../../src/core/run-record/report-record.ts';
import type { Expectation } from '../../../src/core/model/expectation.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

/**
 * Simulates ten clients that send these requests. The ledger must match the number of requests that the
 * target received.
 */
async function simulate(reply: RawReply, ...targets: readonly Partial<JobTarget>[]): Promise<RunReport> {
  const shop = await openRawTarget(reply);
  const jobTargets = targets.map((changes) => targetOf(shop.port, changes));
  const job = jobOf(jobTargets, { testType: 'non-cycling', total: 10, duration: 200 });
  const report = await runInVirtualTime(job, shop);
  expect(countResponses(report)).toBe(shop.requests.length);
  return report;
}

function countResponses({ total: { ledger } }: RunReport): number {
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  return ledger.success + sum(ledger.httpError) + sum(ledger.unexpected);
}

const expecting = (expectation: Partial<Expectation>): Partial<JobTarget> => ({
  expect: { status: null, headers: null, body: null, json: null, ...expectation },
});

/** Sends the responses alternately, each after 10 ms. */
function alternating(...responses: readonly string[]): RawReply {
  let count = 0;
  return (_request, write) => {
    setTimeout(write, 10, responses[count++ % responses.length] ?? '');
  };
}

test('responses with status 503 and a Retry-After header are counted separately, in addition to the count of their outcome', async () => {
  const reply = alternating(
    responseText(503, '', ['Retry-After: 1']),
    responseText(503, ''),
    responseText(429, '', ['Retry-After: 1']),
    responseText(200, '', ['Retry-After: 1']),
  );
  const report = await simulate(reply, {}, expecting({ status: ['5xx'] }));
  const { ledger, statusCodes } = report.total;
  expect(statusCodes).toEqual({ 200: 5, 429: 5, 503: 10 });
  expect(ledger.retryAfter).toBe(5);
  const [plain, checked] = report.targets.map((target) => target.ledger);
  expect((plain?.httpError['503'] ?? 0) + (checked?.success ?? 0)).toBe(10);
  expect((plain?.retryAfter ?? 0) + (checked?.retryAfter ?? 0)).toBe(5);
  expect(checked?.httpError).toEqual({});
});

describe('an expected status', () => {
  const STATUSES: readonly (readonly [
    expected: Expectation['status'],
    outcome: 'met' | 'not met',
    actual: number,
  ])[] = [
    [[201, 409], 'met', 201],
    [[201, 409], 'met', 409],
    [[201, 409], 'not met', 200],
    [['2xx'], 'met', 204],
    [['2xx'], 'not met', 404],
    [['4xx', 200], 'met', 404],
    [['5xx'], 'met', 503],
    [null, 'met', 200],
    [null, 'not met', 404],
  ];
  const rows = STATUSES.map(([status, outcome, actual]) => {
    const name = status === null ? 'without a status' : `of the status ${JSON.stringify(status)}`;
    return [name, outcome, actual, status] as const;
  });
  test.each(rows)(
    'an expectation %s is %s by the status %i, and does not affect the HTTP error rate',
    async (_name, outcome, actual, status) => {
      const matches = outcome === 'met';
      const report = await simulate(
        alternating(responseText(actual, '')),
        expecting({ status, headers: [] }),
      );
      const { ledger, statusCodes } = report.total;
      expect(statusCodes).toEqual({ [actual]: 10 });
      expect(ledger).toMatchObject({ success: matches ? 10 : 0, httpError: {} });
      expect(ledger.unexpected).toEqual(matches ? {} : { status: 10 });
      expect(report.timeline.reduce((sum, { error }) => sum + error, 0)).toBe(matches ? 0 : 10);
      // The rate of HTTP errors does not depend on the expectation.
      const percent = actual < 400 ? 0 : 100;
      expect(report.bounds.http_error_rate).toEqual({ low: percent, high: percent });
      expect(report.targets[0]?.bounds.http_error_rate).toEqual({ low: percent, high: percent });
      expect(recordOfReport(report, 0).metrics.http_error_rate).toBe(percent);
    },
  );

  test('an error sample contains the actual and the expected status', async () => {
    const report = await simulate(
      alternating(responseText(200, ''), responseText(503, '')),
      expecting({ status: [201, '4xx'] }),
    );
    expect(report.errorSamples.map(({ error, count }) => [error, count])).toEqual([
      ['status 200, expected 201, 4xx', 5],
      ['status 503, expected 201, 4xx', 5],
    ]);
  });

  test('unexpected statuses count toward the error threshold', async () => {
    const shop = await openRawTarget(alternating(responseText(200, '')));
    const job = jobOf([targetOf(shop.port, expecting({ status: [201] }))], {
      testType: 'per-second',
      total: 100,
      duration: 5000,
      errorThreshold: 50,
    });
    expect((await runInVirtualTime(job, shop)).abortReason).toBe('error_threshold');
  });

  test('an expectation applies only to its own URL', async () => {
    const report = await simulate(
      ({ path }, write) => write(responseText(path === '/' ? 404 : 503, '')),
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
  const redirect: RawReply = ({ path }, write) => {
    write(path === '/' ? responseText(302, '', ['Location: /end']) : responseText(200, '', ['X-End: yes']));
  };

  test('a redirect counts as a success, and the expectation applies to the final response', async () => {
    const headers = [{ name: 'x-end', value: 'yes' }];
    const { total } = await simulate(redirect, expecting({ status: [200], headers }));
    expect(total.ledger).toMatchObject({ started: 20, success: 20, unexpected: {} });
  });

  test.each([[[302]], [['3xx' as const, 200]]])(
    'with the expected status %j, a redirect with the status 302 is not followed',
    async (status) => {
      const { total } = await simulate(redirect, expecting({ status }));
      expect(total.statusCodes).toEqual({ 302: 10 });
      expect(total.ledger).toMatchObject({ success: 10, unexpected: {} });
    },
  );

  test('a redirect to another origin counts as the final response', async () => {
    const external = responseText(302, '', ['Location: http://other.test/']);
    const { total } = await simulate(alternating(external), expecting({ status: [200] }));
    expect(total.ledger).toMatchObject({ success: 0, unexpected: { status: 10 } });
  });
});

describe('an expected header', () => {
  const LINES: readonly (readonly [value: string, outcome: 'met' | 'not met', line: string | null])[] = [
    ['application/json*', 'met', 'Content-Type: application/json; charset=utf-8'],
    ['application/json*', 'met', 'content-TYPE:application/json'],
    ['application/json', 'not met', 'Content-Type: application/json; charset=utf-8'],
    ['*json', 'met', 'Content-Type: text/json'],
    ['*json*', 'met', 'Content-Type: text/json; a=b'],
    ['*', 'met', 'Content-Type: anything'],
    ['*', 'met', 'Content-Type:'],
    ['*', 'not met', null],
    ['text/*', 'not met', null],
    ['a*b', 'not met', 'Content-Type: axb'],
    ['a*b', 'met', 'Content-Type: a*b'],
    ['café', 'met', 'Content-Type: cafÃ©'],
  ];
  const rows = LINES.map(([value, outcome, line]) => {
    const name = line === null ? 'a response without the header' : `the header line ${JSON.stringify(line)}`;
    return [value, outcome, name, line] as const;
  });
  test.each(rows)('an expected header value of %j is %s by %s', async (value, outcome, _name, line) => {
    const matches = outcome === 'met';
    const report = await simulate(
      alternating(responseText(200, '', line === null ? [] : [line])),
      expecting({ headers: [{ name: 'Content-type', value }] }),
    );
    expect(report.total.ledger.unexpected).toEqual(matches ? {} : { header: 10 });
    if (!matches) {
      expect(report.errorSamples[0]?.error).toBe(
        `response lacks the expected header "Content-type: ${value}"`,
      );
    }
  });

  test('the status is checked before headers, and headers before variables', async () => {
    const expecting200AndHeader = expecting({ status: [200], headers: [{ name: 'x-a', value: '1' }] });
    const withVariable = { ...expecting200AndHeader, variables: [{ name: 'id', header: 'x-id' }] };
    const report = await simulate(
      ({ path }, write) => write(responseText(200, '', path === '/' ? ['X-A: 1'] : [])),
      withVariable,
      { path: '/cart/{{id}}' },
    );
    expect(report.targets[0]?.ledger.unexpected).toEqual({ variable: 10 });
    const other = await simulate(alternating(responseText(500, ''), responseText(200, '')), withVariable, {
      path: '/cart/{{id}}',
    });
    expect(other.targets[0]?.ledger.unexpected).toEqual({ status: 5, header: 5 });
  });

  test('a header can be both expected and extracted into a variable', async () => {
    const report = await simulate(
      ({ path }, write) => write(responseText(200, '', path === '/' ? ['X-Id: 7'] : [])),
      {
        ...expecting({ headers: [{ name: 'X-ID', value: '7' }] }),
        variables: [{ name: 'id', header: 'x-id' }],
      },
      { path: '/cart/{{id}}' },
    );
    expect(report.total.ledger).toMatchObject({ success: 20, unexpected: {} });
  });
});

test('a cycling test counts each response without the expected status as unexpected', async () => {
  const shop: RawTarget = await openRawTarget(
    alternating(responseText(200, ''), responseText(404, ''), responseText(500, '')),
  );
  const job = jobOf([targetOf(shop.port, expecting({ status: [404] }))], {
    testType: 'cycling',
    initial: 3,
    total: 3,
    duration: 300,
    errorThreshold: 100,
  });
  const report = await runInVirtualTime(job, shop);
  const { ledger, statusCodes } = report.total;
  expect(ledger.success).toBe(statusCodes[404]);
  expect(ledger.unexpected).toEqual({ status: (statusCodes[200] ?? 0) + (statusCodes[500] ?? 0) });
  expect(countResponses(report)).toBe(shop.requests.length);
});

describe('an expected response time', () => {
  const delayed = (...delays: readonly number[]): RawReply => {
    let count = 0;
    return (_request, write) => {
      setTimeout(write, delays[count++ % delays.length], responseText(200, ''));
    };
  };

  test('responses slower than "within" are errors, but an unexpected status takes precedence', async () => {
    const { total, bounds } = await simulate(delayed(50, 150), expecting({ within: 100 }));
    expect(total.ledger).toMatchObject({ success: 5, unexpected: { time: 5 } });
    expect(bounds.error).toMatchObject({ low: 5, high: 5 });
    const other = await simulate(delayed(150), expecting({ within: 100, status: [201] }));
    expect(other.total.ledger.unexpected).toEqual({ status: 10 });
    expect(other.errorSamples.map(({ error }) => error)).toEqual(['status 200, expected 201']);
  });

  test('in a cycling test, responses slower than "within" are errors', async () => {
    const shop = await openRawTarget(delayed(50, 150));
    const job = jobOf([targetOf(shop.port, expecting({ within: 100 }))], {
      ...{ testType: 'cycling', initial: 1, total: 1 },
      ...{ duration: 5000, iterations: 8 },
    });
    const { total } = await runInVirtualTime(job, shop);
    expect(total.ledger).toMatchObject({ success: 4, unexpected: { time: 4 } });
  });

  test('responses that are late only because of a stall of the load generator count as uncertain errors', async () => {
    const shop = await openRawTarget(delayed(60));
    const job = jobOf([targetOf(shop.port, expecting({ within: 100 }))], {
      testType: 'non-cycling',
      total: 10,
      duration: 200,
    });
    const { total, bounds, errorSamples } = await runInVirtualTime(job, shop, {
      stall: { at: 70, lasting: 200 },
    });
    const { time = 0 } = total.ledger.unexpected;
    expect(time).toBeGreaterThan(0);
    expect(bounds.error).toMatchObject({ low: 0, high: time });
    expect(bounds.http_error_rate).toEqual({ low: 0, high: 0 });
    expect(errorSamples).toMatchObject([
      {
        error: 'response took longer than 100ms, possibly because of delays of the load generator',
        count: time,
      },
    ]);
  });
});
