/**
 * Replaces secrets in an intake with references. A value is a secret if the name of its field or its format indicates a
 * secret.
 */
import { isCredentialName } from '../model/header-name.ts';
import {
  mapRequests,
  mapTexts,
  type Intake,
  type IntakeConnection,
  type IntakeFlow,
  type IntakeRequest,
  type TextUse,
} from './intake.ts';
import { FlatText, literalOf, type IntakeText, decodedFormText, decodedJson } from './intake-text.ts';

export interface FoundSecret {
  readonly name: string;
  readonly value: string;
}

export function replaceSecrets(intake: Intake): {
  readonly intake: Intake;
  readonly secrets: readonly FoundSecret[];
} {
  const secrets = new SecretNames();
  for (const { name, value } of intake.constants ?? [])
    if (isSecretName(name)) secretOf(name, [value], secrets);
  const named = mapRequests(intake, (request) => withNamedSecrets(request, secrets));
  const replaced = mapRequests(named, (request) =>
    withoutSecretConstants(
      mapTexts(request, (text) => secrets.replaceIn(text)),
      secrets,
    ),
  );
  const isSecret = (value: unknown) => hasSecret(JSON.stringify(value), secrets);
  return {
    intake: {
      ...replaced,
      connection: withoutPassphrase(replaced.connection ?? null, secrets),
      flows: replaced.flows.map((flow) => ({
        ...flow,
        name: isSecret(flow.name) ? 'flow' : flow.name,
        values: flow.values.map(({ name, value }) => ({
          name,
          value: secrets.replaceIn(fieldWithoutSecret(name, value, secrets)),
        })),
        ...withoutSecretGroups(flow, isSecret),
      })),
    },
    secrets: secrets.all,
  };
}

function withoutPassphrase(
  connection: IntakeConnection | null,
  secrets: SecretNames,
): IntakeConnection | null {
  if (connection === null) return null;
  const { passphrase, ...others } = connection;
  return {
    ...others,
    ...(passphrase && { passphrase: secretOf('client_key_passphrase', passphrase, secrets) }),
  };
}

export interface RecordedText {
  readonly kind: Exclude<TextUse, 'identity' | 'secret'>;
  readonly name: string;
  readonly text: string;
}

/** Replaces each secret in texts with a name. Equal secrets are replaced with the same name. */
export function redactTexts(texts: readonly RecordedText[]): readonly string[] {
  const secrets = new SecretNames();
  const found = texts.map(({ kind, name, text }) =>
    withoutNamedSecrets([text], { use: kind, name }, secrets),
  );
  const partName = (part: IntakeText[number]) =>
    typeof part === 'string' ? part : 'secret' in part ? part.secret : '';
  return found.map((text) => secrets.replaceIn(text).map(partName).join(''));
}

/** Returns the secrets that are literals in requests. */
export function secretValuesOf(requests: readonly IntakeRequest[]): readonly string[] {
  const secrets = new SecretNames();
  for (const request of requests) withNamedSecrets(request, secrets);
  return secrets.all.map(({ value }) => value);
}

/** Returns the names of the secrets to which requests, values of flows and connection settings refer. */
export function secretNamesOf(intake: Intake): readonly string[] {
  const names = new Set<string>();
  const addFrom = (text: IntakeText) => {
    for (const part of text) if (typeof part === 'object' && 'secret' in part) names.add(part.secret);
    return text;
  };
  mapRequests(intake, (request) => mapTexts(request, addFrom));
  for (const { value } of intake.flows.flatMap(({ values }) => values)) addFrom(value);
  addFrom(intake.connection?.passphrase ?? []);
  return [...names];
}

/** Minimum length of a secret that is replaced wherever it occurs. Shorter secrets can occur by chance. */
const MIN_SEARCHED_LENGTH = 8;

/** Maximum length of a field name in the name of a secret. */
const MAX_FIELD_LENGTH = 40;

/**
 * Returns the name of a secret for references: `LT_API_KEY` for `apiKey`.
 * @param name - name of the secret in the source
 */
export function secretName(name: string, maxLength = 60): string {
  const word = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .slice(0, maxLength);
  return `LT_${word === '' ? 'SECRET' : word}`;
}

class SecretNames {
  readonly #names = new Map<string, string>();

  nameFor(field: string, value: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const base = secretName(field, MAX_FIELD_LENGTH);
    const taken = new Set(this.#names.values());
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    this.#names.set(value, name);
    return name;
  }

  get all(): readonly FoundSecret[] {
    return Array.from(this.#names, ([value, name]) => ({ name, value }));
  }

  /**
   * Replaces known secrets of at least `MIN_SEARCHED_LENGTH` characters, including secrets that are encoded in URLs and
   * JSON. Secrets that consist only of letters are not replaced.
   */
  replaceIn(text: IntakeText): IntakeText {
    const flat = new FlatText(text);
    let replaced = flat.flat;
    // Replaces longer values first, because a longer value may contain a shorter one.
    const ordered = this.all
      .filter(({ value }) => value.length >= MIN_SEARCHED_LENGTH && !/^[a-z]+$/i.test(value))
      .sort((a, b) => b.value.length - a.value.length);
    for (const { name, value } of ordered) {
      for (const spelling of spellingsOf(value)) {
        if (replaced.includes(spelling))
          replaced = replaced.replaceAll(spelling, flat.placeholder({ secret: name }));
      }
    }
    return replaced === flat.flat ? text : flat.toText(replaced);
  }
}

function spellingsOf(value: string): ReadonlySet<string> {
  const encoded = encodeURIComponent(value.replaceAll(/\p{Cs}/gu, '\ufffd'));
  return new Set([value, encoded, encoded.replaceAll('%20', '+'), JSON.stringify(value).slice(1, -1)]);
}

/** Reports whether text contains a known secret or text with the format of a secret. */
function hasSecret(text: string, secrets: SecretNames): boolean {
  const replaced = shapesReplaced(secrets.replaceIn([text]), 'secret', secrets);
  return replaced.some((part) => typeof part !== 'string');
}

/** Removes names, expectations and captures that contain a secret, because references are not allowed there. */
function withoutSecretConstants(request: IntakeRequest, secrets: SecretNames): IntakeRequest {
  const { name, expect, captures } = request;
  const isSecret = (value: unknown) => hasSecret(JSON.stringify(value ?? null), secrets);
  const lost = [
    ...(isSecret(expect) ? ['the expectations contain a secret and are omitted'] : []),
    ...(isSecret(captures)
      ? ['the rules that extract variables from the response contain a secret and are omitted']
      : []),
  ];
  return {
    ...request,
    name: isSecret(name) ? null : name,
    expect: isSecret(expect) ? null : expect,
    captures: isSecret(captures) ? [] : captures,
    notes: [...request.notes, ...lost.map((message) => ({ kind: 'loss' as const, at: request.at, message }))],
  };
}

/** Removes groups that contain a secret, because references are not allowed in conditions and values of groups. */
function withoutSecretGroups(
  { groups = [], notes }: IntakeFlow,
  isSecret: (value: unknown) => boolean,
): Pick<IntakeFlow, 'groups' | 'notes'> {
  const message =
    'the conditions or values of a group contain a secret and are omitted; the requests of the group are sent once in each iteration';
  const removed = groups.filter(isSecret);
  return {
    groups: groups.filter((group) => !removed.includes(group)),
    notes: [...notes, ...removed.map(({ at }) => ({ kind: 'loss' as const, at, message }))],
  };
}

// --- secrets by name and shape

function withNamedSecrets(request: IntakeRequest, secrets: SecretNames): IntakeRequest {
  return mapTexts(request, (text, use, name) => withoutNamedSecrets(text, { use, name }, secrets));
}

function withoutNamedSecrets(
  text: IntakeText,
  { use, name }: { readonly use: TextUse; readonly name: string },
  secrets: SecretNames,
): IntakeText {
  switch (use) {
    case 'url':
      return urlWithoutSecrets(text, secrets);
    case 'header':
      return headerWithoutSecret(name, text, secrets);
    case 'field':
      return fieldWithoutSecret(name, text, secrets);
    case 'body':
      return textWithoutSecrets(text, secrets);
    case 'identity':
      return text;
    case 'secret':
      return secretOf(name, text, secrets);
  }
}

/**
 * Replaces literal text with a reference to a secret, unless the text is empty or matches `FLAG`. In text that is not
 * literal, replaces only parts with the format of a secret.
 */
function secretOf(name: string, text: IntakeText, secrets: SecretNames): IntakeText {
  const literal = literalOf(text);
  if (literal === null) return shapesReplaced(text, name, secrets);
  return literal === '' || FLAG.test(literal) ? text : [{ secret: secrets.nameFor(name, literal) }];
}

function headerWithoutSecret(name: string, value: IntakeText, secrets: SecretNames): IntakeText {
  const literal = literalOf(value);
  const scheme = /^((?:Bearer|Token|Basic|ApiKey|JWT|Digest|AWS4-HMAC-SHA256) +)(.+)$/is.exec(literal ?? '');
  if (scheme !== null) {
    const [, prefix = '', credentials = ''] = scheme;
    const kind = /^bearer/i.test(prefix) ? 'token' : name;
    return [prefix, { secret: secrets.nameFor(kind, credentials) }];
  }
  return fieldWithoutSecret(name, value, secrets);
}

function fieldWithoutSecret(name: string, value: IntakeText, secrets: SecretNames): IntakeText {
  return isSecretName(name) ? secretOf(name, value, secrets) : textWithoutSecrets(value, secrets, name);
}

/** Matches the names of secret fields that `isCredentialName` does not recognize. */
const SECRET_NAME =
  /^(?:pass|pwd|passcode|pin|cvv|cvc|ssn|card_?number|credit_?card|iban|signature|sig|code_?verifier|client_?id_?secret|access_?key(?:_?id)?)$/i;

/** Matches values that are not secrets, even if the name of the field suggests a secret. */
const FLAG = /^(?:true|false|null|none|yes|no|on|off)$/i;

export function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2');
  const last = name.replace(/^.*[.[\]]+(?=[^.[\]])/, '').replace(/\]$/, '');
  return [name, words, last].some((one) => isCredentialName(one) || SECRET_NAME.test(one));
}

/** Matches JSON Web Tokens, and keys with the prefix of an issuer. */
const KNOWN_SHAPE =
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|(?<![\w-])(?:sk|pk|rk)_(?:live|test)_\w{10,}|(?<![\w-])(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|sk-|SG\.)[\w.-]{10,}/g;

const TOKEN = /[A-Za-z0-9+_-]{24,}={0,2}/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reports whether a token contains letters and digits and has high entropy. False for UUIDs, hexadecimal tokens of
 * fewer than 32 digits, and lowercase words joined by hyphens or underscores.
 */
function isRandom(token: string): boolean {
  if (
    UUID.test(token) ||
    !/\d/.test(token) ||
    !/[A-Za-z]/.test(token) ||
    /^[a-z]+(?:[-_][a-z0-9]+)*$/.test(token)
  )
    return false;
  const isHex = /^[0-9a-f]+$/i.test(token);
  return entropyOf(token) >= (isHex ? 3 : 3.7) && (!isHex || token.length >= 32);
}

/** Returns the Shannon entropy of a text, in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => {
    const share = count / text.length;
    return sum - share * Math.log2(share);
  }, 0);
}

function shapesReplaced(text: IntakeText, name: string, secrets: SecretNames): IntakeText {
  const flat = new FlatText(text);
  const reference = (value: string) => flat.placeholder({ secret: secrets.nameFor(name, value) });
  const replaced = flat.flat
    .replaceAll(KNOWN_SHAPE, reference)
    .replaceAll(TOKEN, (token) => (isRandom(token) ? reference(token) : token));
  return replaced === flat.flat ? text : flat.toText(replaced);
}

/**
 * Matches a member with a string or number as its value, as in a JSON object. The surrounding text need not be JSON.
 */
const JSON_MEMBER = /"((?:[^"\\]|\\.){1,200})"(\s*:\s*)(?:"((?:[^"\\]|\\.)*)"|(-?\d[\d.eE+-]*))/g;
const XML_ELEMENT = /<([\w:.-]{1,100})((?:\s[^<>]*)?)>([^<>]+)<\/\1\s*>/g;
const XML_ATTRIBUTE = /(\s)([\w:.-]{1,100})="([^"<>]+)"/g;
const FORM_PAIR = /(^|[&?;])([^=&?;\s"<>{}]{1,200})=([^&;\s"<>{}]+)/g;

/**
 * In JSON, XML and forms, replaces values whose name indicates a secret. Also replaces text with the format of a
 * secret.
 */
function textWithoutSecrets(text: IntakeText, secrets: SecretNames, name = ''): IntakeText {
  const flat = new FlatText(text);
  const reference = (field: string, value: string) =>
    flat.hasPlaceholder(value) || value.trim() === '' || FLAG.test(value)
      ? value
      : flat.placeholder({ secret: secrets.nameFor(field, value) });
  const replaced = flat.flat
    .replaceAll(JSON_MEMBER, (all: string, key: string, colon: string, string?: string, number?: string) => {
      if (!isSecretName(key)) return all;
      if (string === undefined) return `"${key}"${colon}${reference(key, number ?? '')}`;
      return `"${key}"${colon}"${reference(key, decodedJson(string))}"`;
    })
    .replaceAll(XML_ELEMENT, (all: string, tag: string, attributes: string, value: string) =>
      isSecretName(tag.replace(/^.*:/, '')) ? `<${tag}${attributes}>${reference(tag, value)}</${tag}>` : all,
    )
    .replaceAll(XML_ATTRIBUTE, (all: string, space: string, attribute: string, value: string) =>
      isSecretName(attribute) ? `${space}${attribute}="${reference(attribute, value)}"` : all,
    )
    .replaceAll(FORM_PAIR, (all: string, start: string, key: string, value: string) =>
      isSecretName(decodedFormText(key)) ? `${start}${key}=${reference(key, value)}` : all,
    );
  return shapesReplaced(flat.toText(replaced), name, secrets);
}

/** Replaces secrets in the path and the query of a URL. The values of secret query parameters are stored decoded. */
function urlWithoutSecrets(url: IntakeText, secrets: SecretNames): IntakeText {
  const flat = new FlatText(url);
  const replaced = flat.flat.replaceAll(
    FORM_PAIR,
    (all: string, start: string, key: string, value: string) => {
      if (!isSecretName(decodedFormText(key)) || flat.hasPlaceholder(value) || FLAG.test(value)) return all;
      return `${start}${key}=${flat.placeholder({ secret: secrets.nameFor(decodedFormText(key), decodedFormText(value)) })}`;
    },
  );
  return shapesReplaced(flat.toText(replaced), 'url_secret', secrets);
}
