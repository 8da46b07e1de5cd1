/** A small source of each format, with a secret in every place, for tests of robustness and secrecy. */
import type { FormatName } from '../../../src/formats/formats.ts';

/** Text of all secrets in the samples. No output may contain it. */
export const CANARY = 'c4nAryX';

/** Returns a secret that a person could have chosen, and that is recognized by the name of its field. */
function word(name: string): string {
  return `${CANARY}-${name}`;
}

/** A token that is recognized by its shape. */
const TOKEN = `${CANARY}9fK3mQ7vR2tZ8wB5nD1xH6`;
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ${CANARY}.c2lnbmF0dXJl${CANARY}`;

/** Returns a JMeter test plan with elements. */
export function planOf(elements: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2"><hashTree><TestPlan/><hashTree>
${elements}
</hashTree></hashTree></jmeterTestPlan>
`;
}

export const SAMPLES: Readonly<Record<FormatName, string>> = {
  artillery: `config:
  target: https://a.example
  phases:
    - { duration: 60, arrivalRate: 1, rampTo: 5 }
  variables: { apiKey: '${word('variable')}' }
  http: { defaults: { headers: { authorization: 'Bearer ${word('default')}' } } }
scenarios:
  - name: ${TOKEN}
    flow:
      - post:
          url: '/login?token=${word('query')}'
          auth: { user: ann, pass: '${word('auth')}' }
          json: { user: ann, password: '${word('json')}', list: [{ secret: '${word('list')}' }] }
          capture: { json: $.token, as: token }
          expect: { statusCode: 200, matchesRegexp: '${TOKEN}' }
      - get: { url: '/items/${TOKEN}', headers: { x-api-key: '{{ apiKey }}', x-note: '${JWT}' }, cookie: { sid: '${word('cookie')}' } }
      - post: { url: /form, form: { password: '${word('form')}' }, qs: { api_key: '${word('qs')}' } }
      - think: 1
  - flow: [{ get: { url: '/{{ token }}' } }]
`,
  curl: `LOGIN='${word('assigned')}'
curl -L -u 'ann:${word('user')}' 'https://a.example/x?api_key=${word('query')}&b=1' -H 'X-Api-Key: ${word('header')}' -b 'sid=${word('cookie')}'
curl -L 'https://a.example/${TOKEN}/y' -H 'Authorization: Bearer ${word('bearer')}' --json '{"user": "ann", "password": "${word('json')} \\"q\\"", "n": {"token": "${word('nested')}"}}'
curl -L https://a.example/f -d 'password=${word('form')}' -d "secret=$LOGIN" -H 'x-note: ${JWT}'
curl -L https://a.example/xml -H 'content-type: application/xml' -d '<a password="${word('attribute')}"><token>${word('element')}</token></a>'
curl -L -X POST 'https://a.example/p?access_token=${word('post')}' -F 'password=${word('part')}'
curl --oauth2-bearer ${word('oauth')} https://a.example/
`,
  har: JSON.stringify({
    log: {
      entries: [
        {
          startedDateTime: '2026-11-27T00:00:00Z',
          time: 1,
          request: {
            method: 'POST',
            url: `https://a.example/login/${TOKEN}?api_key=${word('query')}`,
            headers: [
              { name: 'Cookie', value: `sid=${word('cookie')}` },
              { name: 'X-Api-Key', value: word('header') },
            ],
            postData: {
              mimeType: 'application/json',
              text: JSON.stringify({ user: 'ann', password: word('json') }),
            },
          },
          response: {
            status: 200,
            headers: [{ name: 'set-cookie', value: `sid=${word('set')}` }],
            content: { text: JSON.stringify({ token: word('response') }) },
          },
        },
        {
          startedDateTime: '2026-11-27T00:00:01Z',
          request: {
            method: 'POST',
            url: 'https://a.example/form',
            headers: [{ name: 'authorization', value: `Bearer ${word('response')}` }],
            postData: {
              mimeType: 'application/x-www-form-urlencoded',
              text: `password=${word('form')}&note=${TOKEN}`,
            },
          },
          response: { status: 200, headers: [], content: {} },
        },
        {
          startedDateTime: '2026-11-27T00:00:02Z',
          request: {
            method: 'POST',
            url: 'https://a.example/upload',
            headers: [],
            postData: {
              mimeType: 'multipart/form-data; boundary=x',
              params: [{ name: 'secret', value: word('part') }],
            },
          },
        },
      ],
    },
  }),
  jmeter:
    planOf(`<ThreadGroup testname="${TOKEN}"><stringProp name="ThreadGroup.num_threads">2</stringProp></ThreadGroup>
<hashTree>
<Arguments><collectionProp name="Arguments.arguments"><elementProp name="key"><stringProp name="Argument.name">key</stringProp><stringProp name="Argument.value">${word('variable')}</stringProp></elementProp></collectionProp></Arguments><hashTree/>
<HeaderManager><collectionProp name="HeaderManager.headers"><elementProp><stringProp name="Header.name">x-auth-token</stringProp><stringProp name="Header.value">${word('header')}</stringProp></elementProp><elementProp><stringProp name="Header.name">x-api-key</stringProp><stringProp name="Header.value">\${key}</stringProp></elementProp></collectionProp></HeaderManager><hashTree/>
<AuthManager><collectionProp name="AuthManager.auth_list"><elementProp><stringProp name="Authorization.username">ann</stringProp><stringProp name="Authorization.password">${word('auth')}</stringProp></elementProp></collectionProp></AuthManager><hashTree/>
<CookieManager><collectionProp name="CookieManager.cookies"><elementProp name="sid"><stringProp name="Cookie.value">${word('cookie')}</stringProp></elementProp></collectionProp></CookieManager><hashTree/>
<HTTPSamplerProxy testname="${TOKEN}"><stringProp name="HTTPSampler.domain">a.example</stringProp><stringProp name="HTTPSampler.path">/x/${TOKEN}?api_key=${word('query')}</stringProp><stringProp name="HTTPSampler.method">POST</stringProp><boolProp name="HTTPSampler.postBodyRaw">true</boolProp><elementProp name="HTTPsampler.Arguments"><collectionProp name="Arguments.arguments"><elementProp><stringProp name="Argument.value">{"password": "${word('json')}"}</stringProp></elementProp></collectionProp></elementProp></HTTPSamplerProxy>
<hashTree><ResponseAssertion><collectionProp name="Asserion.test_strings"><stringProp>${TOKEN}</stringProp></collectionProp><stringProp name="Assertion.test_field">Assertion.response_data</stringProp><intProp name="Assertion.test_type">16</intProp></ResponseAssertion><hashTree/></hashTree>
<HTTPSamplerProxy><stringProp name="HTTPSampler.domain">a.example</stringProp><stringProp name="HTTPSampler.method">POST</stringProp><elementProp name="HTTPsampler.Arguments"><collectionProp name="Arguments.arguments"><elementProp><stringProp name="Argument.name">password</stringProp><stringProp name="Argument.value">${word('form')}</stringProp></elementProp></collectionProp></elementProp></HTTPSamplerProxy><hashTree/>
</hashTree>`),
  vegeta: `POST https://a.example/x?api_key=${word('query')}
authorization: Bearer ${word('bearer')}

GET https://a.example/${TOKEN}
x-api-key: ${word('header')}
`,
  ab: `ab -k -t 5 -A 'ann:${word('user')}' -C 'sid=${word('cookie')}' -H 'x-note: ${JWT}' 'https://a.example/${TOKEN}'`,
  hey: `hey -z 5s -a 'ann:${word('user')}' -d '{"password":"${word('json')}"}' -T application/json -m POST 'https://a.example/?token=${word('query')}'`,
  oha: `oha -z 5s -H 'authorization: Token ${word('token')}' -d 'password=${word('form')}' -m POST 'https://a.example/'`,
  wrk: `wrk -d 5 -H 'x-api-key: ${word('header')}' 'https://a.example/?secret=${word('query')}'`,
  taurus: `execution: [{ concurrency: 5, hold-for: 1m, scenario: shop }]
scenarios:
  shop:
    default-address: https://a.example
    headers: { authorization: 'Bearer ${word('default')}' }
    variables: { key: '${word('variable')}' }
    requests:
      - url: '/x/${TOKEN}?api_key=${word('query')}'
        label: ${TOKEN}
        method: POST
        headers: { x-api-key: '\${key}', x-note: '${JWT}', content-type: application/json }
        body: { password: '${word('json')}', list: [{ secret: '${word('list')}' }] }
        assert: ['${TOKEN}']
      - { url: /form, method: POST, body: { password: '${word('form')}' } }
      - { url: /raw, method: POST, body: 'token=${word('raw')}' }
`,
  drill: `base: https://a.example
plan:
  - name: ${TOKEN}
    assign: { key: password, value: '${word('assigned')}' }
  - name: ${TOKEN}
    request:
      url: '/x/${TOKEN}?api_key=${word('query')}'
      method: POST
      headers: { authorization: 'Bearer ${word('bearer')}', content-type: application/json }
      body: '{"password": "{{ password }}", "token": "${word('json')}"}'
`,
  k6: `import http from 'k6/http';
const KEY = '${word('constant')}';
const params = { headers: { authorization: 'Bearer ${word('header')}', 'x-api-key': KEY, 'x-note': \`${JWT}\` }, tags: { name: '${TOKEN}' }, cookies: { sid: '${word('cookie')}' } };
export default function () {
  const login = http.post('https://a.example/login?api_key=${word('query')}', JSON.stringify({ user: 'ann', password: '${word('json')}', list: [{ secret: '${word('list')}' }] }), params);
  check(login, { '${TOKEN}': (r) => r.body.includes('${TOKEN}') });
  http.post(\`https://a.example/${TOKEN}/\${login.json('token')}\`, { password: '${word('form')}' });
  http.put('https://a.example/raw', 'token=${word('raw')}');
}
`,
  openapi: `openapi: 3.0.0
servers: [{ url: 'https://a.example/v1?api_key=${word('server')}' }, { url: 'https://a.example/${TOKEN}' }]
security: [{ key: [] }]
paths:
  /x/{id}:
    post:
      operationId: ${TOKEN}
      servers: [{ url: https://a.example }]
      parameters:
        - { name: id, in: path, required: true, example: ${TOKEN} }
        - { name: access_token, in: query, example: ${word('query')} }
        - { name: x-api-key, in: header, required: true, schema: { type: string, default: ${word('header')} } }
        - { name: sid, in: cookie, example: ${word('cookie')} }
        - { name: x-note, in: header, example: ${JWT} }
      requestBody:
        content:
          application/json:
            schema: { properties: { password: { type: string, example: ${word('json')} }, list: { type: array, items: { $ref: '#/components/schemas/Secret' } } } }
      responses: { '201': {} }
  /form:
    post:
      requestBody: { content: { application/x-www-form-urlencoded: { example: { secret: ${word('form')} } } } }
  /upload:
    put:
      requestBody: { content: { multipart/form-data: { schema: { properties: { password: { enum: [${word('part')}] } } } } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: x-key } }
  schemas: { Secret: { type: object, properties: { token: { default: ${word('reference')} } } } }
`,
  postman: JSON.stringify({
    info: { name: TOKEN },
    variable: [{ key: 'password', value: word('variable') }],
    auth: { type: 'bearer', bearer: [{ key: 'token', value: word('bearer') }] },
    item: [
      {
        name: TOKEN,
        request: {
          method: 'POST',
          url: { raw: `https://a.example/${TOKEN}?api_key=${word('query')}` },
          header: [{ key: 'x-api-key', value: word('header') }],
          body: {
            mode: 'raw',
            raw: JSON.stringify({ password: '{{password}}', token: word('json') }),
            options: { raw: { language: 'json' } },
          },
        },
      },
      {
        name: 'form',
        request: {
          method: 'POST',
          url: 'https://a.example/form',
          auth: { type: 'basic', basic: { username: 'ann', password: word('basic') } },
          body: { mode: 'urlencoded', urlencoded: [{ key: 'secret', value: word('form') }] },
        },
      },
    ],
  }),
};
