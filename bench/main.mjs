// npm run bench -- [--only NAME[,NAME]] [--rounds N] [--seconds S] [--json FILE] [--long]
//               [--profile DIRECTORY]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildEngine, createEngineCommand } from './engine-command.mjs';
import { onExit, closeAll, closeOnSignals } from './cleanup.mjs';
import { busyWarning, describeMachine } from './machine-description.mjs';
import { findPrograms } from './compared-programs.mjs';
import { printRow } from './print-table.mjs';
import { startTarget, TARGET_CORE } from './target.mjs';
import { agreement } from './rows/agreement.mjs';
import { connections } from './rows/connections.mjs';
import { counts } from './rows/counts.mjs';
import { delays } from './rows/delays.mjs';
import { exchange } from './rows/exchange.mjs';
import { features } from './rows/features.mjs';
import { fleet } from './rows/fleet.mjs';
import { abortRules, clientCertificates, groups, sharedConnections } from './rows/client-connections.mjs';
import { heads } from './rows/heads.mjs';
import { keepAlive } from './rows/keep-alive.mjs';
import { manyConnections } from './rows/many-connections.mjs';
import { network } from './rows/network.mjs';
import { newClients, newConnections } from './rows/new-connections.mjs';
import { openModel } from './rows/open-model.mjs';
import { parser } from './rows/parser.mjs';
import { planRow } from './rows/plan.mjs';
import { reading } from './rows/reading.mjs';
import { scale } from './rows/scale.mjs';
import { stages } from './rows/stages.mjs';
import { startUp, startUpWithCertificates } from './rows/start-up.mjs';
import { loads, quota, threads } from './rows/threads.mjs';
import { systemCalls } from './rows/system-calls.mjs';
import { tls } from './rows/tls.mjs';
import { truth } from './rows/truth.mjs';
import { verdicts } from './rows/verdicts.mjs';
import { varied } from './rows/varied.mjs';
import { workers } from './rows/workers.mjs';

const ROWS = [
  keepAlive,
  heads,
  connections,
  threads,
  quota,
  loads,
  varied,
  verdicts,
  exchange,
  tls,
  clientCertificates,
  sharedConnections,
  groups,
  abortRules,
  features,
  delays,
  manyConnections,
  scale,
  newConnections,
  newClients,
  network,
  systemCalls,
  openModel,
  stages,
  truth,
  agreement,
  counts,
  reading,
  parser,
  workers,
  fleet,
  startUp,
  startUpWithCertificates,
  planRow,
];

const log = (text) => console.error(text);

closeOnSignals();
try {
  process.exitCode = await main();
} catch (error) {
  log(`bench: ${error.message}`);
  process.exitCode = 1;
} finally {
  await closeAll();
}

async function main() {
  const options = readOptions();
  const { found, missing } = findPrograms();
  for (const { name, from } of missing) log(`missing: ${name} (${from})`);
  const warning = busyWarning();
  if (warning !== null) log(`warning: ${warning}`);
  const bench = await prepare(options, found);
  const document = {
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions: Object.fromEntries(Object.entries(found).map(([name, { version }]) => [name, version])),
    missing: missing.map(({ name }) => name),
    options: { rounds: options.rounds, seconds: options.seconds, long: options.long },
    rows: [],
  };
  for (const row of options.rows) {
    log(`\n${row.name} …`);
    const result = await runRow(row, bench);
    printRow(row, result, (line) => console.log(line));
    document.rows.push({ name: row.name, title: row.title, ...result });
    // Written after each row, so that an interrupted run keeps its results.
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(document, null, 2)}\n`);
  }
  return document.rows.some(({ failed }) => failed === true) ? 1 : 0;
}

/** Runs a row. An error skips the row, and the benchmark continues. */
async function runRow(row, bench) {
  const lacking = row.needs.filter((name) => bench.programs[name] === undefined);
  if (lacking.length > 0) return { skipped: `without ${lacking.join(', ')}` };
  try {
    return await row.run(bench);
  } catch (error) {
    return { skipped: `failed: ${error.message}`, failed: true };
  }
}

async function prepare({ rounds, seconds, long, profile }, programs) {
  if (programs.taskset === undefined)
    throw new Error('taskset is required; install the Debian package util-linux');
  const directory = mkdtempSync(join(tmpdir(), 'loadtests-bench-'));
  onExit(() => rmSync(directory, { recursive: true, force: true }));
  const engine = join(directory, 'engine');
  mkdirSync(engine);
  await buildEngine(engine);
  if (profile !== null) mkdirSync(profile, { recursive: true });
  return {
    programs,
    rounds,
    seconds,
    long,
    directory,
    // Client and target must not compete for CPU time.
    clientCore: availableParallelism() > 1 ? TARGET_CORE + 1 : TARGET_CORE,
    engineDirectory: engine,
    engineCommand: createEngineCommand(engine, profile),
    target: programs.nginx === undefined ? null : await startTarget(programs, directory),
    log: (text) => log(`  ${text}`),
  };
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '6' },
      json: { type: 'string' },
      long: { type: 'boolean', default: false },
      profile: { type: 'string' },
    },
  });
  const names = values.only?.split(',') ?? null;
  const known = ROWS.map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`unknown row "${unknown}"; use one of: ${known.join(', ')}`);
  return {
    rows: ROWS.filter(({ name }) => names === null || names.includes(name)),
    rounds: positive(values.rounds, '--rounds'),
    seconds: positive(values.seconds, '--seconds'),
    json: values.json ?? null,
    long: values.long,
    profile: values.profile === undefined ? null : resolve(values.profile),
  };
}

function positive(text, option) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${option} must be an integer of at least 1`);
  return number;
}
