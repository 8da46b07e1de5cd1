/* Written by "npm run generate" from schemas/; never edited. */
import type { JsonSchema, Validator } from '../validator.ts';
export declare const validateConfig: Validator;
/** The schema without its annotations, except the rules for names. */
export declare const configSchema: JsonSchema;
