/** Secrets in sources: no output contains them. */
import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../../src/formats/formats.ts';
import { convert } from './convert.ts';
import { ProblemError } from '../../../src/core/problem.ts';
import { InvalidSource } from '../../../src/core/intake/source-text.ts';
import { CANARY as CANARY_TEXT, planOf, SAMPLES } from './samples.ts';

/** Keys of the file are in lower case. */
const CANARY = new RegExp(CANARY_TEXT, 'i');

/** A secret that a person could have chosen. */
const WORD = `${CANARY_TEXT}-word-1`;

const SAMPLER =
  '<HTTPSamplerProxy><stringProp name="HTTPSampler.domain">a.example</stringProp><stringProp name="HTTPSampler.path">/x</stringProp></HTTPSamplerProxy><hashTree/>';

function scriptOf(config: string, ...steps: readonly string[]): string {
  const flow = steps.length === 0 ? ['get: { url: / }'] : steps;
  return `config:\n  ${config}\nscenarios:\n  - flow:\n${flow.map((step) => `      - ${step}\n`).join('')}`;
}

function harOf(request: object): string {
  const all = { method: 'GET', url: 'https://a.example/', headers: [], ...request };
  const content = { mimeType: 'text/plain', text: WORD };
  const response = {
    status: 200,
    headers: [{ name: 'set-cookie', value: `sid=${WORD}` }],
    cookies: [{ name: 'sid', value: WORD }],
    content,
  };
  return JSON.stringify({ log: { entries: [{ request: all, response, comment: WORD }] } });
}

function apiOf(operation: string, server = 'https://a.example'): string {
  return `openapi: 3.0.0\nservers: [{ url: '${server}' }]\npaths: { /x: { post: { ${operation} } } }\n`;
}

function collectionOf(item: object, request: object = {}): string {
  return JSON.stringify({
    info: { name: 'a' },
    item: [{ name: 'a', request: { method: 'GET', url: 'https://a.example/', ...request }, ...item }],
  });
}

/** Converts a source. A refusal has only a message. */
async function convertOrRefuse(format: FormatName, source: string) {
  try {
    return await convert(format, source);
  } catch (error) {
    if (!(error instanceof ProblemError || error instanceof InvalidSource)) throw error;
    return { text: '', notes: [JSON.stringify(error), error.message] };
  }
}

describe('secrets in sources', () => {
  test.each(FORMAT_NAMES)(
    'neither the file that is converted from the %s sample nor the notes contain a secret of the sample',
    async (format) => {
      const { text, notes, secrets } = await convert(format, SAMPLES[format]);
      expect(text).not.toMatch(CANARY);
      expect(notes.join('\n')).not.toMatch(CANARY);
      const found = new Set(secrets.map(({ value }) => value).filter((value) => CANARY.test(value)));
      expect(found.size).toBeGreaterThan(0);
      for (const { name } of secrets) expect(name).toMatch(/^LT_[A-Z0-9_]+$/);
    },
  );

  test.each<readonly [FormatName, string, string]>([
    ['artillery', 'the address', scriptOf(`target: 'https://ann:${WORD}@a.example'`)],
    [
      'artillery',
      'an environment',
      scriptOf(`target: https://a.example\n  environments: { b: { variables: { password: '${WORD}' } } }`),
    ],
    ['artillery', 'a comment', `# password: ${WORD}\n${scriptOf('target: https://a.example')}`],
    [
      'artillery',
      'a function',
      scriptOf('target: https://a.example', `get: { url: "/{{ $sign('${WORD}') }}" }`),
    ],
    [
      'artillery',
      'a condition',
      scriptOf('target: https://a.example', `get: { url: /, ifTrue: 'x == "${WORD}"' }`),
    ],
    [
      'artillery',
      'a multipart field',
      scriptOf('target: https://a.example', `post: { url: /, formData: { password: '${WORD}' } }`),
    ],
    [
      'artillery',
      'the steps before the load',
      `${scriptOf('target: https://a.example')}before: { flow: [{ post: { url: /, json: { password: '${WORD}' } } }] }\n`,
    ],
    [
      'artillery',
      'an unknown step',
      scriptOf('target: https://a.example', `emit: { channel: '${WORD}' }`, 'get: { url: / }'),
    ],
    ['curl', 'the address', `curl 'https://ann:${WORD}@a.example/'`],
    ['curl', 'a comment', `# password=${WORD}\ncurl https://a.example/`],
    [
      'curl',
      'the proxy',
      `curl -x 'http://ann:${WORD}@b.example' --proxy-user 'ann:${WORD}' https://a.example/`,
    ],
    ['curl', 'the certificate option', `curl --cert a.pem:${WORD} --pass ${WORD} https://a.example/`],
    ['curl', 'another option', `curl --unknown-option=${WORD} https://a.example/`],
    [
      'curl',
      'another command',
      `export TOKEN=${WORD}; echo ${WORD} | login --password ${WORD}\ncurl https://a.example/ -H "x-key: $TOKEN"`,
    ],
    [
      'har',
      'cookies and comments',
      harOf({
        cookies: [{ name: 'sid', value: WORD }],
        queryString: [{ name: 'key', value: WORD }],
        comment: WORD,
      }),
    ],
    ['har', 'the address', harOf({ url: `https://ann:${WORD}@a.example/` })],
    [
      'har',
      'an XML body',
      harOf({
        method: 'POST',
        postData: { mimeType: 'application/xml', text: `<password>${WORD}</password>` },
      }),
    ],
    [
      'har',
      'a multipart text',
      harOf({
        method: 'POST',
        postData: {
          mimeType: 'multipart/form-data; boundary=b',
          text: `--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${WORD}\r\n--b--\r\n`,
        },
      }),
    ],
    ['jmeter', 'a comment', planOf(`<ThreadGroup/><hashTree><!-- ${WORD} -->${SAMPLER}</hashTree>`)],
    [
      'jmeter',
      'a script',
      planOf(
        `<ThreadGroup/><hashTree>${SAMPLER}<JSR223Sampler><stringProp name="script">login("${WORD}")</stringProp></JSR223Sampler><hashTree/></hashTree>`,
      ),
    ],
    [
      'jmeter',
      'a function',
      planOf(
        `<ThreadGroup/><hashTree>${SAMPLER.replace('/x', '/x/${__digest(SHA-256,' + WORD + ')}')}</hashTree>`,
      ),
    ],
    [
      'jmeter',
      'a condition',
      planOf(
        `<ThreadGroup/><hashTree><IfController><stringProp name="IfController.condition">&quot;\${a}&quot; == &quot;${WORD}&quot;</stringProp></IfController><hashTree>${SAMPLER}</hashTree></hashTree>`,
      ),
    ],
    [
      'k6',
      'the address',
      `import http from 'k6/http';\nexport default () => http.get('https://ann:${WORD}@a.example/');`,
    ],
    [
      'k6',
      'a comment',
      `import http from 'k6/http';\n// password: ${WORD}\nexport default () => http.get('https://a.example/');`,
    ],
    [
      'k6',
      'a function',
      `import http from 'k6/http';\nimport crypto from 'k6/crypto';\nexport default () => http.get('https://a.example/' + crypto.hmac('sha256', '${WORD}', 'x', 'hex'));`,
    ],
    [
      'k6',
      'a check',
      `import http from 'k6/http';\nimport { check } from 'k6';\nexport default () => { const r = http.get('https://a.example/'); check(r, { ok: (x) => verify(x, '${WORD}') }); };`,
    ],
    [
      'openapi',
      'descriptions and responses',
      apiOf(
        `description: '${WORD}', responses: { '200': { description: '${WORD}', content: { application/json: { example: { token: '${WORD}' } } } } }`,
      ),
    ],
    ['openapi', 'an extension', apiOf(`x-token: '${WORD}'`)],
    ['openapi', 'the address', apiOf('', `https://ann:${WORD}@a.example`)],
    [
      'openapi',
      'named examples',
      apiOf(
        `requestBody: { content: { application/json: { examples: { a: { value: { password: '${WORD}' } } } } } }`,
      ),
    ],
    [
      'postman',
      'scripts',
      collectionOf({
        event: [
          {
            listen: 'prerequest',
            script: { exec: [`pm.environment.set('token', '${WORD}');`, `sign('${WORD}')`] },
          },
          { listen: 'test', script: { exec: [`pm.expect(pm.response.text()).to.include('${WORD}')`] } },
        ],
      }),
    ],
    [
      'postman',
      'descriptions and responses',
      collectionOf({
        description: WORD,
        response: [{ body: WORD, originalRequest: { header: [{ key: 'x', value: WORD }] } }],
      }),
    ],
    [
      'postman',
      'an API key',
      collectionOf(
        {},
        {
          auth: {
            type: 'apikey',
            apikey: [
              { key: 'key', value: 'x-a' },
              { key: 'value', value: WORD },
            ],
          },
        },
      ),
    ],
    [
      'postman',
      'the authentication "hawk"',
      collectionOf({}, { auth: { type: 'hawk', hawk: [{ key: 'authKey', value: WORD }] } }),
    ],
    [
      'postman',
      'client credentials',
      collectionOf(
        {},
        {
          auth: {
            type: 'oauth2',
            oauth2: [
              { key: 'grant_type', value: 'client_credentials' },
              { key: 'accessTokenUrl', value: 'https://a.example/token' },
              { key: 'clientId', value: 'id' },
              { key: 'clientSecret', value: WORD },
            ],
          },
        },
      ),
    ],
    [
      'postman',
      'parts and disabled fields',
      collectionOf(
        {},
        {
          method: 'POST',
          header: [{ key: 'x-a', value: WORD, disabled: true }],
          body: { mode: 'formdata', formdata: [{ key: 'password', value: WORD, type: 'text' }] },
        },
      ),
    ],
    [
      'postman',
      'GraphQL variables',
      collectionOf(
        {},
        {
          method: 'POST',
          body: {
            mode: 'graphql',
            graphql: { query: 'query { a }', variables: JSON.stringify({ password: WORD }) },
          },
        },
      ),
    ],
    ['postman', 'the address', collectionOf({}, { url: `https://ann:${WORD}@a.example/` })],
    [
      'taurus',
      'settings and comments',
      `# ${WORD}\nsettings: { env: { TOKEN: '${WORD}' } }\nexecution: [{ concurrency: 1, hold-for: 1s, scenario: a }]\nscenarios: { a: { requests: ['https://a.example/'] } }\n`,
    ],
    [
      'taurus',
      'authorization',
      `execution: [{ concurrency: 1, hold-for: 1s, scenario: a }]\nscenarios: { a: { authorization: { url: 'https://a.example', name: ann, password: '${WORD}' }, requests: ['https://ann:${WORD}@a.example/'] } }\n`,
    ],
    [
      'vegeta',
      'the address and comments',
      `# ${WORD}\nGET https://ann:${WORD}@a.example/\nCookie: sid=${WORD}\n`,
    ],
    ['ab', 'the proxy', `ab -n 10 -c 1 -X 'b.example:80' -P 'ann:${WORD}' https://a.example/`],
    ['hey', 'the proxy', `hey -z 5s -x 'http://ann:${WORD}@b.example:80' https://a.example/`],
    ['oha', 'the address', `oha -z 5s 'https://ann:${WORD}@a.example/'`],
    ['wrk', 'a script', `wrk -d 5 -s script.lua https://a.example/ -- ${WORD}`],
    [
      'drill',
      'items and comments',
      `# ${WORD}\nbase: https://a.example\nplan:\n  - name: a\n    request: { url: '/', method: POST, body: 'password={{ item.password }}' }\n    with_items: [{ password: '${WORD}' }, { password: '${WORD}2' }]\n`,
    ],
  ])(
    'the conversion of a source in the format %s with a secret in %s does not disclose the secret',
    async (format, _, source) => {
      const { text, notes } = await convertOrRefuse(format, source);
      expect(text).not.toMatch(CANARY);
      expect(notes.join('\n')).not.toMatch(CANARY);
    },
  );

  test('secrets of a Postman environment are written neither to the converted file nor to the notes', async () => {
    const environment = {
      path: 'environment',
      text: JSON.stringify({
        name: 'staging',
        values: [{ key: 'apiKey', value: WORD, enabled: true, type: 'secret' }],
      }),
    };
    const collection = collectionOf({}, { header: [{ key: 'x-note', value: '{{apiKey}}' }] });
    const { text, notes } = await convert('postman', collection, { others: [environment] });
    expect(text).toContain('${secret:');
    expect(`${text}${notes.join()}`).not.toMatch(CANARY);
  });

  test('secrets in loops, conditions, setup and teardown of a k6 script do not appear in the converted file or the notes', async () => {
    const word = (name: string) => `${name}${CANARY_TEXT}${name}`;
    const { text, notes } = await convert(
      'k6',
      `import http from 'k6/http';
const JSON_TYPE = { headers: { 'content-type': 'application/json' } };
export function setup() { http.post('https://a.example/setup', JSON.stringify({ password: '${word('s1')}' }), JSON_TYPE); }
export function teardown() { http.post('https://a.example/teardown', { api_key: '${word('t1')}' }); }
export default function () {
  for (const secret of ['${word('l1')}', '${word('l2')}']) http.post('https://a.example/loop', JSON.stringify({ password: secret }), JSON_TYPE);
  const r = http.get('https://a.example/', { headers: { authorization: 'Bearer ${word('h1')}' } });
  if (r.json('token') === '${word('h1')}') http.get('https://a.example/equal');
}`,
    );
    expect(text).not.toMatch(CANARY);
    expect(notes.join('\n')).not.toMatch(CANARY);
    expect(text).toContain('https://a.example/teardown');
    expect(text.match(/password: \$\{secret:/g)).toHaveLength(3);
  });

  test.each([
    ['an ordinary header', 'curl -H "accept: text/html" https://a.example/'],
    ['a UUID in a path', 'curl https://a.example/1b4e28ba-2fa1-11d2-883f-0016d3cca427'],
    ['a path with words', 'curl https://a.example/a-very-long-name-of-a-page-with-many-words-2'],
    ['a file name with a date', 'curl https://a.example/reports-2026-11-27-final-version.html'],
    ['an object id', 'curl https://a.example/507f1f77bcf86cd799439011'],
    ['a value of "true" or "none"', 'curl "https://a.example/?useCookies=true" --json \'{"token": "none"}\''],
    ['an empty password', `curl -d password= https://a.example/`],
  ])('%s is not treated as a secret', async (_, command) => {
    expect((await convert('curl', command)).secrets).toEqual([]);
  });

  test('equal secrets of a source share a name, and different secrets have different names', async () => {
    const { text, secrets } = await convert(
      'curl',
      `curl -d 'password=one111' https://a.example/1\ncurl -d 'password=two222' https://a.example/2\ncurl -d 'password=one111' https://a.example/3`,
    );
    expect(secrets).toEqual([
      { name: 'LT_PASSWORD', value: 'one111' },
      { name: 'LT_PASSWORD_2', value: 'two222' },
    ]);
    expect(text.match(/\$\{secret:LT_PASSWORD\}/g)).toHaveLength(2);
  });

  test('a secret that is a common word is replaced only in the value of its own field', async () => {
    const { text } = await convert(
      'curl',
      `curl --json '{"password": "password", "note": "the password"}' https://a.example/password`,
    );
    expect(text).toContain('url: https://a.example/password\n');
    expect(text).toContain('password: ${secret:LT_PASSWORD}\n');
    expect(text).toContain('note: the password\n');
  });

  test('a secret of 13 characters is replaced wherever it occurs', async () => {
    const { text } = await convert(
      'curl',
      `curl -d 'password=correct horse' https://a.example/1\ncurl -H 'x-a: (correct horse)' https://a.example/correct%20horse`,
    );
    expect(text).not.toMatch(/correct.horse/);
    expect(text).toContain('x-a: (${secret:LT_PASSWORD})');
    expect(text).toContain('https://a.example/${env:LT_PASSWORD:-}');
  });
});
