/**
 * Property tests: bodies written as `json` are imported as `json`, and a plan of the imported file has no
 * changes.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importConfig } from '../../../src/config/config-import.ts';
import { parseJsonBody } from '../../../src/config/import-json.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import { encodeTestRecord, decodeTestRecord } from '../../../src/contract/test-codec.ts';
import { mapBody } from '../../../src/core/model/request-body.ts';
import type { DesiredState, ObservedState } from '../../../src/core/model/state.ts';
import { appId } from '../../../src/core/model/ids.ts';
import type { DeclaredTest, TargetSpec } from '../../../src/core/model/load-test.ts';
import { revealText } from '../../../src/core/model/secret.ts';
import { notesWithMarker } from '../../../src/core/reconcile/ownership-marker.ts';
import { digestsOf } from '../../../src/core/reconcile/digests.ts';
import { planFromLists } from '../../../src/core/reconcile/plan.ts';
import { arbitraryString } from '../../support/arbitrary-string.ts';
import { planOptions } from '../../support/simulated-machine.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { HEAD, loaded } from './load-text.ts';

function fileWith(order: string): string {
  return `${HEAD}
tests:
  home:
    test_type: cycling
    duration: 1m
    urls:
      - { url: 'http://shop.example.com/', variables: [{ name: token, property: X-Token }] }
      - ${order}
`;
}

function declaredIn(text: string, env: Readonly<Record<string, string>> = {}): DeclaredTest {
  const [declared] = loaded(text, { env }).desired.tests;
  if (declared === undefined) throw new Error('no test was loaded');
  return declared;
}

/** State of the service after the test was applied. */
function accountOf({ spec }: DeclaredTest, listsFlag: boolean): ObservedState {
  const marker = { project: 'shop', environment: null, key: 'home', repetition: 0, nonce: '5tq0mZ8c' };
  const notes = notesWithMarker(null, { ...marker, ...digestsOf(spec, sha256) });
  const plain = (target: TargetSpec): TargetSpec => ({
    ...target,
    body: target.body && mapBody(target.body, { text: revealText, file: (file) => file }),
  });
  const sent = { ...spec, notes, targets: spec.targets.map(plain) };
  const record = encodeTestRecord({ id: 'f133e9e3aa', status: 'complete', spec: sent });
  const urls = record.urls.map(({ raw_post_body_json: flag, ...url }) =>
    listsFlag ? { ...url, ...(flag === undefined ? {} : { raw_post_body_json: flag }) } : url,
  );
  return {
    apps: [{ id: appId('0123456789'), host: 'shop.example.com', status: 'verified' }],
    tests: [decodeTestRecord({ ...record, urls })],
    maybeTruncated: false,
    firstStartTimes: new Map(),
  };
}

function importOf(observed: ObservedState, declared: DesiredState | null = null): string {
  const imported = importConfig({
    observed,
    unmarked: [],
    project: 'shop',
    environment: null,
    service: null,
    declared,
    selects: () => true,
    comments: [],
    sha256,
  });
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join());
  expect(imported.value.omitted).toEqual([]);
  return imported.value.text;
}

function planOf(text: string, observed: ObservedState, env: Readonly<Record<string, string>> = {}) {
  const { actions, problems } = planFromLists(loaded(text, { env }).desired, observed, {
    options: planOptions(0),
    sha256,
  });
  return { verbs: actions.map(({ verb }) => verb), problems: problems.map(({ message }) => message) };
}

const NO_CHANGES = { verbs: ['no-op'], problems: [] };

const scalar = fc.oneof(
  arbitraryString({ maxLength: 12 }).map((text) => text.replaceAll(/[\p{Cs}$]/gu, '-')),
  fc.constantFrom<unknown>(
    '%{1:9}',
    '{{token}}',
    'a {{ token }}',
    '{{}}',
    'null',
    '1e3',
    ' x\n',
    '~',
    '$${x}',
  ),
  fc.constantFrom<unknown>(null, true, 0, -1.5, 1e21, 1e-7, 12_345_678),
);
const keys = fc.oneof(
  fc.constantFrom('sku', 'a b', '', '1', 'x-a', '<<', 'null', '~', '{{token}}', 'ü🛒'),
  fc.string({ maxLength: 4 }),
);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      keys.filter(
        (key) => !/[\p{Cs}$]/u.test(key) && !['__proto__', 'constructor', 'prototype'].includes(key),
      ),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
}));

const ascii = (value: unknown) =>
  JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

describe('import of request bodies', () => {
  it('the import restores any value of the json field, and the plan of the imported file has no changes', () => {
    fc.assert(
      fc.property(json, fc.boolean(), (value, listsFlag) => {
        const declared = declaredIn(
          fileWith(`{ url: 'http://shop.example.com/order', request_type: POST, json: ${ascii(value)} }`),
        );
        const observed = accountOf(declared, listsFlag);
        const text = importOf(observed);
        expect(text).toContain('        json:');
        expect(text).not.toContain('raw_post_body');
        expect(text).not.toContain('content-type');
        expect(declaredIn(text).spec.targets).toEqual(declared.spec.targets);
        expect(planOf(text, observed)).toEqual(NO_CHANGES);
      }),
      { numRuns: scaleCount(150) },
    );
  });

  it('the import preserves the text of a request body, and the plan of the imported file has no changes', () => {
    const bodies = fc.oneof(
      json.map((value) => JSON.stringify(value, null, 1)),
      fc.constantFrom(
        '{"a":1.10}',
        '{"a": 1}',
        '{"b":1,"a":2,"1":3}',
        '{"a":1,"a":2}',
        '{"constructor":1}',
        '-0',
      ),
      fc.constantFrom(
        '{"a":"\\/"}',
        '{"a":"\\u00fc"}',
        '{"a":%{1:9}}',
        '{"a":"%{1:9}"}',
        '{"a":{{token}}}',
        'a=b',
      ),
      fc.constantFrom('{"a":"{{token}}"}', '["\\ud800"]', `${'['.repeat(99)}${']'.repeat(99)}`),
    );
    const types = fc.constantFrom<object>(
      {},
      { 'Content-Type': 'application/json' },
      { 'content-type': 'application/json', 'x-a': 'b' },
      { 'content-type': 'application/vnd.shop+json' },
    );
    fc.assert(
      fc.property(bodies, types, fc.boolean(), (body, headers, listsFlag) => {
        const order = { url: 'http://shop.example.com/order', request_type: 'POST', headers };
        const declared = declaredIn(fileWith(ascii({ ...order, raw_post_body: body.replaceAll('$', '-') })));
        const observed = accountOf(declared, listsFlag);
        const text = importOf(observed);
        expect(planOf(text, observed)).toEqual(NO_CHANGES);
        expect(declaredIn(text).spec.targets[1]?.body).toMatchObject({
          text: body.replaceAll('$', '-'),
        });
      }),
      { numRuns: scaleCount(100) },
    );
  });

  it('the import keeps the secret references in the json field of the current file', () => {
    const env = { PASSWORD: 'x"\\y' };
    const file = fileWith(
      "{ url: 'http://shop.example.com/order', request_type: POST, json: { login: '{{token}}', password: 'a${secret:PASSWORD}' } }",
    );
    const { desired } = loaded(file, { env });
    const observed = accountOf(declaredIn(file, env), true);
    const text = importOf(observed, desired);
    expect(text).toContain('password: a${secret:PASSWORD}');
    expect(planOf(text, observed, env)).toEqual(NO_CHANGES);
  });
});

describe('parsing of JSON bodies', () => {
  it.each([
    ['{"a":%{1:9},"b":"%{1:9} of 9"}', { a: '%{1:9}', b: '%{1:9} of 9' }],
    ['"\\"%{1:9}"', '"%{1:9}'],
    ['null', null],
  ])('parseJsonBody converts the body %s to the value %j', (text, value) => {
    expect(parseJsonBody(text)).toEqual({ value });
  });

  it.each(['', '{', '{"a":1.0}', '{"a" :1}', '{"2":1,"1":1}', '"%{1:9}"', '{"a":1,"a":1}', '{"${x}":1}'])(
    'parseJsonBody returns null for the body "%s", because no value of the json field produces it',
    (text) => {
      expect(parseJsonBody(text)).toBeNull();
    },
  );
});
