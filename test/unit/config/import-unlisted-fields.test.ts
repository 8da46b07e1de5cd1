/**
 * Import of fields that only the embedded service and `loadtests serve` list, and warnings before they are
 * lost.
 */
import { describe, expect, it } from 'vitest';
import { importConfig } from '../../../src/config/config-import.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import { encodeTestRecord, decodeTestRecord } from '../../../src/contract/test-codec.ts';
import type { ObservedState } from '../../../src/core/model/state.ts';
import { appId } from '../../../src/core/model/ids.ts';
import { formatMarker } from '../../../src/core/reconcile/ownership-marker.ts';
import { digestsOf } from '../../../src/core/reconcile/digests.ts';
import { planFromLists, type Plan } from '../../../src/core/reconcile/plan.ts';
import { HEAD, loaded } from './load-text.ts';
import { planOptions } from '../../support/simulated-machine.ts';

const { spec } = loaded(`${HEAD}
tests:
  login:
    test_type: cycling
    duration: 1m
    error_threshold: 15
    urls:
      - { url: 'http://shop.example.com/login', variables: [{ name: token, property: X-Token }] }
      - 'http://shop.example.com/cart/{{token}}'`).desired.tests[0] ?? { spec: null };

type Lists = 'lists them' | 'does not list them';

function accountOf(lists: Lists, notes: string | null = null): ObservedState {
  if (spec === null) throw new Error('no test was loaded');
  const record = encodeTestRecord({ id: 'f133e9e3aa', status: 'complete', spec: { ...spec, notes } });
  const plain = {
    ...record,
    error_threshold: null,
    urls: record.urls.map((url) => ({ ...url, variables: null })),
  };
  return {
    apps: [{ id: appId('0123456789'), host: 'shop.example.com', status: 'verified' }],
    tests: [decodeTestRecord(lists === 'lists them' ? record : plain)],
    maybeTruncated: false,
    firstStartTimes: new Map(),
  };
}

function importOf(observed: ObservedState): string {
  const imported = importConfig({
    observed,
    unmarked: [],
    project: 'shop',
    environment: null,
    service: null,
    declared: null,
    selects: () => true,
    comments: [],
    sha256,
  });
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join());
  return imported.value.text;
}

function planOf(text: string, observed: ObservedState): Plan {
  return planFromLists(loaded(text).desired, observed, { options: planOptions(0), sha256 });
}

const summaryOf = ({ actions, problems }: Plan) => ({
  actions: actions.map(({ verb, address }) => `${verb} ${address}`),
  problems: problems.map(({ code, severity, message }) => `${severity} ${code}: ${message}`),
});

const OTHERS_MARK = {
  project: 'bakery',
  environment: null,
  key: 'login',
  listed: '9f2c41d07ab3',
  repetition: 0,
  nonce: '5tq0mZ8c',
};

describe('imported tests with unlisted fields', () => {
  it('if the service lists the error threshold and the variables of a test, the imported file contains them, and a later replacement keeps the error threshold', () => {
    const observed = accountOf('lists them');
    const text = importOf(observed);
    expect(text).toContain('error_threshold: 15');
    expect(text).toContain('- { name: token, property: X-Token }');
    expect(text).not.toContain('add the actual values');
    expect(summaryOf(planOf(text, observed))).toEqual({
      actions: [`no-op test.${keyIn(text)}`],
      problems: [],
    });
    const changed = planOf(text.replace('duration: 1m', 'duration: 2m'), observed);
    const [action] = changed.actions;
    expect(action).toMatchObject({ verb: 'replace', test: { spec: { errorThreshold: 15 } } });
    expect(summaryOf(changed).problems).toEqual([]);
  });

  it('if the service omits fields, the imported file contains a note, and a plan that replaces the test contains a warning unless the file declares the fields', () => {
    const observed = accountOf('does not list them');
    const text = importOf(observed);
    expect(text).toContain(
      '# the service does not return "error_threshold" and "variables"; add the actual values before you change this test',
    );
    expect(summaryOf(planOf(text, observed)).problems).toEqual([]);
    const changed = text.replace('duration: 1m', 'duration: 2m');
    const key = keyIn(text);
    expect(summaryOf(planOf(changed, observed))).toEqual({
      actions: [`replace test.${key}`],
      problems: [
        `warning LT_PLAN_FIELD_LOST: replacing "${key}" (f133e9e3aa) removes its "error_threshold" and "variables", if any, which the service does not list`,
      ],
    });
    const added = changed
      .replace('duration: 2m', 'duration: 2m\n    error_threshold: 15')
      .replace(
        '- http://shop.example.com/login',
        "- { url: 'http://shop.example.com/login', variables: [] }",
      );
    expect(summaryOf(planOf(added, observed)).problems).toEqual([]);
  });

  it('if the service does not list error_threshold, the import reads the value from the ownership marker, even if the marker belongs to a different project', () => {
    if (spec === null) throw new Error('no test was loaded');
    const notes = formatMarker({ ...OTHERS_MARK, unlisted: digestsOf(spec, sha256).unlisted });
    const observed = accountOf('does not list them', notes);
    const text = importOf(observed);
    expect(text).toContain('error_threshold: 15');
    expect(text).toContain(
      '# the service does not return the variables of this test; add them before you change the test',
    );
    const plan = planOf(text.replace('duration: 1m', 'duration: 2m'), observed);
    expect(summaryOf(plan).problems).toEqual([
      `warning LT_PLAN_FIELD_LOST: replacing "${keyIn(text)}" (f133e9e3aa) removes its "variables", which the file does not contain`,
    ]);
  });
});

function keyIn(text: string): string {
  return /^tests:\n(?: +#.*\n)* {2}(\S+):$/m.exec(text)?.[1] ?? '';
}
