// Every diff that must not be applied is refused, with the reason and the repair.
import { describe, expect, it } from 'vitest';
import { applyFileDiff, toChangeSet } from '../src/apply-diff.ts';
import type { Change, Diff, FileDiff } from '../src/diff.ts';

const BASE = 'one\ntwo\nthree\n';

function line(lineNumber: unknown, oldCode: unknown, newCode: unknown) {
  return { lineNumber, oldCode, newCode };
}

/** A diff as JSON may bring it, whatever the types say. */
function diff(changes: unknown, extras: object = {}): FileDiff {
  return JSON.parse(JSON.stringify({ fileName: 'a.txt', status: 'modified', changes, ...extras }));
}

const two = { type: 'modify', lines: [line(2, 'two', 'TWO')] };
const all = { type: 'delete', lines: [line(1, 'one', ''), line(2, 'two', ''), line(3, 'three', '')] };

describe('a diff is refused', () => {
  it.each<[string, string, FileDiff]>([
    [
      'where the old code of a later line differs',
      'not line 2',
      diff([{ ...all, lines: all.lines.with(1, line(2, 'x', '')) }]),
    ],
    [
      'where the old code of a deleted line is absent',
      'no string',
      diff([{ type: 'delete', lines: [{ lineNumber: 1, newCode: '' }] }]),
    ],
    [
      'where a CR is missing from the old code',
      'not line 1',
      diff([{ type: 'modify', lines: [line(1, 'one\r', 'x')] }]),
    ],
    ['where an add is beyond the end', 'beyond the last line, 3', diff([{ type: 'add', lines: [line(4, '', 'x')] }])],
    [
      'where a delete runs over the end',
      'beyond',
      diff([{ type: 'delete', lines: [line(3, 'three', ''), line(4, '', '')] }]),
    ],
    ['for line 0 of a modify', 'before the first', diff([{ type: 'modify', lines: [line(0, '', 'x')] }])],
    ['for a negative line', 'before the first', diff([{ type: 'add', lines: [line(-1, '', 'x')] }])],
    ['for a fraction of a line', 'no integer', diff([{ type: 'add', lines: [line(0.5, '', 'x')] }])],
    ['for a line of null', 'no integer', diff([{ type: 'add', lines: [line(null, '', 'x')] }])],
    ['for new code that is no string', 'no string', diff([{ type: 'add', lines: [line(0, '', 1)] }])],
    ['for new code with NUL', 'not text', diff([{ type: 'add', lines: [line(0, '', 'a\0')] }])],
    ['for new code with half a surrogate pair', 'not text', diff([{ type: 'add', lines: [line(0, '', '\ud83d')] }])],
    ['where the same line is changed twice', 'ascend', diff([two, two])],
    [
      'where an add stands inside a modify',
      'ascend',
      diff([
        { type: 'modify', lines: [line(1, 'one', '1'), line(2, 'two', '2')] },
        { type: 'add', lines: [line(1, '', 'x')] },
      ]),
    ],
    ['where an add stands before what it follows', 'ascend', diff([two, { type: 'add', lines: [line(0, '', 'x')] }])],
    [
      'where two adds share a place',
      'same line',
      diff([
        { type: 'add', lines: [line(1, '', 'x')] },
        { type: 'add', lines: [line(1, '', 'y')] },
      ]),
    ],
    [
      'where an add has two entries',
      'more than one',
      diff([{ type: 'add', lines: [line(0, '', 'x'), line(1, '', 'y')] }]),
    ],
    ['where a delete has new code', 'has new code', diff([{ type: 'delete', lines: [line(2, 'two', 'x')] }])],
    [
      'where a modify leaves a gap',
      'follow each other',
      diff([{ type: 'modify', lines: [line(1, 'one', 'x'), line(3, 'three', 'y')] }]),
    ],
    [
      'where a modify descends',
      'follow each other',
      diff([{ type: 'modify', lines: [line(2, 'two', 'x'), line(1, 'one', 'y')] }]),
    ],
    [
      'where another than the last line grows',
      'another line than its last',
      diff([{ type: 'modify', lines: [line(1, 'one', 'x\ny'), line(2, 'two', 'z')] }]),
    ],
    ['for a change without lines', 'no lines', diff([{ type: 'delete', lines: [] }])],
    ['for a change whose lines are no list', 'no lines', diff([{ type: 'delete', lines: {} }])],
    ['for an unknown type', 'not of type', diff([{ ...two, type: 'replace' }])],
    ['for a change that is null', 'not of type', diff([null])],
    ['for an entry that is null', 'no object', diff([{ type: 'add', lines: [null] }])],
    ['for changes that are no list', 'no list', diff('none')],
    ['for a diff that is null', 'no object', JSON.parse('null')],
    ['for an unknown status', 'status is unknown', diff([two], { status: 'copied' })],
    ['for an unknown mode', 'mode', diff([two], { mode: '120000' })],
    ['for endsWithNewline that is no boolean', 'endsWithNewline', diff([two], { endsWithNewline: 'yes' })],
    ['for a previous name without a rename', 'not renamed', diff([two], { previousFileName: 'b.txt' })],
    ['for a rename without a previous name', 'path', diff([two], { status: 'renamed' })],
    ['for a rename to its own name', 'own name', diff([two], { status: 'renamed', previousFileName: 'a.txt' })],
    ['for a path that leaves the repository', 'path', diff([two], { fileName: '../a.txt' })],
    [
      'for a previous path that leaves the repository',
      'path',
      diff([two], { status: 'renamed', previousFileName: '/etc/passwd' }),
    ],
    ['for a path that is no string', 'path', diff([two], { fileName: 7 })],
    [
      'for a deleted file of which a line is left',
      '1 of its lines',
      diff([{ ...all, lines: all.lines.slice(0, 2) }], { status: 'deleted' }),
    ],
    ['for a deleted file that changes its mode', 'mode', diff([all], { status: 'deleted', mode: '100755' })],
    [
      'for a deleted file that ends with a newline',
      'endsWithNewline',
      diff([all], { status: 'deleted', endsWithNewline: false }),
    ],
    [
      'for an added file where there is one',
      'already a file',
      diff([], { status: 'added', mode: '100644', endsWithNewline: false }),
    ],
    ['for an added file without mode', 'mode', diff([], { status: 'added', endsWithNewline: false })],
    ['for an added file without endsWithNewline', 'endsWithNewline', diff([], { status: 'added', mode: '100644' })],
    ['where no line is left for the final newline', 'no line is left', diff([all])],
    [
      'where the last line is empty without newline',
      'last line is empty',
      diff([{ type: 'modify', lines: [line(3, 'three', '')] }], { endsWithNewline: false }),
    ],
  ])('%s', (_, reason, file) => {
    const apply = () => applyFileDiff(BASE, file);
    expect(apply).toThrow(expect.objectContaining({ code: 'diff_refused' }));
    expect(apply).toThrow(/^The diff of .* is refused: .*\. [A-Z].*\.$/s);
    expect(apply).toThrow(reason);
  });

  it('where the base is not text', () => {
    expect(() => applyFileDiff('one\0\n', diff([]))).toThrow('not text');
  });

  it('without a word of what stands in the file', () => {
    const secret = diff([{ type: 'modify', lines: [line(2, 'hunter2', 'x')] }]);
    expect(() => applyFileDiff(BASE, secret)).toThrow(/^(?!.*(hunter2|two))/s);
  });
});

describe('a diff is applied', () => {
  it('where it has only the fields of the interface', () => {
    expect(applyFileDiff(BASE, { fileName: 'a.txt', changes: [two as Change] })).toBe('one\nTWO\nthree\n');
  });

  it('where changes touch without overlapping', () => {
    const add = (at: number) => ({ type: 'add', lines: [line(at, '', `after ${at}`)] });
    const file = diff([add(0), add(1), two, add(2), { type: 'delete', lines: [line(3, 'three', '')] }, add(3)]);
    expect(applyFileDiff(BASE, file)).toBe('after 0\none\nafter 1\nTWO\nafter 2\nafter 3\n');
  });

  it('where endsWithNewline repeats what the base has', () => {
    expect(applyFileDiff(BASE, diff([two], { endsWithNewline: true }))).toBe('one\nTWO\nthree\n');
  });
});

describe('a change set is refused', () => {
  const added = (fileName: string): FileDiff =>
    diff([], { fileName, status: 'added', mode: '100644', endsWithNewline: false });
  const renamed = (previousFileName: string, fileName: string): FileDiff =>
    diff([], { fileName, status: 'renamed', previousFileName });
  const deleted = (fileName: string): FileDiff => diff([all], { fileName, status: 'deleted' });
  const base = new Map(['a.txt', 'b.txt'].map((path) => [path, BASE]));

  it.each<[string, string, FileDiff[]]>([
    ['where a modified file is missing', 'no such file', [diff([two], { fileName: 'absent' })]],
    ['where a deleted file is missing', 'no such file', [deleted('absent')]],
    ['where a renamed file is missing', 'no such file', [renamed('absent', 'c.txt')]],
    ['where an added file is already there', 'already has', [added('a.txt')]],
    ['where a file is renamed onto another', 'already has', [renamed('a.txt', 'b.txt')]],
    ['where a file is deleted and added', 'already has', [deleted('a.txt'), added('a.txt')]],
    ['where a file is named twice', 'twice', [diff([two]), diff([two])]],
    ['where a file is renamed twice', 'twice', [renamed('a.txt', 'c.txt'), renamed('a.txt', 'd.txt')]],
    ['where a file is modified and renamed', 'twice', [diff([two]), renamed('a.txt', 'c.txt')]],
    ['where two files arrive at one path', 'twice', [renamed('a.txt', 'c.txt'), renamed('b.txt', 'c.txt')]],
    ['where a file is also a folder', 'folder', [added('x/y'), added('x/y/z/w')]],
    ['where a file is also the folder of the one before', 'folder', [added('x/y/z'), added('x/y')]],
  ])('%s', (_, reason, files) => {
    const make = () => toChangeSet('c0ffee', { files }, (path) => base.get(path) ?? null);
    expect(make).toThrow(expect.objectContaining({ code: 'diff_refused' }));
    expect(make).toThrow(reason);
  });

  it.each(['null', '{}', '{"files":{}}', '{"files":[null]}'])('for %s', (json) => {
    const malformed: Diff = JSON.parse(json);
    expect(() => toChangeSet('c0ffee', malformed, () => null)).toThrow('is refused');
  });
});
