/** Loads a string as `loadtests.yaml` of a simulated directory, without reading from disk. */
import { expect } from 'vitest';
import { createUploadReaders } from '../../../src/config/included-files.ts';
import { loadConfig, type ConfigInput, type LoadedConfig } from '../../../src/config/load-config.ts';
import { exitCodeOfProblems, type Problem } from '../../../src/core/problem.ts';
import type { Result } from '../../../src/core/result.ts';

export interface LoadOptions {
  readonly environment?: string;
  readonly vars?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Contents by absolute path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Targets of symbolic links by path. */
  readonly links?: Readonly<Record<string, string>>;
}

export const DIRECTORY = '/shop';

export function loadText(text: string, options: LoadOptions = {}): Result<LoadedConfig> {
  return loadConfig(inputOf(text, options));
}

export function inputOf(text: string, options: LoadOptions): ConfigInput {
  const readFile = (path: string): string => {
    const found = options.files?.[path];
    if (found === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return found;
  };
  return {
    file: { path: 'loadtests.yaml', text, directory: DIRECTORY },
    environment: options.environment ?? null,
    vars: new Map(Object.entries(options.vars ?? {})),
    env: options.env ?? {},
    readFile,
    ...createUploadReaders(DIRECTORY, {
      readBytes: (path) => new TextEncoder().encode(readFile(path)),
      realPath: (path) => options.links?.[path] ?? path,
    }),
    realPath: (path) => options.links?.[path] ?? path,
  };
}

/** Returns the configuration of a text that must load. */
export function loaded(text: string, options: LoadOptions = {}): LoadedConfig {
  const result = loadText(text, options);
  if (!result.ok) throw new Error(linesOf(result.problems).join('\n'));
  return result.value;
}

export function problemsOf(text: string, options: LoadOptions = {}): readonly Problem[] {
  const result = loadText(text, options);
  return result.ok ? result.warnings : result.problems;
}

/** Formats each problem as one line with its location. */
export function linesOf(problems: readonly Problem[]): string[] {
  return problems.map(({ code, severity, message, hint, source }) => {
    const location =
      source === null ? '-' : `${source.file}:${source.line}:${source.column}+${source.length}`;
    return `${location} ${severity} ${code}: ${message}${hint === null ? '' : ` (${hint})`}`;
  });
}

/**
 * Checks the properties that hold for any text: exit code 0 or 3, and problems with a message and a location
 * in the text.
 */
export function expectValidResult(text: string, options: LoadOptions = {}): void {
  const result = loadText(text, options);
  const problems = result.ok ? result.warnings : result.problems;
  expect(exitCodeOfProblems(problems), JSON.stringify(text)).toBe(result.ok ? 0 : 3);
  const lines = text.split('\n');
  const hasMessage = ({ message }: Problem) => !/^$|undefined|\[object|Bug:/.test(message);
  const hasLocation = ({ source, message }: Problem) => {
    if (source === null) return message.startsWith('--var');
    const { file, line, column, length } = source;
    const width = lines[line - 1]?.length ?? -1;
    return file === 'loadtests.yaml' && column >= 1 && column <= width + 1 && length >= 1;
  };
  const invalid = problems.filter((found) => !hasMessage(found) || !hasLocation(found));
  expect(linesOf(invalid), JSON.stringify(text)).toEqual([]);
}

/** Returns a file with one test that contains the lines, which begin at line 7. */
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
