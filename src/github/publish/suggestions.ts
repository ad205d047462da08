// The change of a result as suggestions in a pull request's files: one review with all of it or none, never made twice.

import type { Change, Diff, FileDiff } from 'causeway-diff';
import { createGlobMatcher } from 'causeway-paths';
import { REDACTED } from 'causeway-redact';
import { listInvisible } from 'causeway-visible-text';
import type { InvestigationSettings } from '../../core/project/index.ts';
import type { PostedSuggestions, ThreadRecord } from '../../core/thread/index.ts';
import { openRepository, readPages, recoverFrom } from '../clients/index.ts';
import { renderSuggestions } from '../render/index.ts';
import { toPlace } from './decide.ts';
import type { OwnText, ReviewComment } from './github-writer.ts';
import { readMarker } from './marker.ts';
import { countPost, foldSuggestions } from './post-comments.ts';
import { loadResult, type Result, readPull, type Work } from './view.ts';

/** A file of the pull request; `patch` as GitHub gives it, "" for none. */
interface PulledFile {
  readonly path: string;
  readonly patch: string;
}

/** Lines of the head that a comment can be on, by number. */
type CommentableLines = ReadonlyMap<number, string>;

/** Lines `from` to `to` are replaced; `to` is `from - 1` where lines are only inserted after `to`. */
interface LineEdit {
  readonly from: number;
  readonly to: number;
  readonly old: readonly string[];
  readonly lines: readonly string[];
}

/** More is easier to take as a pull request. */
const MOST = 10;
/** GitHub lists at most 3,000 files of a pull request. */
const MOST_PAGES = 30;

/**
 * One comment for each place of the change; empty where a part of it can't be suggested, such as outside of what the pull request shows.
 * `diff` is against the head that the patches are of.
 */
export function suggestChanges(
  diff: Diff,
  files: readonly PulledFile[],
  paths: InvestigationSettings['paths'],
): readonly ReviewComment[] {
  const all: ReviewComment[] = [];
  for (const file of diff.files) {
    const patch = files.find(({ path }) => path === file.fileName)?.patch ?? '';
    const comments = suggestInFile(file, patch, paths);
    if (comments === null) return [];
    all.push(...comments);
  }
  return all.length > MOST ? [] : all;
}

function suggestInFile(
  file: FileDiff,
  patch: string,
  { allow, block }: InvestigationSettings['paths'],
): readonly ReviewComment[] | null {
  const { fileName: path, status = 'modified' } = file;
  const matches = (glob: string) => createGlobMatcher(glob)(path);
  if (block.some(matches) || (allow.length > 0 && !allow.some(matches))) return null;
  // A suggestion replaces lines and nothing else.
  if (status !== 'modified' || file.mode !== undefined || file.endsWithNewline !== undefined) return null;
  const hunks = readHunks(patch);
  const comments: ReviewComment[] = [];
  for (const edit of toEdits(file.changes)) {
    const placed = placeSuggestion(hunks, edit);
    if (placed === null || placed.from <= (comments.at(-1)?.to ?? 0) || !placed.lines.every(isPlainLine)) return null;
    comments.push({ path, from: placed.from, to: placed.to, body: renderSuggestion(placed.lines) });
  }
  return comments;
}

/** A deletion right after a modification is one edit with it. */
function toEdits(changes: readonly Change[]): readonly LineEdit[] {
  const edits: LineEdit[] = [];
  for (const { type, lines } of changes) {
    const first = lines[0]?.lineNumber ?? 0;
    const added = type === 'delete' ? [] : lines.flatMap(({ newCode }) => newCode.split('\n'));
    const last = edits.at(-1);
    if (type === 'add') {
      edits.push({ from: first + 1, to: first, old: [], lines: added });
      continue;
    }
    const to = first + lines.length - 1;
    const old = lines.map(({ oldCode }) => oldCode);
    if (last === undefined || last.to < last.from || last.to + 1 !== first) {
      edits.push({ from: first, to, old, lines: added });
    } else {
      edits[edits.length - 1] = { from: last.from, to, old: [...last.old, ...old], lines: [...last.lines, ...added] };
    }
  }
  return edits;
}

/** An edit of whole lines that the pull request shows; an insertion takes a neighbouring line along. */
function placeSuggestion(hunks: readonly CommentableLines[], edit: LineEdit): LineEdit | null {
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

function readHunks(patch: string): readonly CommentableLines[] {
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

/** What people can't see where they click "Commit" (CVE-2021-42574), and what was redacted, isn't suggested. */
function isPlainLine(line: string): boolean {
  return listInvisible(line).length === 0 && !line.includes(REDACTED);
}

/** The fence is longer than any run of backticks in the code. */
function renderSuggestion(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return [`${fence}suggestion`, ...lines, fence].join('\n');
}

/** The record with the review, or with the note that there is nothing to suggest. */
export async function suggest(work: Work, number: number): Promise<ThreadRecord> {
  const { view } = work;
  const { record, result } = view;
  if (result === null) return record;
  const kept = await keepSuggestions(work, result);
  if (kept !== null) return { ...record, suggested: kept };
  const review = (await findReview(work, number)) ?? (await createReview(work, number, result));
  const { suggested: earlier } = record;
  if (earlier !== undefined && earlier.reviewId !== 0 && earlier.isMinimized !== true) await foldSuggestions(work);
  const { investigationId } = view.thread;
  const headSha = view.pull?.headSha ?? '';
  if (review === null) return { ...record, suggested: { reviewId: 0, nodeId: '', investigationId, headSha } };
  const suggested = { reviewId: review.id, nodeId: review.nodeId, investigationId, headSha };
  return { ...record, suggested, posts: countPost(work) };
}

/** Those of an earlier analysis of the same head, if they are of the same change. */
async function keepSuggestions({ deps, view }: Work, { issue }: Result): Promise<PostedSuggestions | null> {
  const { suggested } = view.record;
  if (suggested === undefined || suggested.reviewId === 0 || suggested.isMinimized === true) return null;
  const investigation = await deps.store.findInvestigation(suggested.investigationId);
  const before = investigation === null ? null : await loadResult(deps.store, investigation);
  const isSame =
    suggested.headSha === view.pull?.headSha && JSON.stringify(before?.issue.diff) === JSON.stringify(issue.diff);
  return isSame ? { ...suggested, investigationId: view.thread.investigationId } : null;
}

async function findReview({ github, view }: Work, number: number): Promise<OwnText | null> {
  const { id, investigationId } = view.thread;
  const own = await github.listOwnReviews(number);
  const made = own.find(({ body }) => {
    const marker = readMarker(body);
    return marker?.kind === 'suggestions' && marker.threadId === id && marker.investigationId === investigationId;
  });
  return made ?? null;
}

/** Null: there is nothing to suggest, or GitHub refused it. */
async function createReview(work: Work, number: number, { issue }: Result): Promise<OwnText | null> {
  const { view, github, deps, signal } = work;
  const { revision } = issue.analysis;
  const read = openRepository(deps, view.project, 'read', signal);
  const { items: files } = await readPages(MOST_PAGES, (page) =>
    read(({ rest }, place) => rest.pulls.listFiles({ ...place, pull_number: number, ...page })),
  );
  // GitHub lists the files of the current head: after a push they would be those of another commit.
  if ((await readPull(work, number)).headSha !== revision) return null;
  const pulled = files.map(({ filename, patch = '' }) => ({ path: filename, patch }));
  const comments = suggestChanges(issue.diff, pulled, view.config.paths);
  // The code can't be redacted on its way without changing it.
  for (const { body } of comments) if ((await deps.redactor.redact(body)) !== body) return null;
  if (comments.length === 0) return null;
  const text = renderSuggestions(toPlace(view, 'suggestions'), revision, comments.length);
  const create = () => github.createReview(number, revision, text, comments);
  return await recoverFrom<OwnText | null>(['refused'], create, (error) => {
    deps.log.info({ thread: view.thread.id, err: error }, 'GitHub refused suggestions');
    return null;
  });
}
