import { counted } from '../core/counted.ts';
import { printableStrings } from '../core/printable.ts';
import type { BodyOf } from '../core/report/command-report.ts';
import { conversionText } from './conversion-text.ts';

export function importText(imported: BodyOf<'import'>): string {
  if ('format' in imported) return conversionText(imported);
  const { file, apps, tests, omitted, secrets } = printableStrings(imported);
  const where = file === null ? '' : ` into ${file}`;
  const lines = [`Imported ${counted(apps.length, 'app')} and ${counted(tests.length, 'test')}${where}.`];
  const pinned = tests.filter((test) => test.pinned !== null).length;
  if (pinned > 0) lines.push(`Tests adopted with "id": ${pinned}.`);
  if (omitted.length > 0) lines.push('Omitted:');
  lines.push(...omitted.map(({ id, name, reason }) => `  ${id} "${name}": ${reason}`));
  if (secrets.length > 0) {
    lines.push(
      'Values that may be secret are not in the file. Set these environment variables before you run the tests:',
    );
  }
  lines.push(...secrets.map((name) => `  ${name}`));
  return lines.join('\n') + '\n';
}
