// Suggestions in a pull request's files, as one review: looked for by its marker before it is made, and never made twice.
import { repositoryOf } from '../../core/project.ts';
import type { PostedSuggestions, ThreadRecord } from '../../core/thread.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { suggestionsText } from '../render/suggestions-text.ts';
import type { Result, Work } from './deps.ts';
import { recentPosts } from './desired.ts';
import { unlessClosed } from './fold-away.ts';
import { lookAtPull } from './live-pull.ts';
import { markerIn } from './marker.ts';
import type { OwnReview, ReviewComment } from './outbox.ts';
import { placeOf } from './place-of.ts';
import { resultOf } from './results.ts';
import { type PulledFile, suggestionsFor } from './suggestions.ts';

const PAGE = 100;
/** GitHub lists no more than 3,000 files of a pull request. */
const MOST_PAGES = 30;
/** That there is nothing to suggest for this result. */
const NONE: Pick<PostedSuggestions, 'reviewId' | 'nodeId'> = { reviewId: 0, nodeId: '' };

export async function suggest(work: Work, number: number): Promise<ThreadRecord> {
  const { view } = work;
  if (view.result === null) return view.record;
  const carried = await carriedOver(work, view.result);
  if (carried !== null) return { ...view.record, suggested: carried };
  const review = (await foundReview(work, number)) ?? (await madeReview(work, number, view.result));
  await foldEarlier(work);
  if (review === null) return recorded(work, NONE);
  const now = work.deps.now();
  const posts = [...recentPosts(view.record.posts, now), now.toISOString()];
  return { ...recorded(work, { reviewId: review.id, nodeId: review.nodeId }), posts };
}

/** Another analysis of the same head with the same change: what stands there is its own. */
async function carriedOver({ deps, view }: Work, result: Result): Promise<PostedSuggestions | null> {
  const { suggested } = view.record;
  const isOther = suggested?.headSha !== view.pull?.headSha || suggested?.isMinimized === true;
  if (suggested === undefined || suggested.reviewId === 0 || isOther) return null;
  const investigation = await deps.store.investigation(suggested.investigationId);
  const before = investigation === null ? null : await resultOf(deps, investigation);
  if (before === null || JSON.stringify(before.issue.diff) !== JSON.stringify(result.issue.diff)) return null;
  return { ...suggested, investigationId: view.thread.investigationId };
}

async function foundReview({ outbox, view, signal }: Work, number: number): Promise<OwnReview | null> {
  const { id, investigationId } = view.thread;
  const own = await outbox.ownReviews(number, signal);
  const made = own.find(({ body }) => {
    const marker = markerIn(body);
    return marker?.kind === 'suggestions' && marker.threadId === id && marker.investigationId === investigationId;
  });
  return made ?? null;
}

/** Null: there is nothing to suggest, or GitHub takes it nowhere in the diff. */
async function madeReview(work: Work, number: number, { issue }: Result): Promise<OwnReview | null> {
  const { view, outbox, deps, signal } = work;
  const wanted = new Set(issue.diff.files.map(({ fileName }) => fileName));
  const { revision } = issue.analysis;
  const files = await filesOf(work, number, wanted);
  // GitHub lists the files of the head as it is then: whoever pushed meanwhile would be shown lines of another commit.
  if ((await lookAtPull(work, number)).headSha !== revision) return null;
  const comments = suggestionsFor(issue.diff, files, view.config.paths);
  if (comments.length === 0 || !(await areClean(work, comments))) return null;
  const body = suggestionsText({ place: placeOf(view, 'suggestions'), sha: revision, count: comments.length });
  try {
    return await outbox.createReview(number, { commitId: revision, body, comments }, signal);
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind !== 'refused') throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'GitHub took no suggestions');
    return null;
  }
}

/** Until all that are wanted were seen. */
async function filesOf({ deps, view, signal }: Work, number: number, wanted: Set<string>): Promise<PulledFile[]> {
  const caller = deps.clients.repository(view.project.source, 'read');
  const place = repositoryOf(view.project);
  const files: PulledFile[] = [];
  for (let page = 1; page <= MOST_PAGES && wanted.size > 0; page += 1) {
    const { data } = await caller.call(
      ({ rest }, request) => rest.pulls.listFiles({ ...place, pull_number: number, per_page: PAGE, page, request }),
      signal,
    );
    for (const { filename, patch } of data) {
      if (wanted.delete(filename)) files.push({ path: filename, patch: patch ?? '' });
    }
    if (data.length < PAGE) break;
  }
  return files;
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
  await unlessClosed(work, suggested.nodeId, (id) => work.outbox.minimize(id, work.signal));
}

function recorded({ view }: Work, review: typeof NONE): ThreadRecord {
  const { investigationId } = view.thread;
  return { ...view.record, suggested: { ...review, investigationId, headSha: view.pull?.headSha ?? '' } };
}
