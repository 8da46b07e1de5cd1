/** Keys of other load testing tools, each with its equivalent in the configuration file. */

/**
 * Kinds of maps in the file, each with the key that identifies it. A map that accepts several of these keys has the
 * first matching kind.
 */
const LEVEL_KEYS = {
  limits: 'max_connections',
  credentials: 'login',
  expect: 'status',
  thresholds: 'error_rate',
  threshold: 'abort_after',
  variable: 'property',
  stage: 'to',
  app: 'verification',
  url: 'request_type',
  test: 'test_type',
  file: 'tests',
  /** Maps with a list of URLs, such as flows and phases. */
  list: 'urls',
} as const;

export type Level = keyof typeof LEVEL_KEYS;

export interface Equivalent {
  /** Kinds of maps in which the words are unknown keys. */
  readonly at: readonly Level[];
  /** Words in lower case without punctuation, separated by spaces. */
  readonly words: string;
  /** Kind of map to which the lines of `yaml` belong, if it differs from the kind with the unknown key. */
  readonly of?: Level;
  /** Advice in words; absent if the names of the keys in `yaml` are sufficient. */
  readonly advice?: string;
  /** Lines of YAML that are valid in the map. */
  readonly yaml: readonly string[];
}

const TEST_IN_FILE = [
  'tests:',
  '  home: { test_type: cycling, initial: 10, total: 10, duration: 1m, urls: [https://www.example.com/] }',
];
const CLIENTS = [
  'test_type: cycling',
  'initial: 50 # clients at the start',
  'total: 50 # clients at the end',
];
const REPEATED_REQUESTS = [
  'urls:',
  '  - { repeat: 3, urls: [https://www.example.com/] } # in each iteration',
];

const ITERATIONS = [
  'test_type: cycling',
  'iterations: 2000 # total; for each connection: iterations_per_client',
];
const ITERATIONS_PER_CLIENT = [
  'test_type: cycling',
  'iterations_per_client: 20 # for each connection; in total: iterations',
];
const RANDOM_ARRIVALS = ['test_type: per-second', 'arrivals: random # not at even intervals'];
const SETUP = ['setup: # once, before the load', '  urls: [https://www.example.com/reset]'];
const TEARDOWN = ['teardown: # once, after the load', '  urls: [https://www.example.com/reset]'];

const WEIGHTED_FLOWS = [
  'flows:',
  '  browse: { weight: 70, urls: [https://www.example.com/] }',
  '  buy: { weight: 30, urls: [https://www.example.com/cart] }',
];

export const EQUIVALENTS: readonly Equivalent[] = [
  // Top level of the file.
  {
    at: ['file'],
    words:
      'scenarios scenario execution plan phases stages iterations duration users vus concurrency arrivalrate rate rps requests urls flow threadgroup threads testtype',
    yaml: TEST_IN_FILE,
  },
  { at: ['file'], words: 'targets target hosts host baseurl', yaml: ['apps:', '  shop: www.example.com'] },
  { at: ['file'], words: 'variables env environment', yaml: ['vars:', '  path: /cart'] },
  { at: ['file'], words: 'config options settings', yaml: ['defaults:', '  timeout: 5s'] },
  {
    at: ['file'],
    words: 'thresholds ensure criteria passfail assertions slo',
    advice: 'use "thresholds" in "defaults"',
    yaml: ['defaults:', "  thresholds: { p95: '< 300ms', error_rate: '< 1%' }"],
  },
  {
    at: ['file'],
    words: 'http headers',
    advice: 'use "headers" in "url" of "defaults"',
    yaml: ['defaults:', '  url: { headers: { accept: text/html } }'],
  },
  {
    at: ['file'],
    words: 'server',
    yaml: [
      'web_server: # loadtests starts this server',
      "  { command: npm start, url: 'http://127.0.0.1:4080/' }",
    ],
  },
  {
    at: ['limits'],
    words: 'maxvus maxusers connections concurrency',
    yaml: ['max_connections: 500'],
  },
  { at: ['limits'], words: 'duration', yaml: ['max_duration: 10m'] },
  { at: ['app'], words: 'host hostname domain url baseurl target', yaml: ['app: www.example.com'] },

  // Load of a test.
  {
    at: ['test'],
    words:
      'vus users user clients concurrency threads numthreads virtualusers vucount maxvus preallocatedvus startvus constantusers',
    yaml: CLIENTS,
  },
  {
    at: ['test'],
    words: 'spawnrate hatchrate rampup ramptime ramp rampusers holdfor hold steps userclasses shape',
    yaml: ['test_type: cycling', 'stages: [{ for: 30s, to: 50 }, { for: 5m, to: 50 }] # ramp up, then hold'],
  },
  {
    at: ['test'],
    words: 'phases rampto ramprate startrate',
    yaml: [
      'test_type: per-second',
      'stages: [{ for: 1m, to: 20 }, { for: 5m, to: 20 }] # clients per second',
    ],
  },
  {
    at: ['test'],
    words:
      'rate rps qps arrivalrate throughput constantrate timeunit constantthroughputtimer precisethroughputtimer throughputshapingtimer',
    yaml: ['test_type: per-second', 'total: 20 # new clients per second'],
  },
  {
    at: ['test'],
    words: 'poisson exponential randomarrivals exponentialtimer poissonrandomtimer',
    yaml: RANDOM_ARRIVALS,
  },
  { at: ['file', 'url', 'list'], of: 'test', words: 'arrivals', yaml: RANDOM_ARRIVALS },
  {
    at: ['test'],
    words: 'pacing constantpacing waitthroughput',
    yaml: [
      'test_type: cycling',
      'pace: 1s # minimum time between the starts of two iterations of a connection',
    ],
  },
  {
    at: ['test'],
    words: 'loops loopcontroller loopcount loop',
    yaml: ITERATIONS_PER_CLIENT,
  },
  { at: ['test'], words: 'numrequests', yaml: ITERATIONS },
  { at: ['url', 'list'], of: 'test', words: 'iterations', yaml: ITERATIONS },
  {
    at: ['test'],
    words: 'repeat arrivalcount count amount vusers',
    yaml: ['test_type: non-cycling', 'total: 2000 # iterations, which start at even intervals'],
  },
  {
    at: ['test'],
    words: 'executor type model',
    yaml: ['test_type: cycling # alternatives: per-second, non-cycling'],
  },
  {
    at: ['test'],
    words: 'weight weights probability scenarios scenario randomswitch',
    yaml: WEIGHTED_FLOWS,
  },
  { at: ['test'], words: 'time length testduration runtime maxduration during', yaml: ['duration: 5m'] },
  {
    at: ['test'],
    words: 'dependson starttime',
    yaml: ['needs: [browse] # starts after the test "browse" has ended'],
  },

  // Other fields of a test.
  {
    at: ['test'],
    words: 'requests request flow url target targets endpoint endpoints plan tasks exec get http host',
    yaml: ['urls:', '  - https://www.example.com/'],
  },
  {
    at: ['test'],
    words: 'limits slo criteria ensure assert assertions passfail threshold maxerrorrate',
    yaml: ["thresholds: { p95: '< 300ms', error_rate: '< 1%' }"],
  },
  {
    at: ['test'],
    words: 'abortonfail delayaborteval',
    advice: 'use "abort_after" in "thresholds"',
    yaml: ["thresholds: { p95: { limit: '< 3s', abort_after: 30s } }"],
  },
  {
    at: ['test'],
    words: 'think thinktime sleep pause wait waittime delay constanttimer',
    of: 'url',
    yaml: ['url: https://www.example.com/', 'delay: 1s'],
  },
  {
    at: ['test'],
    words: 'check checks expect',
    of: 'url',
    yaml: ['url: https://www.example.com/', 'expect: { status: [200] }'],
  },
  {
    at: ['test'],
    words: 'headers defaultheaders',
    of: 'url',
    yaml: ['url: https://www.example.com/', 'headers: { accept: text/html }'],
  },
  {
    at: ['test'],
    words: 'payload csv csvdataset datasources data feed feeder feeders',
    of: 'url',
    yaml: ['url: https://www.example.com/', 'payload_file: rows.csv'],
  },
  {
    at: ['test'],
    words: 'insecure insecureskiptlsverify skiptlsverify rejectunauthorized',
    yaml: ['tls_verify: false'],
  },
  {
    at: ['test'],
    words: 'pool poolsize connectionpool maxconnections maxsockets sharedconnections shareconnections',
    yaml: ['test_type: per-second', 'connections: 200 # to each host, shared by all clients'],
  },
  {
    at: ['test'],
    words: 'noconnectionreuse novuconnectionreuse keepalive disablekeepalive usekeepalive reuseconnections',
    yaml: ['keep_alive: false # each request of a cycling test opens a new connection'],
  },
  {
    at: ['test'],
    words: 'gzip acceptencoding decompress',
    yaml: ['compression: true'],
  },
  {
    at: ['test'],
    words: 'before beforetest beforeall teststart setupthreadgroup',
    yaml: SETUP,
  },
  {
    at: ['test'],
    words: 'after aftertest afterall teststop onstop teardownthreadgroup postthreadgroup',
    yaml: TEARDOWN,
  },
  { at: ['file', 'url'], of: 'test', words: 'setup', yaml: SETUP },
  { at: ['file', 'url'], of: 'test', words: 'teardown', yaml: TEARDOWN },
  {
    at: ['test', 'url'],
    words:
      'stoponfailure failfast onsamplererror onsampleerror exithereiffailed exitblockonfail stopiffailed',
    yaml: ['on_failure: stop # ends the iteration after a failed request'],
  },
  { at: ['test'], words: 'description comment', yaml: ['notes: Run before each release.'] },

  // Request of a URL.
  { at: ['url'], words: 'method verb', yaml: ['request_type: POST'] },
  { at: ['url'], words: 'get uri href path endpoint request', yaml: ['url: https://www.example.com/cart'] },
  { at: ['url'], words: 'post', yaml: ['url: https://www.example.com/cart', 'request_type: POST'] },
  { at: ['url'], words: 'put', yaml: ['url: https://www.example.com/cart', 'request_type: PUT'] },
  { at: ['url'], words: 'patch', yaml: ['url: https://www.example.com/cart', 'request_type: PATCH'] },
  { at: ['url'], words: 'delete', yaml: ['url: https://www.example.com/cart', 'request_type: DELETE'] },
  {
    at: ['url'],
    words: 'body data payload bodydata postdata',
    yaml: ['request_type: POST', 'raw_post_body: sku=42'],
  },
  { at: ['url'], words: 'jsonbody bodyjson', yaml: ['request_type: POST', 'json: { sku: 42 }'] },
  {
    at: ['url'],
    words: 'form formparams formparam urlencoded',
    yaml: ['request_type: POST', "request_params: { sku: '42' }"],
  },
  {
    at: ['url'],
    words: 'formdata files file upload uploads bodyparts',
    yaml: ['request_type: POST', 'multipart: { title: Invoice, scan: { file: fixtures/a.pdf } }'],
  },
  {
    at: ['url'],
    words: 'bodyfile rawfilebody elfilebody datafile',
    yaml: ['request_type: POST', 'body_file: fixtures/order.xml'],
  },
  { at: ['url'], words: 'query params qs queryparam querystring', yaml: ["request_params: { page: '2' }"] },
  {
    at: ['url'],
    words: 'auth authentication basicauth',
    yaml: ["credentials: { login: ada, password: '${secret:PASSWORD}' }"],
  },
  { at: ['url'], words: 'cookies cookie', yaml: ['headers: { cookie: theme=dark }'] },
  {
    at: ['url', 'test'],
    words: 'beforerequest beforescenario prerequest setupscript function',
    of: 'test',
    yaml: [
      'values: # set once per iteration',
      "  email: 'user-%{text:8}@example.com' # inserted with {{email}}",
    ],
  },
  {
    at: ['url'],
    words: 'csv feed feeder withitems withitemsfromcsv',
    yaml: ['payload_file: rows.csv', "request_params: { sku: '{{sku}}' }"],
  },
  {
    at: ['url'],
    words: 'capture extract afterresponse saveas registers assign jsonextractor regexextractor',
    yaml: ['variables:', '  - { name: token, source: json, property: /token }'],
  },
  {
    at: ['url'],
    words: 'think thinktime sleep pause wait waittime constanttimer',
    yaml: ['delay: 1s # pause after the response'],
  },
  {
    at: ['url'],
    words: 'check checks assert assertions validate validators responseassertion status',
    yaml: ['expect: { status: [200] }'],
  },
  {
    at: ['url'],
    words: 'followredirect followredirects',
    yaml: ['expect: { status: [302] } # redirects are then not followed'],
  },
  { at: ['url'], words: 'gzip acceptencoding decompress', yaml: ['compression: true'] },
  { at: ['url'], words: 'tag label tags group transaction transactioncontroller', yaml: ['name: cart'] },
  {
    at: ['url'],
    words: 'loop loops loopcontroller loopcount count times',
    of: 'test',
    advice: 'use "repeat" in "urls"',
    yaml: REPEATED_REQUESTS,
  },
  {
    at: ['url'],
    words: 'foreach foreachcontroller over each',
    of: 'test',
    advice: 'use "for_each" in "urls"',
    yaml: ['urls:', "  - { for_each: { sku: [A1, B2] }, urls: ['https://www.example.com/{{sku}}'] }"],
  },
  {
    at: ['url'],
    words: 'batch resources parallelcontroller',
    of: 'test',
    advice: 'use "parallel" in "urls"',
    yaml: ['urls:', "  - { parallel: ['https://www.example.com/a', 'https://www.example.com/b'] }"],
  },
  {
    at: ['url'],
    words: 'while whiletrue whilecontroller dowhile aslongas until',
    of: 'test',
    advice: 'use "repeat" with "until" in "urls"',
    yaml: [
      'urls: # until the response has the status 200',
      '  - { repeat: { at_most: 20, until: { code: 200 } }, urls: [',
      '      { url: https://www.example.com/, delay: 1s, variables: [{ name: code, source: status }] }] }',
    ],
  },
  {
    at: ['url'],
    words: 'if iftrue ifcontroller doif skipif condition conditional',
    yaml: ['when: { role: admin } # skipped unless the variable "role" has this value'],
  },
  {
    at: ['url'],
    words: 'weight probability',
    of: 'test',
    yaml: WEIGHTED_FLOWS,
  },
  { at: ['url'], words: 'timeout requesttimeout', of: 'test', yaml: ['timeout: 5s'] },

  // Parts of tests and URLs.
  { at: ['stage'], words: 'duration time', yaml: ['for: 30s', 'to: 50'] },
  { at: ['stage'], words: 'target rate arrivalrate rampto users vus total', yaml: ['for: 30s', 'to: 50'] },
  { at: ['variable'], words: 'json jsonpath', yaml: ['source: json', 'property: /token'] },
  {
    at: ['variable'],
    words: 'regexp regex xpath css',
    yaml: ['source: body', "property: 'id=([0-9]+)' # regular expression"],
  },
  { at: ['variable'], words: 'header', yaml: ['source: header', 'property: location'] },
  { at: ['variable'], words: 'cookie', yaml: ['source: cookie', 'property: session'] },
  { at: ['variable'], words: 'as saveas varname variable', yaml: ['name: token'] },
  { at: ['credentials'], words: 'user username', yaml: ['login: ada'] },
  { at: ['credentials'], words: 'pass', yaml: ["password: '${secret:PASSWORD}'"] },
  { at: ['expect'], words: 'statuscode code responsecode', yaml: ['status: [200]'] },
  { at: ['expect'], words: 'contains bodycontains text responsebody substring', yaml: ['body: accepted'] },
  {
    at: ['expect'],
    words: 'contenttype hasheader headerequals',
    yaml: ['headers: { content-type: application/json* }'],
  },
  { at: ['expect'], words: 'jsonpath hasproperty equals', yaml: ['json: { /status: paid }'] },
  { at: ['thresholds'], words: 'httpreqduration responsetime latency', yaml: ["p95: '< 300ms'"] },
  {
    at: ['thresholds'],
    words: 'checks failures errors',
    yaml: ["error_rate: '< 1%'"],
  },
  { at: ['thresholds'], words: 'httpreqfailed', yaml: ["http_error_rate: '< 1%'"] },
  { at: ['thresholds'], words: 'maxerrorrate', yaml: ["iteration_error_rate: '< 1%'"] },
  { at: ['thresholds'], words: 'httpreqs throughput rps', yaml: ["requests_per_second: '> 100'"] },
  { at: ['thresholds'], words: 'median', yaml: ["p50: '< 100ms'"] },
  { at: ['thresholds'], words: 'mean avg average', yaml: ["avg_response_time: '< 100ms'"] },
  {
    at: ['thresholds'],
    words: 'abortonfail delayaborteval',
    advice: 'use "abort_after" in a threshold',
    yaml: ["p95: { limit: '< 3s', abort_after: 30s }"],
  },
  {
    at: ['threshold'],
    words: 'abortonfail delayaborteval',
    advice: 'use "abort_after"',
    yaml: ["limit: '< 3s'", 'abort_after: 30s'],
  },
  { at: ['threshold'], words: 'threshold max condition', yaml: ["limit: '< 3s'"] },
];

/** Equivalents, keyed by map kind and word. The first row for a word has priority. */
const ROWS: ReadonlyMap<string, Equivalent> = new Map(
  EQUIVALENTS.toReversed().flatMap((row) =>
    row.at.flatMap((level) => row.words.split(' ').map((word) => [`${level} ${word}`, row] as const)),
  ),
);

/** For each kind of map, the kinds whose words also apply, in order of preference. */
const FALLBACKS: Readonly<Partial<Record<Level, readonly Level[]>>> = {
  file: ['test', 'url'],
  test: ['url'],
  url: ['test'],
  list: ['url', 'test'],
};

/** Returns the kind of a map that accepts the given keys; null if the kind is not in `LEVEL_KEYS`. */
export function levelOf(known: readonly string[]): Level | null {
  const levels = Object.keys(LEVEL_KEYS) as Level[];
  return levels.find((level) => known.includes(LEVEL_KEYS[level])) ?? null;
}

export interface Translation {
  readonly advice: string;
  readonly example: readonly string[];
}

/**
 * Converts a key of another tool to its equivalent in the configuration file; null if there is none.
 * @param known - Valid keys of the map.
 */
export function translateKey(word: string, known: readonly string[]): Translation | null {
  const level = levelOf(known);
  if (level === null) return null;
  const plain = word.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
  const place = [level, ...(FALLBACKS[level] ?? [])].find((one) => ROWS.has(`${one} ${plain}`));
  const row = place === undefined ? undefined : ROWS.get(`${place} ${plain}`);
  if (row === undefined) return null;
  const { yaml, of = place } = row;
  const keys = yaml.flatMap((line) => /^[a-z_0-9]+(?=:)/.exec(line)?.[0] ?? []);
  const testType = yaml.flatMap((line) => /^test_type: [a-z-]+(?=$| #)/.exec(line)?.[0] ?? [])[0];
  // Omits `url` from the advice if an example contains `url` only to show the position of other fields.
  const others = keys.filter((key) => key !== 'test_type' && !(key === 'url' && of === 'url'));
  const names = joinNames(others.length === 0 ? keys : others);
  const owner = of === undefined || of === level ? '' : ` of the ${of === 'url' ? 'URL' : of}`;
  const isConditional = others.length > 0 && testType !== undefined;
  const condition = isConditional ? `${owner === '' ? '' : ','} with "${testType}"` : '';
  return {
    advice: row.advice ?? `use ${names}${owner}${condition}`,
    example: yaml,
  };
}

function joinNames(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(' and ');
}
