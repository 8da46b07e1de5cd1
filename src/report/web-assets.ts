/**
 * Assets that the build creates from src/web. The relative path is the same from src/report and from
 * dist/chunks.
 */
import { readFileSync } from 'node:fs';

export function readWebAsset(name: 'report.css' | 'report.js'): string {
  return readFileSync(new URL(`../../dist/web/${name}`, import.meta.url), 'utf8');
}
