/** What `init` writes. */
import { describe, expect, it } from 'vitest';
import { starterText } from '../../../src/config/starter-file.ts';
import { loaded, loadText } from './load-text.ts';

describe('the starter file', () => {
  const text = starterText({ project: 'shop', schema: './schema.json' });

  it('loads without a problem', () => {
    expect(loadText(text)).toMatchObject({ ok: true, warnings: [] });
    expect(loaded(text).desired.project).toBe('shop');
  });

  it('names the schema in its first line, for the editor', () => {
    expect(text.split('\n', 1)).toEqual(['# yaml-language-server: $schema=./schema.json']);
  });

  it('still loads when its comments are taken away', () => {
    const live = text.replaceAll(/^# (?=[a-z]+:| {2})/gm, '');
    expect(loadText(live)).toMatchObject({ ok: true });
    expect(loaded(live)).toMatchObject({
      service: { baseUrl: 'https://api.example.com' },
      desired: { limits: { maxConnections: 100 } },
    });
  });
});
