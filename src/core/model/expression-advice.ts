/** Advice on expressions, including advice for the names that other tools use for generated values. */

/** Expressions, keyed by the equivalent names in other tools, without separators. */
const EQUIVALENTS: Readonly<Record<string, string>> = {
  guid: '%{uuid}',
  uuid: '%{uuid}',
  uuidV4: '%{uuid}',
  randomUuid: '%{uuid}',
  string: '%{text:8}',
  text: '%{text:8}',
  alphanumeric: '%{text:8}',
  randomString: '%{text:8}',
  randomAlphanumeric: '%{text:8}',
  password: '%{text:12}',
  hex: '%{hex:16}',
  randomHex: '%{hex:16}',
  digits: '%{digits:6}',
  randomDigits: '%{digits:6}',
  int: '%{*:1-100}',
  integer: '%{*:1-100}',
  number: '%{*:1-100}',
  random: '%{*:1-100}',
  randomInt: '%{*:1-100}',
  randomInteger: '%{*:1-100}',
  randomNumber: '%{*:1-100}',
  randomBetween: '%{*:1-100}',
  decimal: '%{decimal:0.5-99.99}',
  float: '%{decimal:0.5-99.99}',
  randomDecimal: '%{decimal:0.5-99.99}',
  randomFloat: '%{decimal:0.5-99.99}',
  boolean: '%{pick:true,false}',
  randomBoolean: '%{pick:true,false}',
  pick: '%{pick:red,green,blue}',
  choice: '%{pick:red,green,blue}',
  oneOf: '%{pick:red,green,blue}',
  randomItem: '%{pick:red,green,blue}',
  item: '%{item:ids}',
  sample: '%{item:ids}',
  email: 'user-%{text:8}@example.com',
  randomEmail: 'user-%{text:8}@example.com',
  date: '%{now:date}',
  today: '%{now:date}',
  dateTime: '%{now}',
  time: '%{now}',
  now: '%{now}',
  isoTimestamp: '%{now}',
  timestamp: '%{now:unix}',
  unix: '%{now:unix}',
  epoch: '%{now:unix}',
  timeMs: '%{now:unix_ms}',
  vu: '%{client}',
  user: '%{client}',
  client: '%{client}',
  threadNum: '%{client}',
  iter: '%{iteration}',
  iteration: '%{iteration}',
  counter: '%{iteration}',
};

const BY_LOWER_CASE: ReadonlyMap<string, string> = new Map(
  Object.entries(EQUIVALENTS).map(([name, expression]) => [name.toLowerCase(), expression]),
);

/**
 * Returns the expression that is equivalent to a name in another tool, such as `$guid` or `randomString(10)`; null if
 * there is none.
 */
export function equivalentExpression(text: string): string | null {
  const [name = ''] = /^[\s$_]*[A-Za-z_.-]+\d?/.exec(text) ?? [];
  const known = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return BY_LOWER_CASE.get(known) ?? null;
}

/** Returns advice on an invalid expression, given the text between its braces. */
export function adviceOnExpression(text: string): string {
  const equivalent = equivalentExpression(text);
  if (equivalent !== null) return `write "${equivalent}"`;
  return /[a-z]/i.test(text) ? ADVICE_ON_VALUES : ADVICE_ON_NUMBERS;
}

const ADVICE_ON_NUMBERS = 'write numbers as in "%{1, 2, 3}", "%{1:100:2}" or "%{*:1-100}"';
export const ADVICE_ON_VALUES =
  'for a generated value, write "%{NAME}", where NAME is uuid, text:8, hex:16, digits:6, decimal:0.5-99.99, pick:red,green, item:VARIABLE, now, client or iteration; for a number, write "%{1:100}" or "%{*:1-100}"';
