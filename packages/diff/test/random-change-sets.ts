// Random change sets with the files before and after: every kind of change, names that need quoting, swaps.
import fc from 'fast-check';
import type { ChangeSet, FileChange, FileMode } from '../src/diff.ts';
import { randomEdit, randomText } from './random-edits.ts';

/** Path to content and mode. */
export type Files = ReadonlyMap<string, { readonly text: string; readonly mode: FileMode }>;

interface Case {
  readonly changeSet: ChangeSet;
  readonly before: Files;
  readonly after: Files;
}

const ODD = [
  'a',
  'with space',
  ' lead',
  'trail ',
  'tab\there',
  'line\nbreak',
  'cr\rhere',
  '"quoted"',
  "it's",
  '-dash',
  'é',
  'e\u0301',
  '😀',
  '\x01\x7f',
  '$x*?[',
  'a b',
  '#',
  'dev/null',
  'x => y',
  'ü "ü',
  '.hidden',
];
const FOLDERS = ['', 'd/', 'a folder/b/', 'ü /', 'b/a/', 'tab\t/'];
const path = fc.tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...ODD)).map(([folder, name]) => `${folder}${name}`);
const mode = fc.constantFrom<FileMode>('100644', '100755');

const file = fc.record({
  kind: fc.constantFrom('added', 'deleted', 'modified', 'modified', 'renamed', 'swapped', 'replaced'),
  edit: randomEdit,
  other: randomText,
  mode,
  turned: fc.boolean(),
});

type Draft = typeof file extends fc.Arbitrary<infer T> ? T : never;

/** The changes of one draft, with two paths of its own, and the files before and after. */
function drawn({ kind, edit, other, mode, turned }: Draft, one: string, two: string) {
  const { before, after } = edit;
  const now: FileMode = turned ? (mode === '100644' ? '100755' : '100644') : mode;
  const newMode = turned ? { mode: now } : {};
  const old = { text: before, mode };
  const fresh = { text: after, mode: now };
  const rename = (path: string, previousPath: string): FileChange => ({
    kind: 'renamed',
    path,
    previousPath,
    before,
    after,
    ...newMode,
  });
  switch (kind) {
    case 'added':
      return { changes: [{ kind, path: one, mode: now, after } as const], before: [], after: [[one, fresh]] };
    case 'deleted':
      return { changes: [{ kind, path: one, before } as const], before: [[one, old]], after: [] };
    case 'modified':
      return {
        changes: [{ kind, path: one, before, after, ...newMode } as const],
        before: [[one, old]],
        after: [[one, fresh]],
      };
    case 'renamed':
      return { changes: [rename(two, one)], before: [[one, old]], after: [[two, fresh]] };
    case 'swapped':
      return {
        changes: [
          rename(two, one),
          { kind: 'renamed', path: one, previousPath: two, before: other, after: other } as const,
        ],
        before: [
          [one, old],
          [two, { text: other, mode }],
        ],
        after: [
          [two, fresh],
          [one, { text: other, mode }],
        ],
      };
    case 'replaced':
      return {
        changes: [rename(two, one), { kind: 'added', path: one, mode, after: other } as const],
        before: [[one, old]],
        after: [
          [two, fresh],
          [one, { text: other, mode }],
        ],
      };
  }
}

const changeSets = fc
  .tuple(fc.array(file, { minLength: 1, maxLength: 5 }), fc.uniqueArray(path, { minLength: 10, maxLength: 10 }))
  .map(([drafts, paths]) => drafts.map((draft, i) => drawn(draft, paths[2 * i]!, paths[2 * i + 1]!)));

/** Many change sets as one, each in a folder of its own, so that git is started twice for all. */
export const randomChangeSets = fc.array(changeSets, { minLength: 40, maxLength: 40 }).map((sets): Case => {
  const before = new Map();
  const after = new Map();
  const files: FileChange[] = [];
  for (const [index, set] of sets.entries()) {
    const inside = (path: string) => `${index}/${path}`;
    for (const part of set) {
      for (const change of part.changes) {
        const moved = { ...change, path: inside(change.path) };
        files.push(moved.kind === 'renamed' ? { ...moved, previousPath: inside(moved.previousPath) } : moved);
      }
      for (const [path, state] of part.before as [string, unknown][]) before.set(inside(path), state);
      for (const [path, state] of part.after as [string, unknown][]) after.set(inside(path), state);
    }
  }
  return { changeSet: { base: 'c0ffee', files }, before, after };
});
