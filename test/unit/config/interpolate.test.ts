/** Interpolation: values of references, and references that are not allowed. */
import { describe, expect, it } from 'vitest';
import { bodyFieldsOf } from '../../../src/core/model/request-body.ts';
import { maskText, revealText } from '../../../src/core/model/secret.ts';
import {
  DIRECTORY,
  HEAD,
  fileWithTest,
  linesOf,
  loadText,
  loaded,
  problemsOf,
  type LoadOptions,
} from './load-text.ts';

function nameOf(name: string, vars: string, options: LoadOptions = {}): string | null {
  const config = loaded(
    `${HEAD}
vars: ${vars}
tests: { home: { name: ${JSON.stringify(name)}, test_type: cycling, duration: 1, urls: ['http://shop.example.com/'] } }`,
    options,
  );
  return config.desired.tests[0]?.spec.name ?? null;
}

describe('references', () => {
  it.each<[string, string, string, LoadOptions]>([
    ['a ${a} c', '{ a: b }', 'a b c', {}],
    ['${a}${a}', '{ a: b }', 'bb', {}],
    ['${a-b_1}', '{ a-b_1: x }', 'x', {}],
    ['v${n}', '{ n: 1.10 }', 'v1.10', {}],
    ['v${n}', '{ n: 0x1F }', 'v0x1F', {}],
    ['v${n}', '{ n: true }', 'vtrue', {}],
    ['${a}', '{ a: "${b}", b: "${env:C:-d}" }', 'd', {}],
    ['$${a}', '{ a: b }', '${a}', {}],
    ['$$${a} $', '{ a: b }', '$${a} $', {}],
    ['{{a}} %{1,2} $a', '{ a: b }', '{{a}} %{1,2} $a', {}],
    ['${env:NAME}', '{}', 'from outside', { env: { NAME: 'from outside' } }],
    ['a${env:NAME}', '{}', 'a', { env: { NAME: '' } }],
    ['${env:NAME:-or this}', '{}', 'or this', {}],
    ['${env:NAME:-if empty}', '{}', 'if empty', { env: { NAME: '' } }],
    ['${env:NAME:-}a', '{}', 'a', {}],
    ['${env:NAME:-or}', '{}', 'set', { env: { NAME: 'set' } }],
    ['${env:A:-${b}}', '{ b: branch }', 'branch', {}],
    ['${env:A:-${b}}', '{ b: branch }', 'set', { env: { A: 'set' } }],
    ['${env:A:-<${b}>}/c', '{ b: branch }', '<branch>/c', {}],
    ['${env:A:-${env:B:-${env:C:-c}}}', '{}', 'c', {}],
    ['${env:A:-${env:B:-${env:C:-c}}}', '{}', 'b', { env: { B: 'b' } }],
    ['${env:A:-${env:B:-b}}${env:C:-c}', '{}', 'bc', {}],
    ['${env:A:-${file:name.txt}}', '{}', 'in a file', { files: { [`${DIRECTORY}/name.txt`]: 'in a file' } }],
    ['${env:A:-${file:absent.txt}}', '{}', 'set', { env: { A: 'set' } }],
    ['${env:A:-${env:ABSENT}}', '{}', 'set', { env: { A: 'set' } }],
    ['${env:A:-$${b}}', '{}', '${b}', {}],
    ['${a}', '{ a: "${env:A:-${b}}", b: c }', 'c', {}],
    ['${env:A:-{{token}}}', '{}', '{{token}}', {}],
    ['${env:A:-{{token}}}', '{}', 'set', { env: { A: 'set' } }],
    ['${env:A:-{"a": {}}}!', '{}', '{"a": {}}!', {}],
    ['${a}', '{ a: b }', 'given', { vars: { a: 'given' } }],
    ['${new}', '{}', 'given', { vars: { new: 'given' } }],
    ['${file:name.txt}', '{}', 'in a file', { files: { [`${DIRECTORY}/name.txt`]: 'in a file' } }],
    ['${file:a/../name.txt}', '{}', 'in a file', { files: { [`${DIRECTORY}/name.txt`]: 'in a file' } }],
    [
      '${file:link}',
      '{}',
      'linked',
      { links: { [`${DIRECTORY}/link`]: `${DIRECTORY}/real` }, files: { [`${DIRECTORY}/real`]: 'linked' } },
    ],
  ])(
    'the text "%s" with the variables %s resolves to "%s" if the options are %j',
    (name, vars, filled, options) => {
      expect(nameOf(name, vars, options)).toBe(filled);
    },
  );

  it('the interpolation does not parse inserted values again', () => {
    const options = { env: { A: '${env:B} ${secret:C} $${' }, files: { [`${DIRECTORY}/f`]: '${env:B}' } };
    expect(nameOf('${env:A}|${file:f}', '{}', options)).toBe('${env:B} ${secret:C} $${|${env:B}');
  });

  it('a value that consists of one reference keeps the type of the variable', () => {
    const { desired } = loaded(`${HEAD}
vars: { total: 25, flag: true, same: '\${total}' }
tests: { home: { test_type: cycling, duration: 1, total: '\${same}', parallel: '\${flag}', urls: ['http://shop.example.com/'] } }`);
    expect(desired.tests[0]).toMatchObject({ parallel: true, spec: { total: 25 } });
  });

  it('a default value that consists of one reference keeps the type of the variable', () => {
    const { desired } = loaded(`${HEAD}
vars: { total: 25 }
tests: { home: { test_type: cycling, duration: 1, total: '\${env:TOTAL:-\${total}}', urls: ['http://shop.example.com/'] } }`);
    expect(desired.tests[0]?.spec.total).toBe(25);
  });

  it('the default of a reference may be a secret in a field that allows secrets', () => {
    const text = fileWithTest(
      "urls: [{ url: 'http://shop.example.com/', headers: { x-token: 'Bearer ${env:PLAIN:-${secret:TOKEN}}' } }]",
    );
    const tokenOf = (env: Readonly<Record<string, string>>) =>
      loaded(text, { env }).desired.tests[0]?.spec.targets[0]?.headers?.[0]?.value ?? '';
    expect(maskText(tokenOf({ TOKEN: 'canary' }))).toBe('Bearer ***');
    expect(revealText(tokenOf({ TOKEN: 'canary' }))).toBe('Bearer canary');
    expect(tokenOf({ PLAIN: 'plain' })).toBe('Bearer plain');
    expect(loaded(text, { env: { PLAIN: 'plain' } }).missingSecrets).toEqual([]);
  });

  it('an environment variable may contain a number, a Boolean value or a duration without a unit', () => {
    const text = fileWithTest(
      "total: '${env:T}'\nparallel: '${env:P}'\ntimeout: '${env:MS}'\nurls: ['http://shop.example.com/']",
    );
    const { desired } = loaded(text, { env: { T: '25', P: 'true', MS: '1500' } });
    expect(desired.tests[0]).toMatchObject({ parallel: true, spec: { total: 25, timeout: 1500 } });
  });

  it('an inserted value does not change the structure of the file', () => {
    const evil = 'a\nb: c\n- d\n"}]: {#';
    expect(
      loaded(fileWithTest("name: 'x'\nnotes: '${env:EVIL}'\nurls: ['http://shop.example.com/']"), {
        env: { EVIL: evil },
      }).desired.tests[0]?.spec.notes,
    ).toBe(evil);
  });

  it('the interpolation ignores references in environments that are not selected', () => {
    const text = `${HEAD}\nenvironments: { ci: { tests: { home: { test_type: '\${env:NO}', duration: '\${no}' } } } }`;
    expect(loadText(text)).toMatchObject({ ok: true, warnings: [] });
  });

  it('the interpolation ignores references below a key that begins with x-', () => {
    expect(loadText(`${HEAD}\nx-a: { b: '\${nobody} \${secret:X}' }`)).toMatchObject({
      ok: true,
      warnings: [],
    });
  });
});

describe('references that cannot be resolved', () => {
  it('all invalid references are reported together with schema errors', () => {
    const lines = linesOf(problemsOf(fileWithTest("name: '${a} ${env:B}'\nnotes: '${file:c}'\ntotl: 1")));
    expect(lines.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'loadtests.yaml:7:12+4 error LT_CONFIG_REFERENCE:',
      'loadtests.yaml:7:17+8 error LT_CONFIG_REFERENCE:',
      'loadtests.yaml:8:13+9 error LT_CONFIG_REFERENCE:',
      'loadtests.yaml:9:5+4 error LT_CONFIG_UNKNOWN_KEY:',
    ]);
  });

  it.each([
    ['${env:A:-${hots}}', '"${hots}" is not declared; did you mean "host"?'],
    ['${env:A:-${}}', '"${}" is not a valid reference'],
    ['${env:A:-${secret:S}}', '"${secret:S}" is not allowed in this field'],
    [
      '${env:A:-${env:LOADTESTS_KEY}}',
      '"${env:LOADTESTS_KEY}" is not allowed, because environment variables that',
    ],
  ])('an invalid default is reported even if it is not used: %s', (text, message) => {
    const file = `version: 1\nproject: shop\nvars: { host: a }\nlimits:\n  hosts:\n    - '${text}'\n`;
    for (const env of [{}, { A: 'set' }]) {
      const [line = '', ...others] = linesOf(problemsOf(file, { env }));
      expect(others).toEqual([]);
      expect(line).toMatch(/^loadtests.yaml:6:17\+\d+ error /);
      expect(line).toContain(message);
    }
  });

  it.each([
    ['${env:A:-${b}', '"${env:A:-${b}" has no closing "}"'],
    ['${env:A:-{}', '"${env:A:-{}" has no closing "}"'],
    ['${file:${a}.txt}', '"${file:${a}.txt}" contains another reference, which is only allowed in a default'],
    ['${${a}}', '"${${a}}" contains another reference, which is only allowed in a default'],
    ['${env:${a}:-b}', '"${env:${a}:-b}" contains another reference, which is only allowed in a default'],
  ])('the malformed reference %s is rejected with the message %s', (text, message) => {
    const lines = linesOf(problemsOf(fileWithTest(`name: '${text}'`)));
    expect(lines).toEqual([expect.stringContaining(message)]);
  });

  it('a --var causes no warning if only an unused default refers to it', () => {
    const text = fileWithTest("name: '${env:A:-${b}}'");
    expect(problemsOf(text, { vars: { b: 'c' }, env: { A: 'set' } })).toEqual([]);
  });

  it('the error about an undeclared variable suggests the variable with the nearest name', () => {
    expect(
      linesOf(problemsOf(`${HEAD}\nvars: { host: a }\nlimits: { hosts: ['\${hots}'] }`)).join(),
    ).toContain('"${hots}" is not declared; did you mean "host"?');
  });

  it.each([
    ['${HOST}', 'to use the environment variable, write "${env:HOST}"'],
    ['${LOADTESTS_API_KEY}', 'declare it under "vars", or pass --var LOADTESTS_API_KEY=VALUE'],
    ['${host}', 'declare it under "vars", or pass --var host=VALUE'],
  ])('the error about the undeclared reference %s contains the advice: %s', (text, advice) => {
    const lines = linesOf(problemsOf(fileWithTest(`name: '${text}'`)));
    expect(lines).toEqual([expect.stringContaining(`"${text}" is not declared; ${advice}`)]);
  });

  it('a --var that the file does not use causes a warning', () => {
    expect(linesOf(problemsOf(`${HEAD}\nvars: { host: a }`, { vars: { hots: 'b' } }))).toEqual([
      '- warning LT_CONFIG_REFERENCE: --var "hots" is not used in the file; did you mean "host"?',
    ]);
  });
});

describe('protected values', () => {
  it.each([
    '${env:LOADTESTS_API_KEY}',
    '${env:LOADTESTS_API_KEY:-x}',
    '${env:loadtests_api_key}',
    '${env:LOADTESTS_OTHER_KEY}',
    '${secret:LOADTESTS_API_KEY}',
  ])(
    'the reference %s is rejected in a header and under "vars", and the error does not contain the value',
    (reference) => {
      const env = { LOADTESTS_API_KEY: 'canary', LOADTESTS_OTHER_KEY: 'canary', loadtests_api_key: 'canary' };
      const text = fileWithTest(
        `urls: [{ url: 'http://shop.example.com/', headers: { x-a: '${reference}' } }]`,
      );
      const lines = linesOf(problemsOf(text, { env }));
      expect(lines.join()).toMatch(
        /error LT_CONFIG_REFERENCE: .* is not allowed, because environment variables that begin with LOADTESTS_/,
      );
      expect(lines.join()).not.toContain('canary');
      expect(loadText(`${HEAD}\nvars: { a: '${reference}' }`, { env }).ok).toBe(false);
    },
  );

  it.each([
    ['${file:../key}', {}],
    ['${file:a/../../key}', {}],
    ['${file:/etc/passwd}', {}],
    ['${file:link}', { links: { [`${DIRECTORY}/link`]: '/etc/passwd' }, files: { '/etc/passwd': 'canary' } }],
    ['${file:.git/config}', { files: { [`${DIRECTORY}/.git/config`]: 'canary' } }],
    ['${file:.loadtests/api-key}', { files: { [`${DIRECTORY}/.loadtests/api-key`]: 'canary' } }],
    ['${file:loadtests-data/api-key}', { files: { [`${DIRECTORY}/loadtests-data/api-key`]: 'canary' } }],
    [
      '${file:link-to-env}',
      {
        links: { [`${DIRECTORY}/link-to-env`]: `${DIRECTORY}/.env` },
        files: { [`${DIRECTORY}/.env`]: 'canary' },
      },
    ],
    ['${file:big}', { files: { [`${DIRECTORY}/big`]: 'canary'.repeat(200_000) } }],
  ])(
    'the reference %s is rejected, and the result does not contain the text of the referenced file',
    (reference, options) => {
      const result = loadText(
        fileWithTest(`name: '${reference}'\nurls: ['http://shop.example.com/']`),
        options,
      );
      expect(result.ok).toBe(false);
      expect(JSON.stringify(result)).not.toContain('canary');
    },
  );
});

describe('secrets', () => {
  const places = `urls:
  - url: http://shop.example.com/
    request_type: POST
    credentials: { login: '\${secret:LOGIN}', password: '\${secret:PASSWORD}' }
    headers: { x-token: 'Bearer \${secret:TOKEN}' }
    request_params: { a: '\${secret:A}' }
  - { url: 'http://shop.example.com/', request_type: POST, raw_post_body: '{"b": "\${secret:B}"}' }`;
  const env = { LOGIN: 'canary1', PASSWORD: 'canary2', TOKEN: 'canary3', A: 'canary4', B: 'canary5' };

  it('secrets are allowed in credentials, headers, parameters and bodies, and the serialized configuration masks them', () => {
    const { desired, missingSecrets } = loaded(fileWithTest(places), { env });
    const [first, second] = desired.tests[0]?.spec.targets ?? [];
    const token = first?.headers?.[0]?.value ?? '';
    expect(maskText(token)).toBe('Bearer ***');
    expect(revealText(token)).toBe('Bearer canary3');
    expect(revealText(bodyFieldsOf(second?.body ?? null).body ?? '')).toBe('{"b": "canary5"}');
    expect(missingSecrets).toEqual([]);
    expect(JSON.stringify(desired)).not.toContain('canary');
  });

  it('a secret in the defaults for URLs applies to every URL', () => {
    const { desired } = loaded(
      `${HEAD}
defaults: { url: { headers: { x-token: '\${secret:TOKEN}' } } }
tests: { home: { test_type: cycling, duration: 1, urls: ['http://shop.example.com/', { url: 'http://shop.example.com/b' }] } }`,
      { env },
    );
    const values = desired.tests[0]?.spec.targets.map(({ headers }) => revealText(headers?.[0]?.value ?? ''));
    expect(values).toEqual(['canary3', 'canary3']);
  });

  it('each unset or empty secret causes one warning, and is listed once as missing', () => {
    const result = loadText(fileWithTest(places.replaceAll('LOGIN', 'PASSWORD')), {
      env: { TOKEN: '', A: 'a', B: 'b' },
    });
    expect(result.ok && result.value.missingSecrets.map(({ name }) => name)).toEqual(['PASSWORD', 'TOKEN']);
    expect(result.ok && result.warnings.map(({ code, severity }) => [code, severity])).toEqual([
      ['LT_CONFIG_SECRET_MISSING', 'warning'],
      ['LT_CONFIG_SECRET_MISSING', 'warning'],
    ]);
  });

  it.each(['name', 'notes', 'callback', 'scheduled_at', 'duration', 'id'])(
    'a secret is not allowed in the field %s',
    (field) => {
      const lines = linesOf(problemsOf(fileWithTest(`${field}: '\${secret:TOKEN}'`), { env }));
      expect(lines.join()).toContain('"${secret:TOKEN}" is not allowed in this field');
      expect(lines.join()).not.toContain('canary');
    },
  );

  it('a secret is not allowed in a URL', () => {
    expect(
      linesOf(problemsOf(fileWithTest("urls: ['http://shop.example.com/${secret:TOKEN}']"), { env })).join(),
    ).toContain('is not allowed in this field');
  });

  it('a secret with a line break is rejected in a header, and the error does not contain the secret', () => {
    const lines = linesOf(
      problemsOf(fileWithTest(places), { env: { ...env, TOKEN: 'canary\r\nHost: evil' } }),
    ).join();
    expect(lines).toContain('the value of the header "x-token" contains a line break');
    expect(lines).not.toContain('canary');
  });
});

describe('references under "service"', () => {
  const file = (service: string, vars = '{}') => `version: 1
project: shop
service: ${service}
vars: ${vars}
apps: { shop: shop.example.com }
environments: { other: { service: { base_url: 'https://\${env:TOKEN}.example.com' } } }
`;
  const options = { env: { TOKEN: 'canary' }, files: { [`${DIRECTORY}/f`]: 'canary' } };

  it.each([
    ["{ base_url: 'https://a.example.com/${env:TOKEN}' }", '{}', '"${env:TOKEN}" is not allowed'],
    [
      "{ base_url: 'https://${env:HOST:-a.example.com}' }",
      '{}',
      '"${env:HOST:-a.example.com}" is not allowed',
    ],
    [
      "{ base_url: 'https://a.example.com', auth_header: '${env:TOKEN}' }",
      '{}',
      '"${env:TOKEN}" is not allowed',
    ],
    ["{ base_url: 'https://${file:f}.example.com' }", '{}', '"${file:f}" is not allowed'],
    [
      "{ base_url: 'https://${a}.example.com' }",
      "{ a: 'x-${b}', b: '${env:TOKEN}' }",
      '"${a}", which takes its value from ${env:TOKEN}, is not allowed',
    ],
  ])('the service %s with the variables %s is rejected with a location and a hint', (service, vars, text) => {
    const [line = '', ...others] = linesOf(problemsOf(file(service, vars), options));
    expect(others).toEqual([]);
    expect(line).toMatch(/^loadtests\.yaml:3:\d+\+\d+ error LT_CONFIG_REFERENCE: /);
    expect(line).toContain(text);
    expect(line).toContain('--var');
    expect(line).toContain('LOADTESTS_BASE_URL');
    expect(line).not.toContain('canary');
  });

  it('values from the file and from --var are allowed under "service"', () => {
    const text = file("{ base_url: 'https://${host}' }", "{ host: '${env:TOKEN}' }");
    expect(loaded(text, { ...options, vars: { host: 'a.example.com' } }).service.baseUrl).toBe(
      'https://a.example.com',
    );
    const own = file("{ base_url: 'https://${host}' }", '{ host: b.example.com }');
    expect(loaded(own, options).service.baseUrl).toBe('https://b.example.com');
  });

  it('an environment variable in the base_url of the selected environment is rejected', () => {
    const text = file("{ base_url: 'https://a.example.com' }");
    expect(linesOf(problemsOf(text, { ...options, environment: 'other' }))).toEqual([
      expect.stringMatching(/^loadtests\.yaml:6:\d+\+12 error LT_CONFIG_REFERENCE: /),
    ]);
  });

  it('circular variables in base_url cause the error "refers to itself"', () => {
    const text = file("{ base_url: 'https://${a}' }", "{ a: '${b}', b: '${a}' }");
    expect(linesOf(problemsOf(text)).join()).toContain('refers to itself');
  });
});
