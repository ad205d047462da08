// What others did on a branch of ours: other Apps, in whatever way, and runs of workflows; held against what they did on the pull request itself.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { type ForeignAct, type NeededList, toWorkflowPath } from '../../core/proof/index.ts';
import { ignoreUnknown, openRepository } from '../clients/index.ts';
import type { ProveWork } from './prove-work.ts';
import { readList } from './refusals.ts';

/** What an App did on an older draft may be mended by now. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;

/** A commit, and the pull request that shows it. */
interface ActPlace {
  readonly sha: string;
  readonly number: number;
}

/** What was done there and on none of the others. */
export async function listActsBesides(
  work: ProveWork,
  there: ActPlace,
  others: readonly ActPlace[],
): Promise<readonly ForeignAct[]> {
  let acts = await readActs(work, there, { needed: 'acts', counts: isStarted });
  for (const place of others) {
    if (acts.length === 0) return [];
    // What is not read of these is missing from what is known, which makes it no more.
    const known = new Set((await readActs(work, place, { needed: null, counts: async () => true })).map(toKey));
    acts = acts.filter((act) => !known.has(toKey(act)));
  }
  return acts;
}

interface EarlierActs {
  readonly acts: readonly ForeignAct[];
  /** Address of the draft on which they were seen. */
  readonly draft: string;
}

/**
 * What others did on the last red half of the repository, and neither on its own pull request nor on this one. It is read
 * from GitHub again: an App may have acted after that half was taken away.
 */
export async function findEarlierActs(work: ProveWork): Promise<EarlierActs | null> {
  const { deps, project, proof } = work;
  const since = new Date(deps.now().getTime() - REMEMBERED_MS).toISOString();
  const last = await deps.store.findLastPushedProof(project.id, since);
  const posted = last !== null && 'posted' in last.progress ? last.progress.posted : null;
  if (last === null || posted === null) return null;
  const half = { sha: posted.testCommit, number: posted.number };
  const heads = [last, proof].map(({ head, pullRequest }) => ({ sha: head, number: pullRequest }));
  const acts = await listActsBesides(work, half, heads);
  return acts.length === 0 ? null : { acts, draft: posted.url };
}

function toKey(act: ForeignAct): string {
  return act.kind === 'app' ? act.slug : JSON.stringify([act.path, act.event]);
}

type ApiRun =
  RestEndpointMethodTypes['actions']['listWorkflowRunsForRepo']['response']['data']['workflow_runs'][number];

interface ActReading {
  readonly needed: NeededList | null;
  /** Whether a run counts as an act. */
  readonly counts: (work: ProveWork, run: ApiRun) => Promise<boolean>;
}

async function readActs(
  work: ProveWork,
  { sha, number }: ActPlace,
  { needed, counts }: ActReading,
): Promise<readonly ForeignAct[]> {
  const { deps, project, signal } = work;
  const read = openRepository(deps, project, 'read', signal);
  const pull = await ignoreUnknown(read(({ rest }, place) => rest.pulls.get({ ...place, pull_number: number })));
  if (pull === null) return [];
  const slugs = await readApps(work, { sha, number, tip: pull.head.sha, needed });
  const acts: ForeignAct[] = slugs.map((slug) => ({ kind: 'app', slug }));
  for (const run of await readRunsAt(work, sha, { number, headBranch: pull.head.ref }, needed)) {
    const { path, event } = run;
    if (await counts(work, run)) acts.push({ kind: 'run', path: toWorkflowPath(path), event });
  }
  return [...new Map(acts.map((act) => [toKey(act), act])).values()];
}

/** Of GitHub's own workflows, such as of code scanning. They name the pull request in place of its branch. */
const DYNAMIC = 'dynamic';
const OF_PULL = ['head', 'merge'];

/**
 * Whether our push or draft did more than ask for it: one of which every job is skipped starts nothing, and while it has no job,
 * nobody knows. What people start on our branch is theirs.
 */
async function isStarted({ deps, project, signal }: ProveWork, run: ApiRun): Promise<boolean> {
  const { id, conclusion, event, actor } = run;
  const { botId } = await deps.clients.identity(signal);
  if (conclusion === 'skipped' || (event !== DYNAMIC && actor?.id !== botId)) return false;
  const read = openRepository(deps, project, 'read', signal);
  const jobs = await readList('acts', async (page) => {
    const of = { run_id: id, ...page };
    return (await read(({ rest }, place) => rest.actions.listJobsForWorkflowRun({ ...place, ...of }))).jobs;
  });
  return jobs.some((job) => job.conclusion !== 'skipped');
}

export interface RunBranch {
  /** Of the pull request. */
  readonly number: number;
  readonly headBranch: string;
}

/** Runs at a commit for that branch: another one, or a fork, may have the same commit, and runs with other rights. */
export async function readRunsAt(
  { deps, project, signal }: ProveWork,
  sha: string,
  { number, headBranch }: RunBranch,
  needed: NeededList | null,
): Promise<readonly ApiRun[]> {
  const read = openRepository(deps, project, 'read', signal);
  const runs = await readList(needed, async (page) => {
    const of = { head_sha: sha, ...page };
    return (await read(({ rest }, place) => rest.actions.listWorkflowRunsForRepo({ ...place, ...of }))).workflow_runs;
  });
  const isOfPull = ({ event, head_branch: name }: ApiRun) =>
    name === headBranch || (event === DYNAMIC && OF_PULL.some((end) => name === `refs/pull/${number}/${end}`));
  return runs.filter((run) => run.head_repository?.id === project.source.repositoryId && isOfPull(run));
}

/** What GitHub notes of a pull request where it is only mentioned elsewhere. */
const ELSEWHERE = new Set(['cross-referenced', 'referenced', 'mentioned', 'subscribed']);

interface TimelineEvent {
  readonly event?: string;
  readonly actor?: Account | null;
  readonly user?: Account | null;
  readonly performed_via_github_app?: { readonly slug?: string } | null;
}

interface Account {
  readonly login: string;
  readonly type: string;
}

/** Slugs of other Apps, in lower case: by their checks, statuses and commits, and by what they did on the pull request. */
async function readApps(
  { deps, project, signal }: ProveWork,
  { sha, number, tip, needed }: ActPlace & { readonly tip: string } & Pick<ActReading, 'needed'>,
): Promise<readonly string[]> {
  const read = openRepository(deps, project, 'read', signal);
  const checks = await readList(needed, async (page) => {
    const runs = await ignoreUnknown(
      read(({ rest }, place) => rest.checks.listForRef({ ...place, ...page, ref: sha, filter: 'all' })),
    );
    return runs?.check_runs ?? [];
  });
  const statuses = await readList(needed, async (page) => {
    const all = read(({ rest }, place) => rest.repos.listCommitStatusesForRef({ ...place, ...page, ref: sha }));
    return (await ignoreUnknown(all)) ?? [];
  });
  const timeline = await readList(needed, async (page) => {
    const of = { ...page, issue_number: number };
    return await read(({ rest }, place) => rest.issues.listEventsForTimeline({ ...place, ...of }));
  });
  const commit = await ignoreUnknown(read(({ rest }, place) => rest.repos.getCommit({ ...place, ref: tip })));
  const events = (timeline as readonly TimelineEvent[]).filter(({ event }) => !ELSEWHERE.has(event ?? ''));
  const accounts = [commit?.author, commit?.committer, ...events.flatMap(({ actor, user }) => [actor, user])];
  const bots = (accounts as readonly (Account | null | undefined)[]).filter((account) => account?.type === 'Bot');
  const names = [
    ...checks.map(({ app }) => app?.slug),
    // CI of others may report through an account of its own.
    ...statuses.map(({ creator }) => creator?.login),
    ...events.map(({ performed_via_github_app: app }) => app?.slug),
    ...bots.map((bot) => bot?.login),
  ];
  const { slug } = await deps.clients.identity(signal);
  const others = names.flatMap((name) => (name ? [name.toLowerCase().replace(/\[bot\]$/, '')] : []));
  return [...new Set(others)].filter((name) => name !== slug.toLowerCase() && !OF_GITHUB.has(name)).toSorted();
}

/** What acts for a workflow, whose run is seen by itself. */
const OF_GITHUB = new Set(['github-actions']);
