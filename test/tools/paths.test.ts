// Patterns over paths: globs as models write them, and CODEOWNERS as GitHub reads it.
import { describe, expect, it } from 'vitest';
import { parseCodeOwners, ruleFor } from '../../src/tools/code-owners.ts';
import { globMatcher } from '../../src/tools/path-glob.ts';

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
    expect(globMatcher(glob)(path)).toBe(matches);
  });

  it('takes no time that grows with its stars', () => {
    const many = globMatcher(`${'*a'.repeat(100)}b`);
    const deep = globMatcher(`${'**/a/'.repeat(50)}b`);
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
    expect(ruleFor(rules, path)?.owners.join(' ')).toBe(owners);
  });
});
