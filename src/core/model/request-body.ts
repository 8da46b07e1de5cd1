/** The kinds of request bodies, and the fields that define them in the file and the API. */
import { takesBody, type Method } from './method.ts';
import type { Text } from './secret.ts';

export interface NamedValue<T> {
  readonly name: string;
  readonly value: T;
}

/**
 * @typeParam T - Type of the strings. Strings of a spec may contain secrets; those of a job contain the revealed
 * values.
 */
export type RequestBody<T = Text> =
  /** Form fields. For methods without a body, they are sent in the query. */
  | { readonly kind: 'params'; readonly fields: readonly NamedValue<T>[] }
  | { readonly kind: 'text'; readonly text: T }
  /** Extension: JSON, in which values of `{{…}}` are escaped. */
  | { readonly kind: 'json'; readonly text: T };

/** The fields of a request that define its body. Null members are not set. */
export interface BodyFields<T = Text> {
  readonly params: readonly NamedValue<T>[] | null;
  readonly body: T | null;
  /** True if the body is JSON, and values of `{{…}}` are escaped. */
  readonly jsonBody: boolean | null;
}

/**
 * A fault: the fields together do not define a valid body. The message contains only the names of fields and the
 * method.
 */
export interface BodyFault {
  /** The field to remove. */
  readonly field: keyof BodyFields;
  readonly message: string;
}

/**
 * Decodes the body fields of a request. If there is a fault, the result may still contain a body, to which the other
 * rules are applied.
 */
export function readRequestBody<T>(
  { params, body: text, jsonBody }: BodyFields<T>,
  method: Method,
): { readonly body: RequestBody<T> | null; readonly fault: BodyFault | null } {
  if (text === null) {
    const message = '"raw_post_body_json" requires "raw_post_body", which is missing';
    return {
      body: params && { kind: 'params', fields: params },
      fault: jsonBody === true ? { field: 'jsonBody', message } : null,
    };
  }
  const body = { kind: jsonBody === true ? 'json' : 'text', text } as const;
  if (!takesBody(method)) {
    const message = `a ${method} request has no body; remove "raw_post_body", or set "request_type: POST"`;
    return { body, fault: { field: 'body', message } };
  }
  const message = `"raw_post_body" and "request_params" both define the body of a ${method} request; remove one of them`;
  return { body, fault: params === null ? null : { field: 'params', message } };
}

/** Encodes a body as the fields of its request. */
export function bodyFieldsOf<T>(body: RequestBody<T> | null): BodyFields<T> {
  switch (body?.kind) {
    case undefined:
      return { params: null, body: null, jsonBody: null };
    case 'params':
      return { params: body.fields, body: null, jsonBody: null };
    case 'text':
      return { params: null, body: body.text, jsonBody: null };
    case 'json':
      return { params: null, body: body.text, jsonBody: true };
  }
}

/** A string in a body, with its field and, if the field is a map, its name. */
export interface BodyText<T = Text> {
  readonly field: 'params' | 'body';
  readonly name: string | null;
  readonly value: T;
}

/** Returns all strings in a body in which variables and expressions are evaluated. */
export function textsOfBody<T>(body: RequestBody<T> | null): readonly BodyText<T>[] {
  if (body === null) return [];
  if (body.kind !== 'params') return [{ field: 'body', name: null, value: body.text }];
  return body.fields.map(({ name, value }) => ({ field: 'params', name, value }));
}

/** Converts all strings in a body. */
export function mapBody<T, U>(body: RequestBody<T>, convert: (text: T) => U): RequestBody<U> {
  if (body.kind !== 'params') return { kind: body.kind, text: convert(body.text) };
  return { kind: 'params', fields: body.fields.map(({ name, value }) => ({ name, value: convert(value) })) };
}
