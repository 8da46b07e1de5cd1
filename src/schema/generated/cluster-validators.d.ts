/* Written by "npm run generate" from schemas/; never edited. */
import type { Validator } from '../validator.ts';
export declare const validateHeartbeat: Validator;
export declare const validateMailboxMessage: Validator;
export declare const validateShardOffer: Validator;
export declare const validateServiceMessage: Validator;
export declare const validateWorkerHeader: Validator;
