/** Which texts of a recording are secrets, and the names that replace them. */
import { expect, test } from 'vitest';
import {
  redactTexts,
  replaceSecrets,
  secretName,
  secretNamesOf,
  secretValuesOf,
  type RecordedText,
} from '../../../../src/core/intake/intake-secrets.ts';
import { EMPTY_REQUEST, type Intake, type IntakeRequest } from '../../../../src/core/intake/intake.ts';

/** A token that looks random: letters and digits, without repetition. */
const TOKEN = 'q7RtX2mKp9LwZ4vNb8YsD3hJ';

const redacted = (kind: RecordedText['kind'], name: string, text: string) =>
  redactTexts([{ kind, name, text }])[0];

test.each<[kind: RecordedText['kind'], name: string, text: string, redacted: string]>([
  ['header', 'Authorization', 'Bearer abc', 'Bearer LT_TOKEN'],
  ['header', 'authorization', 'basic  abc', 'basic  LT_AUTHORIZATION'],
  ['header', 'X-Auth', 'Token abc', 'Token LT_X_AUTH'],
  ['header', 'X-Custom', 'ApiKey abc', 'ApiKey LT_X_CUSTOM'],
  ['header', 'X-Custom', 'JWT a.b', 'JWT LT_X_CUSTOM'],
  ['header', 'Authorization', 'AWS4-HMAC-SHA256 Credential=a', 'AWS4-HMAC-SHA256 LT_AUTHORIZATION'],
  ['header', 'Authorization', 'abc', 'LT_AUTHORIZATION'],
  ['header', 'X-Api-Key', 'abc', 'LT_X_API_KEY'],
  ['header', 'X-Trace', `${TOKEN}==`, 'LT_X_TRACE'],
  ['field', 'password', 'abc', 'LT_PASSWORD'],
  ['field', 'userPassword', 'abc', 'LT_USER_PASSWORD'],
  ['field', 'user[password]', 'abc', 'LT_USER_PASSWORD'],
  ['field', 'card.pin', '1234', 'LT_CARD_PIN'],
  ['field', 'cvv', '123', 'LT_CVV'],
  ['field', 'cardNumber', '4111', 'LT_CARD_NUMBER'],
  ['field', 'code_verifier', 'abc', 'LT_CODE_VERIFIER'],
  ['field', 'accessKeyId', 'abc', 'LT_ACCESS_KEY_ID'],
  ['field', 'comment', 'see eyJhbGciOiJI.eyJzdWIiOiIx.c2ln', 'see LT_COMMENT'],
  ['field', 'comment', 'sk_live_0123456789 and ghp_0123456789', 'LT_COMMENT and LT_COMMENT_2'],
  ['field', 'comment', `(${TOKEN})`, '(LT_COMMENT)'],
  ['field', 'comment', '0123456789abcdef0123456789abcdef', 'LT_COMMENT'],
  ['field', 'comment', 'A1b2c3d4a1b2c3d4A1b2c3d4a1b2c3d4', 'LT_COMMENT'],
  ['field', 'comment', 'a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4', 'LT_COMMENT'],
  ['field', 'user[card].pin', '1234', 'LT_USER_CARD_PIN'],
  ['field', 'cards[0][cvv]', '123', 'LT_CARDS_0_CVV'],
  ['body', '', `x ${TOKEN}`, 'x LT_SECRET'],
  ['body', '', '<soap:pin>1234</soap:pin>', '<soap:pin>LT_SOAP_PIN</soap:pin>'],
  ['url', '', 'https://a.example/?api_key=abc&page=2', 'https://a.example/?api_key=LT_API_KEY&page=2'],
  [
    'url',
    '',
    'https://a.example/;sig=abc&pass%77ord=a%20b',
    'https://a.example/;sig=LT_SIG&pass%77ord=LT_PASSWORD',
  ],
  ['url', '', `https://a.example/hooks/${TOKEN}`, 'https://a.example/hooks/LT_URL_SECRET'],
  [
    'body',
    '',
    '{"user": "ann", "password" : "a\\"b", "pin": 1234}',
    '{"user": "ann", "password" : "LT_PASSWORD", "pin": LT_PIN}',
  ],
  ['body', '', '<a:password lang="en">abc</a:password>', '<a:password lang="en">LT_A_PASSWORD</a:password>'],
  ['body', '', '<user name="ann" password="abc"/>', '<user name="ann" password="LT_PASSWORD"/>'],
  ['body', '', 'user=ann&password=abc', 'user=ann&password=LT_PASSWORD'],
])(
  'for a text of the kind %s with the name "%s", redactTexts changes %s to %s',
  (kind, name, text, expected) => {
    expect(redacted(kind, name, text)).toBe(expected);
  },
);

test.each<[kind: RecordedText['kind'], name: string, text: string]>([
  ['header', 'Accept', 'application/json'],
  ['header', 'X-Custom', 'Bearer'],
  ['header', 'X-Custom', 'see Bearer abc'],
  ['field', 'comment', 'Bearer abc'],
  ['body', 'password', 'abc'],
  ['field', 'comment', '0123456789012345678901234567890123456789'],
  ['field', 'comment', '0123456789abcdef0123456789abcde'],
  ['header', 'X-Id', '123e4567-e89b-12d3-a456-426614174000'],
  ['field', 'password', ''],
  ['field', 'usePassword', 'true'],
  ['field', 'password', 'OFF'],
  ['field', 'user', 'abc'],
  ['field', 'passage', 'abc'],
  ['field', 'spin', '12'],
  ['field', 'comment', 'a-long-name-of-a-page-in-lower-case-2'],
  ['field', 'comment', 'anUnusuallyLongNameWithoutDigits'],
  ['field', 'comment', '012345678901234567890123456789'],
  ['field', 'comment', '65f0a1b2c3d4e5f60718293a'],
  ['field', 'comment', 'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1'],
  ['field', 'comment', 'sk_live_012'],
  ['url', '', 'https://a.example/?page=2&password='],
  ['url', '', 'https://a.example/?password=true'],
  ['body', '', '{"usePassword": true, "password": "", "count": 3}'],
  ['body', '', '<password> </password><a>b</a>'],
  ['body', '', 'user=ann&page=2'],
])('for a text of the kind %s with the name "%s", redactTexts does not change %j', (kind, name, text) => {
  expect(redacted(kind, name, text)).toBe(text);
});

test('a secret is replaced with the same name everywhere: in plain text, paths, queries and JSON', () => {
  const secret = 'p&ss "w\u00f6rd" 1';
  const texts: readonly RecordedText[] = [
    { kind: 'field', name: 'comment', text: `before ${secret}` },
    { kind: 'field', name: 'password', text: secret },
    { kind: 'url', name: '', text: `https://a.example/${encodeURIComponent(secret)}` },
    {
      kind: 'url',
      name: '',
      text: `https://a.example/?q=${encodeURIComponent(secret).replaceAll('%20', '+')}`,
    },
    { kind: 'body', name: '', text: JSON.stringify({ q: secret }) },
  ];
  expect(redactTexts(texts)).toEqual([
    'before LT_PASSWORD',
    'LT_PASSWORD',
    'https://a.example/LT_PASSWORD',
    'https://a.example/?q=LT_PASSWORD',
    '{"q":"LT_PASSWORD"}',
  ]);
});

test('a secret of eight characters is replaced everywhere', () => {
  expect(
    redactTexts([
      { kind: 'field', name: 'password', text: 'abc-1234' },
      { kind: 'field', name: 'comment', text: 'x abc-1234 y abc-1234' },
    ]),
  ).toEqual(['LT_PASSWORD', 'x LT_PASSWORD y LT_PASSWORD']);
});

test.each([
  ['a short secret', 'abc1234'],
  ['a single word', 'lighthouse'],
])('%s from the field "password" is not replaced in another field', (_, secret) => {
  expect(
    redactTexts([
      { kind: 'field', name: 'password', text: secret },
      { kind: 'field', name: 'comment', text: secret },
    ]),
  ).toEqual(['LT_PASSWORD', secret]);
});

test('different secrets of one field have different names, and a secret that contains another secret has a separate name', () => {
  const texts = ['first-secret-1', 'second-secret-1', 'first-secret-1-longer'].map((text): RecordedText => ({
    kind: 'field',
    name: 'password',
    text,
  }));
  expect(redactTexts([...texts, { kind: 'body', name: '', text: 'x first-secret-1-longer y' }])).toEqual([
    'LT_PASSWORD',
    'LT_PASSWORD_2',
    'LT_PASSWORD_3',
    'x LT_PASSWORD_3 y',
  ]);
});

test.each([
  ['apiKey', 'LT_API_KEY'],
  ['x-api-key', 'LT_X_API_KEY'],
  ['Token2Value', 'LT_TOKEN2_VALUE'],
  ['__a  b__', 'LT_A_B'],
  ['', 'LT_SECRET'],
  ['→', 'LT_SECRET'],
  ['a'.repeat(70), `LT_${'A'.repeat(60)}`],
])('secretName("%s") returns %s', (name, expected) => {
  expect(secretName(name)).toBe(expected);
});

const AT = { line: 1, column: 1 };
const request = (fields: Partial<IntakeRequest>): IntakeRequest => ({
  ...EMPTY_REQUEST,
  aws: null,
  at: AT,
  method: 'POST',
  url: ['https://a.example/'],
  ...fields,
});
const intakeOf = (fields: Partial<IntakeRequest>, more: Partial<Intake> = {}): Intake => ({
  flows: [{ at: AT, name: 'main', weight: 1, values: [], requests: [request(fields)], notes: [] }],
  load: null,
  thresholds: [],
  timeout: null,
  tlsVerify: true,
  notes: [],
  ...more,
});

const SECRET = 'canary-secret-42';
const REFERENCE = [{ secret: 'LT_PASSWORD' }];

/** Each place of an intake that can contain a secret, with its content afterward. */
test.each<[name: string, fields: Partial<IntakeRequest>, expected: Partial<IntakeRequest>]>([
  ['a URL', { url: [`https://a.example/${SECRET}/x`] }, { url: ['https://a.example/', ...REFERENCE, '/x'] }],
  [
    'a header',
    { headers: [{ name: 'x', value: [`a ${SECRET}`] }] },
    { headers: [{ name: 'x', value: ['a ', ...REFERENCE] }] },
  ],
  [
    'a text body',
    { body: { kind: 'text', text: [SECRET, { variable: 'a' }] } },
    { body: { kind: 'text', text: [...REFERENCE, { variable: 'a' }] } },
  ],
  [
    'a form',
    { body: { kind: 'form', fields: [{ name: 'x', value: [SECRET] }] } },
    { body: { kind: 'form', fields: [{ name: 'x', value: REFERENCE }] } },
  ],
  [
    'a part of a multipart body',
    {
      body: {
        kind: 'multipart',
        parts: [
          { name: 'x', content: { text: [SECRET] }, fileName: null, contentType: null },
          { name: 'f', content: { file: 'a.txt' }, fileName: null, contentType: null },
        ],
      },
    },
    {
      body: {
        kind: 'multipart',
        parts: [
          { name: 'x', content: { text: REFERENCE }, fileName: null, contentType: null },
          { name: 'f', content: { file: 'a.txt' }, fileName: null, contentType: null },
        ],
      },
    },
  ],
  [
    'credentials',
    { credentials: { login: [SECRET], password: ['other'] } },
    { credentials: { login: REFERENCE, password: [{ secret: 'LT_PASSWORD_2' }] } },
  ],
  [
    'the AWS settings',
    {
      aws: {
        region: 'eu',
        service: 's3',
        accessKeyId: [SECRET],
        secretAccessKey: ['k'],
        sessionToken: ['t'],
      },
    },
    {
      aws: {
        region: 'eu',
        service: 's3',
        accessKeyId: REFERENCE,
        secretAccessKey: [{ secret: 'LT_AWS_SECRET_ACCESS_KEY' }],
        sessionToken: [{ secret: 'LT_AWS_SESSION_TOKEN' }],
      },
    },
  ],
  ['the name of a request', { name: `login ${SECRET}` }, { name: null }],
  [
    'an expectation',
    { expect: { status: null, headers: [{ name: 'x', value: SECRET }], body: null, json: null } },
    {
      expect: null,
      notes: [{ kind: 'loss', at: AT, message: 'the expectations contain a secret and are omitted' }],
    },
  ],
  [
    'a variable',
    { captures: [{ name: 'a', source: 'body', property: `${SECRET}(.*)` }] },
    {
      captures: [],
      notes: [
        {
          kind: 'loss',
          at: AT,
          message: 'the rules that extract variables from the response contain a secret and are omitted',
        },
      ],
    },
  ],
])('a secret is removed from %s', (_, fields, expected) => {
  const { intake, secrets } = replaceSecrets(
    intakeOf(fields, {
      constants: [
        { name: 'password', value: SECRET },
        { name: 'page', value: 'plain-text-1' },
      ],
    }),
  );
  expect(intake.flows[0]?.requests[0]).toEqual(request({ ...fields, ...expected }));
  expect(secrets[0]).toEqual({ name: 'LT_PASSWORD', value: SECRET });
});

test('a secret is removed from names, values and groups of flows, and from the passphrase of a key', () => {
  const group = { at: AT, first: 0, count: 1, when: [{ name: 'a', value: SECRET }] };
  const kept = { at: AT, first: 0, count: 1, repeat: 2 };
  const base = intakeOf({});
  const [flow] = base.flows;
  if (flow === undefined) throw new Error('Bug: the intake has no flow');
  const { intake } = replaceSecrets({
    ...base,
    constants: [{ name: 'password', value: SECRET }],
    flows: [
      {
        ...flow,
        name: SECRET,
        values: [
          { name: 'x', value: [SECRET] },
          { name: 'pin', value: ['1'] },
        ],
        groups: [group, kept],
      },
      { ...flow, name: 'plain' },
    ],
    connection: { passphrase: ['open'], resolve: {}, cert: 'a.pem' },
  });
  expect(intake.flows[0]).toEqual({
    ...flow,
    name: 'flow',
    values: [
      { name: 'x', value: REFERENCE },
      { name: 'pin', value: [{ secret: 'LT_PIN' }] },
    ],
    groups: [kept],
    notes: [
      {
        kind: 'loss',
        at: AT,
        message:
          'the conditions or values of a group contain a secret and are omitted; the requests of the group are sent once in each iteration',
      },
    ],
  });
  expect(intake.flows[1]?.name).toBe('plain');
  expect(intake.connection).toEqual({
    passphrase: [{ secret: 'LT_CLIENT_KEY_PASSPHRASE' }],
    resolve: {},
    cert: 'a.pem',
  });
});

test('secretValuesOf returns the secret values in requests, and secretNamesOf returns the names that replace secrets in a recording or in the values of flows', () => {
  const fields = {
    url: ['https://a.example/?pin=12'],
    headers: [{ name: 'authorization', value: ['Bearer abc'] }],
  };
  expect(secretValuesOf([request(fields)])).toEqual(['12', 'abc']);
  const { intake } = replaceSecrets(intakeOf(fields, { connection: { passphrase: ['open'], resolve: {} } }));
  expect(secretNamesOf(intake)).toEqual(['LT_PIN', 'LT_TOKEN', 'LT_CLIENT_KEY_PASSPHRASE']);
  const flows = intake.flows.map((flow) => ({
    ...flow,
    values: [{ name: 'x', value: ['a', { secret: 'LT_X' }] }],
  }));
  expect(secretNamesOf({ ...intake, flows })).toContain('LT_X');
});
