/** The validators that the build compiles from the schemas are self-contained. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as api from '../../../src/schema/generated/api-validators.js';

const root = join(import.meta.dirname, '../../..');

describe('generated validators', () => {
  it.each(['config-validator.js', 'api-validators.js'])(
    'the generated file %s has no imports and generates no code at run time',
    (name) => {
      const text = readFileSync(join(root, 'src/schema/generated', name), 'utf8');
      expect(text).not.toMatch(/^\s*import\s/m);
      expect(text).not.toMatch(/new Function|eval\(/);
    },
  );

  it('api-validators.js exports more than ten validators, and validateAppRegistered rejects a missing app_id', () => {
    expect(Object.keys(api).length).toBeGreaterThan(10);
    expect(api.validateAppRegistered({ app_id: 'a', message: 'success', verification_id: 'service-a' })).toBe(
      true,
    );
    expect(api.validateAppRegistered({ message: 'success' })).toBe(false);
    expect(api.validateAppRegistered.errors).toHaveLength(1);
  });
});
