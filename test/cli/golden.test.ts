/**
 * Golden tests of commands. A case is a directory: `args` contains one command per line, `loadtests.yaml` its
 * input and `world.json` the hosted service. `stdout`, `stderr` and `exit` contain the expected output; `npm
 * run golden` writes them. In one case of each command, the last command runs in the built program; all other
 * commands run in this process, which is ten times faster. `GOLDEN=built` uses the built program in all cases,
 * and `GOLDEN=source` in none.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectNameOf } from '../../src/cli/files/new-config-file.ts';
import { runCli } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { startHostedService, type HostedFault, type HostedService } from '../support/hosted-service.ts';
import type { HostedOptions } from '../support/hosted-options.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

interface World {
  readonly service?: Partial<HostedOptions>;
  readonly faults?: readonly HostedFault[];
}

const ROOT = import.meta.dirname;
const WRITE = process.env['GOLDEN'] === 'write';
const ALL_BUILT = WRITE || process.env['GOLDEN'] === 'built';
const NONE_BUILT = process.env['GOLDEN'] === 'source';
const OUTPUTS = ['stdout', 'stderr', 'exit'] as const;

const cases = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('/args'))
  .map((path) => path.slice(0, -'/args'.length))
  .sort();

/** Reports whether a case is the first one of its command. */
function isFirst(name: string): boolean {
  return cases.find((one) => dirname(one) === dirname(name)) === name;
}

describe('golden outputs', () => {
  test.concurrent.for(cases)(
    'the commands of the case %s produce the expected output and exit codes',
    async (name, { onTestFinished }) => {
      const from = join(ROOT, name);
      const directory = createTemporaryDirectory(from);
      onTestFinished(directory.remove);
      const service = await serviceOf(from);
      onTestFinished(() => service?.close());
      if (service !== null) addressFiles(directory.path, service);
      const lines = readFileSync(join(from, 'args'), 'utf8').trim().split('\n');
      const isBuilt = ALL_BUILT || (!NONE_BUILT && isFirst(name));
      const outputs = { stdout: '', stderr: '', exit: '' };
      for (const [index, line] of lines.entries()) {
        const called = isBuilt && index === lines.length - 1 ? runCli : runInProcess;
        const { env, args } = readLine(line.replaceAll('$RIG_URL', service?.url ?? ''));
        const ran = await called(args, {
          directory: directory.path,
          env: { LOADTESTS_API_KEY: service?.options.key ?? '', ...env },
        });
        const head = lines.length > 1 ? `$ loadtests ${line}\n` : '';
        const clean = (text: string) => cleaned(text, { directory: directory.path, service });
        outputs.stdout += head + clean(ran.stdout);
        outputs.stderr += head + clean(ran.stderr);
        outputs.exit += `${ran.exit ?? 'none'}\n`;
      }
      for (const output of OUTPUTS) {
        const path = join(from, output);
        if (WRITE) writeFileSync(path, outputs[output]);
        expect(outputs[output], relative(ROOT, path)).toBe(
          existsSync(path) ? readFileSync(path, 'utf8') : '',
        );
      }
    },
  );
});

async function serviceOf(directory: string): Promise<HostedService | null> {
  const path = join(directory, 'world.json');
  if (!existsSync(path)) return null;
  const world = JSON.parse(readFileSync(path, 'utf8')) as World;
  const service = await startHostedService(world.service);
  for (const fault of world.faults ?? []) service.injectFault(fault);
  return service;
}

/** Replaces `$RIG_PORT` in the files of a case with the port of its service. */
function addressFiles(directory: string, { url }: HostedService): void {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => one.endsWith('.yaml'))) {
    const path = join(directory, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('$RIG_PORT', new URL(url).port));
  }
}

/** Parses `NAME=value … word word`: variables first, as in a shell, and words without quoting. */
function readLine(line: string): { env: Record<string, string>; args: string[] } {
  const words = line.split(' ').filter((word) => word !== '');
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const env = words.slice(0, first).map((word) => {
    const at = word.indexOf('=');
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  return { env: Object.fromEntries(env), args: words.slice(first) };
}

/** Replaces values that vary between runs with names: directory, project, port, IDs, times and nonces. */
function cleaned(text: string, world: { directory: string; service: HostedService | null }): string {
  const project = projectNameOf(world.directory);
  let clean = text
    .replaceAll(world.directory, 'DIRECTORY')
    .replaceAll(`project: ${project}`, 'project: PROJECT');
  clean = clean.replaceAll(`"project": "${project}"`, '"project": "PROJECT"');
  if (world.service !== null) clean = clean.replaceAll(new URL(world.service.url).host, 'SERVICE');
  const ids = new Map<string, string>();
  return clean
    .replaceAll(/\b[0-9a-f]{32}\b/g, (id) => {
      if (!ids.has(id)) ids.set(id, `ID${ids.size + 1}`);
      return ids.get(id) ?? id;
    })
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:DIGEST')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?/g, 'TIME')
    .replaceAll(/TIME UTC, [^;]+ ago/g, 'TIME UTC, AGE ago')
    .replaceAll(/nonce [A-Za-z0-9]{8}/g, 'nonce NONCE')
    .replaceAll(/recover [A-Za-z0-9]{8}(?= --)/g, 'recover NONCE')
    .replaceAll(/"nonce": "[A-Za-z0-9]{8}"/g, '"nonce": "NONCE"');
}
