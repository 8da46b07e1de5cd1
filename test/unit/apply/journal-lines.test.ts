/** Lines of the journal: the texts that are written, and the lines that each reader selects. */
import { describe, expect, it } from 'vitest';
import { Journal, type JournalLine } from '../../../src/apply/uncertainty/journal.ts';
import { appId, resultId, testAddress, testId, testKey } from '../../../src/core/model/ids.ts';
import { ProblemError, problem } from '../../../src/core/problem.ts';

const IDENTITY = { service: 'https://api.example', p: 'shop', e: null };
const START = {
  ...IDENTITY,
  address: testAddress(testKey('home')),
  nonce: 'n1',
  phase: 'sent',
  at: 1,
  op: 'start',
  id: testId('t1'),
  before: null,
} as const;
const CREATE = { ...START, op: 'create', s: 's', w: 'w', r: 0 } as const;
const PLAN = { ...IDENTITY, op: 'plan', plan: 'digest', at: 1 };
const APP = { ...IDENTITY, op: 'app', app: 'app1', at: 1 };

function open(...lines: readonly (object | string)[]): {
  readonly journal: Journal;
  readonly texts: string[];
} {
  const texts = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  const file = { read: () => texts.join(''), append: (text: string) => void texts.push(text) };
  return { journal: new Journal(file, IDENTITY), texts };
}

function failing(error: Error): Journal {
  const append = () => {
    throw error;
  };
  return new Journal({ read: () => '', append }, IDENTITY);
}

const FULL_DISK = problem('LT_CLI_DISK', 'the disk is full');

describe('lines that the journal writes', () => {
  it('the journal appends each operation, plan and app as one line of JSON', () => {
    const { journal, texts } = open();
    journal.write(START);
    journal.recordPlan('digest', 2);
    journal.recordApp(appId('app1'), 3);
    expect(journal.writeOutcome({ ...START, phase: 'done' })).toBeNull();
    expect(texts.map((text) => text.at(-1))).toEqual(['\n', '\n', '\n', '\n']);
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      START,
      { ...PLAN, at: 2 },
      { ...APP, at: 3 },
      { ...START, phase: 'done' },
    ]);
  });

  it('if the disk is full, the journal throws an error for intents and plans, returns a problem for outcomes, and ignores the failure for apps', () => {
    const journal = failing(new ProblemError(FULL_DISK));
    expect(() => journal.write(START)).toThrow('the disk is full');
    expect(() => journal.recordPlan('digest', 2)).toThrow('the disk is full');
    expect(journal.writeOutcome(START)).toEqual(FULL_DISK);
    expect(() => journal.recordApp(appId('app1'), 3)).not.toThrow();
  });

  it('the journal rethrows unexpected errors of a write', () => {
    const journal = failing(new TypeError('bug'));
    expect(() => journal.writeOutcome(START)).toThrow('bug');
    expect(() => journal.recordApp(appId('app1'), 3)).toThrow('bug');
  });
});

describe('lines that count as readable', () => {
  const readable: readonly (readonly [string, object])[] = [
    ['a start', START],
    ['a creation', CREATE],
    ['a creation with notes', { ...CREATE, notes: 'Mine.' }],
    ['a creation with null as notes', { ...CREATE, notes: null }],
    ['an operation with the uptime', { ...START, up: 5 }],
    ['an operation with a result', { ...START, result: 'r1' }],
    ['an operation with an environment', { ...CREATE, e: 'staging' }],
    ['a creation without an id', { ...CREATE, id: null }],
    ['a plan', PLAN],
    ['an app', APP],
    ['an app of an environment', { ...APP, e: 'staging' }],
  ];
  it.each(readable)('the journal does not report the line of %s as damaged', (_, line) => {
    expect(open(line).journal.damaged()).toEqual([]);
  });

  const withValues = (line: { readonly op: string }, names: readonly string[], values: readonly unknown[]) =>
    names.flatMap((name) => values.map((value) => [line.op, name, value, line] as const));
  const NO_TEXT = [undefined, 7, {}];
  const damaged = [
    ...withValues(START, ['service', 'p', 'e', 'address', 'nonce', 'phase', 'id'], NO_TEXT),
    ...withValues(START, ['id'], ['../apps', '']),
    ...withValues(START, ['before'], [undefined, 'r1', [7]]),
    ...withValues(CREATE, ['s', 'w'], NO_TEXT),
    ...withValues(CREATE, ['r'], [undefined, '0', null]),
    ...withValues(PLAN, ['service', 'p', 'e', 'plan'], NO_TEXT),
    ...withValues(APP, ['service', 'p', 'e', 'app'], NO_TEXT),
    ...[START, CREATE, PLAN, APP].flatMap((line) => withValues(line, ['at'], [undefined, '7', null])),
    ...withValues(START, ['op'], [undefined, 7, 'dance']),
    ...withValues(START, ['result'], [7, {}, null]),
    ...withValues(START, ['up'], ['7', {}, null]),
    ...withValues(CREATE, ['notes'], [7, {}]),
  ];
  it.each(damaged)(
    'the journal reports a "%s" line whose "%s" is %j as damaged',
    (_op, name, value, line) => {
      const text = JSON.stringify({ ...line, [name]: value });
      expect(open(text).journal.damaged()).toEqual([{ number: 1, text }]);
    },
  );

  it.each(['[]', 'null', '7', '"text"', '{}', '{"op":'])(
    'the journal reports the text %s as damaged',
    (text) => {
      const { journal } = open(START, text);
      expect(journal.damaged()).toEqual([{ number: 2, text }]);
      expect(journal.lines()).toEqual([START]);
    },
  );

  it('the journal does not report empty lines and lines of spaces as damaged', () => {
    expect(open(START, '  ', '', START).journal.damaged()).toEqual([]);
  });
});

describe('lines that each reader selects', () => {
  const foreign = [{ service: 'https://other.example' }, { p: 'blog' }, { e: 'staging' }] as const;

  it('the journal returns the last line of each nonce in the order of the first lines, lists open operations, and ignores other services, projects and environments', () => {
    const done = { ...START, phase: 'done' };
    const second = { ...CREATE, nonce: 'n2' };
    const { journal } = open(START, second, PLAN, APP, done, ...foreign.map((one) => ({ ...START, ...one })));
    expect(journal.lines()).toEqual([done, second]);
    expect(journal.open()).toEqual([second]);
  });

  it.each(['intended', 'done', 'refused', 'absent', 'gone', 'duplicate'])(
    'an operation whose last phase is "%s" is not open',
    (phase) => {
      expect(open(START, { ...START, phase }).journal.open()).toEqual([]);
    },
  );

  it('an operation stays open if only a line of another service, project or environment closes it', () => {
    const others = foreign.map((one) => ({ ...START, ...one, phase: 'done' }));
    expect(open(START, ...others).journal.open()).toEqual([START]);
  });

  it('the journal returns the valid test IDs of all projects on its service, except the IDs of tests that were last recorded as gone', () => {
    const of = (id: string | null, changes: object = {}) => ({
      ...CREATE,
      id,
      nonce: `n-${id ?? ''}`,
      ...changes,
    });
    const { journal } = open(
      of('t1', { p: 'blog' }),
      of('t2', { e: 'staging' }),
      { ...START, id: 't3' },
      of('t1'),
      of('elsewhere', { service: 'https://other.example' }),
      of(null),
      of('../apps'),
      of('t4'),
      of('t4', { phase: 'gone' }),
      of('t5', { phase: 'gone' }),
      of('t5', { phase: 'done' }),
      { ...APP, id: 't6' },
    );
    expect(journal.testIds()).toEqual(['t1', 't2', 't3', 't5']);
  });

  it('the journal returns each app ID of all projects on its service once, except IDs that are not valid in a path', () => {
    const { journal } = open(
      APP,
      { ...APP, p: 'blog', app: 'app2' },
      { ...APP, app: 'app3', service: 'https://other.example' },
      APP,
      { ...APP, app: '../tests' },
      { ...START, app: 'app4' },
    );
    expect(journal.appIds()).toEqual(['app1', 'app2']);
  });

  it('for a saved plan, the journal returns the time at which the plan was last applied, or null if it was never applied', () => {
    const { journal } = open(
      PLAN,
      { ...PLAN, at: 5 },
      { ...PLAN, plan: 'other', at: 9 },
      { ...START, plan: 'digest' },
    );
    expect([journal.planAppliedAt('digest'), journal.planAppliedAt('none')]).toEqual([5, null]);
  });
});

it('if a later line of an operation contains a result, the journal returns this line unchanged', () => {
  const line: JournalLine = { ...START, phase: 'done', result: resultId('r1') };
  const { journal } = open(START);
  journal.write(line);
  expect(journal.lines()).toEqual([line]);
});
