/** The formats that `import --from` reads. */
import type { Intake } from '../core/intake/intake.ts';
import type { IntakeSource } from '../core/intake/source-text.ts';
import type { LoadProgram } from './load-commands.ts';

interface Format {
  /** Maximum size of a source, in bytes. */
  readonly maxBytes: number;
  /** Names of programs whose command line can be used as the source. */
  readonly programs: readonly string[];
  /** Loads the function that reads a source. The function throws InvalidSource if the source is not in the format. */
  readonly load: () => Promise<(source: IntakeSource) => Intake>;
}

const MEBIBYTE = 1024 * 1024;

function commandFormat(program: LoadProgram): Format {
  return {
    maxBytes: 4 * MEBIBYTE,
    programs: [program],
    load: async () => (await import('./load-commands.ts')).loadCommandReader(program),
  };
}

export const FORMATS = {
  artillery: {
    maxBytes: 4 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./artillery.ts')).readArtillery,
  },
  curl: {
    maxBytes: 4 * MEBIBYTE,
    programs: ['curl'],
    load: async () => (await import('./curl.ts')).readCurl,
  },
  har: {
    maxBytes: 64 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./har.ts')).readHar,
  },
  jmeter: {
    maxBytes: 16 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./jmeter.ts')).readJMeter,
  },
  k6: {
    maxBytes: 2 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./k6.ts')).readK6,
  },
  openapi: {
    maxBytes: 16 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./openapi.ts')).readOpenApi,
  },
  postman: {
    maxBytes: 16 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./postman.ts')).readPostman,
  },
  taurus: {
    maxBytes: 4 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./taurus.ts')).readTaurus,
  },
  vegeta: commandFormat('vegeta'),
  ab: commandFormat('ab'),
  hey: commandFormat('hey'),
  oha: commandFormat('oha'),
  wrk: commandFormat('wrk'),
  drill: {
    maxBytes: 4 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./drill.ts')).readDrill,
  },
} satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]; // The names are the keys of the table.

export function formatOf(name: FormatName): Format {
  return FORMATS[name];
}
