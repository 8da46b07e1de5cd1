/** Consistency of the documents of commands with their types and schemas. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RESULT_METRICS } from '../../../src/core/model/threshold.ts';
import { problem } from '../../../src/core/problem.ts';
import { createReport, type CommandBody } from '../../../src/core/report/command-report.ts';
import { SCHEMA_NAMES, schemaText } from '../../../src/schema/schema-files.ts';
import { schemaTextMismatch, reportMismatch } from '../../support/schema-checks.ts';

const body: CommandBody = { command: 'validate', project: 'shop', environment: null, environments: [] };
const valid = createReport('validate', { exitCode: 0, problems: [], body });

describe('documents of commands', () => {
  test('the JSON document of validate matches the schema of validate', () => {
    expect(reportMismatch(valid)).toBeNull();
  });

  test('a document with an unknown member neither compiles nor passes validation', () => {
    const wrong: CommandBody = {
      command: 'validate',
      project: '',
      environment: '',
      environments: [],
      // @ts-expect-error: the schema of validate has no "tests".
      tests: 2,
    };
    const report = createReport('validate', { exitCode: 0, problems: [], body: wrong });
    expect(reportMismatch(report)).toContain('"additionalProperty":"tests"');
  });

  test('a document without a required member neither compiles nor passes validation', () => {
    // @ts-expect-error: the schema of validate requires "environment".
    const wrong: CommandBody = { command: 'validate', project: 'shop' };
    const report = createReport('validate', { exitCode: 0, problems: [], body: wrong });
    expect(reportMismatch(report)).toContain('"missingProperty":"environment"');
  });

  test('a document with only problems and an exit code is valid only for a failed command', () => {
    const problems = [problem('LT_CLI_USAGE', 'no such command')];
    expect(reportMismatch(createReport('plan', { exitCode: 3, problems, body: null }))).toBeNull();
    expect(reportMismatch(createReport('nothing', { exitCode: 3, problems, body: null }))).toBeNull();
    expect(reportMismatch(createReport('plan', { exitCode: 0, problems: [], body: null }))).not.toBeNull();
  });

  test('a document of validate with the command "plan" does not match the schema', () => {
    expect(reportMismatch({ ...valid, command: 'plan' })).not.toBeNull();
  });
});

describe('schemas of documents', () => {
  test('the schema names are config, baseline-file and the name of each report schema', () => {
    const files = readdirSync(new URL('../../../schemas/report/', import.meta.url))
      .map((file) => file.replace('.schema.json', ''))
      .filter((name) => name !== 'definitions');
    expect([...SCHEMA_NAMES].sort()).toEqual(['config', 'baseline-file', ...files].sort());
  });

  test.each(SCHEMA_NAMES.filter((name) => name !== 'config'))(
    'the printed schema of %s is self-contained',
    (name) => {
      const text = schemaText(name);
      expect(text).not.toContain('.schema.json#');
      expect(schemaTextMismatch(text, 'nothing')).not.toBeNull();
    },
  );

  test('the printed schema of validate accepts unknown members, but rejects a member with a wrong type', () => {
    const later = { ...valid, added: 1 };
    expect(schemaTextMismatch(schemaText('validate'), valid)).toBeNull();
    expect(schemaTextMismatch(schemaText('validate'), later)).toBeNull();
    expect(schemaTextMismatch(schemaText('validate'), { ...valid, project: 7 })).not.toBeNull();
  });

  test('the schema of results contains exactly the metrics that thresholds support', () => {
    const { definitions } = JSON.parse(schemaText('results')) as {
      definitions: { Metrics: { properties: object } };
    };
    expect(Object.keys(definitions.Metrics.properties)).toEqual(Object.keys(RESULT_METRICS));
  });
});
