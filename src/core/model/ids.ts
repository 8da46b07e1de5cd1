/** Distinct types for IDs and keys, and for the addresses of declared objects. */

declare const kind: unique symbol;
type Id<Kind extends string> = string & { readonly [kind]: Kind };

export type AppId = Id<'app'>;
export type TestId = Id<'test'>;
export type ResultId = Id<'result'>;
export type AppKey = Id<'app-key'>;
/** Key of a test in the file: its permanent name within the project. */
export type TestKey = Id<'test-key'>;

/** `app.KEY` or `test.KEY`: the name of a declared object in plans, journals and reports. */
export type Address = `app.${string}` | `test.${string}`;

export function appKey(text: string): AppKey {
  return text as AppKey;
}

export function testKey(text: string): TestKey {
  return text as TestKey;
}

export function appAddress(key: AppKey): Address {
  return `app.${key}`;
}

export function testAddress(key: TestKey): Address {
  return `test.${key}`;
}

export function keyOfAddress(address: string): string {
  return address.slice(address.indexOf('.') + 1);
}

/** Reports whether an ID from the service is safe in a URL path. */
export function isRemoteId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text);
}

export function appId(text: string): AppId {
  return checked(text) as AppId;
}

export function testId(text: string): TestId {
  return checked(text) as TestId;
}

export function resultId(text: string): ResultId {
  return checked(text) as ResultId;
}

function checked(text: string): string {
  if (!isRemoteId(text))
    throw new Error('Bug: an ID is empty, too long, or contains characters that are not allowed');
  return text;
}
