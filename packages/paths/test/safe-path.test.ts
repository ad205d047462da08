// Which paths a change may name.
import { describe, expect, it } from 'vitest';
import { isSafePath } from '../src/safe-path.ts';

describe('a path is refused', () => {
  it.each([
    '',
    '/',
    '/etc/x',
    '../x',
    'a/../x',
    'a/..',
    './x',
    'a/./b',
    'a//b',
    'a/',
    '.. /x',
    '.../x',
    'a/ /b',
    '\u2024\u2024/x',
    '.git',
    '.git/config',
    '.GIT/hooks/x',
    'sub/.Git/x',
    '.git\u200c/x',
    '.g\u200dit/x',
    '\ufeff.git/x',
    'a/.git./b',
    '.git /x',
    '.git. ./x',
    '.git::$INDEX_ALLOCATION/x',
    'git~1/config',
    'GIT~2/x',
    '．ｇｉｔ/x',
    'C:\\x',
    'C:/x',
    'c:x',
    'a\\b',
    '..\\x',
    'a\0b',
    'half\ud83d',
  ])('%j', (path) => {
    expect(isSafePath(path)).toBe(false);
  });
});

describe('a path is taken', () => {
  it.each([
    'a',
    'src/core/diff.ts',
    '.github/x',
    '.gitignore',
    '.gitattributes',
    'git/x',
    'a.git/x',
    'git~/x',
    '..a/b..c',
    'a b/ c',
    'app/[...slug]/page.tsx',
    'e\u0301/é/😀',
    'tab\there',
    'docs/a:b',
    'ab:c',
    '-x',
  ])('%j', (path) => {
    expect(isSafePath(path)).toBe(true);
  });
});

describe('the length of a path', () => {
  it('is at most 4,096 bytes, however few characters these are', () => {
    expect(isSafePath('a'.repeat(4_096))).toBe(true);
    expect(isSafePath('é'.repeat(2_048))).toBe(true);
    expect(isSafePath('a'.repeat(4_097))).toBe(false);
    expect(isSafePath('é'.repeat(2_049))).toBe(false);
  });
});
