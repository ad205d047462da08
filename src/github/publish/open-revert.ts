// Opens GitHub's own revert of the pull request that brought a commit, as a draft, or says why not.

import { isAtLeast } from '../../core/project/index.ts';
import { DAY_MS, type JudgedDay, judgeDay } from '../../core/proof/index.ts';
import {
  listProtected,
  MOST_HOME_FILES,
  type PostedRevert,
  type PutBackRefusal,
  type PutBackState,
  type RevertAtHome,
} from '../../core/put-back/index.ts';
import { FORBIDDEN, type GithubFailure, ignoreUnknown, readPages, recoverFrom } from '../clients/index.ts';
import { type RevertText, renderRevert } from '../render/index.ts';
import type { ListedPullRequest, LivePullRequest } from './github-writer.ts';
import { hasRevertMarker, sealText } from './marker.ts';
import { describeRevert, isStillBroken, type PutBackWork, readForPutBack } from './put-back-view.ts';

/** GitHub shows at most 3,000 files of a pull request; more than these no person reads. */
const FILE_PAGES = 3;
/** Answers that may be lost before it is given up. */
const MOST_TRIES = 3;

interface Prepared {
  readonly kind: 'prepared';
  readonly nodeId: string;
  readonly reverted: RevertText['reverted'];
  readonly home: RevertAtHome;
}

type Refused = Extract<PutBackState, { readonly kind: 'refused' }>;

/** The next state of one that is requested or being opened; recorded before the next step. */
export async function openRevert(work: PutBackWork): Promise<PutBackState> {
  const { state } = work.view.putBack;
  const listed = await work.github.listNewestPullRequests();
  const made = listed.find((one) => one.isOurs && hasRevertMarker(one.body, work.view.putBack.id, 'pull-request'));
  if (made !== undefined) return toOpened(made, state.kind === 'opening' ? state.reverts : 0);
  const prepared = await prepareRevert(work, listed);
  if (prepared.kind === 'refused') return prepared;
  const { number } = prepared.reverted;
  // Recorded first: from then on it is looked for.
  if (state.kind !== 'opening') return { kind: 'opening', reverts: number, tries: 0 };
  if (state.tries >= MOST_TRIES) return refuseRevert(work, { code: 'github_refused', home: prepared.home });
  return await revertOnGithub(work, prepared);
}

async function revertOnGithub(work: PutBackWork, { nodeId, reverted, home }: Prepared): Promise<PutBackState> {
  const { github, view, deps } = work;
  const text = describeRevert(view, deps.webUrl, {
    reverted,
    proof: { kind: 'waiting' },
    isTaken: false,
    passedAt: '',
  });
  const { title, body } = renderRevert(text);
  const open = async (): Promise<PutBackState> => {
    const live = await github.revertPullRequest(nodeId, { title, body: sealText(body), isDraft: true });
    return toOpened(live, reverted.number);
  };
  return await recoverFrom(['refused', 'gone'], open, async (error) => {
    deps.log.warn({ putBack: view.putBack.id, err: error }, 'GitHub refused to revert a pull request');
    return refuseRevert(work, await toRefusal(work, error, home));
  });
}

async function toRefusal({ deps }: PutBackWork, error: GithubFailure, home: RevertAtHome): Promise<PutBackRefusal> {
  if (error.kind === 'gone' || FORBIDDEN.test(error.said)) return { code: 'github_refused', home };
  return { code: 'conflict', said: await deps.redactor.redact(error.said), home };
}

function toOpened(live: LivePullRequest, reverts: number): PutBackState {
  const { number, url, branch, headSha, state, isDraft } = live;
  const pull: PostedRevert = {
    number,
    url,
    branch,
    headSha,
    reverts,
    state,
    isDraft,
    isTaken: false,
    proof: { kind: 'waiting' },
    closedFor: null,
  };
  return { kind: 'opened', pull };
}

/** Where it was requested in a comment, that is answered next. */
function refuseRevert({ view }: PutBackWork, reason: PutBackRefusal): Refused {
  return { kind: 'refused', reason, isTold: view.putBack.request.number === null };
}

/** All that can be said against it, the cheapest question first; else what is reverted. */
async function prepareRevert(work: PutBackWork, listed: readonly ListedPullRequest[]): Promise<Prepared | Refused> {
  const { deps, view, signal } = work;
  const { putBack, project, opens, lacks } = view;
  if (!opens) return refuseRevert(work, { code: 'turned_off', lacks });
  if (!(await isStillBroken(work))) return refuseRevert(work, { code: 'checks_pass' });
  if (!isAtLeast(await deps.permissions.roleNow(putBack.request, project, signal), 'write')) {
    return refuseRevert(work, { code: 'no_write_access' });
  }
  const read = readForPutBack(work);
  const { archived, default_branch: branch } = await read(({ rest }, place) => rest.repos.get({ ...place }));
  if (archived) return refuseRevert(work, { code: 'archived' });
  const day = await judgeToday(work);
  if (day.kind === 'full') {
    const { limit, freeAt } = day;
    return refuseRevert(work, { code: 'day_limit', limit, freeAt, home: await readHome(work, null) });
  }
  const pull = await findReverted(work, branch);
  if (pull === null) return refuseRevert(work, { code: 'pushed_directly', home: await readHome(work, null) });
  const files = await readPages(FILE_PAGES, (page) =>
    read(({ rest }, place) => rest.pulls.listFiles({ ...place, pull_number: pull.number, ...page })),
  );
  const paths = files.items.flatMap(({ filename, previous_filename: before }) =>
    before === undefined ? [filename] : [filename, before],
  );
  const home = await readHome(work, paths);
  if (files.isCut) return refuseRevert(work, { code: 'too_many_files', home });
  const kept = listProtected(paths);
  if (kept.length > 0)
    return refuseRevert(work, { code: 'protected', paths: await deps.redactor.redactJson(kept), home });
  const rival = listed.find((one) => one.state === 'open' && !one.isOfFork && isRevertBranch(one.branch, pull.number));
  if (rival !== undefined) return refuseRevert(work, { code: 'rival_open', number: rival.number });
  const { number, node_id: nodeId, title, user } = pull;
  return { kind: 'prepared', nodeId, reverted: { number, title, author: user?.login ?? '' }, home };
}

/** One that is being opened is of the day already. */
async function judgeToday({ deps, view }: PutBackWork): Promise<JudgedDay> {
  const { putBack, project, ciRunsDay: limit } = view;
  const since = new Date(deps.now().getTime() - DAY_MS).toISOString();
  const caused = putBack.state.kind === 'opening' ? [] : await deps.store.listCausedRuns(project.id, since);
  return judgeDay({ caused, waiting: 0, limit });
}

/** As GitHub names it for everybody who presses its button. */
function isRevertBranch(branch: string, number: number): boolean {
  return branch.startsWith(`revert-${number}-`);
}

/** The pull request that brought the commit to the branch; null: none, or several that don't tell. */
async function findReverted(work: PutBackWork, branch: string) {
  const { sha } = work.view.putBack.step;
  const found = await ignoreUnknown(
    readForPutBack(work)(({ rest }, place) =>
      rest.repos.listPullRequestsAssociatedWithCommit({ ...place, commit_sha: sha }),
    ),
  );
  const merged = (found ?? []).filter(({ merged_at: at, base }) => at !== null && base.ref === branch);
  const [first = null, ...others] = merged;
  return merged.find((one) => one.merge_commit_sha === sha) ?? (others.length === 0 ? first : null);
}

/** `paths`: of the pull request; null: those of the commit. */
async function readHome(work: PutBackWork, paths: readonly string[] | null): Promise<RevertAtHome> {
  const { sha } = work.view.putBack.step;
  const read = readForPutBack(work);
  const commit = await ignoreUnknown(read(({ rest }, place) => rest.repos.getCommit({ ...place, ref: sha })));
  const all = paths ?? (commit?.files ?? []).map(({ filename }) => filename);
  const files = await work.deps.redactor.redactJson(all.slice(0, MOST_HOME_FILES));
  return { sha, isMerge: (commit?.parents.length ?? 0) > 1, files, more: all.length - files.length };
}
