/** The formats that `import --from` reads. The code for a format is loaded only when the format is used. */
import type { Intake } from '../core/intake/intake.ts';
import type { IntakeSource } from '../core/intake/source-text.ts';
import type { LoadProgram } from './load-commands.ts';

interface Format {
  readonly description: string;
  /** Maximum size of a source, in bytes. */
  readonly maxBytes: number;
  /** Names of programs whose command line can be used as the source. */
  readonly programs: readonly string[];
  /** Loads the function that reads a source. The function throws InvalidSource if the format is wrong. */
  readonly load: () => Promise<(source: IntakeSource) => Intake>;
}

const MEBIBYTE = 1024 * 1024;

function commandFormat(program: LoadProgram, description: string): Format {
  return {
    description,
    maxBytes: 4 * MEBIBYTE,
    programs: [program],
    load: async () => (await import('./load-commands.ts')).loadCommandReader(program),
  };
}

export const FORMATS = {
  artillery: {
    description: 'Artillery scripts',
    maxBytes: 4 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./artillery.ts')).readArtillery,
  },
  curl: {
    description: 'curl command lines',
    maxBytes: 4 * MEBIBYTE,
    programs: ['curl'],
    load: async () => (await import('./curl.ts')).readCurl,
  },
  har: {
    description: 'HAR recordings of a browser or proxy',
    maxBytes: 64 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./har.ts')).readHar,
  },
  jmeter: {
    description: 'JMeter test plans',
    maxBytes: 16 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./jmeter.ts')).readJMeter,
  },
  k6: {
    description: 'k6 scripts, which are read but not run',
    maxBytes: 2 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./k6.ts')).readK6,
  },
  openapi: {
    description: 'API descriptions: OpenAPI 3.0 to 3.2, and Swagger 2.0',
    maxBytes: 16 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./openapi.ts')).readOpenApi,
  },
  postman: {
    description: 'Postman collections, followed by environments',
    maxBytes: 16 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./postman.ts')).readPostman,
  },
  taurus: {
    description: 'Taurus configurations',
    maxBytes: 4 * MEBIBYTE,
    programs: [],
    load: async () => (await import('./taurus.ts')).readTaurus,
  },
  vegeta: commandFormat('vegeta', 'vegeta targets and command lines'),
  ab: commandFormat('ab', 'ApacheBench command lines'),
  hey: commandFormat('hey', 'hey command lines'),
  oha: commandFormat('oha', 'oha command lines'),
  wrk: commandFormat('wrk', 'wrk command lines'),
  drill: {
    description: 'drill benchmarks',
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
