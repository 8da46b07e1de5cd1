/* Written by "npm run generate" from schemas/; never edited. */
import type { Validator } from '../validator.ts';
export declare const validateAppList: Validator;
export declare const validateAppRecord: Validator;
export declare const validateAppRegistered: Validator;
export declare const validateAppVerified: Validator;
export declare const validateCallbackList: Validator;
export declare const validateError: Validator;
export declare const validatePassMade: Validator;
export declare const validateRegisterRequest: Validator;
export declare const validateResultList: Validator;
export declare const validateResultRecord: Validator;
export declare const validateRunAnswer: Validator;
export declare const validateServers: Validator;
export declare const validateTestCreate: Validator;
export declare const validateTestCreated: Validator;
export declare const validateTestList: Validator;
export declare const validateTestRecord: Validator;
export declare const validateVerifyRequest: Validator;
