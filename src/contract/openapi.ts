/** OpenAPI document of the service's API, generated from the routes and schemas. */
import type { Json } from '../core/canonical.ts';
import { isObject, objectOf } from '../core/unknown-value.ts';
import { MAX_COMPARED_RUNS } from '../core/compare/run-names.ts';
import { OWN_EXTENSIONS } from '../core/model/extensions.ts';
import type { OpenApi } from './generated/openapi.ts';
import { statusValuesOf } from './status-filter.ts';
import { DEFAULT_AUTH_HEADER, IDEMPOTENCY_HEADER, ROUTES, type Access, type Route } from './routes.ts';

type JsonObject = Readonly<Record<string, Json>>;

const ERROR_RESPONSES: JsonObject = Object.fromEntries(
  (
    [
      ['401', 'The API key, session token or sign-in code is missing or invalid.'],
      ['403', 'The operation requires the API key, or the request comes from a different origin.'],
      ['404', 'The requested resource does not exist.'],
      ['413', 'The body of the request is too large.'],
      ['415', 'The operation does not support the content type of the request.'],
      ['421', 'The `Host` header does not name this service.'],
      ['422', 'The request cannot be processed; `errors` lists the reasons.'],
      ['429', 'A limit was reached; retry after the time in the `Retry-After` header.'],
      ['503', 'The service is starting, shutting down or out of resources.'],
    ] as const
  ).map(([status, description]) => [
    status,
    { description, content: { 'application/json': { schema: refTo('error') } } },
  ]),
);

/**
 * @param schemaOf - Returns the parsed schema with the given name from schemas/api.
 * @see OpenAPI Specification 3.1.1.
 */
export function createOpenApiDocument(version: string, schemaOf: (name: string) => unknown): OpenApi {
  const paths: Record<string, Record<string, Json>> = {};
  const names = new Set<string>(['error']);
  for (const [name, route] of Object.entries(ROUTES) as [string, Route][]) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(name, route);
    for (const schema of [route.request, route.response]) if (schema !== null) names.add(schema);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'loadtests',
      version,
      description: 'Registers and verifies hosts, and runs load tests against them.',
      'x-extensions': [...OWN_EXTENSIONS],
    },
    jsonSchemaDialect: 'http://json-schema.org/draft-07/schema#',
    security: [{ key: [] }, { token: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: DEFAULT_AUTH_HEADER },
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Session token of the web UI. The `Sec-Fetch-Site` or `Origin` header of a request other than GET must show that the request comes from the web UI.',
        },
      },
      schemas: Object.fromEntries(
        [...names].sort().map((name) => [componentName(name), componentOf(schemaOf(name))]),
      ),
    },
  };
}

function operationOf(name: string, route: Route): JsonObject {
  const { responseType } = route;
  const response =
    route.response === null ? {} : { content: { 'application/json': { schema: refTo(route.response) } } };
  const file = responseType === undefined ? {} : { content: { [responseType]: {} } };
  return {
    operationId: name,
    parameters: [...parametersOf(route)],
    ...(route.request === null ? {} : { requestBody: bodyOf(route, route.request) }),
    ...(route.body === 'bytes' ? { requestBody: BINARY_BODY } : {}),
    ...(route.access === undefined ? {} : { security: SECURITY[route.access] }),
    responses: { '200': { description: 'The request succeeded.', ...response, ...file }, ...ERROR_RESPONSES },
  };
}

const DIGITS: Readonly<Record<string, number>> = { sha256: 64, ['worker_id']: 16 };

/** Returns the number of hexadecimal digits of a path parameter. */
export function digitsOf(parameter: string): number {
  return DIGITS[parameter] ?? 32;
}

/** Pattern of a run in a query: `TEST_ID:RESULT_ID`. */
export const RUN_PATTERN = '^[0-9a-f]{32}:[0-9a-f]{32}$';

/** Maximum length of a string in a query. */
export const MAX_QUERY_LENGTH = 200;

function* parametersOf(route: Route): Generator<Json> {
  for (const [, name = ''] of route.path.matchAll(/:(\w+)/g)) {
    const schema = { type: 'string', pattern: `^[0-9a-f]{${digitsOf(name)}}$` };
    yield { name, in: 'path', required: true, schema };
  }
  const statuses = route.method === 'GET' ? statusValuesOf(route.path) : [];
  if (statuses.length > 0) {
    const description = 'Returns only records with one of these statuses.';
    const schema = { type: 'array', items: { enum: [...statuses] } };
    yield { name: 'status', in: 'query', required: false, description, schema };
  }
  for (const [name, description, schema] of QUERY_PARAMETERS.get(route) ?? [])
    yield { name, in: 'query', required: false, description, schema };
  if (route.operation !== 'create' && route.operation !== 'start') return;
  yield {
    name: IDEMPOTENCY_HEADER,
    in: 'header',
    required: false,
    description:
      'Idempotency key. If an earlier request with the same key, path and body succeeded, the service does not execute the request again, but returns the earlier response.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
}

const SECURITY: Readonly<Record<Access, Json>> = { key: [{ key: [] }], public: [] };

const NON_NEGATIVE_INTEGER: JsonObject = { type: 'integer', minimum: 0 };
const SHORT_STRING: JsonObject = { type: 'string', maxLength: MAX_QUERY_LENGTH };

const QUERY_PARAMETERS: ReadonlyMap<
  Route,
  readonly (readonly [name: string, description: string, schema: JsonObject])[]
> = new Map<Route, readonly (readonly [string, string, JsonObject])[]>([
  [
    ROUTES.getProgress,
    [
      [
        'after',
        'Returns only timeline entries that end after this time, in seconds from the start of the run.',
        NON_NEGATIVE_INTEGER,
      ],
    ],
  ],
  [
    ROUTES.compareRuns,
    [
      [
        'run',
        'Two to five different runs, each as `TEST_ID:RESULT_ID`.',
        {
          type: 'array',
          items: { type: 'string', pattern: RUN_PATTERN },
          minItems: 2,
          maxItems: MAX_COMPARED_RUNS,
          uniqueItems: true,
        },
      ],
    ],
  ],
  [
    ROUTES.getOverview,
    [
      [
        'known',
        'Version of the keys that the client already has. If this version is current, `keys` is null.',
        SHORT_STRING,
      ],
    ],
  ],
  [
    ROUTES.listKeys,
    [
      [
        'search',
        'Returns only keys with all of these words in their project, environment, key or title.',
        SHORT_STRING,
      ],
      ['project', 'Returns only keys of this project; empty for tests without a project.', SHORT_STRING],
      [
        'environment',
        'Returns only keys of this environment; empty for tests without an environment.',
        SHORT_STRING,
      ],
      [
        'verdict',
        'Returns only keys whose latest run has this verdict. `running` returns keys whose latest run is in progress.',
        { enum: ['pass', 'fail', 'inconclusive', 'none', 'running'] },
      ],
      [
        'sort',
        'Order of the keys: by name, by number of runs, or by a value of the latest run. A leading `-` reverses the order.',
        { type: 'string', pattern: '^-?(name|verdict|started|p95|requests_per_second|runs)$' },
      ],
      ['after', 'Number of keys to skip.', NON_NEGATIVE_INTEGER],
      ['limit', 'Maximum number of keys to return, up to 100.', NON_NEGATIVE_INTEGER],
    ],
  ],
]);

const BINARY_BODY: JsonObject = { required: true, content: { 'application/octet-stream': {} } };

/** A route that accepts a form also accepts JSON. */
function bodyOf(route: Route, schema: string): JsonObject {
  const content = { schema: refTo(schema) };
  const form = route.body === 'form' ? { 'application/x-www-form-urlencoded': content } : {};
  return { required: route.operation !== 'verify', content: { ...form, 'application/json': content } };
}

function refTo(name: string): JsonObject {
  return { $ref: `#/components/schemas/${componentName(name)}` };
}

/** Converts `app-list` to `AppList`. */
function componentName(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Converts a schema to a component. Removes the dialect, which the document declares, and replaces references within
 * the schema with their targets.
 */
function componentOf(schema: unknown): Json {
  const text = JSON.stringify(schema, (_, value: Json) => {
    const reference = isObject(value) ? value['$ref'] : undefined;
    return typeof reference === 'string' ? partOf(schema, reference) : value;
  });
  const fields = Object.entries(JSON.parse(text) as JsonObject); // The schemas belong to this project.
  return Object.fromEntries(fields.filter(([key]) => key !== '$schema'));
}

function partOf(schema: unknown, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce((part, key) => objectOf(part)[key], schema);
}
