/* Written by "npm run generate" from schemas/; never edited. */
import type { Validator } from '../validator.ts';
export declare const validatePlan: Validator;
export declare const validatePlans: Validator;
