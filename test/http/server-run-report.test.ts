/** The HTML report of a run that the service provides. */
import { expect, test } from 'vitest';
import { metricText } from '../../src/core/model/metric-text.ts';
import { readRunRecord } from '../../src/core/run-record/read-record.ts';
import { API_KEY, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';

const HOST = '127.0.0.1:4080';
const MARKUP = '<img src=x onerror=alert(1)>';

/** Opens a service with one run of one URL, which is in progress. */
async function openRun(options: Parameters<typeof openTestService>[0] = {}) {
  const rig = await openTestService(options);
  await rig.verifiedApp(HOST);
  const { json } = await rig.call('POST', '/v2/tests', {
    json: smallTestFields(`http://${HOST}/`, { name: MARKUP }),
  });
  const path = `/v2/tests/${json.test_id}/results/${json.result_id}`;
  const end = async () => {
    rig.runner.latest().end();
    await waitUntil(async () => ((await rig.call('GET', path)).json.status === 'ready' ? true : null));
  };
  return { rig, path, id: json.result_id, end };
}

/** Returns the visible text of a report, with single spaces. */
function plainText(html: string): string {
  return html
    .replaceAll(/<(style|script)\b.*?<\/\1>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
}

test('the HTML report of a run contains the published verdict, the failed threshold and the metrics of the run', async () => {
  const { rig, path, id, end } = await openRun();
  await end();
  const threshold = { metric: 'error_rate', limit: '< 5%', value: 33.3, verdict: 'fail' };
  const published = { json: { verdict: 'fail', thresholds: [threshold] } };
  expect((await rig.call('PUT', `${path}/verdict`, published)).status).toBe(200);
  const response = await rig.call('GET', `${path}/report`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${id}.html"`);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  const { metrics } = readRunRecord(JSON.parse((await rig.call('GET', path)).text));
  const text = plainText(response.text);
  expect(text).toContain('Failed: error rate 33.3%, threshold < 5%');
  expect(text).toContain(`requests ${metrics.requests} failed ${metrics.error} `);
  expect(metrics.p95).toBeTypeOf('number');
  expect(text).toContain(` p95 response time ${metricText('p95', metrics.p95 ?? 0)} `);
});

test('the HTML report shows markup in a test name as text, and contains no API key', async () => {
  const { rig, path, end } = await openRun();
  await end();
  const { text } = await rig.call('GET', `${path}/report`);
  expect(text).not.toContain('<img');
  expect(plainText(text)).toContain(MARKUP);
  expect(text).not.toContain(API_KEY);
});

test('the HTML report of a run in progress contains "still running" and no verdict', async () => {
  const { rig, path } = await openRun();
  const { status, text } = await rig.call('GET', `${path}/report`);
  expect(status).toBe(200);
  expect(plainText(text)).toContain('1 test is still running');
  expect(plainText(text)).not.toMatch(/Passed|Failed/);
});

test('the HTML report contains the public address of the service', async () => {
  const { rig, path } = await openRun({ publicUrl: 'https://loads.example.com/' });
  expect(plainText((await rig.call('GET', `${path}/report`)).text)).toContain('loads.example.com');
});
