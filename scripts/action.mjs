// What action.yml runs: the command, then the summary of the job and the outputs of the step.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { env } = process;
const COMMANDS = ['plan', 'apply', 'run'];
const MAX_ROWS = 200;

const command = env.INPUT_COMMAND ?? '';
if (!COMMANDS.includes(command)) {
  // What was given is not repeated: a line of it could be read as a command to the runner.
  console.log(`::error::The input "command" is none of ${COMMANDS.join(', ')}.`);
  setOutputs({ 'exit-code': '3', 'has-changes': '', document: '' });
  process.exit(3);
}

const path = join(mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'loadtests-')), 'document.json');
const exitCode = await run([
  command,
  ...(env.INPUT_FILE ? [`--file=${env.INPUT_FILE}`] : []),
  ...(env.INPUT_ENVIRONMENT ? [`--env=${env.INPUT_ENVIRONMENT}`] : []),
  `--json-into=${path}`,
  ...(env.INPUT_ARGS ?? '').split(/\s+/).filter((word) => word !== ''),
]);
const document = readDocument();
setOutputs({
  'exit-code': String(exitCode),
  'has-changes': document?.has_changes === undefined ? '' : String(document.has_changes),
  document: document === null ? '' : path,
});
if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, summary());
process.exit(exitCode);

/** The child hears the signals too, so that it stops its runs; what it ends with is what counts. */
function run(args) {
  const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Null when the command ended before it could write one: its arguments were wrong. */
function readDocument() {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function setOutputs(values) {
  if (!env.GITHUB_OUTPUT) return;
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(env.GITHUB_OUTPUT, lines.join(''));
}

function summary() {
  const parts = [`### loadtests ${command}${titleEnd()}`, `Exit code ${exitCode}${meaning()}`];
  if (document === null) return `${[...parts, 'The log has the reason.'].join('\n\n')}\n`;
  const { actions = [], runs = [], problems = [], load } = document;
  const acting = actions.filter(({ verb }) => verb !== 'keep');
  if (document.has_changes !== undefined && acting.length === 0) parts.push('No changes.');
  if (acting.length > 0) {
    parts.push(
      table(
        ['action', 'what', 'starts load', 'outcome'],
        acting.map(({ verb, address, starts_load, outcome, note }) => [
          text(verb),
          code(address) + (note ? ` ${text(note)}` : ''),
          starts_load ? 'yes' : '',
          text(outcome ?? 'planned'),
        ]),
      ),
    );
  }
  if (load?.starts > 0) {
    const peaks = Object.entries(load.peak_connections).map(([host, peak]) => `${peak} on ${code(host)}`);
    parts.push(
      `Load: ${load.starts} started, ${load.seconds} s in all, at most ${peaks.join(', ')} connections.`,
    );
  }
  if (runs.length > 0) {
    parts.push(
      table(
        ['run', 'verdict', 'requests', 'thresholds'],
        runs.map(({ address, verdict, result, thresholds = [] }) => [
          code(address),
          verdict === 'fail' ? '**fail**' : text(verdict),
          text(result?.requests ?? ''),
          thresholds.map(thresholdText).join('<br>'),
        ]),
      ),
    );
  }
  const lines = problems.slice(0, MAX_ROWS).map(({ code: name, severity, message, file, line }) => {
    const place = file === null ? '' : `${code(line === null ? file : `${file}:${line}`)} `;
    return `- ${place}${text(severity)} ${code(name)}: ${text(message)}`;
  });
  if (lines.length > 0) parts.push(lines.join('\n'));
  return `${parts.join('\n\n')}\n`;
}

function titleEnd() {
  if (document?.project === undefined) return '';
  const environment = document.environment === null ? '' : ` · ${text(document.environment)}`;
  return ` · ${text(document.project)}${environment} · ${text(document.service)}`;
}

function meaning() {
  const meanings = { 0: ': done', 2: ': there are changes', 10: ': a threshold failed', 11: ': no verdict' };
  return `${meanings[exitCode] ?? ''}.`;
}

function thresholdText({ metric, limit, value, verdict }) {
  const mark = { pass: '✓', fail: '✗' }[verdict] ?? '?';
  return `${mark} ${code(`${metric} ${limit}`)} ${value === null ? 'not known' : Number(value.toPrecision(4))}`;
}

function table(head, rows) {
  const more = rows.length > MAX_ROWS ? `\n\n… and ${rows.length - MAX_ROWS} more.` : '';
  const lines = [head, head.map(() => '---'), ...rows.slice(0, MAX_ROWS)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n') + more;
}

/** Texts of the file and of the service, as themselves: no markup, no link, no mention of anybody. */
function text(value) {
  return String(value)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]()<>#+!|~@&:-]/g, (sign) => `&#${sign.codePointAt(0)};`);
}

function code(value) {
  return `<code>${text(value)}</code>`;
}
