// The schemas of schemas/ as generators read them.
import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withOverlays } from './overlay-schema.mjs';
import { programSchema } from './program-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

export const CONFIG_SCHEMA = 'schemas/loadtests.schema.json';
const API_DIRECTORY = 'schemas/api';
const SUFFIX = '.schema.json';

/** The schema of the configuration file with its overlay definitions, as editors use it. */
export const publishedSchema = withOverlays(readSchema(CONFIG_SCHEMA));

/** The schema of the configuration file, as the program uses it. */
export const configSchema = programSchema(publishedSchema);

/** Schemas of the documents of the API, by name. */
export const apiSchemas = readdirSync(`${root}${API_DIRECTORY}`)
  .filter((name) => name.endsWith(SUFFIX))
  .sort()
  .map((name) => ({ name: basename(name, SUFFIX), schema: readSchema(`${API_DIRECTORY}/${name}`) }))
  // Built from API documents, and validated with the same rigor.
  .concat({ name: 'baseline-file', schema: readSchema('schemas/baseline-file.schema.json') });

/** @param path - Path relative to the repository. */
export function readSchema(path) {
  return JSON.parse(readFileSync(`${root}${path}`, 'utf8'));
}

export function pascalCase(name) {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}

/** Schema of the messages between a service and its workers. */
export const clusterSchema = readSchema('schemas/cluster-messages.schema.json');

/** Definitions of the messages that are validated. */
export const CLUSTER_MESSAGES = [
  'Heartbeat',
  'MailboxMessage',
  'ShardOffer',
  'ServiceMessage',
  'WorkerHeader',
];
