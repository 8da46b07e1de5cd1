// Everything that is checked without running the product. Each step says its name; all are run.
import { spawnSync } from 'node:child_process';

const steps = [
  ['generated files', 'node', ['scripts/generate.mjs', '--check']],
  ['format', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']],
  ['build and types', 'npm', ['run', '--silent', 'build']],
  ['types of tests', 'npx', ['tsc', '-p', 'test', '--noEmit']],
  ['lint', 'npx', ['eslint', '.', '--max-warnings', '0']],
  [
    'layers',
    'npx',
    ['depcruise', '--config', 'scripts/dependency-rules.mjs', '--output-type', 'err-long', 'src'],
  ],
  ['unused code', 'npx', ['knip']],
  ['package', 'npx', ['publint', '--strict']],
  ['known advisories', 'npm', ['run', '--silent', 'audit']],
];

const failed = [];
for (const [name, command, args] of steps) {
  const started = performance.now();
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.log(`failed: ${failed.join(', ')}`);
  process.exit(1);
}
