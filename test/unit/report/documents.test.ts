/** The documents of commands: their types, their schemas and what tests take them for say the same. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RESULT_METRICS } from '../../../src/core/model/threshold.ts';
import { problem } from '../../../src/core/problem.ts';
import { createReport, type CommandBody } from '../../../src/core/report/command-report.ts';
import { SCHEMA_NAMES, schemaText } from '../../../src/schema/schema-files.ts';
import { schemaTextMismatch, reportMismatch } from '../../support/schema-checks.ts';

const body: CommandBody = { command: 'validate', project: 'shop', environment: null, environments: [] };
const valid = createReport('validate', { exitCode: 0, problems: [], body });

describe('a document', () => {
  test('fits the schema of its command', () => {
    expect(reportMismatch(valid)).toBeNull();
  });

  test('with a member that its schema does not have neither compiles nor fits', () => {
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

  test('without a member that its schema requires neither compiles nor fits', () => {
    // @ts-expect-error: the schema of validate requires "environment".
    const wrong: CommandBody = { command: 'validate', project: 'shop' };
    const report = createReport('validate', { exitCode: 0, problems: [], body: wrong });
    expect(reportMismatch(report)).toContain('"missingProperty":"environment"');
  });

  test('is the envelope alone where a command failed, and never where it succeeded', () => {
    const problems = [problem('LT_CLI_USAGE', 'no such command')];
    expect(reportMismatch(createReport('plan', { exitCode: 3, problems, body: null }))).toBeNull();
    expect(reportMismatch(createReport('nothing', { exitCode: 3, problems, body: null }))).toBeNull();
    expect(reportMismatch(createReport('plan', { exitCode: 0, problems: [], body: null }))).not.toBeNull();
  });

  test('of another command does not fit', () => {
    expect(reportMismatch({ ...valid, command: 'plan' })).not.toBeNull();
  });
});

describe('the schemas', () => {
  test('that "loadtests schema" prints are all there are', () => {
    const files = readdirSync(new URL('../../../schemas/report/', import.meta.url))
      .map((file) => file.replace('.schema.json', ''))
      .filter((name) => name !== 'definitions');
    expect([...SCHEMA_NAMES].sort()).toEqual(['config', 'baseline-file', ...files].sort());
  });

  test.each(SCHEMA_NAMES.filter((name) => name !== 'config'))(
    '%s stands alone when it is printed',
    (name) => {
      const text = schemaText(name);
      expect(text).not.toContain('.schema.json#');
      expect(schemaTextMismatch(text, 'nothing')).not.toBeNull();
    },
  );

  test('take what commands print, also with members that are added later', () => {
    const later = { ...valid, added: 1 };
    expect(schemaTextMismatch(schemaText('validate'), valid)).toBeNull();
    expect(schemaTextMismatch(schemaText('validate'), later)).toBeNull();
    expect(schemaTextMismatch(schemaText('validate'), { ...valid, project: 7 })).not.toBeNull();
  });

  test('name the figures that thresholds name', () => {
    const { definitions } = JSON.parse(schemaText('results')) as {
      definitions: { Metrics: { properties: object } };
    };
    expect(Object.keys(definitions.Metrics.properties)).toEqual(Object.keys(RESULT_METRICS));
  });
});
