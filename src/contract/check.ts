/** Checks answers of a service against schemas/api. */
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { pointerOf } from '../core/pointer.ts';

const compiled = new Map<string, ValidateFunction>();

/**
 * Says what is wrong with an answer: the field's path and the reason. Null when it fits.
 *
 * @param name of a schema in schemas/api
 * @example checkAnswer('app-list', [{}]) // '"/0/app_id" is missing'
 */
export function checkAnswer(name: string, value: unknown): string | null {
  const validate = validatorOf(name);
  if (validate(value)) return null;
  const first = validate.errors?.[0];
  if (first === undefined) return 'it does not fit its schema';
  const missing: unknown = first.keyword === 'required' ? first.params['missingProperty'] : undefined;
  const path = typeof missing === 'string' ? first.instancePath + pointerOf([missing]) : first.instancePath;
  const field = path === '' ? 'it' : `"${path}"`;
  return missing === undefined ? `${field} ${first.message ?? 'does not fit'}` : `${field} is missing`;
}

function validatorOf(name: string): ValidateFunction {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const url = new URL(`../../schemas/api/${name}.schema.json`, import.meta.url);
  const schema = JSON.parse(readFileSync(url, 'utf8')) as object;
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);
  compiled.set(name, validate);
  return validate;
}
