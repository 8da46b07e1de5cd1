/** JSON Pointers (RFC 6901). */

export function pointerOf(path: readonly (string | number)[]): string {
  let pointer = '';
  for (const part of path) pointer += `/${escapePart(String(part))}`;
  return pointer;
}

function escapePart(part: string): string {
  return /[~/]/.test(part) ? part.replaceAll('~', '~0').replaceAll('/', '~1') : part;
}

export function splitPointer(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
