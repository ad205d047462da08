// Two attempts at a fix, the second on top of the first, shown as one change.
import { expect, it } from 'vitest';
import type { FileChange } from '../src/diff.ts';
import { joinChanges } from '../src/join-changes.ts';

const BASE = 'a'.repeat(40);

function join(first: readonly FileChange[], second: readonly FileChange[]): readonly FileChange[] | null {
  return joinChanges({ base: BASE, files: first }, { base: 'b'.repeat(40), files: second })?.files ?? null;
}

const edited: FileChange = { kind: 'modified', path: 'a.js', before: '1\n', after: '2\n' };
const added: FileChange = { kind: 'added', path: 'b.js', mode: '100644', after: 'new\n' };

it('goes from what was before the first to what is after the second', () => {
  const second: FileChange[] = [
    { kind: 'modified', path: 'a.js', before: '2\n', after: '3\n' },
    { kind: 'modified', path: 'b.js', before: 'new\n', after: 'newer\n' },
    { kind: 'deleted', path: 'c.js', before: 'c\n' },
  ];
  expect(joinChanges({ base: BASE, files: [edited, added] }, { base: 'b'.repeat(40), files: second })).toEqual({
    base: BASE,
    files: [{ ...edited, after: '3\n' }, { ...added, after: 'newer\n' }, second[2]],
  });
});

it('keeps nothing of a file that the second takes back', () => {
  expect(join([edited, added], [{ kind: 'deleted', path: 'b.js', before: 'new\n' }])).toEqual([edited]);
  expect(join([edited], [{ kind: 'deleted', path: 'a.js', before: '2\n' }])).toEqual([
    { kind: 'deleted', path: 'a.js', before: '1\n' },
  ]);
});

it('joins no changes that do not fit together, such as after a merge with a newer base', () => {
  expect(join([edited], [{ kind: 'modified', path: 'a.js', before: 'other\n', after: '3\n' }])).toBe(null);
  const moved: FileChange = { kind: 'renamed', path: 'd.js', previousPath: 'a.js', before: '2\n', after: '2\n' };
  expect(join([edited], [moved])).toBe(null);
  expect(join([moved], [added])).toEqual([moved, added]);
});
