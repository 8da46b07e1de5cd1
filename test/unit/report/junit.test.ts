import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { problem } from '../../../src/core/problem.ts';
import type { Report } from '../../../src/core/report/generated/documents.ts';
import { createReport } from '../../../src/core/report/command-report.ts';
import { toJunitXml } from '../../../src/report/junit-xml.ts';
import {
  sampleAction,
  sampleApplyReport,
  sampleThreshold,
  sampleRecord,
  sampleRun,
} from '../../support/sample-report.ts';

const SCHEMAS = ['jenkins-xunit', 'gitlab'];

/** Validates documents against a schema and returns the output of libxml2. */
async function validate(documents: Readonly<Record<string, string>>, schema: string): Promise<string> {
  const { rawOutput } = await validateXML({
    xml: Object.entries(documents).map(([fileName, text]) => ({ fileName, contents: Buffer.from(text) })),
    schema: readFileSync(new URL(`../../fixtures/junit/${schema}.xsd`, import.meta.url), 'utf8'),
  });
  return rawOutput;
}

/** A report with every possible outcome of a test. */
const mixed = sampleApplyReport({
  exitCode: 7,
  problems: [
    problem('LT_RUN_THRESHOLD', '"home": p95 is 412.4 ms, which does not meet < 300ms'),
    problem('LT_API_REFUSED', 'the service answered 500', { source: location(40) }),
    problem('LT_PLAN_TOKEN_MISSING', 'app "shop" is not verified', {
      hint: 'publish the token',
      source: location(3),
    }),
    problem('LT_CONFIG_SECRET_MISSING', 'a warning', { severity: 'warning' }),
  ],
  actions: [
    sampleAction('home', 5),
    sampleAction('stopped', 10),
    sampleAction('blocked', 20, {
      verb: 'blocked',
      note: 'the app is not verified',
      outcome: 'not_attempted',
    }),
    sampleAction('deferred', 30, { verb: 'deferred', outcome: 'not_attempted' }),
    sampleAction('broken', 40, { outcome: 'failed' }),
    sampleAction('unchanged', 50, { verb: 'no-op', state: 'ended', load: null }),
    sampleAction('removed', 60, { verb: 'stop', source: {} }),
  ],
  runs: [
    sampleRun('home', {
      thresholds: [
        sampleThreshold(),
        sampleThreshold({ metric: 'p99', limit: '< 1s', value: 800, verdict: 'pass' }),
        sampleThreshold({ url: 'pay', verdict: 'inconclusive', reason: 'between 0 and 412 ms' }),
        sampleThreshold({ url: 'pay', verdict: 'pass' }),
      ],
    }),
    sampleRun('stopped', {
      verdict: 'inconclusive',
      reason: 'the run ended early (stopped)',
      thresholds: [sampleThreshold({ verdict: 'inconclusive', value: null })],
      result: sampleRecord({ abort_reason: 'stopped' }),
    }),
  ],
});

/** A report of past runs: a test with three runs, one without runs, and one with unknown results. */
function pastRuns(): Report {
  const past = (id: string, state: 'running' | 'ended', verdict: 'pass' | 'fail' | 'none') => {
    const {
      address,
      test_id: testId,
      started_by_us: startedByUs,
      status,
      ...run
    } = sampleRun('home', {
      result_id: id,
      state,
      verdict,
      thresholds: [sampleThreshold({ limit: `< ${id}`, verdict: verdict === 'pass' ? 'pass' : 'fail' })],
    });
    return { ...run, result_id: id };
  };
  const tests = [
    {
      address: 'test.home',
      test_id: 'a',
      results: [past('3', 'running', 'none'), past('2', 'ended', 'pass'), past('1', 'ended', 'fail')],
    },
    { address: 'test.new', test_id: 'b', results: [] },
    { address: 'test.bare', test_id: 'c', results: null },
  ];
  const body = {
    command: 'results',
    project: 'shop',
    environment: null,
    service: 'embedded',
    tests,
  } as const;
  return createReport('results', { exitCode: 0, problems: [], body });
}

const invalidFile = createReport('apply', {
  exitCode: 3,
  problems: [
    problem('LT_CONFIG_SHAPE', 'unknown key "ulr"', { hint: 'did you mean "url"?', source: location(7) }),
  ],
  body: null,
});

const empty = createReport('results', { exitCode: 0, problems: [], body: null });

function withArbitraryStrings(): Report {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ']]>',
      '<!--',
      '&#0;',
      '\u0000',
      '\ufffe\uffff',
      '\ud800',
      '\u202e',
      '<?xml',
      '"\'',
      '::error::',
      '##[x]',
      '\r\n',
    ),
  );
  const each = fc.sample(fc.tuple(text, text, text, text), 60);
  return sampleApplyReport({
    problems: each.map(([message, hint]) => problem('LT_API_REFUSED', message, { hint })),
    actions: each.map(([key, note], at) => sampleAction(key, at + 1, { verb: 'blocked', note })),
    runs: each.map(([key, limit, url, reason], at) => {
      const thresholds = [
        sampleThreshold({ limit, url }),
        sampleThreshold({ limit, url, verdict: 'inconclusive', reason }),
      ];
      return sampleRun(at % 2 === 0 ? key : `run-${at}`, { reason, thresholds });
    }),
  });
}

const documents = {
  mixed: toJunitXml(mixed),
  past: toJunitXml(pastRuns()),
  invalidFile: toJunitXml(invalidFile),
  empty: toJunitXml(empty),
  arbitraryStrings: toJunitXml(withArbitraryStrings()),
};

/** Returns the class, name and outcome of each case. */
function casesIn(xml: string): readonly (readonly string[])[] {
  const cases =
    /<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>\s*<(failure|error|skipped|system-out))/g;
  const plain = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&quot;', '"');
  return [...xml.matchAll(cases)].map(([, suite = '', name = '', outcome]) => [
    plain(suite),
    plain(name),
    outcome === undefined || outcome === 'system-out' ? 'pass' : outcome,
  ]);
}

function location(line: number) {
  return { file: 'loadtests.yaml', line, column: 3, length: 4, lineText: '' };
}

describe('the JUnit XML report', () => {
  test('the JUnit report has a suite for each test, with a case for each threshold and one for the run', () => {
    const xml = documents.mixed;
    expect(casesIn(xml)).toEqual([
      ['home', 'p95 < 300ms', 'failure'],
      ['home', 'p95 of "pay" < 300ms', 'error'],
      ['home', 'p99 < 1s', 'pass'],
      ['home', 'p95 of "pay" < 300ms (2)', 'pass'],
      ['home', 'run completed', 'pass'],
      ['stopped', 'p95 < 300ms', 'error'],
      ['stopped', 'run completed', 'error'],
      ['blocked', 'run completed', 'error'],
      ['deferred', 'run completed', 'skipped'],
      ['broken', 'run completed', 'error'],
      ['unchanged', 'run completed', 'skipped'],
      ['loadtests apply', 'LT_PLAN_TOKEN_MISSING loadtests.yaml:3:3', 'error'],
    ]);
    expect(xml)
      .toContain(`  <testsuite name="home" tests="5" failures="1" errors="1" skipped="0" time="10.250" timestamp="2026-03-02T09:00:00">
    <properties>
      <property name="project" value="shop"/>
      <property name="environment" value="staging"/>
      <property name="service" value="embedded"/>
      <property name="load" value="cycling 0 → 5 connections, 10s on shop.example"/>
      <property name="generator" value="loadtests 0.1.0, 2 threads"/>
      <property name="verdict" value="Failed: p95 412 ms, threshold &lt; 300ms"/>
    </properties>
    <testcase classname="home" name="p95 &lt; 300ms" time="10.250">
      <failure type="fail" message="p95 is 412.4 ms, which does not meet &lt; 300ms">p95 is 412.4 ms, which does not meet &lt; 300ms
loadtests.yaml:9:12</failure>
      <system-out>p95 is 412.4 ms, which does not meet &lt; 300ms</system-out>
    </testcase>
`);
    for (const text of [
      'p95 of &quot;pay&quot; is between 0 and 412 ms\nloadtests.yaml:9:12</error>',
      '>the run ended early (stopped)\nloadtests.yaml:5:3</error>',
      '>the app is not verified\nloadtests.yaml:20:3</error>',
      'LT_API_REFUSED: the service answered 500\nloadtests.yaml:40:3</error>',
    ]) {
      expect(xml).toContain(text);
    }
  });

  test('the totals of the JUnit report equal the sums over its suites and the numbers of its cases', () => {
    const xml = documents.mixed;
    const count = (pattern: RegExp) => [...xml.matchAll(pattern)].length;
    const [, tests, failures, errors] =
      /<testsuites .* tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(xml) ?? [];
    expect([tests, failures, errors].map(Number)).toEqual([
      count(/<testcase /g),
      count(/<failure /g),
      count(/<error /g),
    ]);
    const sums = (name: string) =>
      [...xml.matchAll(new RegExp(`<testsuite .* ${name}="(\\d+)"`, 'g'))].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    expect(sums('tests')).toBe(Number(tests));
    expect(sums('failures')).toBe(Number(failures));
    expect(sums('errors')).toBe(Number(errors));
    expect(sums('skipped')).toBe(count(/<skipped /g));
  });

  test('the JUnit report of past runs contains the last completed run of each test, and marks tests without such a run as skipped', () => {
    const xml = documents.past;
    expect(xml).toContain('tests="4" failures="0" errors="0"');
    expect(xml).toContain('name="p95 &lt; 2"');
    expect([...xml.matchAll(/<skipped type="no run"/g)]).toHaveLength(2);
  });

  test('the JUnit report of a command without tests contains its problems', () => {
    const xml = documents.invalidFile;
    expect(xml).toContain('<testcase classname="loadtests apply" name="LT_CONFIG_SHAPE loadtests.yaml:7:3">');
    expect(xml).toContain('(did you mean &quot;url&quot;?)');
    expect(documents.empty).toContain('tests="0"');
  });

  test('the generated JUnit report with arbitrary strings has more than 180 cases', () => {
    expect(casesIn(documents.arbitraryStrings).length).toBeGreaterThan(180);
  });

  test.each(SCHEMAS)('JUnit reports match the schema %s, even with arbitrary strings', async (schema) => {
    const invalid = {
      malformed: '<testsuites><testsuite></testsuites>',
      unknownElement: '<testsuites><suite/></testsuites>',
    };
    const output = await validate({ ...documents, ...invalid }, schema);
    expect(output.match(/^.* validates$/gm)).toEqual(
      Object.keys(documents).map((name) => `${name} validates`),
    );
    for (const name of Object.keys(invalid)) expect(output).toMatch(new RegExp(`^${name}:1: `, 'm'));
  });
});
