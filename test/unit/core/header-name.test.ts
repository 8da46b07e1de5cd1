import { expect, test } from 'vitest';
import { isCredentialName } from '../../../src/core/model/header-name.ts';

test.each([
  ['X-Auth-Token', true],
  ['Set-Cookie', true],
  ['api_key', true],
  ['accessKey', true],
  ['sessionToken', true],
  ['client_secret', true],
  ['Password', true],
  ['pwd', true],
  ['user_pwd', true],
  ['PassPhrase', true],
  ['pin', true],
  ['PIN_code', true],
  ['otp', true],
  ['totp', true],
  ['cvv', true],
  ['Passwort', true],
  ['kunden_kennwort', true],
  ['contraseña', true],
  ['contrast', false],
  ['card[cvc2]', true],
  ['ssn', true],
  ['user', false],
  ['pinned', false],
  ['shipping', false],
  ['monkey', false],
  ['compass', false],
  ['quantity', false],
])('isCredentialName("%s") returns %s', (name, expected) => {
  expect(isCredentialName(name)).toBe(expected);
});
