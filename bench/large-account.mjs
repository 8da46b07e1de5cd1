/** A generated large account: the lists of a service, and the file of one of its projects. */

export const LISTED_APPS = 1993;
export const LISTED_TESTS = 49_987;
export const DECLARED_APPS = 50;
export const DECLARED_TESTS = 100;

export const hostOf = (app) => `www-${app}.example.com`;

/** Returns the file of a project with verified apps whose tests do not exist yet. */
export function projectFile(port) {
  const apps = Array.from({ length: DECLARED_APPS }, (_, app) => `  app-${app}: ${hostOf(app)}\n`);
  const tests = Array.from({ length: DECLARED_TESTS }, (_, test) => {
    const host = hostOf(test % DECLARED_APPS);
    return `  test-${test}:
    name: Journey ${test}
    test_type: cycling
    initial: 1
    total: 50
    duration: 1m
    error_threshold: 20
    urls:
      - url: http://${host}/login
        request_type: POST
        request_params: { user: ci }
        variables: [{ name: token, property: X-Token, source: header }]
      - url: http://${host}/cart
        headers: { X-Token: '{{token}}' }
`;
  });
  return `version: 1
project: shop
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

/**
 * Half of the tests have an ownership marker of another project in their notes; the others were created
 * manually.
 */
export function listedTests() {
  return Array.from({ length: LISTED_TESTS }, (_, test) => {
    const host = hostOf(test % LISTED_APPS);
    return {
      domain: host,
      duration: 60,
      initial: 1,
      timeout: 10_000,
      total: 50 + (test % 200),
      name: `Journey ${test} of ${host}`,
      notes: test % 2 === 0 ? `Before the sale\n${markerOf(test)}` : 'created manually, for the sale',
      callback: null,
      callback_email: null,
      scheduled_at: null,
      status: 'complete',
      test_id: id(test, 'b'),
      test_type: 'Cycling',
      urls: [
        target(`http://${host}/login`, { request_type: 'POST', request_params: { user: 'ci' } }),
        target(`http://${host}/cart`, { headers: { 'X-Token': '{{token}}' } }),
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

/**
 * Creates a marker in the format of src/core/reconcile/ownership-marker.ts: the check characters are the
 * 32-bit FNV-1a hash in base 36.
 */
function markerOf(test) {
  const specHash = (test * 2_654_435_761).toString(16).slice(-12).padStart(12, '0');
  const rest = `p=project-${test % 97} k=test-${test} s=${specHash} w=20.4f53cda1 n=${id(test, 'n').slice(0, 8)}`;
  let hash = 0x811c9dc5;
  for (const character of rest) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return `[loadtests ${rest} c=${(hash % 1296).toString(36).padStart(2, '0')}]`;
}
