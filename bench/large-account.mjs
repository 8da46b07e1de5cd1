/** Generated large accounts: the lists of a service, and the file of one of its projects. */

export const LISTED_APPS = 1993;
export const LISTED_TESTS = 49_987;
export const DECLARED_APPS = 50;
export const DECLARED_TESTS = 100;

const hostOf = (app) => `www-${app}.example.com`;
const PROJECT = 'shop';

/**
 * Accounts that make different parts of a plan expensive. Each has the project `shop`, whose 100 tests do not
 * exist yet or exist only in an earlier version. `declared` and `listed` return the fields of a test by its
 * number.
 */
export const ACCOUNTS = {
  mixed: {
    title: 'half of the tests with markers of other projects, the others created manually',
    declared: (test) => journey(test, { host: hostOf(test % DECLARED_APPS) }),
    listed: (test) => ({
      ...journey(test, { host: hostOf(test % LISTED_APPS), total: 50 + (test % 200) }),
      notes: test % 2 === 0 ? `Before the sale\n${foreignMarker(test)}` : 'created manually, for the sale',
    }),
  },
  alike: {
    title: 'unmarked tests that differ from the declared ones in a parameter alone',
    declared: () => journey(null, { host: hostOf(0), total: 250 }),
    listed: (test) => journey(null, { host: hostOf(0), total: 250, user: `ci-${test}` }),
  },
  host: {
    title: 'unmarked tests of one host, with equal load and different names and paths',
    declared: (test) => journey(`new-${test}`, { host: hostOf(0), path: `/new-${test}`, total: 250 }),
    listed: (test) => journey(test, { host: hostOf(0), path: `/${test}`, total: 250 }),
  },
  own: {
    title: 'all tests with markers of the project; half of their keys are declared',
    declared: (test) => journey(test, { host: hostOf(test % DECLARED_APPS) }),
    listed: (test) => ({
      ...journey(test, { host: hostOf(test % LISTED_APPS), total: 50 + (test % 200) }),
      notes: markerOf(test, PROJECT, `test-${test % (2 * DECLARED_TESTS)}`),
    }),
  },
  foreign: {
    title: 'all tests with markers of other projects',
    declared: (test) => journey(test, { host: hostOf(test % DECLARED_APPS) }),
    listed: (test) => ({
      ...journey(test, { host: hostOf(test % LISTED_APPS), total: 50 + (test % 200) }),
      notes: foreignMarker(test),
    }),
  },
};

/** Returns a test with two requests to a host. Its name is null if the number is null. */
function journey(number, { host, path = '', total = 50, user = 'ci' }) {
  return {
    name: number === null ? null : `Journey ${number} of ${host}`,
    total,
    user,
    login: `http://${host}${path}/login`,
    cart: `http://${host}${path}/cart`,
    domain: host,
    notes: null,
  };
}

/** Returns the file of a project with verified apps. */
export function projectFile(port, { declared }) {
  const apps = Array.from({ length: DECLARED_APPS }, (_, app) => `  app-${app}: ${hostOf(app)}\n`);
  const tests = Array.from({ length: DECLARED_TESTS }, (_, test) => {
    const { name, total, login, cart, user } = declared(test);
    return `  test-${test}:
${name === null ? '' : `    name: ${name}\n`}    test_type: cycling
    initial: 1
    total: ${total}
    duration: 1m
    error_threshold: 20
    urls:
      - url: ${login}
        request_type: POST
        request_params: { user: ${user} }
        variables: [{ name: token, property: X-Token, source: header }]
      - url: ${cart}
        headers: { X-Token: '{{token}}' }
`;
  });
  return `version: 1
project: ${PROJECT}
service:
  base_url: http://127.0.0.1:${port}
apps:
${apps.join('')}tests:
${tests.join('')}`;
}

export function listedApps() {
  return Array.from({ length: LISTED_APPS }, (_, app) => ({
    app: hostOf(app),
    status: 'verified',
    app_id: id(app, 'a'),
  }));
}

export function listedTests({ listed }) {
  return Array.from({ length: LISTED_TESTS }, (_, test) => {
    const { name, total, login, cart, user, domain, notes } = listed(test);
    return {
      domain,
      duration: 60,
      initial: 1,
      timeout: 10_000,
      total,
      name,
      notes,
      callback: null,
      callback_email: null,
      scheduled_at: null,
      status: 'complete',
      test_id: id(test, 'b'),
      test_type: 'Cycling',
      urls: [
        target(login, { request_type: 'POST', request_params: { user } }),
        target(cart, { headers: { 'X-Token': '{{token}}' } }),
      ],
    };
  });
}

function target(url, changes) {
  return {
    url,
    truncated_url: url.slice(0, 30),
    request_type: 'GET',
    authentication: null,
    headers: {},
    request_params: {},
    raw_post_body: null,
    payload_file_url: null,
    ...changes,
  };
}

function id(number, prefix) {
  return `${prefix}${number.toString(16).padStart(7, '0')}${'0123456789abcdef'.repeat(2).slice(0, 24)}`;
}

function foreignMarker(test) {
  return markerOf(test, `project-${test % 97}`, `test-${test}`);
}

/**
 * Creates a marker in the format of src/core/reconcile/ownership-marker.ts: the check characters are the
 * 32-bit FNV-1a hash in base 36.
 */
function markerOf(test, project, key) {
  const specHash = (test * 2_654_435_761).toString(16).slice(-12).padStart(12, '0');
  const rest = `p=${project} k=${key} s=${specHash} w=20.4f53cda1 n=${id(test, 'n').slice(0, 8)}`;
  let hash = 0x811c9dc5;
  for (const character of rest) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return `[loadtests ${rest} c=${(hash % 1296).toString(36).padStart(2, '0')}]`;
}
