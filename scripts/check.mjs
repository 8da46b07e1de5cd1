// Runs all static checks. Each step prints its name and result; a failure does not stop the others. The first
// step writes the generated code. The lint then runs in parallel to the other steps, because it does not need
// the build. It also reports type errors in tests. `npm run` adds the tools to the path.
import { spawn } from 'node:child_process';

const SPELLED = [
  '*.md',
  'action.yml',
  '{bench,docs,examples}/**/*.{md,mjs,yaml,yml}',
  'deploy/*',
  'schemas/**/*.json',
  'scripts/{,mutation/}*.mjs',
  'src/**/*.{ts,tsx,css}',
  'test/**/*.ts',
];
const generated = [['generated files', 'node', ['scripts/generate.mjs', '--check']]];
const lint = [['lint and types of tests', 'npm', ['run', '--silent', 'lint']]];
const others = [
  ['format', 'npm', ['run', '--silent', 'format', '--', '--check']],
  ['build', 'node', ['scripts/build.mjs', '--generated']],
  ['types', 'tsc', ['-b']],
  ['declarations', 'node', ['scripts/bundle-declarations.mjs']],
  ['prose', 'node', ['scripts/prose.mjs']],
  [
    'spelling',
    'cspell',
    ['lint', '--no-progress', '--no-summary', '--config', 'scripts/cspell.json', ...SPELLED],
  ],
  ['layers', 'depcruise', ['--config', 'scripts/dependency-rules.mjs', '--output-type', 'err-long', 'src']],
  ['unused code', 'knip', []],
  ['package', 'publint', ['--strict']],
  ['known advisories', 'npm', ['run', '--silent', 'audit']],
];

const failed = [];

/** Runs a step and prints its output when it has ended, so that outputs do not mix. */
function runStep([name, command, args]) {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (printed += text));
    }
    child.once('close', (status) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      process.stdout.write(printed);
      console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
      if (status !== 0) failed.push(name);
      resolve();
    });
  });
}

async function runSteps(steps) {
  for (const step of steps) await runStep(step);
}

await runSteps(generated);
await Promise.all([runSteps(lint), runSteps(others)]);
if (failed.length > 0) {
  console.log(`failed: ${failed.join(', ')}`);
  process.exit(1);
}
