/** A saved plan that somebody edited, with a checksum that fits all the same: it needs no key. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { savedMembers } from '../../src/apply/saved-plan.ts';
import { sha256 } from '../../src/cli/session/digest.ts';
import type { PlanDocument, PlanOrigin } from '../../src/core/report/generated/documents.ts';
import { run, temporaryFolder } from '../rig/cli.ts';

const folder = temporaryFolder();
const PLAN = join(folder.path, 'plan.json');

beforeAll(async () => {
  await run(['init'], { folder: folder.path });
  const ran = await run(['plan', '--only', '*', '-o', 'plan.json'], { folder: folder.path });
  expect(ran.exit).toBe(0);
});

afterAll(() => {
  folder.remove();
});

/** What apply says of the plan with other members of its origin. */
async function applied(changed: object) {
  const plan = JSON.parse(readFileSync(PLAN, 'utf8')) as PlanDocument & { saved: PlanOrigin };
  const saved = { ...plan.saved, ...changed };
  const altered = { ...plan, ...savedMembers(plan, saved, sha256) };
  writeFileSync(join(folder.path, 'altered.json'), JSON.stringify(altered));
  return await run(['apply', 'altered.json'], { folder: folder.path });
}

describe('an altered plan', () => {
  test.each([
    ['maxAge', { maxAge: '24h' }],
    ['var', { var: { users: 7 } }],
    ['replace', { replace: 'home' }],
    ['yes', { yes: true }],
  ])('names the flag %s where its value cannot be', async (name, flags) => {
    const ran = await applied({ flags });
    expect(ran.stderr).toContain(`LT_PLAN_BAD_FILE: "altered.json" was altered: "${name}" of its flags`);
    expect(ran.exit).toBe(3);
  });

  test.each([{ flags: null }, { flags: ['--run'] }, { file: 7 }, { tool_version: null }])(
    'is no saved plan with %j',
    async (changed) => {
      const ran = await applied(changed);
      expect(ran.stderr).toContain('LT_PLAN_BAD_FILE');
      expect(ran.exit).toBe(3);
    },
  );
});
