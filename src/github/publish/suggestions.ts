// From a change to suggestions in a pull request's files: all of it, or none. Pure.
import { unseenIn } from '../../core/inert-text.ts';
import type { Change, Diff, FileDiff } from '../../core/issue.ts';
import { globMatcher } from '../../core/paths.ts';
import { REDACTED } from '../../core/redacted.ts';
import type { InvestigationSettings } from '../../core/settings.ts';
import type { ReviewComment } from './outbox.ts';

/** A file of the pull request; `patch` as GitHub gives it, "" where there is none. */
export interface PulledFile {
  readonly path: string;
  readonly patch: string;
}

/** More would be a review of its own; people take the pull request then. */
const MOST = 10;

/** Lines of the head that a comment may stand on, by their numbers; one map for each hunk. */
type ShownHunk = ReadonlyMap<number, string>;

/**
 * One comment for each place of the change, in lines of the head; empty where a part of the change cannot be suggested: outside of what the
 * pull request shows, in a file that appears or goes, through a secret. `diff` is against the head that the patches are of.
 */
export function suggestionsFor(
  diff: Diff,
  files: readonly PulledFile[],
  paths: InvestigationSettings['paths'],
): readonly ReviewComment[] {
  const patches = new Map(files.map(({ path, patch }) => [path, patch]));
  const made = diff.files.map((file) => fileSuggestions(file, patches.get(file.fileName) ?? '', paths));
  if (made.some((one) => one === null)) return [];
  const all = made.flatMap((one) => one ?? []);
  return all.length > MOST ? [] : all;
}

function fileSuggestions(
  file: FileDiff,
  patch: string,
  { allow, block }: InvestigationSettings['paths'],
): readonly ReviewComment[] | null {
  const { fileName: path, status = 'modified' } = file;
  const fits = (glob: string) => globMatcher(glob)(path);
  if (block.some(fits) || (allow.length > 0 && !allow.some(fits))) return null;
  // Of these nothing can be said in lines.
  if (status !== 'modified' || file.mode !== undefined || file.endsWithNewline !== undefined) return null;
  const hunks = shownHunks(patch);
  const comments: ReviewComment[] = [];
  for (const edit of editsOf(file.changes)) {
    const placed = placedIn(hunks, edit);
    if (placed === null || placed.from <= (comments.at(-1)?.to ?? 0) || !isPlain(placed)) return null;
    comments.push({ path, from: placed.from, to: placed.to, body: suggestion(placed.lines) });
  }
  return comments;
}

/** Lines `from` to `to` become others; `to` is `from - 1` where lines only arrive, behind `to`. */
interface LineEdit {
  readonly from: number;
  readonly to: number;
  readonly old: readonly string[];
  readonly lines: readonly string[];
}

/** A deletion right behind a modification is one edit with it. */
function editsOf(changes: readonly Change[]): readonly LineEdit[] {
  const edits: LineEdit[] = [];
  for (const change of changes) {
    const edit = editOf(change);
    const last = edits.at(-1);
    if (last === undefined || change.type === 'add' || last.to < last.from || last.to + 1 !== edit.from) {
      edits.push(edit);
      continue;
    }
    const joined = { old: [...last.old, ...edit.old], lines: [...last.lines, ...edit.lines] };
    edits[edits.length - 1] = { from: last.from, to: edit.to, ...joined };
  }
  return edits;
}

function editOf({ type, lines }: Change): LineEdit {
  const first = lines[0]?.lineNumber ?? 0;
  const fresh = type === 'delete' ? [] : lines.flatMap(({ newCode }) => newCode.split('\n'));
  if (type === 'add') return { from: first + 1, to: first, old: [], lines: fresh };
  return { from: first, to: first + lines.length - 1, old: lines.map(({ oldCode }) => oldCode), lines: fresh };
}

/** Where a suggestion can replace whole lines; one that only adds takes the line beside it along. Null: nowhere. */
function placedIn(hunks: readonly ShownHunk[], edit: LineEdit): LineEdit | null {
  const { from, to, old, lines } = edit;
  if (old.length > 0) {
    const hunk = hunks.find((one) => one.has(from));
    return hunk !== undefined && old.every((line, index) => hunk.get(from + index) === line) ? edit : null;
  }
  for (const hunk of hunks) {
    const above = hunk.get(to);
    if (above !== undefined) return { from: to, to, old: [above], lines: [above, ...lines] };
    const below = hunk.get(from);
    if (below !== undefined) return { from, to: from, old: [below], lines: [...lines, below] };
  }
  return null;
}

/** What the patch shows of the file as it is at the head. */
function shownHunks(patch: string): readonly ShownHunk[] {
  const hunks: Map<number, string>[] = [];
  let line = 0;
  for (const text of patch.split('\n')) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)?.[1];
    if (start !== undefined) {
      line = Number(start);
      hunks.push(new Map());
    } else if (text.startsWith(' ') || text.startsWith('+')) {
      hunks.at(-1)?.set(line, text.slice(1));
      line += 1;
    }
  }
  return hunks;
}

/** What would not come back from GitHub's form as it went, or makes a line read otherwise than it runs (CVE-2021-42574): not even kept. */
const NEVER = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]/u;

/** What was taken out as a secret would be gone, and what is not seen where a person presses the button must stand there already. */
function isPlain({ old, lines }: LineEdit): boolean {
  return lines.every((line) => !NEVER.test(line) && !line.includes(REDACTED)) && !addsUnseen(old, lines);
}

/** An emoji that stands there may stay, behind the same character and no more often. */
function addsUnseen(old: readonly string[], lines: readonly string[]): boolean {
  const standing = new Map<string, number>();
  for (const run of old.flatMap(unseenIn)) standing.set(run, (standing.get(run) ?? 0) + 1);
  return lines.flatMap(unseenIn).some((run) => {
    const left = standing.get(run) ?? 0;
    standing.set(run, left - 1);
    return left <= 0;
  });
}

/** Whatever stands in the code: its fence is longer than any run of backticks in it. No lines: they go. */
function suggestion(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return [`${fence}suggestion`, ...lines, fence].join('\n');
}
