import { expect, it } from 'vitest';
import { signInCodeOf } from '../../../src/web/ui/routes.ts';

const CODE = '0123456789abcdef0123456789abcdef';

it.each([
  [`#${CODE}`, CODE],
  ['', null],
  ['#', null],
  ['#/', null],
  ['#/tests', null],
  ['#title', null],
  [`#/${CODE}`, null],
  [`#${CODE.slice(1)}`, null],
  [`#${CODE}0`, null],
  [`#${CODE.toUpperCase()}`, null],
  [`#${CODE}\n`, null],
])('the sign-in code that is read from the fragment %j is %j', (fragment, code) => {
  expect(signInCodeOf(fragment)).toBe(code);
});
