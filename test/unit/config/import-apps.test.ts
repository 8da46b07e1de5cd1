/** Apps in an imported file keep the key and the verification of the current file. */
import { describe, expect, test } from 'vitest';
import { importConfig } from '../../../src/config/config-import.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import { appId } from '../../../src/core/model/ids.ts';
import { loaded } from './load-text.ts';

/** Returns the apps of the file that is imported from a service with `www.example.com`. */
function importApps(apps: string): string {
  const { desired } = loaded(`version: 1\nproject: shop\napps:\n${apps}`);
  const imported = importConfig({
    observed: {
      apps: [{ id: appId('0123456789'), host: 'www.example.com', status: 'verified' }],
      tests: [],
      maybeTruncated: false,
      firstStartTimes: new Map(),
    },
    ...{ unmarked: [], project: 'shop', environment: null, service: null, declared: desired },
    ...{ selects: () => true, comments: [], sha256 },
  });
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join());
  return imported.value.text.split('apps:\n')[1] ?? '';
}

const app = (verification: string) => `  site:
    app: www.example.com
    verification:
${verification}`;

describe('imported apps', () => {
  test.each([
    ['the default verification', '  site: www.example.com\n'],
    ['verification by DNS', app('      method: dns\n      manual: true\n')],
    ['the publication in a directory', app('      directory: public\n')],
    ['the publication by a command', app('      command: ./publish\n')],
    ['a maximum wait of 3 minutes', app('      manual: true\n      wait: 3m\n')],
    [
      'verification by DNS with a command',
      app('      method: dns\n      command: ./publish\n      wait: 30s\n'),
    ],
  ])('an imported app keeps %s from the current file', (_name, apps) => {
    expect(importApps(apps)).toBe(apps);
  });

  test('an imported app omits default settings of the verification', () => {
    const apps = importApps(app('      method: http\n      manual: true\n      wait: 2m\n'));
    expect(apps).toBe('  site: www.example.com\n');
  });

  test('an imported app that the current file does not declare has the default verification', () => {
    expect(importApps('  other: api.example.com\n')).toBe('  example: www.example.com\n');
  });
});
