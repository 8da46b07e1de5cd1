/** Conversion of JMeter test plans. */
import { describe, expect, test } from 'vitest';
import { convert, urlLines } from './convert.ts';
import { planOf } from './samples.ts';

type Properties = Readonly<Record<string, string | number | boolean>>;

/** Returns an element with properties, and the elements in its scope. */
function element(type: string, properties: Properties = {}, inner = '', children = ''): string {
  const texts = Object.entries(properties).map(
    ([name, value]) => `<stringProp name="${name}">${value}</stringProp>`,
  );
  return `<${type} testname="" enabled="true">${texts.join('')}${inner}</${type}>\n<hashTree>${children}</hashTree>\n`;
}

function sampler(properties: Properties = {}, { args = '', children = '' } = {}): string {
  const own: Properties = { 'HTTPSampler.domain': 'a.example', 'HTTPSampler.path': '/x' };
  const list = `<elementProp name="HTTPsampler.Arguments"><collectionProp name="Arguments.arguments">${args}</collectionProp></elementProp>`;
  return element('HTTPSamplerProxy', { ...own, ...properties }, args === '' ? '' : list, children);
}

function argument(name: string, value: string, more = ''): string {
  return `<elementProp name="${name}"><stringProp name="Argument.name">${name}</stringProp><stringProp name="Argument.value">${value}</stringProp>${more}</elementProp>`;
}

const COOKIES = element('CookieManager', { 'CookieManager.clearEachIteration': true });
const FOREVER =
  '<elementProp name="ThreadGroup.main_controller"><intProp name="LoopController.loops">-1</intProp></elementProp>';
const SECONDS_10 = { 'ThreadGroup.scheduler': true, 'ThreadGroup.duration': 10 };

/** Returns a plan whose thread group has elements. */
function groupOf(children: string, properties: Properties = SECONDS_10, main = FOREVER): string {
  return planOf(
    element('ThreadGroup', { 'ThreadGroup.num_threads': 2, ...properties }, main, COOKIES + children),
  );
}

async function linesOf(children: string): Promise<readonly string[]> {
  const { text, notes } = await convert('jmeter', groupOf(children));
  expect(notes.filter((note) => !/at most|latest|probability/.test(note))).toEqual([]);
  return urlLines(text).filter((line) => !line.includes('# Changed'));
}

/** Returns the lines of the converted test before `urls`, and the notes. */
async function loadOf(plan: string) {
  const { text, notes } = await convert('jmeter', plan);
  const lines = text.split('\n').map((line) => line.trim());
  return { lines: lines.slice(lines.indexOf('converted:') + 1, lines.indexOf('urls:')), notes };
}

describe('JMeter test plans', () => {
  test('requests of a JMeter Once Only Controller become "on_start" requests only if the controller begins its thread group', async () => {
    const login = element('OnceOnlyController', {}, '', sampler({ 'HTTPSampler.path': '/login' }));
    const item = sampler({ 'HTTPSampler.path': '/item' });
    const { text, notes } = await convert('jmeter', groupOf(login + item));
    expect(notes).toEqual([]);
    expect(text).toContain('    on_start:\n      urls:\n        - http://a.example/login\n    urls:\n');
    expect(urlLines(text).at(-1)).toBe('- http://a.example/item');
    const later = await convert('jmeter', groupOf(item + login));
    expect(later.notes).toEqual([
      expect.stringContaining(
        'the OnceOnlyController is not converted; its elements are executed once in each iteration',
      ),
    ]);
  });

  test.each<readonly [string, string, readonly string[]]>([
    ['a path', sampler(), ['- http://a.example/x']],
    [
      'a protocol and a port',
      sampler({ 'HTTPSampler.protocol': 'https', 'HTTPSampler.port': 8443, 'HTTPSampler.path': 'y' }),
      ['- https://a.example:8443/y'],
    ],
    ['an absolute path', sampler({ 'HTTPSampler.path': 'https://b.example' }), ['- https://b.example/']],
    [
      'query arguments',
      sampler(
        {},
        {
          args:
            argument('q', 'a b', '<boolProp name="HTTPArgument.always_encode">true</boolProp>') +
            argument('r', 'c%20d'),
        },
      ),
      ['- http://a.example/x?q=a%20b&r=c%20d'],
    ],
    [
      'query arguments in addition to a path with a query and a variable',
      sampler({ 'HTTPSampler.path': '/x?id=${__UUID}' }, { args: argument('q', '1') }),
      ['- http://a.example/x?id=%{uuid}&q=1'],
    ],
    [
      'form arguments',
      sampler({ 'HTTPSampler.method': 'POST' }, { args: argument('a', '1 2') }),
      ['- url: http://a.example/x', '  request_type: POST', '  raw_post_body: a=1 2'],
    ],
    [
      'a raw body and a header',
      element(
        'HeaderManager',
        {},
        '<collectionProp name="HeaderManager.headers"><elementProp><stringProp name="Header.name">Content-Type</stringProp><stringProp name="Header.value">application/json</stringProp></elementProp></collectionProp>',
      ) +
        sampler(
          { 'HTTPSampler.method': 'PUT', 'HTTPSampler.postBodyRaw': true },
          { args: argument('', '{&quot;a&quot;:${__Random(1,9)}}') },
        ),
      ['- url: http://a.example/x', '  request_type: PUT', '  json:', '    a: "%{*:1-9}"'],
    ],
    [
      'a raw body without a content type',
      sampler({ 'HTTPSampler.method': 'PUT', 'HTTPSampler.postBodyRaw': true }, { args: argument('', 'a') }),
      [
        '- url: http://a.example/x',
        '  request_type: PUT',
        '  headers:',
        '    content-type: text/plain; charset=UTF-8',
        '  raw_post_body: a',
      ],
    ],
    [
      'a timer in the scope of a sampler',
      sampler() +
        sampler(
          {},
          {
            children: element('UniformRandomTimer', {
              'ConstantTimer.delay': 500,
              'RandomTimer.range': 1000,
            }),
          },
        ),
      ['- url: http://a.example/x', '  delay: [ 500ms, 1.5s ]', '- http://a.example/x'],
    ],
    [
      'a timer of the group',
      element('ConstantTimer', { 'ConstantTimer.delay': 300 }) + sampler() + sampler(),
      ['- url: http://a.example/x', '  delay: 300ms', '- url: http://a.example/x', '  delay: 300ms'],
    ],
    [
      'a loop and a transaction',
      element('LoopController', { 'LoopController.loops': 2 }, '', sampler()) +
        element('TransactionController', {}, '', sampler({ 'HTTPSampler.path': '/y' })),
      ['- repeat: 2', '  urls:', '    - http://a.example/x', '- http://a.example/y'],
    ],
    [
      'a parallel controller',
      element(
        'com.blazemeter.jmeter.controller.ParallelSampler',
        { MAX_THREAD_NUMBER: 6 },
        '',
        sampler() + sampler({ 'HTTPSampler.path': '/y' }),
      ),
      ['- parallel:', '    - http://a.example/x', '    - http://a.example/y'],
    ],
    [
      'conditions and lists of a response',
      sampler(
        {},
        {
          children: element('JSONPostProcessor', {
            'JSONPostProcessor.referenceNames': 'state;ids',
            'JSONPostProcessor.jsonPathExprs': '$.state;$.items[*].id',
            'JSONPostProcessor.match_numbers': '1;-1',
          }),
        },
      ) +
        element(
          'IfController',
          { 'IfController.condition': '${__jexl3("${state}" == "open")}' },
          '',
          sampler({ 'HTTPSampler.path': '/y' }),
        ) +
        element(
          'ForeachController',
          { 'ForeachController.inputVal': 'ids', 'ForeachController.returnVal': 'id' },
          '',
          sampler({ 'HTTPSampler.path': '/${id}' }),
        ) +
        element(
          'WhileController',
          { 'WhileController.condition': '"${state}" != "done"' },
          '',
          sampler({ 'HTTPSampler.path': '/poll' }),
        ),
      [
        '- url: http://a.example/x',
        '  variables:',
        '    - { name: state, property: /state, source: json }',
        '    - { name: ids, property: /items/*/id, source: json, pick: all }',
        '- when:',
        '    state: open',
        '  urls:',
        '    - http://a.example/y',
        '- for_each:',
        '    id: "{{ids}}"',
        '    at_most: 100',
        '  urls:',
        '    - http://a.example/{{id}}',
        '- repeat:',
        '    at_most: 100',
        '    until:',
        '      state: done',
        '  when:',
        '    state:',
        '      not: done',
        '  urls:',
        '    - http://a.example/poll',
      ],
    ],
    [
      'a throughput controller with a percentage',
      sampler() +
        element(
          'ThroughputController',
          { 'ThroughputController.style': 1, 'ThroughputController.percentThroughput': 30 },
          '',
          sampler({ 'HTTPSampler.path': '/y' }),
        ),
      ['- http://a.example/x', '- when:', '    percent_8: <= 30', '  urls:', '    - http://a.example/y'],
    ],
    [
      'a disabled sampler',
      sampler() + sampler({ 'HTTPSampler.path': '/off' }).replace('enabled="true"', 'enabled="false"'),
      ['- http://a.example/x'],
    ],
    [
      'request defaults',
      element('ConfigTestElement', { 'HTTPSampler.domain': 'b.example', 'HTTPSampler.protocol': 'https' }) +
        sampler({ 'HTTPSampler.domain': '' }),
      ['- https://b.example/x'],
    ],
    [
      'credentials',
      element(
        'AuthManager',
        {},
        '<collectionProp name="AuthManager.auth_list"><elementProp><stringProp name="Authorization.username">ann</stringProp><stringProp name="Authorization.password">${__env(PIN)}</stringProp></elementProp></collectionProp>',
      ) + sampler(),
      ['- url: http://a.example/x', '  credentials:', '    login: ann', '    password: ${secret:PIN}'],
    ],
    [
      'redirects that are not followed',
      sampler({ 'HTTPSampler.follow_redirects': false }),
      ['- url: http://a.example/x', '  expect:', '    status: [ 2xx, 3xx ]'],
    ],
    [
      'parallel downloads, but without embedded resources',
      sampler({ 'HTTPSampler.concurrentDwn': true }),
      ['- http://a.example/x'],
    ],
  ])('a JMeter test plan with %s is completely converted to requests', async (_, children, lines) => {
    expect(await linesOf(children)).toEqual(lines);
  });

  test('in a JSON body of a JMeter test plan, quoted variables remain quoted, and unquoted variables remain unquoted', async () => {
    const extractor = element('JSONPostProcessor', {
      'JSONPostProcessor.referenceNames': 'id',
      'JSONPostProcessor.jsonPathExprs': '$.id',
      'JSONPostProcessor.match_numbers': 1,
    });
    const type = element(
      'HeaderManager',
      {},
      '<collectionProp name="HeaderManager.headers"><elementProp><stringProp name="Header.name">content-type</stringProp><stringProp name="Header.value">application/json</stringProp></elementProp></collectionProp>',
    );
    const post = (body: string) =>
      sampler(
        { 'HTTPSampler.method': 'POST', 'HTTPSampler.postBodyRaw': true },
        { args: argument('', body) },
      );
    const lines = await linesOf(
      type +
        sampler({}, { children: extractor }) +
        post('{&quot;a&quot;:&quot;${id}&quot;}') +
        post('{&quot;a&quot;:${id}}'),
    );
    expect(lines.filter((line) => line.includes('body'))).toEqual([
      `  raw_post_body: '{"a":"{{id}}"}'`,
      `  raw_post_body: '{"a":{{id}}}'`,
    ]);
  });

  test('JMeter extractors are converted to variables', async () => {
    const lines = await linesOf(
      sampler(
        {},
        {
          children:
            element('JSONPostProcessor', {
              'JSONPostProcessor.referenceNames': 'a;b',
              'JSONPostProcessor.jsonPathExprs': '$.x[0].a;$.items[*].b',
              'JSONPostProcessor.match_numbers': '1;0',
            }) +
            element('RegexExtractor', {
              'RegexExtractor.refname': 'c',
              'RegexExtractor.regex': 'c="(.+?)"',
              'RegexExtractor.template': '$1$',
              'RegexExtractor.match_number': 1,
            }) +
            element('BoundaryExtractor', {
              'BoundaryExtractor.refname': 'd',
              'BoundaryExtractor.lboundary': 'd=[',
              'BoundaryExtractor.rboundary': ']',
            }),
        },
      ) + sampler({ 'HTTPSampler.path': '/${a}/${b}/${c}/${d}' }),
    );
    expect(lines).toEqual([
      '- url: http://a.example/x',
      '  variables:',
      '    - { name: a, property: /x/0/a, source: json }',
      '    - { name: b, property: /items/*/b, source: json, pick: random }',
      '    - { name: c, property: c="(.+?)", source: body }',
      String.raw`    - { name: d, property: "d=\\[(.*?)\\]", source: body }`,
      '- http://a.example/{{a}}/{{b}}/{{c}}/{{d}}',
    ]);
  });

  test('JMeter assertions are converted to expectations', async () => {
    const response = (field: string, kind: number, text: string) =>
      element(
        'ResponseAssertion',
        { 'Assertion.test_field': `Assertion.${field}`, 'Assertion.test_type': kind },
        `<collectionProp name="Asserion.test_strings"><stringProp name="1">${text}</stringProp></collectionProp>`,
      );
    const lines = await linesOf(
      sampler(
        {},
        {
          children:
            response('response_code', 8, '201') +
            response('response_data', 16, 'ok') +
            response('response_data', 20, 'bad') +
            response('response_data', 2, 'a+') +
            element('JSONPathAssertion', { JSON_PATH: '$.a', EXPECTED_VALUE: '1.5', JSONVALIDATION: true }) +
            element('JSONPathAssertion', { JSON_PATH: '$.b' }),
        },
      ),
    );
    expect(lines).toEqual([
      '- url: http://a.example/x',
      '  expect:',
      '    status: [ 201 ]',
      '    body:',
      '      contains: ok',
      '      not_contains: bad',
      '      matches: a+',
      '    json:',
      '      /a:',
      String.raw`        matches: ^1\.5$`,
      '      /b:',
      '        exists: true',
    ]);
  });

  test('a variable in a JMeter assertion becomes a variable in the expectation', async () => {
    const assertion = element(
      'ResponseAssertion',
      { 'Assertion.test_field': 'Assertion.response_data', 'Assertion.test_type': 16 },
      '<collectionProp name="Asserion.test_strings"><stringProp name="1">order ${id}</stringProp></collectionProp>',
    );
    const extractor = element('JSONPostProcessor', {
      'JSONPostProcessor.referenceNames': 'id',
      'JSONPostProcessor.jsonPathExprs': '$.id',
    });
    const json = element('JSONPathAssertion', {
      JSON_PATH: '$.id',
      EXPECTED_VALUE: '${id}.',
      JSONVALIDATION: true,
    });
    const lines = await linesOf(
      sampler({}, { children: extractor }) + sampler({}, { children: assertion + json }),
    );
    expect(lines).toEqual([
      '- url: http://a.example/x',
      '  variables:',
      '    - { name: id, property: /id, source: json }',
      '- url: http://a.example/x',
      '  expect:',
      '    body: order {{id}}',
      '    json:',
      '      /id:',
      String.raw`        matches: ^{{id}}\.$`,
    ]);
  });

  test.each<readonly [string, Properties, string, readonly string[]]>([
    ['a duration', SECONDS_10, FOREVER, ['test_type: cycling', 'initial: 2', 'total: 2', 'duration: 10s']],
    [
      'a ramp-up and a duration',
      { ...SECONDS_10, 'ThreadGroup.ramp_time': 4 },
      FOREVER,
      ['test_type: cycling', 'stages:', '- { for: 4s, to: 2 }', '- { for: 6s, to: 2 }'],
    ],
    [
      'a ramp-up that is longer than the duration',
      { ...SECONDS_10, 'ThreadGroup.ramp_time': 20 },
      FOREVER,
      ['test_type: cycling', 'initial: 0', 'total: 1', 'duration: 10s'],
    ],
    [
      'several iterations',
      {},
      '<elementProp name="ThreadGroup.main_controller"><stringProp name="LoopController.loops">7</stringProp></elementProp>',
      ['test_type: cycling', 'initial: 2', 'total: 2', 'iterations_per_client: 7', 'duration: 10m'],
    ],
    [
      'one iteration',
      { 'ThreadGroup.num_threads': '${__P(users,5)}', 'ThreadGroup.ramp_time': 30 },
      '<elementProp name="ThreadGroup.main_controller"><stringProp name="LoopController.loops">1</stringProp></elementProp>',
      ['test_type: non-cycling', 'total: 5', 'duration: 30s'],
    ],
  ])(
    'the load of a JMeter thread group with %s is completely converted',
    async (_, properties, main, lines) => {
      const found = await loadOf(groupOf(sampler(), properties, main));
      expect(found.lines).toEqual(lines);
      expect(found.notes.filter((note) => note.startsWith('loss'))).toEqual([]);
    },
  );

  test('a number of threads or loops of a JMeter thread group that is not constant is reported as not converted', async () => {
    const notConstant = 'is not constant and is not converted; correct the load of the test by hand';
    const row = (...values: readonly (string | number)[]) =>
      `<collectionProp name="1">${values.map((value) => `<stringProp name="1">${value}</stringProp>`).join('')}</collectionProp>`;
    const rows = `<collectionProp name="ultimatethreadgroupdata">${row('${__P(n)}', 0, 5, 20, 5)}${row(10, 0, 5, 20, 5)}</collectionProp>`;
    const group = element('kg.apc.jmeter.threads.UltimateThreadGroup', {}, rows, COOKIES + sampler());
    expect((await loadOf(planOf(group))).notes).toEqual([
      `loss 3:1 a value in the rows of the thread group ${notConstant}`,
    ]);
    const main = FOREVER.replace('-1', '${__P(n)}');
    expect((await loadOf(groupOf(sampler(), SECONDS_10, main))).notes).toEqual([
      `loss 3:1 "LoopController.loops" ${notConstant}`,
    ]);
  });

  test('a JMeter thread group with three loops and a ramp-up is converted to stages and iterations per client', async () => {
    const main =
      '<elementProp name="ThreadGroup.main_controller"><stringProp name="LoopController.loops">3</stringProp></elementProp>';
    const found = await loadOf(groupOf(sampler(), { 'ThreadGroup.ramp_time': 2 }, main));
    expect(found.lines).toEqual([
      'test_type: cycling',
      'initial: 1',
      'stages:',
      '- { for: 2s, to: 2 }',
      '- { for: 10m, to: 2 }',
      'iterations_per_client: 3',
    ]);
    expect(found.notes).toEqual([
      'change 3:1 the source does not limit the duration, so the test ends after 10m2s at the latest; if the iterations take longer, increase the duration of the last stage',
    ]);
  });

  test.each<readonly [string, string, readonly string[]]>([
    [
      'an ultimate thread group',
      element(
        'kg.apc.jmeter.threads.UltimateThreadGroup',
        {},
        `<collectionProp name="ultimatethreadgroupdata">${[
          [10, 0, 5, 20, 5],
          [10, 10, 0, 5, 0],
        ]
          .map(
            (row) =>
              `<collectionProp name="1">${row.map((value) => `<stringProp name="1">${value}</stringProp>`).join('')}</collectionProp>`,
          )
          .join('')}</collectionProp>`,
        COOKIES + sampler(),
      ),
      [
        'test_type: cycling',
        'stages:',
        '- { for: 5s, to: 10 }',
        '- { for: 5s, to: 10 }',
        '- { for: 0s, to: 20 }',
        '- { for: 5s, to: 20 }',
        '- { for: 0s, to: 10 }',
        '- { for: 10s, to: 10 }',
        '- { for: 5s, to: 0 }',
      ],
    ],
    [
      'a stepping thread group',
      element(
        'kg.apc.jmeter.threads.SteppingThreadGroup',
        {
          'ThreadGroup.num_threads': 4,
          'Start users count': 2,
          'Start users period': 10,
          rampUp: 1,
          flighttime: 30,
        },
        '',
        COOKIES + sampler(),
      ),
      [
        'test_type: cycling',
        'stages:',
        '- { for: 1s, to: 2 }',
        '- { for: 10s, to: 2 }',
        '- { for: 1s, to: 4 }',
        '- { for: 30s, to: 4 }',
      ],
    ],
    [
      'a concurrency thread group',
      element(
        'com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup',
        { TargetLevel: 8, RampUp: 1, Steps: 2, Hold: 2, Unit: 'M' },
        '',
        COOKIES + sampler(),
      ),
      [
        'test_type: cycling',
        'initial: 4',
        'stages:',
        '- { for: 30s, to: 4 }',
        '- { for: 0s, to: 8 }',
        '- { for: 30s, to: 8 }',
        '- { for: 2m, to: 8 }',
      ],
    ],
    [
      'an arrivals thread group',
      element(
        'com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup',
        { TargetLevel: 120, RampUp: 0, Hold: 2, Unit: 'M' },
        '',
        COOKIES + sampler(),
      ),
      ['test_type: per-second', 'total: 2', 'duration: 2m'],
    ],
  ])('the load of %s in a JMeter test plan is converted', async (_, group, lines) => {
    const found = await loadOf(planOf(group));
    expect(found).toEqual({ lines, notes: [] });
  });

  test('JMeter thread groups are converted to flows whose weights are the numbers of threads', async () => {
    const group = (threads: number) =>
      element(
        'ThreadGroup',
        { 'ThreadGroup.num_threads': threads, ...SECONDS_10 },
        FOREVER,
        COOKIES + sampler(),
      );
    const { config } = await convert('jmeter', planOf(group(3) + group(1)));
    const [converted] = config.desired.tests;
    expect(converted?.spec.flows?.map(({ weight }) => weight)).toEqual([3, 1]);
  });

  test('a JMeter arrivals group after a concurrency group with equal levels is reported, because its load is a rate', async () => {
    const group = (type: string) =>
      element(type, { TargetLevel: 2, RampUp: 0, Hold: 60, Unit: 'S' }, '', COOKIES + sampler());
    const { notes } = await convert(
      'jmeter',
      planOf(
        group('com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup') +
          group('com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup'),
      ),
    );
    expect(notes).toContainEqual(
      expect.stringContaining('the load of this thread group differs from that of the first one'),
    );
  });

  test('a JMeter CSV data set is converted to a payload file in sequential order', async () => {
    const csv = element('CSVDataSet', {
      filename: 'rows\\users.csv',
      variableNames: 'user,pin',
      delimiter: ';',
    });
    const { text, notes } = await convert(
      'jmeter',
      groupOf(csv + sampler({ 'HTTPSampler.path': '/${user}' })),
      {
        files: { 'rows/users.csv': 'ann;1\nbob;2\n' },
      },
    );
    expect(urlLines(text)).toEqual([
      '- url: http://a.example/{{user}}',
      '  payload_file:',
      '    file: rows/users.csv',
      '    columns: [ user, pin ]',
      '    delimiter: ;',
      '    order: sequential',
    ]);
    expect(notes).toEqual([]);
  });

  test.each([
    [
      'an If Controller without a condition',
      element('IfController', {}, '', sampler()),
      'the IfController is not converted; its elements are executed once',
    ],
    [
      'a script',
      sampler({}, { children: element('JSR223PreProcessor') }),
      'the element JSR223PreProcessor is not converted',
    ],
    [
      'a sampler with embedded resources',
      sampler({ 'HTTPSampler.image_parser': true, 'HTTPSampler.concurrentDwn': true }),
      'the embedded resources of pages are not requested',
    ],
    ['a database sampler', element('JDBCSampler') + sampler(), 'the sampler JDBCSampler is not converted'],
    [
      'an unknown variable',
      sampler({ 'HTTPSampler.path': '/${missing}' }),
      'the variable "missing" has no value',
    ],
    [
      'a throughput timer',
      element('ConstantThroughputTimer') + sampler(),
      'the element ConstantThroughputTimer is not converted',
    ],
    [
      'an XPath extractor',
      sampler({}, { children: element('XPathExtractor') }),
      'the element XPathExtractor is not converted',
    ],
  ])(
    '%s in a JMeter test plan is reported as not converted, with its location',
    async (_, children, message) => {
      const { notes } = await convert('jmeter', groupOf(children));
      expect(notes).toEqual([expect.stringMatching(/^loss [4-9]:\d+ /)]);
      expect(notes[0]).toContain(message);
    },
  );

  test.each([
    ['a different root element', '<a/>', 'a JMeter test plan requires a root element <jmeterTestPlan>'],
    ['an unclosed element', '<a>', 'the source is not valid XML'],
    ['no text', '', 'the source is not valid XML'],
    [
      'an entity',
      '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
      'the source is not valid XML: Invalid character entity',
    ],
    ['300 nested elements', '<a>'.repeat(300), 'the source is nested deeper than 250 levels'],
    [
      'no thread group',
      planOf(''),
      'no enabled thread group of the test plan contains an enabled HTTP request',
    ],
  ])('a JMeter source with %s is refused', async (_, text, message) => {
    await expect(convert('jmeter', text)).rejects.toThrow(message);
  });

  test('a JMeter property without a value becomes a secret if a header uses it, and is reported if a host or a number of threads uses it', async () => {
    const { text, notes } = await convert(
      'jmeter',
      groupOf(
        element(
          'HeaderManager',
          {},
          '<collectionProp name="HeaderManager.headers"><elementProp><stringProp name="Header.name">x-tenant</stringProp><stringProp name="Header.value">${__P(tenant)}</stringProp></elementProp></collectionProp>',
        ) + sampler({ 'HTTPSampler.domain': '${__property(target.host)}' }),
        { ...SECONDS_10, 'ThreadGroup.num_threads': '${__P(threads)}' },
      ),
    );
    expect(urlLines(text)).toEqual([
      '- url: http://127.0.0.1:8080/x',
      '  headers:',
      '    x-tenant: ${secret:TENANT}',
    ]);
    expect(notes.map((note) => note.replace(/\d+:\d+ /, ''))).toEqual([
      'loss "ThreadGroup.num_threads" is not constant and is not converted; correct the load of the test by hand',
      'change the URL has no constant host; replace the placeholder http://127.0.0.1:8080 with the address of the target',
    ]);
  });

  test.each([
    ['props.put("token", vars.get("access"));'],
    ["props.put('token', vars.get('access'))"],
    ['${__setProperty(token,${access},)}'],
  ])('a JMeter property that the script %s stores becomes a variable', async (script) => {
    const children =
      element('JSONPostProcessor', {
        'JSONPostProcessor.referenceNames': 'access',
        'JSONPostProcessor.jsonPathExprs': '$.a',
      }) + element('JSR223PostProcessor', { script });
    const group = (type: string, inner: string) => element(type, { 'ThreadGroup.num_threads': 1 }, '', inner);
    const plan = planOf(
      COOKIES +
        group('SetupThreadGroup', sampler({}, { children })) +
        group('ThreadGroup', sampler({ 'HTTPSampler.path': '/${__P(token)}' })),
    );
    const { text, notes } = await convert('jmeter', plan);
    expect(text).toContain('http://a.example/{{access}}');
    expect(notes.map((note) => note.replace(/\d+:\d+ /, ''))).toEqual([
      'change the clients start within one second, not all at the same time',
    ]);
  });

  test('the variables of a JMeter CSV data set are sent as text if its file cannot be read', async () => {
    const rows = element('CSVDataSet', { filename: '/home/ann/ids.csv', variableNames: 'id' });
    const { text, notes } = await convert(
      'jmeter',
      groupOf(rows + sampler({ 'HTTPSampler.path': '/${id}' })),
    );
    expect(urlLines(text).at(-1)).toBe('- http://a.example/$${id}');
    expect(notes.map((note) => note.replace(/\d+:\d+ /, ''))).toEqual([
      'loss the file "/home/ann/ids.csv" cannot be read: no such file',
      'loss the variable "id" has no value, so "${id}" is not replaced',
    ]);
  });

  test('headers inside a JMeter sampler are converted', async () => {
    const manager =
      '<elementProp name="HTTPSampler.header_manager"><collectionProp name="HeaderManager.headers"><elementProp><stringProp name="Header.name">x-a</stringProp><stringProp name="Header.value">1</stringProp></elementProp></collectionProp></elementProp>';
    expect(await linesOf(sampler().replace('</HTTPSamplerProxy>', `${manager}</HTTPSamplerProxy>`))).toEqual([
      '- url: http://a.example/x',
      '  headers:',
      '    x-a: "1"',
    ]);
  });

  test('form fields of a JMeter sampler that are already encoded are not encoded again', async () => {
    const encoded = '<boolProp name="HTTPArgument.always_encode">true</boolProp>';
    const form = (args: string) => linesOf(sampler({ 'HTTPSampler.method': 'POST' }, { args }));
    expect(await form(argument('a', 'two words', encoded) + argument('b', 'x.y'))).toEqual([
      '- url: http://a.example/x',
      '  request_type: POST',
      '  request_params:',
      '    a: two words',
      '    b: x.y',
    ]);
    expect(await form(argument('a', 'two%20words') + argument('b', 'c d', encoded))).toEqual([
      '- url: http://a.example/x',
      '  request_type: POST',
      '  raw_post_body: a=two%20words&b=c%20d',
    ]);
  });

  test('the percentage of a JMeter throughput controller can be read from a FloatProperty element', async () => {
    const percent =
      '<FloatProperty><name>ThroughputController.percentThroughput</name><value>25.0</value><savedValue>0.0</savedValue></FloatProperty>';
    expect(
      await linesOf(element('ThroughputController', { 'ThroughputController.style': 1 }, percent, sampler())),
    ).toEqual(['- when:', '    percent_6: <= 25', '  urls:', '    - http://a.example/x']);
  });

  test.each([
    ['startnextloop', 'becomes "on_failure: stop"', '  on_failure: stop', []],
    [
      'stoptest',
      'is reported as not converted',
      null,
      [
        'loss 3:1 a failed request does not stop a client or the test, although "on_sample_error" is "stoptest"',
      ],
    ],
    ['continue', 'adds no setting', null, []],
  ])('the JMeter action %s after a sampler error %s', async (action, _, line, expected) => {
    const { text, notes } = await convert(
      'jmeter',
      groupOf(sampler(), { ...SECONDS_10, 'ThreadGroup.on_sample_error': action }),
    );
    expect(urlLines(text)).toEqual(
      line === null ? ['- http://a.example/x'] : ['- url: http://a.example/x', line],
    );
    expect(notes).toEqual(expected);
  });

  test('the elements CacheManager and OpenModelThreadGroup of a test plan are reported as not converted', async () => {
    const plan = planOf(
      COOKIES +
        element('CacheManager') +
        element('OpenModelThreadGroup', {}, '', sampler()) +
        element('ThreadGroup', SECONDS_10, FOREVER, sampler()),
    );
    expect((await convert('jmeter', plan)).notes).toEqual([
      'loss 5:1 the element CacheManager is not converted',
      'loss 7:1 the element OpenModelThreadGroup is not converted',
    ]);
  });

  test('if JMeter thread groups have different random variables with the same name, each flow keeps its own variable; equal variables become values of the test', async () => {
    const group = (max: number) => {
      const random = element('RandomVariableConfig', {
        minimumValue: 1,
        maximumValue: max,
        variableName: 'id',
      });
      const children = random + sampler({ 'HTTPSampler.path': `/${max}/\${id}` });
      return element(
        'ThreadGroup',
        { 'ThreadGroup.num_threads': 2, ...SECONDS_10 },
        FOREVER,
        COOKIES + children,
      );
    };
    const valuesOf = async (plan: string) => {
      const { config } = await convert('jmeter', plan);
      const [converted] = config.desired.tests;
      return [converted?.spec.values, converted?.spec.flows?.map(({ values }) => values)];
    };
    const few = [{ name: 'id', value: '%{*:1-10}' }];
    const many = [{ name: 'id', value: '%{*:1-1000}' }];
    expect(await valuesOf(planOf(group(10) + group(1000)))).toEqual([null, [few, many]]);
    expect(await valuesOf(planOf(group(10) + group(10)))).toEqual([few, [undefined, undefined]]);
  });
});
