// Everything that is checked without running the product. Each step says its name; all are run.
// The lint takes a third of it, so it runs beside the others; it tells what the compiler finds in tests as well.
// `npm run` puts the tools on the path.
import { spawn } from 'node:child_process';

const lint = [['lint and types of tests', 'npm', ['run', '--silent', 'lint']]];
const others = [
  ['generated files', 'node', ['scripts/generate.mjs', '--check']],
  ['format', 'npm', ['run', '--silent', 'format', '--', '--check']],
  ['build and types', 'npm', ['run', '--silent', 'build']],
  ['layers', 'depcruise', ['--config', 'scripts/dependency-rules.mjs', '--output-type', 'err-long', 'src']],
  ['unused code', 'knip', []],
  ['package', 'publint', ['--strict']],
  ['known advisories', 'npm', ['run', '--silent', 'audit']],
];

const failed = [];

/** Tells what a step has printed when it is over, so that two do not print at once. */
function carryOut([name, command, args]) {
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

async function inTurn(steps) {
  for (const step of steps) await carryOut(step);
}

await Promise.all([inTurn(lint), inTurn(others)]);
if (failed.length > 0) {
  console.log(`failed: ${failed.join(', ')}`);
  process.exit(1);
}
