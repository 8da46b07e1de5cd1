// npm run servers -- [--only MAKE[,MAKE]] [--seconds S] [--keep] [--write]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildEngine } from '../engine-command.mjs';
import { onExit, closeAll, closeOnSignals } from '../cleanup.mjs';
import { compareLogs } from './compare-logs.mjs';
import { loadServer } from './test-load.mjs';
import { SET_UPS } from './setups.mjs';
import { startServer } from './start-server.mjs';
import { printServer, writePage } from './server-table.mjs';

const PAGE = 'docs/internals/verification/engine.md';

closeOnSignals();
try {
  process.exitCode = await main();
} catch (error) {
  console.error(`servers: ${error.message}`);
  process.exitCode = 1;
} finally {
  await closeAll();
}

async function main() {
  const options = readOptions();
  const directory = mkdtempSync(join(tmpdir(), 'loadtests-servers-'));
  if (options.keep) console.error(`configurations and logs are stored in ${directory}`);
  else onExit(() => rmSync(directory, { recursive: true, force: true }));
  const engine = await openEngine(directory);
  const rows = [];
  for (const setup of options.setups) {
    const row = await loadSetup(setup, { engine, directory, seconds: options.seconds });
    printServer(row, (line) => console.log(line));
    rows.push(row);
  }
  if (options.write) await writePage(PAGE, rows);
  return rows.some(({ failed, differences }) => failed !== null || differences.length > 0) ? 1 : 0;
}

/** Builds the engine with the options of the product. */
async function openEngine(directory) {
  await buildEngine(directory);
  const { createEngine } = await import(pathToFileURL(join(directory, 'engine.mjs')).href);
  const engine = createEngine({
    threadUrl: pathToFileURL(join(directory, 'thread.mjs')),
    version: 'servers',
  });
  onExit(() => engine.close());
  return engine;
}

/** Tests one server. If it does not start, the row contains the error, and the others continue. */
async function loadSetup(setup, { engine, directory, seconds }) {
  const row = {
    make: setup.make,
    version: null,
    name: setup.name,
    requests: 0,
    differences: [],
    failed: null,
  };
  try {
    const server = await startServer(setup, directory);
    if (server.missing !== null) return { ...row, failed: `not installed: ${server.missing}` };
    const reports = await loadServer(engine, server, { seconds });
    return { ...row, version: server.version, ...compareLogs(reports, await server.end()) };
  } catch (error) {
    return { ...row, failed: error.message };
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      seconds: { type: 'string', default: '1.5' },
      keep: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  if (values.write && values.only !== undefined) throw new Error('--write requires all servers; omit --only');
  const makes = [...new Set(SET_UPS.map(({ make }) => make))];
  const only = values.only?.split(',') ?? makes;
  const unknown = only.find((make) => !makes.includes(make));
  if (unknown !== undefined) throw new Error(`unknown server "${unknown}"; use one of: ${makes.join(', ')}`);
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= 10)) throw new Error('--seconds must be greater than 0 and at most 10');
  return {
    setups: SET_UPS.filter(({ make }) => only.includes(make)),
    seconds,
    keep: values.keep,
    write: values.write,
  };
}
