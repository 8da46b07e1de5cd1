/** What a test is called where nothing but its record is known. */
import type { TestRecord } from '../../contract/generated/test-record.ts';

/** Its name, or its first URL without the query. */
export function testTitle({ name, urls, test_id: id }: TestRecord): string {
  if (name !== undefined && name !== null && name !== '') return name.trim();
  return urls[0]?.url.replace(/[?#].*$/, '') ?? String(id);
}
