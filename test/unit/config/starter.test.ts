/** Tests of the file that `loadtests init` writes. */
import { describe, expect, it } from 'vitest';
import { starterText } from '../../../src/config/starter-file.ts';
import { loaded, loadText } from './load-text.ts';

describe('the file that "loadtests init" writes', () => {
  const text = starterText({ project: 'shop', schema: './schema.json' });

  it('the file that "loadtests init" writes loads without a problem', () => {
    expect(loadText(text)).toMatchObject({ ok: true, warnings: [] });
    expect(loaded(text).desired.project).toBe('shop');
  });

  it('the first line of the file that "loadtests init" writes contains the path of the schema for editors', () => {
    expect(text.split('\n', 1)).toEqual(['# yaml-language-server: $schema=./schema.json']);
  });

  it('the file that "loadtests init" writes is valid if its optional keys are uncommented', () => {
    const live = text.replaceAll(/^# (?=[a-z]+:| {2})/gm, '');
    expect(loadText(live)).toMatchObject({ ok: true });
    expect(loaded(live)).toMatchObject({
      service: { baseUrl: 'https://api.example.com' },
      desired: { limits: { maxConnections: 100 } },
    });
  });
});
