/** The configuration file in an editor: the YAML language server with the published schema. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLanguageServer, type LanguageServer } from '../support/language-server.ts';

let server: LanguageServer;
beforeAll(async () => {
  server = await startLanguageServer(join(import.meta.dirname, '../../schemas/loadtests.schema.json'));
});
afterAll(() => server.close());

const HEAD = `version: 1
project: shop
apps: { shop: shop.example.com }
tests:
  home:
    test_type: cycling
`;

/** Opens a file with these last lines. "¦" is the position of the cursor. */
async function open(lines: string) {
  const text = HEAD + lines;
  const before = text.slice(0, Math.max(0, text.indexOf('¦'))).split('\n');
  const file = await server.open(text.replace('¦', ''));
  const at = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  const diagnostics = file.diagnostics.map(({ range, message }) => {
    const { start, end } = range;
    const all = text
      .replace('¦', '')
      .split('\n')
      .slice(start.line, end.line + 1);
    const last = all.length - 1;
    const marked = all.map((line, index) => line.slice(0, index === last ? end.character : undefined));
    return { marked: marked.join('\n').slice(start.character), message };
  });
  return {
    diagnostics,
    complete: async () =>
      new Map(
        (await file.complete(at)).map((item) => [item.label, item.textEdit?.newText ?? item.insertText]),
      ),
    hover: () => file.hover(at),
  };
}

test('the YAML language server reports no errors in a valid file', async () => {
  const { diagnostics } = await open(`    duration: \${env:TIME:-1m}
    total: "\${clients}"
    tls_verify: \${strict}
    x-note: { any: thing }
    urls:
      - https://\${host}/
      - { url: "\${base}/orders", request_type: "\${method}", headers: { x-id: 5 } }
    thresholds: { p95: < 300ms }
`);
  expect(diagnostics).toEqual([]);
});

test.each([
  ['duration', '    dur¦\n', 'duration: ${1:1m}'],
  ['total', '    to¦\n', 'total: ${1:60}'],
  ['timeout', '    tim¦\n', 'timeout: ${1:10s}'],
  ['tls_verify', '    tls¦\n', 'tls_verify: ${1:true}'],
  ['url', '    urls:\n      - ¦\n', 'url: ${1:https://www.example.com/}'],
  ['request_type', '    urls:\n      - url: https://a.example/\n        req¦\n', 'request_type: ${1:GET}'],
])('the YAML language server completes the key %s with a valid value', async (label, lines, text) => {
  const file = await open(lines);
  expect((await file.complete()).get(label)).toBe(text);
});

test.each([
  ['    duration: ¦\n', ['1m']],
  ['    urls:\n      - request_type: ¦\n', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']],
  ['  cart:\n    test_type: ¦\n', ['cycling', 'non-cycling', 'per-second']],
])(
  'the YAML language server suggests exactly the valid values at the cursor in %j',
  async (lines, labels) => {
    const file = await open(lines);
    expect([...(await file.complete()).keys()]).toEqual(labels);
  },
);

test.each([
  ['    urls:\n      - ulr: https://a.example/\n        headers: { a: b }\n', 'ulr'],
  ['    urls:\n      - url: https://a.example/\n        header: { a: b }\n', 'header'],
  ['    urls:\n      - request_type: FETCH\n        url: https://a.example/\n', 'FETCH'],
  ['    urls:\n      - url: shop.example.com\n', 'shop.example.com'],
  ['    urls:\n      - url: https://a.example/\n        credentials: { user: a }\n', 'user'],
  ['    urls: [shop.example.com]\n', 'shop.example.com'],
  ['    urls:\n      - 5\n', '5'],
  ['    duration: soon\n', 'soon'],
  ['    thresholds: { p95: fast }\n', 'fast'],
  ['    tls_verify: perhaps\n', 'perhaps'],
  ['    duratoin: 1m\n', 'duratoin'],
])('the YAML language server marks only the invalid part of %j', async (lines, marked) => {
  const { diagnostics } = await open(lines);
  expect(diagnostics.map((diagnostic) => diagnostic.marked)).toEqual([marked]);
});

test('the YAML language server marks a misspelled key of an app', async () => {
  const { diagnostics } = await open(
    '    duration: 1m\nx-a: 1\nenvironments: { ci: { apps: { shop: { ap: host } } } }\n',
  );
  expect(diagnostics).toEqual([{ marked: 'ap', message: 'Property ap is not allowed.' }]);
});

test('the YAML language server completes and checks the tests of an environment, and accepts null to remove a value', async () => {
  const before =
    '    duration: 1m\nenvironments:\n  ci:\n    apps: { shop: null }\n    limits:\n    tests:\n';
  const valid = await open(
    `${before}      cart: null\n      home:\n        total: null\n        thresholds: ~\n`,
  );
  expect(valid.diagnostics).toEqual([]);
  const started = await open(`${before}      home:\n        dur¦\n`);
  expect((await started.complete()).get('duration')).toBe('duration: ${1:1m}');
  const typed = await open(`${before}      home:\n        test_type: ¦\n`);
  expect([...(await typed.complete()).keys()]).toEqual(['cycling', 'non-cycling', 'per-second', 'null']);
  const hovered = await open(`${before}      home:\n        dur¦ation: null\n`);
  expect(await hovered.hover()).toMatch(/^#### Duration\n\nDuration of the load, in whole seconds/);
  const invalid = await open(`${before}      home:\n        urls: [null]\n        totl: null\n`);
  expect(invalid.diagnostics.map((diagnostic) => diagnostic.marked)).toEqual(['null', 'totl']);
});

test('the message of the YAML language server about a value of the wrong type names the expected type', async () => {
  const { diagnostics } = await open('    urls:\n      - [a]\n');
  expect(diagnostics).toEqual([{ marked: '[a]', message: 'Incorrect type. Expected "Request".' }]);
});

test.each([
  [
    '    dur¦ation: 1m\n',
    /^#### Duration\n\nDuration of the load, in whole seconds.*\n\nExample:\n\n```yaml\n1m\n```\n/,
  ],
  [
    '    thresholds:\n      p9¦5: < 300ms\n',
    /^#### 95th percentile\n\n95th percentile of the response times/,
  ],
  ['    ur¦ls: [https://a.example/]\n', /^#### Requests\n\nRequests of one iteration, in order\./],
  ['    urls:\n      - u¦rl: https://a.example/\n', /^#### URL\n\nURL of the request\./],
  [
    '  cart:\n    test_type: per-sec¦ond\n',
    /^#### per-second\n\nOpen model: \\`total\\` clients start per second\./,
  ],
])(
  'the YAML language server shows the description of the key or value at the cursor in %j',
  async (lines, text) => {
    const file = await open(lines);
    expect(await file.hover()).toMatch(text);
  },
);
