// What a diff looks like, and that nothing is lost on the way there and back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyFileDiff, toChangeSet } from '../src/apply-diff.ts';
import type { FileDiff } from '../src/diff.ts';
import { type ChangeSet, type FileChange, toDiff, toFileDiff } from '../src/diff.ts';
import { randomEdit } from './random-edits.ts';

function diffOf(before: string, after: string): FileDiff {
  // Through JSON, as a caller of the API gets it.
  return JSON.parse(JSON.stringify(toFileDiff({ kind: 'modified', path: 'a.txt', before, after })));
}

/** Faults of a diff against the canonical form; independent of the code that makes it. */
function faultsOf(before: string, after: string, file: FileDiff): string[] {
  const faults: string[] = [];
  const old = before.split('\n');
  let line = 0;
  let previousType = '';
  for (const { type, lines } of file.changes) {
    const first = lines[0]?.lineNumber ?? Number.NaN;
    const from = type === 'add' ? first + 1 : first;
    const touches = from === line + 1 && line > 0;
    if (from <= line) faults.push('overlaps or descends');
    if (touches && !(previousType === 'modify' && type === 'delete'))
      faults.push('could be one with the change before');
    if (type === 'add' && (lines.length !== 1 || lines[0]?.oldCode !== '')) faults.push('bad add');
    if (type === 'delete' && lines.some(({ newCode }) => newCode !== '')) faults.push('bad delete');
    for (const [index, { lineNumber, oldCode, newCode }] of lines.entries()) {
      if (lineNumber !== first + index) faults.push('gap');
      if (type !== 'add' && oldCode !== old[lineNumber - 1]) faults.push('not the old line');
      if (type !== 'modify') continue;
      if (newCode.split('\n')[0] === oldCode) faults.push('modified to itself');
      if (index < lines.length - 1 && newCode.includes('\n')) faults.push('several lines before the last');
    }
    if (previousType === 'modify' && type === 'delete' && touches) {
      const last = file.changes[file.changes.findIndex((change) => change.lines === lines) - 1]?.lines.at(-1);
      if (last?.newCode.includes('\n')) faults.push('grows and shrinks at once');
    }
    line = type === 'add' ? first : first + lines.length - 1;
    previousType = type;
  }
  const differs = before.endsWith('\n') !== after.endsWith('\n');
  if (differs ? file.endsWithNewline !== after.endsWith('\n') : 'endsWithNewline' in file) faults.push('newline');
  return faults;
}

describe('a diff', () => {
  it('gives the changed file back byte for byte, in canonical form, for 10,000 random edits', () => {
    fc.assert(
      fc.property(randomEdit, ({ before, after }) => {
        const file = diffOf(before, after);
        expect(applyFileDiff(before, file)).toBe(after);
        expect(faultsOf(before, after, file)).toEqual([]);
      }),
      { numRuns: 10_000 },
    );
  });

  it('is never applied to another text without being noticed', () => {
    fc.assert(
      fc.property(randomEdit, randomEdit, ({ before, after }, other) => {
        const file = diffOf(before, after);
        const touched = file.changes.flatMap(({ type, lines }) => (type === 'add' ? [] : lines));
        const lines = other.before.split('\n');
        fc.pre(touched.some(({ lineNumber, oldCode }) => lines[lineNumber - 1] !== oldCode));
        expect(() => applyFileDiff(other.before, file)).toThrow('refused');
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['the final newline is lost', 'a\n', 'a', { changes: [], endsWithNewline: false }],
    ['the final newline is gained', 'a', 'a\n', { changes: [], endsWithNewline: true }],
    ['an empty file becomes one empty line', '', '\n', { changes: [add(0, '')], endsWithNewline: true }],
    ['one empty line goes', '\n', '', { changes: [remove(1, '')], endsWithNewline: false }],
    ['the only line goes, without newline', 'a', '', { changes: [remove(1, 'a')] }],
    ['a line is appended to a file without final newline', 'a', 'a\nb', { changes: [add(1, 'b')] }],
    ['two empty lines are added', 'a\n', 'a\n\n\n', { changes: [add(1, '\n')] }],
    ['a line becomes two empty ones', 'a\nb\n', '\n\nb\n', { changes: [modify(1, 'a', '\n')] }],
    ['a last line without newline becomes empty', 'a\nb', 'a\n', { changes: [remove(2, 'b')], endsWithNewline: true }],
    ['LF becomes CRLF on the last line alone', 'a\nb', 'a\nb\r', { changes: [modify(2, 'b', 'b\r')] }],
  ])('says exactly this when %s', (_, before, after, expected) => {
    expect(diffOf(before, after)).toEqual({ fileName: 'a.txt', status: 'modified', ...expected });
    expect(applyFileDiff(before, diffOf(before, after))).toBe(after);
  });

  it('comes back from a file of 200,000 lines, all of them changed', () => {
    const before = Array.from({ length: 200_000 }, (_, index) => `old ${index}\n`).join('');
    const after = before.replaceAll('old', 'new');
    expect(applyFileDiff(before, diffOf(before, after)) === after).toBe(true);
    expect(applyFileDiff(before, diffOf(before, '')) === '').toBe(true);
    expect(applyFileDiff('', diffOf('', after)) === after).toBe(true);
  });

  it('is refused for content that is not text', () => {
    for (const after of ['a\0b', 'half a \ud83d pair']) {
      expect(() => toFileDiff({ kind: 'added', path: 'a', mode: '100644', after })).toThrow('not text');
      expect(() => toFileDiff({ kind: 'deleted', path: 'a', before: after })).toThrow('not text');
    }
  });

  it('is refused for a path that leaves the repository', () => {
    expect(() => toFileDiff({ kind: 'deleted', path: '../a', before: '' })).toThrow('"../a" is refused');
    const moved = { kind: 'renamed', path: 'a', previousPath: '.git/config', before: '', after: '' } as const;
    expect(() => toFileDiff(moved)).toThrow('".git/config" is refused');
  });

  it('is refused for a rename that goes nowhere', () => {
    const same = { kind: 'renamed', path: 'a', previousPath: 'a', before: '', after: 'b' } as const;
    expect(() => toFileDiff(same)).toThrow('own name');
  });
});

describe('the diff of a change set', () => {
  const files: FileChange[] = [
    { kind: 'added', path: 'new/empty', mode: '100755', after: '' },
    { kind: 'added', path: 'old', mode: '100644', after: 'in the place of what was renamed' },
    { kind: 'deleted', path: 'gone', before: 'a\nb' },
    { kind: 'deleted', path: 'gone-empty', before: '' },
    { kind: 'modified', path: 'kept', before: 'a\r\n', after: 'b\r\n' },
    { kind: 'modified', path: 'run', before: 'a', after: 'a', mode: '100755' },
    { kind: 'renamed', path: 'moved', previousPath: 'old', before: 'x\n', after: 'x\n' },
    { kind: 'renamed', path: 'left', previousPath: 'right', before: 'r', after: 'r\nmore', mode: '100644' },
    { kind: 'renamed', path: 'right', previousPath: 'left', before: 'l', after: 'l' },
  ];
  const base = new Map(
    files.flatMap((file) => {
      if (file.kind === 'added') return [];
      return [[file.kind === 'renamed' ? file.previousPath : file.path, file.before] as const];
    }),
  );

  it('is the change set seen from the other side', () => {
    const changeSet: ChangeSet = { base: 'f'.repeat(40), files };
    const diff = JSON.parse(JSON.stringify(toDiff(changeSet)));
    expect(toChangeSet(changeSet.base, diff, (path) => base.get(path) ?? null)).toEqual(changeSet);
  });

  it('leaves out a file that stays as it was', () => {
    const same: FileChange = { kind: 'modified', path: 'a', before: 'a', after: 'a' };
    expect(toDiff({ base: '', files: [same] })).toEqual({ files: [] });
  });
});

function add(lineNumber: number, newCode: string) {
  return { type: 'add', lines: [{ lineNumber, oldCode: '', newCode }] };
}

function remove(lineNumber: number, oldCode: string) {
  return { type: 'delete', lines: [{ lineNumber, oldCode, newCode: '' }] };
}

function modify(lineNumber: number, oldCode: string, newCode: string) {
  return { type: 'modify', lines: [{ lineNumber, oldCode, newCode }] };
}
