import type { ImportedFile } from '../../config/config-import.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { SERVICE_DEFAULTS } from '../../config/lower-service.ts';
import { membersOf, type PrintableMember, type PrintableValue } from '../../config/yaml-printer.ts';
import { readMarker } from '../../core/reconcile/ownership-marker.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { isStoppable, stateOf } from '../../core/model/test-state.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { chooseService } from '../session/connect.ts';
import type { Context } from '../terminal/context.ts';

/**
 * Returns the valid project name that occurs most often in the ownership markers of the environment; null if there is
 * none.
 */
export function markerProject(tests: readonly ObservedTest[], environment: string | null): string | null {
  const counts = new Map<string, number>();
  for (const { notes } of tests) {
    const reading = readMarker(notes);
    if (reading.kind !== 'marker' || reading.marker.environment !== environment) continue;
    const { project } = reading.marker;
    if (/^[a-z0-9-]{1,40}$/.test(project)) counts.set(project, (counts.get(project) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** Returns the settings of the selected service that differ from the defaults; null for the embedded service. */
export function importedService(
  context: Context,
  config: LoadedConfig | null,
): readonly PrintableMember[] | null {
  const service = chooseService(context, config);
  if (service === null) return null;
  const changed = (key: 'authHeader' | 'apiKeyEnv' | 'tokenPrefix' | 'allowPlainHttp') =>
    service[key] === SERVICE_DEFAULTS[key] ? undefined : service[key];
  const changedDuration = (key: 'requestTimeout' | 'settle') =>
    service[key] === SERVICE_DEFAULTS[key] ? undefined : { duration: service[key] };
  return membersOf<PrintableValue>({
    base_url: service.baseUrl,
    auth_header: changed('authHeader'),
    api_key_env: changed('apiKeyEnv'),
    token_prefix: changed('tokenPrefix'),
    request_timeout: changedDuration('requestTimeout'),
    settle: changedDuration('settle'),
    allow_plain_http: changed('allowPlainHttp'),
  });
}

export function truncationWarning(): Problem {
  const text =
    'the service may have returned an incomplete list of apps or tests, so some may be missing from the file';
  return problem('LT_PLAN_LIST_TRUNCATED', text, { severity: 'warning' });
}

/** Returns a warning for each active test that the imported file omits, because applying the file stops such a test. */
export function stillActiveWarnings({ dropped }: ImportedFile): Problem[] {
  const now = Date.now();
  return dropped.flatMap(({ test, key, earlier }) => {
    const state = stateOf(test, now);
    if (!isStoppable(state)) return [];
    const what = earlier ? `earlier version of "${key}"` : `key "${key}", not in the file`;
    const text = `the test ${test.id} (${what}) is ${state}; applying the file stops it`;
    return [problem('LT_PLAN_DROPPED', text, { severity: 'warning' })];
  });
}
