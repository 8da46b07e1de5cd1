import { counted } from '../core/counted.ts';
import { printableStrings } from '../core/printable.ts';
import type { ConvertedDocument } from '../core/report/generated/documents.ts';

type Conversion = Pick<
  ConvertedDocument,
  'source' | 'file' | 'tests' | 'requests' | 'changes' | 'losses' | 'secrets'
>;

export function conversionText(conversion: Conversion): string {
  const { source, file, tests, requests, changes, losses, secrets } = printableStrings(conversion);
  const target = file === null ? '' : ` in ${file}`;
  const lines = [
    `Converted ${counted(requests, 'request')} of ${source} to ${tests.join(', ')}${target}.`,
    ...section('Changed:', changes),
    ...section('Not converted:', losses),
  ];
  if (secrets.length > 0)
    lines.push('Secrets are not in the file. Set these environment variables before you run the tests:');
  lines.push(...secrets.map((name) => `  ${name}`));
  return lines.join('\n') + '\n';
}

function section(title: string, notes: Conversion['losses']): readonly string[] {
  if (notes.length === 0) return [];
  return [
    title,
    ...notes.map(({ file, line, column, message }) => `  ${file}:${line}:${column}: ${message}`),
  ];
}
