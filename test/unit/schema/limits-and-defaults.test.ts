/** Consistency of the limits and defaults in the core with those in the schemas. */
import { describe, expect, test } from 'vitest';
import { OWN_LIMITS } from '../../../src/core/model/capabilities.ts';
import { METHODS } from '../../../src/core/model/method.ts';
import { SPEC_DEFAULTS } from '../../../src/core/model/load-test.ts';
import create from '../../../schemas/api/test-create.schema.json' with { type: 'json' };
import config from '../../../schemas/loadtests.schema.json' with { type: 'json' };

const fields = create.properties;
const entry = fields.urls.items.properties;

test('the API schema and OWN_LIMITS have equal limits', () => {
  expect({
    targets: fields.urls.maxItems,
    url: entry.url.maxLength,
    credential: entry.credentials.properties.password.maxLength,
    headers: entry.headers.maxProperties,
    params: entry.request_params.maxProperties,
    value: entry.headers.additionalProperties.maxLength,
    body: entry.raw_post_body.maxLength,
    variables: entry.variables.maxItems,
    property: entry.variables.items.properties.property.maxLength,
    duration: fields.duration.maximum * 1000,
    total: fields.total.maximum,
    timeout: fields.timeout.maximum,
    name: fields.name.maxLength,
    notes: fields.notes.maxLength,
  }).toEqual({
    targets: OWN_LIMITS.targets,
    url: OWN_LIMITS.url,
    credential: OWN_LIMITS.credential,
    headers: OWN_LIMITS.headers,
    params: OWN_LIMITS.params,
    value: OWN_LIMITS.value,
    body: OWN_LIMITS.body,
    variables: OWN_LIMITS.variables,
    property: OWN_LIMITS.property,
    duration: OWN_LIMITS.duration,
    total: OWN_LIMITS.total,
    timeout: OWN_LIMITS.timeout,
    name: OWN_LIMITS.name,
    notes: OWN_LIMITS.notes,
  });
  expect(fields.initial.maximum).toBe(OWN_LIMITS.total);
  expect([fields.callback.maxLength, entry.payload_file_url.maxLength]).toEqual([
    OWN_LIMITS.url,
    OWN_LIMITS.url,
  ]);
  expect(entry.variables.items.properties.name.pattern).toContain(`{0,${OWN_LIMITS.variableName - 1}}`);
});

test('the configuration schema and the API schema list exactly the supported methods', () => {
  expect(entry.request_type.enum).toEqual(METHODS);
  const fileMethods = config.definitions.Url.properties.request_type.anyOf.flatMap((one) => one.const ?? []);
  expect(fileMethods).toEqual(METHODS);
});

describe('defaults in the schemas', () => {
  const file = config.definitions.Test.properties;
  test.each([
    ['initial', String(SPEC_DEFAULTS.initial), String(SPEC_DEFAULTS.initial)],
    ['total', String(SPEC_DEFAULTS.total), String(SPEC_DEFAULTS.total)],
    ['timeout', String(SPEC_DEFAULTS.timeout), `${SPEC_DEFAULTS.timeout / 1000}s`],
    ['error_threshold', String(SPEC_DEFAULTS.errorThreshold), String(SPEC_DEFAULTS.errorThreshold)],
  ] as const)(
    'the configuration schema and the API schema document the actual default of %s',
    (name, inApi, inFile) => {
      expect(fields[name].description).toMatch(
        new RegExp(`\\b${inApi} (?:when|if)|default[^.]*\\b${inApi}\\b`, 'i'),
      );
      expect(file[name].description).toMatch(new RegExp(`\\b${inFile}\\b`));
      expect(String(file[name].default)).toBe(inFile);
    },
  );

  test('the configuration schema and the API schema document the actual default of the request method', () => {
    for (const { request_type: type } of [entry, config.definitions.Url.properties]) {
      expect(type.description).toContain(SPEC_DEFAULTS.method);
    }
    expect(config.definitions.Url.properties.request_type.default).toBe(SPEC_DEFAULTS.method);
  });
});
