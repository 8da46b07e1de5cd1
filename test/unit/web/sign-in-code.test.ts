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
])('for the URL fragment %j, signInCodeOf returns %j', (fragment, code) => {
  expect(signInCodeOf(fragment)).toBe(code);
});
