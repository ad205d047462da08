// Patterns over paths: globs as models write them, and CODEOWNERS as GitHub reads it.
import { describe, expect, it } from 'vitest';
import { createGlobMatcher } from '../../src/core/paths.ts';
import { createBudget } from '../../src/tools/in-turns.ts';
import { decideOwner, MAX_RULES, parseCodeOwners } from '../../src/tools/owners.ts';
import { SIGNAL } from '../git/open-project.ts';

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
  ])('gives %s to %s', async (path, owners) => {
    expect(await decideOwner(rules, path, createBudget(10_000), SIGNAL)).toMatchObject({
      kind: 'rule',
      rule: { owners: owners === '' ? [] : [owners] },
    });
  });

  it('is asked from its end, and no further than the rule that decides', async () => {
    const file = parseCodeOwners(`${'*.md @first\n'.repeat(1_000)}*.ts @second\n*.ts @last\n`);
    const [last, first] = [createBudget(1_000_000), createBudget(1_000_000)];
    expect(await decideOwner(file, 'a.ts', last, SIGNAL)).toMatchObject({ rule: { line: 1_002, owners: ['@last'] } });
    expect(await decideOwner(file, 'a.rs', first, SIGNAL)).toEqual({ kind: 'no rule' });
    expect(last.steps * 100).toBeLessThan(first.steps);
  });

  it('with too many rules is read from its end, and rules nothing out', async () => {
    const file = parseCodeOwners(`# head\n\n!no @no\n${'*.md @first\n'.repeat(3)}${'/a/b @last\n'.repeat(MAX_RULES)}`);
    expect(file.unread).toBe(3);
    expect(file.rules).toHaveLength(MAX_RULES);
    const budget = createBudget(10_000_000);
    expect(await decideOwner(file, 'a/b/c', budget, SIGNAL)).toMatchObject({ rule: { owners: ['@last'] } });
    expect(await decideOwner(file, 'a.rs', budget, SIGNAL)).toEqual({ kind: 'unread' });
  });

  it('costs no more than what may be spent, whatever its patterns', async () => {
    const file = parseCodeOwners(`${'**/a/'.repeat(100)}b @x\n`.repeat(100));
    const budget = createBudget(50_000);
    expect(await decideOwner(file, `${'a/'.repeat(200)}c`, budget, SIGNAL)).toEqual({ kind: 'stopped' });
    // At most one more pattern than fits: 200 parts by 201 names, each told in two steps.
    expect(budget.steps).toBeLessThan(50_000 + 4 * 200 * 202);
  });
});
