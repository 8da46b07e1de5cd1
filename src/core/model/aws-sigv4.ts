/** Signing of requests with AWS Signature Version 4. */
import type { KnownText, Text } from './secret.ts';

export interface AwsSigv4<Value extends KnownText = Text, Hidden extends KnownText | null = Value> {
  readonly region: string;
  /** Name of the AWS service for signatures, such as `execute-api`. */
  readonly service: string;
  readonly accessKeyId: Value;
  readonly secretAccessKey: Hidden;
  /** Token of temporary credentials; null if there is none. */
  readonly sessionToken: Hidden | null;
}

/** Names of the members in the file and in the API. */
export const AWS_NAMES = {
  region: 'region',
  service: 'service',
  accessKeyId: 'access_key_id',
  secretAccessKey: 'secret_access_key',
  sessionToken: 'session_token',
} as const;

/** Members whose values may contain secrets. */
export const AWS_TEXTS = ['accessKeyId', 'secretAccessKey', 'sessionToken'] as const;

/** Names of the members that services never return. */
export const AWS_HIDDEN: readonly string[] = [AWS_NAMES.secretAccessKey, AWS_NAMES.sessionToken];

/** Headers that signing can add, in lower case. */
export const AWS_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
]);

export function mapAwsTexts<From extends KnownText, To extends KnownText>(
  { region, service, accessKeyId, secretAccessKey, sessionToken }: AwsSigv4<From>,
  convert: (text: From) => To,
): AwsSigv4<To> {
  return {
    region,
    service,
    accessKeyId: convert(accessKeyId),
    secretAccessKey: convert(secretAccessKey),
    sessionToken: sessionToken === null ? null : convert(sessionToken),
  };
}

export function textsOfAws<Value extends KnownText>(
  settings: AwsSigv4<Value, Value | null>,
): readonly { readonly name: string; readonly value: Value }[] {
  return AWS_TEXTS.flatMap((key) => {
    const value = settings[key];
    return value === null ? [] : [{ name: AWS_NAMES[key], value }];
  });
}
