/** The kinds of request bodies, and the fields that define them in the file and the API. */
import { takesBody, type Method } from './method.ts';
import type { BodyFile } from './payload-file.ts';
import type { Text } from './secret.ts';

export interface NamedValue<T> {
  readonly name: string;
  readonly value: T;
}

export interface TextPart<T> extends NamedValue<T> {
  readonly contentType?: string;
  readonly filename?: string;
}

export interface FilePart<F = BodyFile> {
  readonly name: string;
  readonly file: F;
  /** Media type of the content; null if the part has no content type. */
  readonly contentType: string | null;
  /** File name to send to the receiver; null if the part has none. */
  readonly filename: string | null;
}

export type BodyPart<T, F = BodyFile> = TextPart<T> | FilePart<F>;

/**
 * The body of a request.
 * @typeParam T - Type of the strings. Strings of a spec may contain secrets; those of a job contain the revealed
 * values.
 * @typeParam F - Type of the files. In a job, a file is its SHA-256 digest.
 */
export type RequestBody<T = Text, F = BodyFile> =
  /** Form fields. For methods without a body, they are sent in the query. */
  | { readonly kind: 'params'; readonly fields: readonly NamedValue<T>[] }
  | { readonly kind: 'text'; readonly text: T }
  /** Extension: JSON, in which values of `{{…}}` are escaped. */
  | { readonly kind: 'json'; readonly text: T }
  /** Extension: the unchanged content of a file. */
  | { readonly kind: 'file'; readonly file: F }
  /** Extension: `multipart/form-data`. */
  | { readonly kind: 'multipart'; readonly parts: readonly BodyPart<T, F>[] };

/** The fields of a request that define its body. Null members are not set. */
export interface BodyFields<T = Text> {
  readonly params: readonly NamedValue<T>[] | null;
  readonly body: T | null;
  /** True if the body is JSON, in which the values of `{{…}}` are escaped. */
  readonly jsonBody: boolean | null;
  readonly bodyFile: BodyFile | null;
  readonly multipart: readonly BodyPart<T>[] | null;
}

const NO_FIELDS: BodyFields<never> = {
  params: null,
  body: null,
  jsonBody: null,
  bodyFile: null,
  multipart: null,
};

/** `message` contains no values of the fields. */
export interface BodyFault {
  readonly field: keyof BodyFields;
  readonly message: string;
}

/**
 * Decodes the body fields of a request. If there is a fault, the result may still contain a body, so that other rules
 * can check it.
 */
export function readRequestBody<T>(
  fields: BodyFields<T>,
  method: Method,
): { readonly body: RequestBody<T> | null; readonly fault: BodyFault | null } {
  const { params, jsonBody } = fields;
  const [first, second] = contentsOf(fields);
  if (first === undefined) {
    const message = '"raw_post_body_json" requires "raw_post_body", which is missing';
    return {
      body: params && { kind: 'params', fields: params },
      fault: jsonBody === true ? { field: 'jsonBody', message } : null,
    };
  }
  const { body, name } = first;
  const both = (other: string) =>
    `"${name}" and "${other}" both define the body of a ${method} request; remove one of them`;
  if (!takesBody(method)) {
    const message = `a ${method} request cannot have a body; remove "${name}", or set "request_type: POST"`;
    return { body, fault: { field: first.field, message } };
  }
  if (second !== undefined) return { body, fault: { field: second.field, message: both(second.name) } };
  return { body, fault: params === null ? null : { field: 'params', message: both('request_params') } };
}

interface Content<T> {
  readonly field: 'body' | 'bodyFile' | 'multipart';
  /** Name of the field in the API. */
  readonly name: string;
  readonly body: RequestBody<T>;
}

/** Returns the bodies that the fields define, apart from a body with parameters. */
function contentsOf<T>({ body: text, jsonBody, bodyFile, multipart }: BodyFields<T>): readonly Content<T>[] {
  const contents: Content<T>[] = [];
  if (text !== null) {
    const body = { kind: jsonBody === true ? 'json' : 'text', text } as const;
    contents.push({ field: 'body', name: 'raw_post_body', body });
  }
  if (bodyFile !== null)
    contents.push({ field: 'bodyFile', name: 'body_file', body: { kind: 'file', file: bodyFile } });
  if (multipart !== null)
    contents.push({ field: 'multipart', name: 'multipart', body: { kind: 'multipart', parts: multipart } });
  return contents;
}

export function bodyFieldsOf<T>(body: RequestBody<T> | null): BodyFields<T> {
  switch (body?.kind) {
    case undefined:
      return NO_FIELDS;
    case 'params':
      return { ...NO_FIELDS, params: body.fields };
    case 'text':
      return { ...NO_FIELDS, body: body.text };
    case 'json':
      return { ...NO_FIELDS, body: body.text, jsonBody: true };
    case 'file':
      return { ...NO_FIELDS, bodyFile: body.file };
    case 'multipart':
      return { ...NO_FIELDS, multipart: body.parts };
  }
}

/** A string in a body. `name` is the name of the parameter or part; null for a raw body. */
export interface BodyText<T = Text> {
  readonly field: 'params' | 'body' | 'multipart';
  readonly name: string | null;
  readonly value: T;
}

/** Returns all strings of a body in which variables and expressions are evaluated. */
export function textsOfBody<T>(body: RequestBody<T, unknown> | null): readonly BodyText<T>[] {
  switch (body?.kind) {
    case undefined:
    case 'file':
      return [];
    case 'params':
      return body.fields.map(({ name, value }) => ({ field: 'params', name, value }));
    case 'text':
    case 'json':
      return [{ field: 'body', name: null, value: body.text }];
    case 'multipart':
      return textPartsOf(body.parts).map(({ name, value }) => ({ field: 'multipart', name, value }));
  }
}

export function textPartsOf<T>(parts: readonly BodyPart<T, unknown>[]): readonly NamedValue<T>[] {
  return parts.filter((part) => 'value' in part);
}

export function filesOfBody<T>(body: RequestBody<T> | null): readonly BodyFile[] {
  return body?.kind === 'file' ? [body.file] : filePartsOf(body).map(({ file }) => file);
}

function filePartsOf<T>(body: RequestBody<T> | null): readonly FilePart[] {
  return body?.kind === 'multipart' ? filePartsIn(body.parts) : [];
}

export function filePartsIn<T>(parts: readonly BodyPart<T>[]): readonly FilePart[] {
  return parts.filter((part) => 'file' in part);
}

export function mapBody<T, U, F>(
  body: RequestBody<T>,
  convert: { readonly text: (text: T) => U; readonly file: (file: BodyFile) => F },
): RequestBody<U, F> {
  const convertValue = ({ name, value }: NamedValue<T>) => ({ name, value: convert.text(value) });
  switch (body.kind) {
    case 'params':
      return { kind: 'params', fields: body.fields.map(convertValue) };
    case 'text':
    case 'json':
      return { kind: body.kind, text: convert.text(body.text) };
    case 'file':
      return { kind: 'file', file: convert.file(body.file) };
    case 'multipart':
      return {
        kind: 'multipart',
        parts: body.parts.map((part) =>
          'value' in part
            ? { ...part, value: convert.text(part.value) }
            : { ...part, file: convert.file(part.file) },
        ),
      };
  }
}
