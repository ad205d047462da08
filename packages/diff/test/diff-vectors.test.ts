// The vectors that define the diff, in both directions.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyFileDiff, toChangeSet } from '../src/apply-diff.ts';
import type { FileDiff } from '../src/diff.ts';
import { type FileChange, toFileDiff } from '../src/diff.ts';

interface Vectors {
  readonly applies: readonly {
    readonly name: string;
    readonly base: string;
    readonly changed: string | null;
    readonly file: FileDiff;
  }[];
  readonly refused: readonly { readonly name: string; readonly base: string; readonly file: FileDiff }[];
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('./diff-vectors.json', import.meta.url), 'utf8'));
const refusal = expect.objectContaining({ code: 'diff_refused' });

/** The change set entry that a vector speaks of, written down by hand rather than by `toChangeSet`. */
function changeOf(base: string, changed: string | null, file: FileDiff): FileChange {
  const path = file.fileName;
  const after = changed ?? '';
  const mode = file.mode === undefined ? {} : { mode: file.mode };
  switch (file.status) {
    case 'added':
      return { kind: 'added', path, mode: file.mode ?? '100644', after };
    case 'deleted':
      return { kind: 'deleted', path, before: base };
    case 'renamed':
      return { kind: 'renamed', path, previousPath: file.previousFileName ?? '', before: base, after, ...mode };
    default:
      return { kind: 'modified', path, before: base, after, ...mode };
  }
}

describe('the diff vectors', () => {
  it('are all here', () => {
    expect(vectors.applies.length).toBe(23);
    expect(vectors.refused.length).toBe(5);
  });

  it.each(vectors.applies)('apply: $name', ({ base, changed, file }) => {
    expect(applyFileDiff(base, file)).toBe(changed);
  });

  it.each(vectors.applies)('are what we make ourselves: $name', ({ base, changed, file }) => {
    expect(toFileDiff(changeOf(base, changed, file))).toEqual(file);
  });

  it.each(vectors.applies)('give the change set back: $name', ({ base, changed, file }) => {
    const before = file.status === 'added' ? null : base;
    const read = (path: string) => (path === (file.previousFileName ?? file.fileName) ? before : null);
    expect(toChangeSet('c0ffee', { files: [file] }, read)).toEqual({
      base: 'c0ffee',
      files: [changeOf(base, changed, file)],
    });
  });

  it.each(vectors.refused)('are refused: $name', ({ base, file }) => {
    expect(() => applyFileDiff(base, file)).toThrow(refusal);
    expect(() => toChangeSet('c0ffee', { files: [file] }, () => base)).toThrow(refusal);
  });
});
