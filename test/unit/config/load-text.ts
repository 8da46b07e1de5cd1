/** Loads a text as `loadtests.yaml` of a made-up directory: nothing is read from the disk. */
import { expect } from 'vitest';
import { createRowsReader } from '../../../src/config/included-files.ts';
import { loadConfig, type ConfigInput, type LoadedConfig } from '../../../src/config/load-config.ts';
import { exitCodeOfProblems, type Problem } from '../../../src/core/problem.ts';
import type { Result } from '../../../src/core/result.ts';

export interface Surroundings {
  readonly environment?: string;
  readonly vars?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute path to text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Path as asked for to where it leads. */
  readonly links?: Readonly<Record<string, string>>;
}

export const DIRECTORY = '/shop';

export function loadText(text: string, around: Surroundings = {}): Result<LoadedConfig> {
  return loadConfig(inputOf(text, around));
}

export function inputOf(text: string, around: Surroundings): ConfigInput {
  const readFile = (path: string): string => {
    const found = around.files?.[path];
    if (found === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return found;
  };
  return {
    file: { path: 'loadtests.yaml', text, directory: DIRECTORY },
    environment: around.environment ?? null,
    vars: new Map(Object.entries(around.vars ?? {})),
    env: around.env ?? {},
    readFile,
    readRows: createRowsReader(DIRECTORY, {
      readBytes: (path) => new TextEncoder().encode(readFile(path)),
      realPath: (path) => around.links?.[path] ?? path,
    }),
    realPath: (path) => around.links?.[path] ?? path,
  };
}

/** The configuration of a text that is expected to load. */
export function loaded(text: string, around: Surroundings = {}): LoadedConfig {
  const result = loadText(text, around);
  if (!result.ok) throw new Error(linesOf(result.problems).join('\n'));
  return result.value;
}

export function problemsOf(text: string, around: Surroundings = {}): readonly Problem[] {
  const result = loadText(text, around);
  return result.ok ? result.warnings : result.problems;
}

/** One line for each problem, as the command line would place it. */
export function linesOf(problems: readonly Problem[]): string[] {
  return problems.map(({ code, severity, message, hint, source }) => {
    const place = source === null ? '-' : `${source.file}:${source.line}:${source.column}+${source.length}`;
    return `${place} ${severity} ${code}: ${message}${hint === null ? '' : ` (${hint})`}`;
  });
}

/** What holds for any text: it ends in 0 or 3, and each problem has words and a place in the text. */
export function expectSound(text: string, around: Surroundings = {}): void {
  const result = loadText(text, around);
  const problems = result.ok ? result.warnings : result.problems;
  expect(exitCodeOfProblems(problems), JSON.stringify(text)).toBe(result.ok ? 0 : 3);
  const lines = text.split('\n');
  const isWorded = ({ message }: Problem) => !/^$|undefined|\[object|Bug:/.test(message);
  const isPlaced = ({ source, message }: Problem) => {
    if (source === null) return message.startsWith('--var');
    const { file, line, column, length } = source;
    const width = lines[line - 1]?.length ?? -1;
    return file === 'loadtests.yaml' && column >= 1 && column <= width + 1 && length >= 1;
  };
  const unsound = problems.filter((found) => !isWorded(found) || !isPlaced(found));
  expect(linesOf(unsound), JSON.stringify(text)).toEqual([]);
}

/** A file with one test in it, of which only the interesting lines are given; they begin in line 7. */
export function fileWithTest(lines: string): string {
  return `${HEAD}
defaults: { test_type: cycling, duration: 1m, urls: ['http://shop.example.com/'] }
tests:
  home:
${lines.replaceAll(/^(?=.)/gm, '    ')}
`;
}

export const HEAD = `version: 1
project: shop
apps: { shop: shop.example.com }`;
