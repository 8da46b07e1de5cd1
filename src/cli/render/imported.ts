/** What was imported, for people. */
import type { ImportedFile } from '../../config/import.ts';
import { counted } from '../../core/counted.ts';
import { printable } from '../../core/printable.ts';

/** `out`: the file that it was written to; null: none. */
export function importedText({ apps, tests, leftOut, secrets }: ImportedFile, out: string | null): string {
  const lines = [
    `Imported ${counted(apps.length, 'app')} and ${counted(tests.length, 'test')}${out === null ? '' : ` into ${out}`}.`,
  ];
  const pinned = tests.filter((test) => test.pinned !== null).length;
  if (pinned > 0) lines.push(`Adopted with "id": ${pinned}.`);
  if (leftOut.length > 0) lines.push('Left out:');
  lines.push(...leftOut.map(({ id, name, reason }) => `  ${id} "${printable(name)}": ${printable(reason)}`));
  if (secrets.length > 0) lines.push('Set these environment variables before running it:');
  lines.push(...secrets.map((name) => `  ${name}`));
  return lines.join('\n') + '\n';
}
