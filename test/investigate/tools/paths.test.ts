// Patterns over paths: globs as models write them, and CODEOWNERS as GitHub reads it.

import { createGlobMatcher } from 'causeway-paths';
import { describe, expect, it } from 'vitest';
import { findRule, parseCodeOwners } from '../../../src/core/source/code-owners.ts';

describe('a glob', () => {
  it.each([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**', 'src/b/a.ts', true],
    ['**/a.ts', 'a.ts', true],
    ['src/**/a.ts', 'src/a.ts', true],
    ['**/**/a.ts', 'x/y/z/a.ts', true],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['{a,b}/{c,d}.ts', 'b/c.ts', true],
    ['{a,b}/{c,d}.ts', 'b/e.ts', false],
    ['?.ts', 'a.ts', true],
    ['?.ts', 'ab.ts', false],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'aXbY', false],
    ['a.ts', 'axts', false],
    ['[a].ts', '[a].ts', true],
    ['{a.ts', '{a.ts', true],
  ])('%s and %s: %s', (glob, path, matches) => {
    expect(createGlobMatcher(glob)(path)).toBe(matches);
  });

  it('takes no time that grows with its stars', () => {
    const many = createGlobMatcher(`${'*a'.repeat(100)}b`);
    const deep = createGlobMatcher(`${'**/a/'.repeat(50)}b`);
    for (let round = 0; round < 1_000; round += 1) {
      expect(many('a'.repeat(200))).toBe(false);
      expect(deep('a/'.repeat(20))).toBe(false);
    }
  });
});

describe('CODEOWNERS', () => {
  const rules = parseCodeOwners(
    [
      '# all',
      '* @all',
      '*.md @writers # words',
      'docs/* @docs',
      '/build/ @build',
      'apps/ @apps',
      'a\\ b.txt @blank',
      '/src/free',
      '!no @no',
      '',
    ].join('\r\n'),
  );
  it.each([
    ['x.ts', '@all'],
    ['deep/x.md', '@writers'],
    ['docs/a.txt', '@docs'],
    ['docs/deep/a.txt', '@all'],
    ['build/x/y', '@build'],
    ['x/build/y', '@all'],
    ['x/apps/y/z', '@apps'],
    ['a b.txt', '@blank'],
    ['src/free', ''],
    ['src/free/x', ''],
    ['no', '@all'],
  ])('gives %s to %s', (path, owners) => {
    expect(findRule(rules, path, { steps: 0 })).toMatchObject({ owners: owners === '' ? [] : [owners] });
  });

  it('decides by its last rule that matches', () => {
    const file = parseCodeOwners(`${'*.md @first\n'.repeat(1_000)}*.ts @second\n*.ts @last\n`);
    expect(findRule(file, 'a.ts', { steps: 0 })).toMatchObject({ line: 1_002, owners: ['@last'] });
    expect(findRule(file, 'a.rs', { steps: 0 })).toBeNull();
  });

  it('costs no more than the limit, for any patterns', () => {
    const file = parseCodeOwners(`${'**/a/'.repeat(100)}b @x\n`.repeat(100));
    const effort = { steps: 0 };
    expect(findRule(file, `${'a/'.repeat(200)}c`, effort, 50_000)).toBe('stopped');
    // At most one more pattern than fits: 200 parts by 201 names, each in two steps.
    expect(effort.steps).toBeLessThan(50_000 + 4 * 200 * 202);
  });
});
