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

/** @param megabytes - Maximum size of a source, in MiB. */
function format(megabytes: number, load: Format['load'], ...programs: readonly string[]): Format {
  return { maxBytes: megabytes * 1024 * 1024, programs, load };
}

function commandFormat(program: LoadProgram): Format {
  return format(4, async () => (await import('./load-commands.ts')).loadCommandReader(program), program);
}

export const FORMATS = {
  artillery: format(4, async () => (await import('./artillery.ts')).readArtillery),
  curl: format(4, async () => (await import('./curl.ts')).readCurl, 'curl'),
  har: format(64, async () => (await import('./har.ts')).readHar),
  jmeter: format(16, async () => (await import('./jmeter.ts')).readJMeter),
  k6: format(2, async () => (await import('./k6.ts')).readK6),
  openapi: format(16, async () => (await import('./openapi.ts')).readOpenApi),
  postman: format(16, async () => (await import('./postman.ts')).readPostman),
  taurus: format(4, async () => (await import('./taurus.ts')).readTaurus),
  vegeta: commandFormat('vegeta'),
  ab: commandFormat('ab'),
  hey: commandFormat('hey'),
  oha: commandFormat('oha'),
  wrk: commandFormat('wrk'),
  drill: format(4, async () => (await import('./drill.ts')).readDrill),
} satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]; // The names are the keys of the table.

export function formatOf(name: FormatName): Format {
  return FORMATS[name];
}
