/** The documents of commands: their types, their schemas and what tests take them for say the same. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FIGURES } from '../../../src/core/model/threshold.ts';
import { problem } from '../../../src/core/problem.ts';
import { reportOf, type Body } from '../../../src/core/report/report.ts';
import { SCHEMA_NAMES, schemaText } from '../../../src/schema/files.ts';
import { misfitOfText, reportMisfit } from '../../rig/schemas.ts';

const body: Body = { command: 'validate', project: 'shop', environment: null, environments: [] };
const valid = reportOf('validate', { exitCode: 0, problems: [], body });

describe('a document', () => {
  test('fits the schema of its command', () => {
    expect(reportMisfit(valid)).toBeNull();
  });

  test('with a member that its schema does not have neither compiles nor fits', () => {
    // @ts-expect-error: the schema of validate has no "tests".
    const wrong: Body = { command: 'validate', project: '', environment: '', environments: [], tests: 2 };
    const report = reportOf('validate', { exitCode: 0, problems: [], body: wrong });
    expect(reportMisfit(report)).toContain('"additionalProperty":"tests"');
  });

  test('without a member that its schema requires neither compiles nor fits', () => {
    // @ts-expect-error: the schema of validate requires "environment".
    const wrong: Body = { command: 'validate', project: 'shop' };
    const report = reportOf('validate', { exitCode: 0, problems: [], body: wrong });
    expect(reportMisfit(report)).toContain('"missingProperty":"environment"');
  });

  test('is the envelope alone where a command failed, and never where it succeeded', () => {
    const problems = [problem('LT_CLI_USAGE', 'no such command')];
    expect(reportMisfit(reportOf('plan', { exitCode: 3, problems, body: null }))).toBeNull();
    expect(reportMisfit(reportOf('nothing', { exitCode: 3, problems, body: null }))).toBeNull();
    expect(reportMisfit(reportOf('plan', { exitCode: 0, problems: [], body: null }))).not.toBeNull();
  });

  test('of another command does not fit', () => {
    expect(reportMisfit({ ...valid, command: 'plan' })).not.toBeNull();
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
      expect(misfitOfText(text, 'nothing')).not.toBeNull();
    },
  );

  test('take what commands print, also with members that are added later', () => {
    const later = { ...valid, added: 1 };
    expect(misfitOfText(schemaText('validate'), valid)).toBeNull();
    expect(misfitOfText(schemaText('validate'), later)).toBeNull();
    expect(misfitOfText(schemaText('validate'), { ...valid, project: 7 })).not.toBeNull();
  });

  test('name the figures that thresholds name', () => {
    const { definitions } = JSON.parse(schemaText('results')) as {
      definitions: { Metrics: { properties: object } };
    };
    expect(Object.keys(definitions.Metrics.properties)).toEqual(Object.keys(FIGURES));
  });
});
