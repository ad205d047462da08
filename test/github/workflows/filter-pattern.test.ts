// Filters choose as GitHub's pages say, pattern by pattern and list by list; what those leave open is "perhaps".
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Certainty,
  choosesName,
  ignoresName,
  matchFilterPattern,
} from '../../../src/github/workflows/filter-pattern.ts';

const match = (pattern: string, name: string): Certainty => matchFilterPattern(pattern, name);
const choose = (patterns: readonly string[], name: string): Certainty => choosesName(patterns, name, { steps: 0 });

/** The tables "Patterns to match branches and tags" and "Patterns to match file paths" of GitHub's workflow syntax. */
const DOCUMENTED: readonly (readonly [string, readonly string[]])[] = [
  ['feature/*', ['feature/my-branch', 'feature/your-branch']],
  ['feature/**', ['feature/beta-a/my-branch', 'feature/your-branch', 'feature/mona/the/octocat']],
  ['releases/mona-the-octocat', ['releases/mona-the-octocat']],
  ['*', ['main', 'releases', 'README.md', 'server.rb']],
  ['**', ['all/the/branches', 'every/tag', 'all/the/files.md']],
  ['*feature', ['mona-feature', 'feature', 'ver-10-feature']],
  ['v2*', ['v2', 'v2.0', 'v2.9']],
  ['v[12].[0-9]+.[0-9]+', ['v1.10.1', 'v2.0.0']],
  ['*.jsx?', ['page.js', 'page.jsx']],
  ['*.js', ['app.js', 'index.js']],
  ['**.js', ['index.js', 'js/index.js', 'src/js/app.js']],
  ['docs/*', ['docs/README.md', 'docs/file.txt']],
  ['docs/**', ['docs/README.md', 'docs/mona/octocat.txt']],
  ['docs/**/*.md', ['docs/README.md', 'docs/mona/hello-world.md', 'docs/a/markdown/file.md']],
  ['**/docs/**', ['docs/hello.md', 'dir/docs/my-file.txt', 'space/docs/plan/space.doc']],
  ['**/README.md', ['README.md', 'js/README.md']],
  ['**/*src/**', ['a/src/app.js', 'my-src/code/js/app.js']],
  ['**/*-post.md', ['my-post.md', 'path/their-post.md']],
  ['**/migrate-*.sql', ['migrate-10909.sql', 'db/migrate-v1.0.sql', 'db/sept/migrate-v1.sql']],
  ['releases/**-alpha', ['releases/beta/3-alpha', 'releases/1-alpha']],
  ['[CB]at', ['Cat', 'Bat']],
  ['[1-2]00', ['100', '200']],
];

describe('a pattern', () => {
  it.each(DOCUMENTED)('%s matches what GitHub lists for it', (pattern, names) => {
    expect(names.map((name) => [name, match(pattern, name)])).toEqual(names.map((name) => [name, 'yes']));
  });

  it.each([
    ['*', 'a/b'],
    ['feature/*', 'feature/a/b'],
    ['feature/**', 'feature'],
    ['feature/**', 'my/feature/a'],
    ['*.js', 'src/app.js'],
    ['docs/*', 'docs/a/b.md'],
    ['**/README.md', 'MYREADME.md'],
    ['*.jsx?', 'page.jsxx'],
    ['v[12].[0-9]+', 'v3.1'],
    ['v[0-9]+', 'v'],
    ['main', 'Main'],
    ['main', 'main2'],
    ['v1.0', 'v1x0'],
    ['[CB]at', 'CBat'],
  ])('%s does not match %s', (pattern, name) => {
    expect(match(pattern, name)).toBe('no');
  });

  it('takes a character behind a backslash as it is', () => {
    expect(match('a\\*b', 'a*b')).toBe('yes');
    expect(match('a\\*b', 'axb')).toBe('no');
  });

  it.each([
    ['**/*.{js,ts}', 'src/app.ts'],
    ['./src/**', 'src/app.ts'],
    ['docs/', 'docs/x.md'],
    ['[!a]b', 'cb'],
    ['[]', 'a'],
    ['[z-a]', 'b'],
    ['a[', 'a['],
    ['+a', '+a'],
    ['a*+', 'aa'],
    ['***', 'a'],
    ['a\\', 'a'],
    ['', ''],
    ['x'.repeat(301), 'y'],
    ['src**/x.ts', 'srcx.ts'],
  ])('%s, whose meaning no page tells, perhaps matches %s', (pattern, name) => {
    expect(match(pattern, name)).toBe('perhaps');
  });

  const part = fc.stringMatching(/^[a-z0-9_][a-z0-9_.-]{0,7}$/);
  const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));

  it('without special characters matches itself alone', () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(match(one, one)).toBe('yes');
        expect(match(one, other)).toBe(one === other ? 'yes' : 'no');
      }),
    );
  });

  it('of a folder matches exactly what is below it', () => {
    fc.assert(
      fc.property(path, path, (folder, file) => {
        const isBelow = file.startsWith(`${folder}/`);
        expect(match(`${folder}/**`, `${folder}/${file}`)).toBe('yes');
        expect(match(`${folder}/**`, file)).toBe(isBelow ? 'yes' : 'no');
        expect(match(`**/${folder}/**`, `${file}/${folder}/x`)).toBe('yes');
        expect(match(`**/${file}`, file)).toBe('yes');
      }),
    );
  });

  it('says the same as a regular expression of the documented rules', () => {
    const piece = fc.constantFrom('a', 'b', '/', '*', '**', '/**/', 'a?', 'b+', '[ab]', '[a-b]+', '.');
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
    const name = fc.stringMatching(/^[ab./]{0,8}$/).filter((one) => !/^\/|\/$|\/\//.test(one));
    fc.assert(
      fc.property(pattern, name, (given, tried) => {
        const found = match(given, tried);
        if (found !== 'perhaps') expect(found).toBe(toRegExp(given).test(tried) ? 'yes' : 'no');
      }),
      { numRuns: 2_000 },
    );
  });

  it('is decided in little time, or not at all', () => {
    const pattern = `${'**a'.repeat(90)}`;
    const effort = { steps: 0 };
    expect(matchFilterPattern(pattern, 'a'.repeat(4_000), effort)).toBe('yes');
    expect(effort.steps).toBeLessThan(4_000 * 200 * 2);
    expect(matchFilterPattern(pattern, 'a'.repeat(4_000), { steps: 19_999_000 })).toBe('perhaps');
  });
});

function toRegExp(pattern: string): RegExp {
  const source = pattern.replaceAll(/(?<=^|\/)\*\*\/|\*\*|\*|\./g, (found) => {
    if (found === '**/') return '(?:.*/)?';
    if (found === '**') return '.*';
    return found === '*' ? '[^/]*' : '\\.';
  });
  return new RegExp(`^(?:${source})$`);
}

describe('a list of patterns', () => {
  it('takes the last that matches', () => {
    expect(choose(['*.md', '!README.md'], 'hello.md')).toBe('yes');
    expect(choose(['*.md', '!README.md'], 'README.md')).toBe('no');
    expect(choose(['*.md', '!README.md'], 'docs/hello.md')).toBe('no');
    expect(choose(['*.md', '!README.md', 'README*'], 'README.md')).toBe('yes');
    expect(choose(['*.md', '!README.md', 'README*'], 'README.doc')).toBe('yes');
    expect(choose(['releases/**', '!releases/**-alpha'], 'releases/beta/3-alpha')).toBe('no');
  });

  it('is not decided where it only takes out, or where it turns on what is not told', () => {
    expect(choose(['!main'], 'other')).toBe('perhaps');
    expect(choose(['!main'], 'main')).toBe('no');
    expect(choose(['**', '!src/*.{js,ts}'], 'src/a.js')).toBe('perhaps');
    expect(choose(['src/*.{js,ts}', '**'], 'src/a.js')).toBe('yes');
    expect(choose(['src/*.{js,ts}', '!src/**'], 'src/a.js')).toBe('no');
  });

  it('of what is ignored has no exceptions', () => {
    expect(ignoresName(['docs/**', '*.md'], 'docs/a', { steps: 0 })).toBe('yes');
    expect(ignoresName(['docs/**'], 'src/a', { steps: 0 })).toBe('no');
    expect(ignoresName(['!docs/**'], 'src/a', { steps: 0 })).toBe('perhaps');
  });

  it('changes nothing for names that a further pattern does not match', () => {
    const patterns = fc.array(fc.constantFrom('a/**', '!a/b', '*', '!c*', '**/d'), { minLength: 1, maxLength: 6 });
    const name = fc.constantFrom('a/b', 'a/c', 'c', 'cd', 'x/d', 'e');
    fc.assert(
      fc.property(patterns, name, fc.constantFrom('zz', '!zz', 'zz/**'), (all, one, further) => {
        const hasAny = all.some((pattern) => !pattern.startsWith('!'));
        if (hasAny) expect(choose([...all, further], one)).toBe(choose(all, one));
        expect(choose([...all, one], one)).toBe('yes');
        expect(choose([...all, `!${one}`], one)).toBe('no');
      }),
    );
  });
});
