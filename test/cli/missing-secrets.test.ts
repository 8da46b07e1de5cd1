/** Secrets that a command requires: those of the tests that it may create. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const FILE = `version: 1
project: shop
apps: { shop: '127.0.0.1:1' }
defaults: { test_type: cycling, total: 1, duration: 1s }
tests:
  home: { urls: ['http://127.0.0.1:1/'] }
  cart: { urls: [{ url: 'http://127.0.0.1:1/cart', headers: { authorization: '\${secret:TOKEN_OF_CART}' } }] }
`;

// Without --yes, a command that needs no secret reaches the approval (exit code 6); one with a missing secret
// exits with 3.
test.each([
  [['apply'], 3],
  [['apply', '--only', 'c*'], 3],
  [['apply', '--only', 'home'], 6],
  [['apply', '--exclude', 'cart'], 6],
  [['apply', '--no-run'], 6],
  [['run', 'cart'], 3],
  [['run', 'home'], 6],
  [['run', 'cart', '--once'], 3],
  [['run', 'home', '--once'], 6],
] as const)('if the secret of the test "cart" is unset, the command %j exits with %i', async (args, exit) => {
  const directory = createTemporaryDirectory();
  onTestFinished(() => {
    directory.remove();
  });
  writeFileSync(join(directory.path, 'loadtests.yaml'), FILE);
  const ran = await runInProcess([...args], { directory: directory.path });
  expect(ran.exit, ran.stderr).toBe(exit);
  expect(ran.stderr.includes('error LT_CONFIG_SECRET_MISSING')).toBe(exit === 3);
});

test.each([
  [['apply'], 'reports'],
  [['apply', '--only', 'home'], 'does not report'],
  [['apply', '--no-run'], 'reports'],
  [['run', 'home'], 'does not report'],
  [['plan'], 'reports'],
  [['plan', '--only', 'cart'], 'reports'],
  [['plan', '--only', 'home'], 'does not report'],
  [['plan', '--exclude', 'c*'], 'does not report'],
  [['plan', '--only', 'shared'], 'reports'],
  [['status', '--only', 'home'], 'does not report'],
  [['results', 'home'], 'does not report'],
  [['results'], 'reports'],
] as const)('the command %j %s that a secret is unset', async (args, verb) => {
  const directory = createTemporaryDirectory();
  onTestFinished(() => {
    directory.remove();
  });
  const shared = FILE.slice(FILE.indexOf('  cart:')).replace('cart:', 'shared:');
  const withBoth = args.some((word) => word === 'shared');
  writeFileSync(join(directory.path, 'loadtests.yaml'), withBoth ? FILE + shared : FILE);
  const ran = await runInProcess([...args], { directory: directory.path });
  expect(ran.stderr.includes('LT_CONFIG_SECRET_MISSING'), ran.stderr).toBe(verb === 'reports');
});
