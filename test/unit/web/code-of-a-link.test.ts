import { expect, it } from 'vitest';
import { codeOf } from '../../../src/web/page/routes.ts';

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
])('the code in the fragment %j is %j', (fragment, code) => {
  expect(codeOf(fragment)).toBe(code);
});
