// Records the first command of the README in a pseudo-terminal, in a copy of the file and its shop, with real
// load and in real time. Writes docs/pictures/first-command.svg. Requires `script` (util-linux) and port
// 4080.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawTerminal, playTerminal } from './terminal-picture.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = join(ROOT, 'docs/pictures/first-command.svg');
const COMMAND = 'npx --no-install loadtests apply --yes';
const SCREEN = 'stty columns 100 rows 60';
/** The prompt is displayed for this time before the command starts, in ms. */
const TYPED_MS = 1000;

/** Returns `[ms, text]` for each write of the command. */
async function record(directory) {
  const events = [];
  // Runs without git and with a fixed title, so that recordings are reproducible.
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    TERM: 'xterm-256color',
    npm_config_update_notifier: 'false',
  };
  const child = spawn('script', ['-qfec', `${SCREEN}; ${COMMAND}`, '/dev/null'], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const started = performance.now();
  child.stdout.setEncoding('utf8').on('data', (text) => {
    events.push([TYPED_MS + Math.round(performance.now() - started), text]);
  });
  const exit = await new Promise((resolve) => child.once('close', resolve));
  if (exit !== 0) throw new Error(`${COMMAND} ended with ${exit}`);
  return events;
}

const directory = mkdtempSync(join(tmpdir(), 'loadtests-recording-'));
try {
  for (const name of ['loadtests.yaml', 'examples/shop'])
    cpSync(join(ROOT, name), join(directory, name), { recursive: true });
  mkdirSync(join(directory, 'node_modules/.bin'), { recursive: true });
  symlinkSync(join(ROOT, 'dist/cli/main.js'), join(directory, 'node_modules/.bin/loadtests'));
  const prompt = [0, `\u001b[2m$\u001b[22m ${COMMAND}\r\n\r\n`];
  const picture = drawTerminal(
    playTerminal([prompt, ...(await record(directory))]),
    `A terminal: ${COMMAND}`,
  );
  mkdirSync(join(ROOT, 'docs/pictures'), { recursive: true });
  writeFileSync(TARGET, picture);
  console.log(`Wrote ${TARGET}, ${(picture.length / 1024).toFixed(0)} KB`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
