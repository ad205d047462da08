// The change of a result as suggestions in a pull request's files: one review, all of it or none, never made twice.

import type { Change, Diff, FileDiff } from '../../core/issue.ts';
import { createGlobMatcher } from '../../core/paths.ts';
import { getRepository } from '../../core/project.ts';
import { REDACTED } from '../../core/report.ts';
import type { InvestigationSettings } from '../../core/settings.ts';
import { unseenIn } from '../../core/text.ts';
import type { PostedSuggestions, ThreadRecord } from '../../core/thread.ts';
import { renderSuggestions } from '../render/comment.ts';
import { minimize } from './comment-effects.ts';
import { keepRecentPosts } from './decide.ts';
import { readPages, recoverFrom } from './github-calls.ts';
import { markerIn } from './marker.ts';
import type { OwnReview, ReviewComment } from './outbox.ts';
import { loadResult, lookAtPull, type Result, type Work } from './view.ts';
import { toPlace } from './wanted-comment.ts';

/** A file of the pull request; `patch` as GitHub gives it, "" where there is none. */
interface PulledFile {
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
export function suggestChanges(
  diff: Diff,
  files: readonly PulledFile[],
  paths: InvestigationSettings['paths'],
): readonly ReviewComment[] {
  const patches = new Map(files.map(({ path, patch }) => [path, patch]));
  const made = diff.files.map((file) => suggestInFile(file, patches.get(file.fileName) ?? '', paths));
  if (made.some((one) => one === null)) return [];
  const all = made.flatMap((one) => one ?? []);
  return all.length > MOST ? [] : all;
}

function suggestInFile(
  file: FileDiff,
  patch: string,
  { allow, block }: InvestigationSettings['paths'],
): readonly ReviewComment[] | null {
  const { fileName: path, status = 'modified' } = file;
  const fits = (glob: string) => createGlobMatcher(glob)(path);
  if (block.some(fits) || (allow.length > 0 && !allow.some(fits))) return null;
  // Of these nothing can be said in lines.
  if (status !== 'modified' || file.mode !== undefined || file.endsWithNewline !== undefined) return null;
  const hunks = readHunks(patch);
  const comments: ReviewComment[] = [];
  for (const edit of toEdits(file.changes)) {
    const placed = placeEdit(hunks, edit);
    if (placed === null || placed.from <= (comments.at(-1)?.to ?? 0) || !isPlain(placed)) return null;
    comments.push({ path, from: placed.from, to: placed.to, body: renderSuggestion(placed.lines) });
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
function toEdits(changes: readonly Change[]): readonly LineEdit[] {
  const edits: LineEdit[] = [];
  for (const change of changes) {
    const edit = toEdit(change);
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

function toEdit({ type, lines }: Change): LineEdit {
  const first = lines[0]?.lineNumber ?? 0;
  const fresh = type === 'delete' ? [] : lines.flatMap(({ newCode }) => newCode.split('\n'));
  if (type === 'add') return { from: first + 1, to: first, old: [], lines: fresh };
  return { from: first, to: first + lines.length - 1, old: lines.map(({ oldCode }) => oldCode), lines: fresh };
}

/** Where a suggestion can replace whole lines; one that only adds takes the line beside it along. Null: nowhere. */
function placeEdit(hunks: readonly ShownHunk[], edit: LineEdit): LineEdit | null {
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
function readHunks(patch: string): readonly ShownHunk[] {
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
function renderSuggestion(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return [`${fence}suggestion`, ...lines, fence].join('\n');
}

/** GitHub lists no more than 3,000 files of a pull request. */
const MOST_PAGES = 30;

/** That there is nothing to suggest for this result. */
const NONE: Pick<PostedSuggestions, 'reviewId' | 'nodeId'> = { reviewId: 0, nodeId: '' };

export async function suggest(work: Work, number: number): Promise<ThreadRecord> {
  const { view } = work;
  if (view.result === null) return view.record;
  const carried = await carryOver(work, view.result);
  if (carried !== null) return { ...view.record, suggested: carried };
  const review = (await findReview(work, number)) ?? (await makeReview(work, number, view.result));
  await foldEarlier(work);
  if (review === null) return recordReview(work, NONE);
  const now = work.deps.now();
  const posts = [...keepRecentPosts(view.record.posts, now), now.toISOString()];
  return { ...recordReview(work, { reviewId: review.id, nodeId: review.nodeId }), posts };
}

/** Another analysis of the same head with the same change: what stands there is its own. */
async function carryOver({ deps, view }: Work, result: Result): Promise<PostedSuggestions | null> {
  const { suggested } = view.record;
  const isOther = suggested?.headSha !== view.pull?.headSha || suggested?.isMinimized === true;
  if (suggested === undefined || suggested.reviewId === 0 || isOther) return null;
  const investigation = await deps.store.findInvestigation(suggested.investigationId);
  const before = investigation === null ? null : await loadResult(deps, investigation);
  if (before === null || JSON.stringify(before.issue.diff) !== JSON.stringify(result.issue.diff)) return null;
  return { ...suggested, investigationId: view.thread.investigationId };
}

async function findReview({ outbox, view, signal }: Work, number: number): Promise<OwnReview | null> {
  const { id, investigationId } = view.thread;
  const own = await outbox.ownReviews(number, signal);
  const made = own.find(({ body }) => {
    const marker = markerIn(body);
    return marker?.kind === 'suggestions' && marker.threadId === id && marker.investigationId === investigationId;
  });
  return made ?? null;
}

/** Null: there is nothing to suggest, or GitHub takes it nowhere in the diff. */
async function makeReview(work: Work, number: number, { issue }: Result): Promise<OwnReview | null> {
  const { view, outbox, deps, signal } = work;
  const wanted = new Set(issue.diff.files.map(({ fileName }) => fileName));
  const { revision } = issue.analysis;
  const files = await listFiles(work, number, wanted);
  // GitHub lists the files of the head as it is then: whoever pushed meanwhile would be shown lines of another commit.
  if ((await lookAtPull(work, number)).headSha !== revision) return null;
  const comments = suggestChanges(issue.diff, files, view.config.paths);
  if (comments.length === 0 || !(await areClean(work, comments))) return null;
  const body = renderSuggestions({ place: toPlace(view, 'suggestions'), sha: revision, count: comments.length });
  const create = () => outbox.createReview(number, { commitId: revision, body, comments }, signal);
  return await recoverFrom<OwnReview | null>(['refused'], create, (error) => {
    deps.log.info({ thread: view.thread.id, err: error }, 'GitHub took no suggestions');
    return null;
  });
}

/** Those of the pull request that the change is about. */
async function listFiles({ deps, view, signal }: Work, number: number, wanted: Set<string>): Promise<PulledFile[]> {
  const caller = deps.clients.repository(view.project.source, 'read');
  const of = { ...getRepository(view.project), pull_number: number };
  const files = await readPages(MOST_PAGES, async (page) => {
    const { data } = await caller.call(
      ({ rest }, request) => rest.pulls.listFiles({ ...of, ...page, request }),
      signal,
    );
    return data;
  });
  return files.flatMap(({ filename, patch }) => (wanted.has(filename) ? [{ path: filename, patch: patch ?? '' }] : []));
}

/** They stand to the letter, so that nothing in them can be cleaned on the way. */
async function areClean({ deps }: Work, comments: readonly ReviewComment[]): Promise<boolean> {
  for (const { body } of comments) {
    if ((await deps.redactor.redact(body)) !== body) return false;
  }
  return true;
}

/** Those of an earlier result are over. */
async function foldEarlier(work: Work): Promise<void> {
  const { suggested } = work.view.record;
  if (suggested === undefined || suggested.reviewId === 0 || suggested.isMinimized === true) return;
  await minimize(work, suggested.nodeId);
}

function recordReview({ view }: Work, review: typeof NONE): ThreadRecord {
  const { investigationId } = view.thread;
  return { ...view.record, suggested: { ...review, investigationId, headSha: view.pull?.headSha ?? '' } };
}
