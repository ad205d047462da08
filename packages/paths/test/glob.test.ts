// Which paths a glob matches: what people mean by it, and for any glob what trying every way says.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGlobMatcher } from '../src/glob.ts';
import '../../../test/support/property-seed.ts';

describe('a glob', () => {
  it.each([
    ['*.ts', ['a.ts', '.ts'], ['src/a.ts', 'a.tsx']],
    ['src/**', ['src', 'src/a.ts', 'src/b/c.ts'], ['lib/src/a.ts']],
    ['**/test/*.js', ['test/a.js', 'x/y/test/a.js'], ['test/x/a.js', 'tests/a.js']],
    ['a/**/**/b', ['a/b', 'a/x/y/b'], ['a/x', 'b']],
    ['{src,lib}/?.c', ['src/a.c', 'lib/b.c'], ['src/ab.c', 'doc/a.c']],
    ['[ab].c', ['[ab].c'], ['a.c']],
  ])('%s matches %j and not %j', (glob, yes, no) => {
    const matches = createGlobMatcher(glob);
    expect([yes.filter((path) => !matches(path)), no.filter((path) => matches(path))]).toEqual([[], []]);
  });

  it('without braces matches what trying every way does', () => {
    const name = fc
      .array(fc.constantFrom('a', 'b', '*', '?'), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join(''));
    const glob = fc.array(fc.oneof(name, fc.constant('**')), { minLength: 1, maxLength: 4 });
    const file = fc
      .array(fc.stringMatching(/^[ab]{1,3}$/), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(glob, file, (parts, path) => {
        expect(createGlobMatcher(parts.join('/'))(path)).toBe(matchesSlowly(parts, path.split('/')));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** By trying every number of names, none too, for each `**`. */
function matchesSlowly([part, ...parts]: readonly string[], names: readonly string[]): boolean {
  if (part === undefined) return names.length === 0;
  if (part === '**') return [...names.keys(), names.length].some((from) => matchesSlowly(parts, names.slice(from)));
  const [name, ...rest] = names;
  const expression = new RegExp(`^${part.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  return name !== undefined && expression.test(name) && matchesSlowly(parts, rest);
}
