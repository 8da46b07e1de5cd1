/** Words that other tools use for what a key of the file says. */

/** In small letters alone, each with the keys that may be meant: the first one that is known at the place is. */
const KEY_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  // Of a request.
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
  // Of a test.
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
  // Of the file and its apps.
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

/** What to write in place of a word of another tool, for a sentence; null where it is none, or means nothing here. */
export function translateKey(word: string, known: readonly string[]): string | null {
  const plain = word.replaceAll(/[_-]/g, '').toLowerCase();
  const meant = Object.hasOwn(KEY_SYNONYMS, plain) ? KEY_SYNONYMS[plain] : undefined;
  const key = meant?.find((one) => known.includes(one));
  if (key === undefined) return null;
  const also =
    RATE_KEYS.includes(plain) && known.includes('test_type') ? ', with "test_type: per-second"' : '';
  return `it is called "${key}" here${also}`;
}
