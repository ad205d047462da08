// The patch, judged by git itself.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../src/diff.ts';
import { toUnifiedPatch } from '../src/unified-patch.ts';
import { type Files, randomChangeSets } from './random-change-sets.ts';

const ENV = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };

function git(folder: string, args: readonly string[], input = ''): void {
  execFileSync('git', args, { cwd: folder, input, env: ENV, stdio: ['pipe', 'pipe', 'pipe'] });
}

function write(folder: string, files: Files): void {
  for (const [path, { text, mode }] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), mode === '100755' ? 0o755 : 0o644);
  }
}

function read(folder: string): Files {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !path.startsWith('.git/'));
  return new Map(
    paths.map((path) => {
      const executable = (statSync(join(folder, path)).mode & 0o100) !== 0;
      return [path, { text: readFileSync(join(folder, path), 'utf8'), mode: executable ? '100755' : '100644' }];
    }),
  );
}

/** What git makes of the files and the patch. */
function applyWithGit(before: Files, patch: string): Files {
  const folder = mkdtempSync(join(tmpdir(), 'patch-'));
  try {
    git(folder, ['init', '--quiet']);
    write(folder, before);
    git(folder, ['apply', '--check', '-'], patch);
    git(folder, ['apply', '-'], patch);
    return read(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sorted(files: Files): [string, unknown][] {
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe('the patch of a change set', () => {
  it('gives the same files through git, byte for byte, for 400 random change sets', () => {
    fc.assert(
      fc.property(randomChangeSets, ({ changeSet, before, after }) => {
        expect(sorted(applyWithGit(before, toUnifiedPatch(changeSet)))).toEqual(sorted(after));
      }),
      // Shrinking a failure starts git hundreds of times.
      { numRuns: 10, interruptAfterTimeLimit: 15_000 },
    );
  });

  it('lets a file take the place of a folder, and a folder that of a file', () => {
    const files: FileChange[] = [
      { kind: 'deleted', path: 'file', before: 'a\n' },
      { kind: 'added', path: 'file/inside', mode: '100644', after: 'b\n' },
      { kind: 'deleted', path: 'folder/inside', before: 'c\n' },
      { kind: 'added', path: 'folder', mode: '100644', after: 'd\n' },
    ];
    const before: Files = new Map([
      ['file', { text: 'a\n', mode: '100644' }],
      ['folder/inside', { text: 'c\n', mode: '100644' }],
    ]);
    expect(sorted(applyWithGit(before, toUnifiedPatch({ base: '', files })))).toEqual([
      ['file/inside', { text: 'b\n', mode: '100644' }],
      ['folder', { text: 'd\n', mode: '100644' }],
    ]);
  });

  it('reads as git writes it', () => {
    const numbers = Array.from({ length: 20 }, (_, i) => `${i + 1}\n`).join('');
    const files: FileChange[] = [
      {
        kind: 'modified',
        path: 'a b',
        before: numbers,
        after: numbers.replace('3\n', 'three\n').replace('20\n', '20'),
      },
      { kind: 'modified', path: 'run', before: 'x', after: 'x', mode: '100755' },
      { kind: 'renamed', path: 'é', previousPath: 'e', before: 'x\n', after: 'x\n' },
      { kind: 'added', path: 'empty', mode: '100644', after: '' },
      { kind: 'deleted', path: 'gone', before: 'x\r\n' },
      { kind: 'modified', path: 'same', before: 'x', after: 'x' },
    ];
    expect(toUnifiedPatch({ base: '', files }).split('\n')).toEqual(
      String.raw`diff --git a/a b b/a b
--- a/a b${'\t'}
+++ b/a b${'\t'}
@@ -1,6 +1,6 @@
 1
 2
-3
+three
 4
 5
 6
@@ -17,4 +17,4 @@
 17
 18
 19
-20
+20
\ No newline at end of file
diff --git a/run b/run
old mode 100644
new mode 100755
diff --git a/e "b/\303\251"
similarity index 100%
rename from e
rename to "\303\251"
diff --git a/empty b/empty
new file mode 100644
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x${'\r'}
`.split('\n'),
    );
  });

  it('has no line as context that is not known, so that git takes it where the secret really stands', () => {
    const lines = ['one', 'two', '[redacted]', 'three', 'four', 'five', '[redacted]', 'six'];
    const before = `${lines.join('\n')}\n`;
    const change: FileChange = {
      kind: 'modified',
      path: 'x',
      before,
      after: before.replace('one', '1').replace('four', '4'),
    };
    const patch = toUnifiedPatch({ base: 'a'.repeat(40), files: [change] });
    expect(patch).not.toContain('redacted');
    const folder = mkdtempSync(join(tmpdir(), 'causeway-patch-'));
    writeFileSync(join(folder, 'x'), before.replaceAll('[redacted]', 'hunter2'));
    git(folder, ['apply', '-'], patch);
    const applied = readFileSync(join(folder, 'x'), 'utf8');
    rmSync(folder, { recursive: true });
    expect(applied).toBe('1\ntwo\nhunter2\nthree\n4\nfive\nhunter2\nsix\n');
  });

  it('is empty where nothing changes, and refused where a path leaves the repository', () => {
    expect(toUnifiedPatch({ base: '', files: [] })).toBe('');
    const files: FileChange[] = [{ kind: 'added', path: '../x', mode: '100644', after: '' }];
    expect(() => toUnifiedPatch({ base: '', files })).toThrow('refused');
  });
});

it('a change near the one before it shares its hunk, however many hunks came before', () => {
  const before = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`);
  const after = before.map((line, index) => ([4, 39, 42].includes(index) ? `new ${line}` : line));
  const patch = toUnifiedPatch({
    base: 'a'.repeat(40),
    files: [{ kind: 'modified', path: 'a.txt', mode: '100644', before: before.join(''), after: after.join('') }],
  });
  expect(patch.match(/^@@.*$/gm)).toEqual(['@@ -2,7 +2,7 @@', '@@ -37,10 +37,10 @@']);
});
