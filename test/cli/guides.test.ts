/** Every YAML example of the guides is valid. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openAuthority } from '../support/certificate-authority.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const GUIDES = join(import.meta.dirname, '../../docs/guides');

type YamlMap = Readonly<Record<string, unknown>>;

interface Block {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the YAML blocks of all guides. */
function yamlBlocks(): readonly Block[] {
  return readdirSync(GUIDES).flatMap((page) => {
    const markdown = readFileSync(join(GUIDES, page), 'utf8');
    const fences = markdown.matchAll(/^( *)```yaml.*\n([^]*?)^\1```$/gm);
    return [...fences].map(({ index, 1: indent = '', 2: text = '' }) => ({
      page,
      line: markdown.slice(0, index).split('\n').length,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }));
  });
}

const FILE_KEYS = /^(?:service|apps|tests|defaults|environments|vars|limits|web_server|moved|x-.*)$/;

const REQUEST_KEYS = /^(?:variables|json|payload_file|expect)$/;

const BASE_TEST = {
  test_type: 'cycling',
  total: 10,
  duration: '10s',
  urls: ['https://www.example.com/'],
} as const;

/** Defines the variables of an example that shows only the request which uses it. */
const TOKEN_REQUEST = {
  url: 'https://www.example.com/login',
  variables: ['token', 'sku'].map((name) => ({ name, property: `/${name}`, source: 'json' })),
};

/** Completes an example to a file: a whole file, top-level keys, tests, keys of a test, or keys of a request. */
function toFile(example: unknown): YamlMap {
  if (Array.isArray(example)) return toFile({ urls: [TOKEN_REQUEST, ...(example as readonly unknown[])] });
  const map = example as YamlMap; // examples are maps or lists
  if ('version' in map) return map;
  const base = {
    version: 1,
    project: 'shop',
    apps: { shop: 'www.example.com' },
    vars: { host: 'www.example.com' },
  };
  const keys = Object.keys(map);
  if (keys.every((key) => FILE_KEYS.test(key))) {
    const tests = Object.entries((map['tests'] ?? { checkout: {} }) as YamlMap).map(([key, value]) => [
      key,
      { ...('test_type' in (value as YamlMap) ? {} : BASE_TEST), ...(value as YamlMap) }, // tests are maps
    ]);
    return { ...base, ...map, tests: Object.fromEntries(tests) as YamlMap };
  }
  const isTests = Object.values(map).every(
    (value) => typeof value === 'object' && value !== null && ('test_type' in value || 'urls' in value),
  );
  if (isTests) return { ...base, tests: map };
  if (keys.every((key) => REQUEST_KEYS.test(key))) {
    const request = {
      url: 'https://www.example.com/',
      ...('json' in map ? { request_type: 'POST' } : {}),
      ...map,
    };
    return { ...base, tests: { checkout: { ...BASE_TEST, urls: [TOKEN_REQUEST, request] } } };
  }
  // Flows contain the requests.
  const { urls: _urls, ...load } = BASE_TEST;
  return { ...base, tests: { checkout: { ...('flows' in map ? load : BASE_TEST), ...map } } };
}

/** Declares the hosts of all URLs as apps. */
function withApps(file: YamlMap): YamlMap {
  const hosts = new Set(
    [...stringify(file).matchAll(/https?:\/\/([a-z0-9.-]+(?::\d+)?)\//g)].map(([, host]) => host),
  );
  const apps = Object.fromEntries([...hosts].map((host, index) => [`app${index}`, host]));
  const declared = (file['apps'] ?? {}) as YamlMap; // apps are a map
  const known = new Set(Object.values(declared).map((app) => (typeof app === 'string' ? app : '')));
  const missing = Object.fromEntries(Object.entries(apps).filter(([, host]) => !known.has(host ?? '')));
  return { ...file, apps: { ...declared, ...missing } };
}

/** Returns the header of a payload file with the variables of an example, and others up to three. */
function columnsOf(text: string): string {
  const [, declared] = /# columns: (.*)/.exec(text) ?? [];
  if (declared !== undefined) return [...declared.split(', '), 'c'].join(',');
  const names = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
  return [...new Set([...names, 'a', 'b', 'c'])].slice(0, 3).join(',');
}

const AUTHORITY = openAuthority();
afterAll(() => {
  AUTHORITY.close();
});

/** Returns the content of a file that an example names. */
function contentOf(path: string, text: string): string {
  if (path.endsWith('.pem')) return AUTHORITY.pem;
  if (!path.endsWith('.csv')) return 'any content';
  return text.includes("delimiter: ';'") ? '1;2\n3;4\n' : `${columnsOf(text)}\n1,2,3\n4,5,6\n`;
}

const EXAMPLES = yamlBlocks().filter(({ page }) => page !== 'ci.md');

describe('YAML examples of the guides', () => {
  test.each(EXAMPLES)('the example in $page, line $line, is valid', async ({ text }) => {
    const directory = createTestDirectory();
    for (const [path] of text.matchAll(/[a-z/-]+\.(?:csv|xml|pdf|pem)\b/g)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), contentOf(path, text));
    }
    writeFileSync(join(directory, 'loadtests.yaml'), stringify(withApps(toFile(parse(text)))));
    const { stderr, exit } = await runInProcess(['validate'], { directory });
    expect([stderr.replaceAll(/^.*warning[^]*?(?=^\S|$(?![^]))/gm, ''), exit]).toEqual(['', 0]);
  });
});
