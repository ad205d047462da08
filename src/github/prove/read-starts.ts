// What a branch and a draft of ours would start in a repository, held against what the pull request's own runs already were.
import type { RedPlan, StartFault } from '../../core/proof/index.ts';
import { readWholeText } from '../../services/index.ts';
import { openRepository, readPages } from '../clients/index.ts';
import { renderProofDraft } from '../render/index.ts';
import { judgeStarts, type StartQuestion } from '../workflows/index.ts';
import type { ProveWork } from './prove-work.ts';
import { isRestrictedBot } from './read-plan.ts';
import { nameProofBranch, renderTestMessage } from './red-half.ts';

const MOST_PAGES = 5;
const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;

export interface HeadRunRead {
  readonly id: number;
  readonly path: string;
  readonly event: string;
  readonly waited: boolean;
  readonly createdAt: string;
  /** Whether it was started with fewer rights than a person's. */
  readonly isRestricted: boolean;
}

/** All runs of Actions at the head. */
export async function readHeadRuns({ deps, project, proof, signal }: ProveWork): Promise<readonly HeadRunRead[]> {
  const read = openRepository(deps, project, 'read', signal);
  const { items } = await readPages(MOST_PAGES, async (page) => {
    const of = { head_sha: proof.head, ...page };
    return (await read(({ rest }, place) => rest.actions.listWorkflowRunsForRepo({ ...place, ...of }))).workflow_runs;
  });
  return items.map(({ id, path, event, status, conclusion, created_at: createdAt, actor, triggering_actor: by }) => ({
    id,
    isRestricted: [actor, by].some((one) => isRestrictedBot(one?.login)),
    // GitHub appends the branch of a workflow that is required from elsewhere.
    path: path.split('@')[0] ?? path,
    event,
    waited: status === 'waiting' || status === 'action_required' || conclusion === 'action_required',
    createdAt,
  }));
}

/** Whether the head came after the command: then somebody else than who asked may have pushed it. GitHub's times are whole seconds. */
export function isPushedAfter(runs: readonly Pick<HeadRunRead, 'createdAt'>[], askedAt: string): boolean {
  return runs.length > 0 && runs.every(({ createdAt }) => Date.parse(createdAt) > Date.parse(askedAt) + 1_000);
}

/** Empty: everything that would start is what the head's runs were. */
export async function findStartFaults(
  work: ProveWork,
  { plan, runs }: { readonly plan: RedPlan; readonly runs: readonly HeadRunRead[] },
): Promise<readonly StartFault[]> {
  const { deps, project, proof, signal } = work;
  const { defaultBranch } = project.source;
  const read = openRepository(deps, project, 'read', signal);
  const readTip = async (branch: string) =>
    (await read(({ rest }, place) => rest.git.getRef({ ...place, ref: `heads/${branch}` }))).object.sha;
  const withJobs: StartQuestion['runs'][number][] = [];
  for (const { id, path, event, waited } of runs) {
    const { items } = await readPages(MOST_PAGES, async (page) => {
      const of = { run_id: id, filter: 'latest' as const, ...page };
      return (await read(({ rest }, place) => rest.actions.listJobsForWorkflowRun({ ...place, ...of }))).jobs;
    });
    const jobs = items.map(({ name, conclusion }) => ({ name, ran: conclusion !== 'skipped' }));
    // Once approved, a run looks like any other.
    const approvals = await read(({ rest }, place) => rest.actions.getReviewsForRun({ ...place, run_id: id }));
    withJobs.push({ path, event, waited: waited || approvals.length > 0, jobs });
  }
  const { botLogin } = await deps.clients.identity(signal);
  const { refusals } = judgeStarts({
    branch: nameProofBranch(proof),
    base: plan.baseBranch,
    defaultBranch,
    repository: project.name,
    actor: botLogin,
    pushed: await readWorkflowFiles(work, plan.base),
    ofBase: await readWorkflowFiles(work, await readTip(plan.baseBranch)),
    ofDefault: await readWorkflowFiles(work, await readTip(defaultBranch)),
    ofHead: await readWorkflowFiles(work, proof.head),
    paths: plan.tests,
    message: renderTestMessage(proof),
    ...renderProofDraft(proof),
    runs: withJobs,
  });
  return refusals;
}

async function readWorkflowFiles({ deps, project, signal }: ProveWork, sha: string): Promise<StartQuestion['pushed']> {
  const repository = await deps.source.open(project, signal);
  if (!(await repository.ensureCommit(sha, signal))) return [{ path: '.github/workflows', text: null }];
  const tree = repository.tree(sha);
  const { entries } = await tree.files(signal);
  const paths = entries.map(({ path }) => path).filter((path) => WORKFLOW.test(path));
  return await Promise.all(paths.map(async (path) => ({ path, text: await readWholeText(tree, path, signal) })));
}
