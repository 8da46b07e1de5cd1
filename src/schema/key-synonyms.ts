/** Keys of other tools and their equivalents in the configuration file. */

/** Possible keys by lower-case word without "-" and "_". The first key that is valid in its context applies. */
const KEY_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  // Requests.
  method: ['request_type'],
  verb: ['request_type'],
  body: ['raw_post_body'],
  data: ['raw_post_body'],
  jsonbody: ['json'],
  payload: ['raw_post_body'],
  auth: ['credentials'],
  authentication: ['credentials'],
  basicauth: ['credentials'],
  query: ['request_params'],
  params: ['request_params'],
  qs: ['request_params'],
  form: ['request_params'],
  cookies: ['headers'],
  uri: ['url'],
  href: ['url'],
  path: ['url'],
  endpoint: ['url'],
  capture: ['variables'],
  extract: ['variables'],
  think: ['delay'],
  thinktime: ['delay'],
  sleep: ['delay'],
  pause: ['delay'],
  check: ['expect'],
  checks: ['expect'],
  assert: ['expect', 'thresholds'],
  assertions: ['expect', 'thresholds'],
  user: ['login', 'total'],
  username: ['login'],
  pass: ['password'],
  header: ['property'],
  // Tests.
  type: ['test_type'],
  executor: ['test_type'],
  model: ['test_type'],
  vus: ['total'],
  users: ['total'],
  clients: ['total'],
  connections: ['total'],
  concurrency: ['total'],
  threads: ['total'],
  rate: ['total'],
  rps: ['total'],
  arrivalrate: ['total'],
  time: ['duration'],
  length: ['duration'],
  phases: ['stages'],
  steps: ['stages'],
  ramp: ['stages'],
  requests: ['urls'],
  flow: ['urls'],
  url: ['urls'],
  target: ['urls', 'apps', 'to'],
  limits: ['thresholds'],
  slo: ['thresholds'],
  dependson: ['needs'],
  after: ['needs'],
  // The file and its apps.
  scenarios: ['tests'],
  scenario: ['tests'],
  targets: ['apps'],
  hosts: ['apps'],
  variables: ['vars'],
  config: ['defaults'],
  options: ['defaults'],
  host: ['app'],
  server: ['web_server'],
};

const RATE_KEYS: readonly string[] = ['rate', 'rps', 'arrivalrate'];

/** Returns the key that corresponds to a word from another tool; null if there is none. */
export function translateKey(word: string, known: readonly string[]): string | null {
  const plain = word.replaceAll(/[_-]/g, '').toLowerCase();
  const candidates = Object.hasOwn(KEY_SYNONYMS, plain) ? KEY_SYNONYMS[plain] : undefined;
  const key = candidates?.find((one) => known.includes(one));
  if (key === undefined) return null;
  const addition =
    RATE_KEYS.includes(plain) && known.includes('test_type') ? ' with "test_type: per-second"' : '';
  return `use "${key}"${addition}`;
}
