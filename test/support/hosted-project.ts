/** A project for a hosted service, by default with one small test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { HostedOptions } from './hosted-options.ts';
import { startHostedService, type HostedService } from './hosted-service.ts';
import { createTestDirectory } from './temporary-directory.ts';

export interface HomeFile {
  /** Null for the embedded service. */
  readonly service: string | null;
  readonly project?: string;
  readonly host?: string;
}

/** Returns the text of `loadtests.yaml`. */
export function homeFileText({ service, project = 'shop', host = 'www.example.com' }: HomeFile): string {
  const hosted = `service: { base_url: '${service ?? ''}', auth_header: acme-auth, settle: 100ms }\n`;
  return `version: 1
project: ${project}
${service === null ? '' : hosted}apps: { shop: ${host} }
tests: { home: { test_type: cycling, total: 5, duration: 1s, urls: ['http://${host}/'] } }
`;
}

/**
 * Creates a project that is removed after the test. `env` contains the API key.
 * @param file - text of `loadtests.yaml`; by default, a file that names the service
 */
export async function createHostedProject(
  options: Partial<HostedOptions> = {},
  file: string | null = null,
): Promise<{
  readonly service: HostedService;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}> {
  const service = await startHostedService(options);
  onTestFinished(() => service.close());
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), file ?? homeFileText({ service: service.url }));
  return { service, directory, env: { LOADTESTS_API_KEY: service.options.key } };
}
