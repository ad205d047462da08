// Follows a revert that GitHub opened for us: its proof, its text, and its end once the branch passes without it.

import { type NamedCheck, removeDuration } from '../../core/check/index.ts';
import type { RedHalf } from '../../core/proof/index.ts';
import { judgeRevert, type PostedRevert, type RevertProof } from '../../core/put-back/index.ts';
import { renderRevert, renderRevertClosed } from '../render/index.ts';
import type { LivePullRequest } from './github-writer.ts';
import { formatRevertMarker, hasRevertMarker, isAsSealed, sealText } from './marker.ts';
import { describeRevert, findPassedAt, type PutBackWork, readForPutBack } from './put-back-view.ts';
import { collectRedHalf, measureWait, readNamedChecks, toGreenCheck, toHalfPlace } from './read-halves.ts';

interface FollowedRevert {
  readonly pull: PostedRevert;
  /** When to look again, in milliseconds; null: when something happens. */
  readonly waitMs: number | null;
}

/** In case an event is missed. */
const POLL_MS = 300_000;

export async function followRevert(work: PutBackWork, posted: PostedRevert): Promise<FollowedRevert> {
  const { github } = work;
  const live = await github.readPullRequest(posted.number);
  const passedAt = (await findPassedAt(work)) ?? '';
  if (live.state !== 'open') {
    // Closed by us before a crash: the comment is there.
    const isOurEnd =
      posted.state === 'open' && live.state === 'closed' && passedAt !== '' && (await hasReason(work, live));
    const pull = { ...posted, state: live.state, closedFor: isOurEnd ? passedAt : posted.closedFor };
    await updateText(work, live, { pull, passedAt: pull.closedFor ?? '' });
    return { pull, waitMs: null };
  }
  const taken = { ...posted, state: live.state, isTaken: isTakenOver(posted, live) };
  if (passedAt !== '' && !taken.isTaken) return await closeRevert(work, live, { pull: taken, passedAt });
  const pull = taken.isTaken ? taken : { ...taken, proof: await proveRevert(work, taken, live) };
  await updateText(work, live, { pull, passedAt });
  return { pull, waitMs: pull.proof.kind === 'waiting' && !pull.isTaken ? POLL_MS : null };
}

/** Pushed to, made ready, or opened again after it was closed. */
function isTakenOver(posted: PostedRevert, live: LivePullRequest): boolean {
  const isReady = posted.isDraft && !live.isDraft;
  return posted.isTaken || posted.state === 'closed' || isReady || live.headSha !== posted.headSha;
}

/** The comment first, which is found again after a crash. */
async function closeRevert(
  work: PutBackWork,
  live: LivePullRequest,
  { pull, passedAt }: { readonly pull: PostedRevert; readonly passedAt: string },
): Promise<FollowedRevert> {
  const { github, view } = work;
  const { id } = view.putBack;
  if (!(await hasReason(work, live))) {
    const branch = view.project.source.defaultBranch;
    await github.createComment(pull.number, renderRevertClosed(branch, passedAt, formatRevertMarker(id, 'closed')));
  }
  await github.closePullRequest(pull.number);
  const closed = { ...pull, state: 'closed', closedFor: passedAt } as const;
  await updateText(work, live, { pull: closed, passedAt });
  return { pull: closed, waitMs: null };
}

async function hasReason({ github, view }: PutBackWork, { number, createdAt }: LivePullRequest): Promise<boolean> {
  const own = await github.listOwnComments(number, createdAt);
  return own.some(({ body }) => hasRevertMarker(body, view.putBack.id, 'closed'));
}

/** What is proven stays so for its commit. */
async function proveRevert(work: PutBackWork, posted: PostedRevert, live: LivePullRequest): Promise<RevertProof> {
  if (posted.proof.kind === 'proven') return posted.proof;
  const head = await readForPutBack(work)(({ rest }, place) =>
    rest.git.getCommit({ ...place, commit_sha: posted.headSha }),
  );
  const base = head.parents[0]?.sha ?? '';
  const onBase = base === '' ? [] : await readNamedChecks(toHalfPlace(work), base);
  const named = await readNamedChecks(toHalfPlace(work), posted.headSha);
  return judgeRevert({
    base,
    red: await readBrokenHalf(work, onBase),
    onBase: onBase.map(({ latest }) => latest),
    checks: named.map(toGreenCheck),
    isLate: measureWait(named, work.deps.now().getTime() - Date.parse(live.createdAt)) <= 0,
  });
}

/** Checks of the failure that failed on the base for the same reason; null: they have not ended. */
async function readBrokenHalf(work: PutBackWork, onBase: readonly NamedCheck[]): Promise<RedHalf | null> {
  const { finding, failure } = work.view;
  const names = new Set((finding?.checks ?? []).map(({ name, app = '' }) => `${app}\n${name}`));
  const own = onBase.map(({ latest }) => latest).filter(({ name, app }) => names.has(`${app}\n${name}`));
  if (own.some(({ state }) => state === 'waiting')) return null;
  const wanted = new Set(finding?.excerpt.tests ?? []);
  const error = removeDuration(finding?.excerpt.headline ?? failure.headline);
  const red = own.filter(({ state }) => state === 'red');
  return await collectRedHalf(toHalfPlace(work), red, ({ tests, firstError }) => {
    const same = tests.filter((test) => wanted.has(test));
    // A log without names of tests is compared by its error, and a check without a log by its name.
    const isSame =
      wanted.size > 0 && tests.length > 0 ? same.length > 0 : ['', error].includes(removeDuration(firstError));
    return isSame ? same : null;
  });
}

/** Not where people have edited the body. */
async function updateText(
  work: PutBackWork,
  live: LivePullRequest,
  { pull, passedAt }: { readonly pull: PostedRevert; readonly passedAt: string },
): Promise<void> {
  const { github, view, deps } = work;
  if (!isAsSealed(live.body)) return;
  const reverted = await readReverted(work, pull.reverts);
  const { proof, isTaken } = pull;
  const { body } = renderRevert(describeRevert(view, deps.webUrl, { reverted, proof, isTaken, passedAt }));
  const text = sealText(body);
  if (text !== live.body) await github.updatePullRequest(pull.number, text);
}

async function readReverted(work: PutBackWork, number: number) {
  const { title, user } = await readForPutBack(work)(({ rest }, place) =>
    rest.pulls.get({ ...place, pull_number: number }),
  );
  return { number, title, author: user?.login ?? '' };
}
