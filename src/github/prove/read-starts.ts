// What a branch and a draft of ours would start in a repository, held against what the pull request's own runs already were.
import { nameProofBranch, type RedPlan, type StartRefusal, toWorkflowPath } from '../../core/proof/index.ts';
import { readWholeText } from '../../services/index.ts';
import { type GithubFailure, openRepository, recoverFrom } from '../clients/index.ts';
import { renderProofDraft } from '../render/index.ts';
import { judgeStarts, type StartQuestion } from '../workflows/index.ts';
import { type RunBranch, readRunsAt } from './foreign-acts.ts';
import type { ProveWork } from './prove-work.ts';
import { isRestrictedBot, type PlannedRedHalf } from './read-plan.ts';
import { renderTestMessage } from './red-half.ts';
import { ProofRefused, readList, toRefusedCall } from './refusals.ts';

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

/** All runs of Actions at the head, of its own branch. */
export async function readHeadRuns(work: ProveWork, branch: RunBranch): Promise<readonly HeadRunRead[]> {
  const { deps, project, proof, signal } = work;
  const read = openRepository(deps, project, 'read', signal);
  const runs: HeadRunRead[] = [];
  for (const run of await readRunsAt(work, proof.head, branch, 'head_runs')) {
    const { id, path, event, status, conclusion, run_attempt: attempt = 1, created_at: createdAt } = run;
    // What is held has no job. Run again, it goes on, and of having been held only the first attempt tells.
    const of = { run_id: id, attempt_number: 1 };
    const first =
      attempt === 1
        ? conclusion
        : (await read(({ rest }, place) => rest.actions.getWorkflowRunAttempt({ ...place, ...of }))).conclusion;
    runs.push({
      ...{ id, event, createdAt, path: toWorkflowPath(path) },
      isRestricted: [run.actor, run.triggering_actor].some((one) => isRestrictedBot(one?.login)),
      waited: [status, conclusion, first].some((one) => one === 'waiting' || one === 'action_required'),
    });
  }
  return runs;
}

/** Whether the head came after the command: then somebody else than who asked may have pushed it. GitHub's times are whole seconds. */
export function isPushedAfter(runs: readonly Pick<HeadRunRead, 'createdAt'>[], askedAt: string): boolean {
  return runs.length > 0 && runs.every(({ createdAt }) => Date.parse(createdAt) > Date.parse(askedAt) + 1_000);
}

/** What decides what starts besides the commit itself, and may be changed by others at any moment. */
export interface StartGround {
  /** Tips of the draft's base and of the default branch. */
  readonly base: string;
  readonly main: string;
  /** Paths of workflows that somebody has disabled, or GitHub: they start nothing. */
  readonly disabled: readonly string[];
  /** Paths of workflows that rulesets require of pull requests onto the base. */
  readonly required: readonly string[];
}

/** Any other state means that it starts. */
const DISABLED = new Set(['disabled_manually', 'disabled_inactivity', 'disabled_fork']);

export async function readStartGround(
  { deps, project, signal }: ProveWork,
  { baseBranch }: Pick<RedPlan, 'baseBranch'>,
): Promise<StartGround> {
  const read = openRepository(deps, project, 'read', signal);
  const readTip = async (branch: string) =>
    (await read(({ rest }, place) => rest.git.getRef({ ...place, ref: `heads/${branch}` }))).object.sha;
  // One that is not read counts as enabled.
  const workflows = await readList(null, async (page) => {
    return (await read(({ rest }, place) => rest.actions.listRepoWorkflows({ ...place, ...page }))).workflows;
  });
  const rules = await recoverFrom(
    ['refused', 'gone'],
    () =>
      readList('rules', async (page) => {
        const of = { ...page, branch: baseBranch };
        return await read(({ rest }, place) => rest.repos.getBranchRules({ ...place, ...of }));
      }),
    async (error) => {
      if (isWithoutRules(error)) return [];
      throw new ProofRefused({ code: 'rules_unread', refused: await toRefusedCall(error, deps.redactor) });
    },
  );
  const required = rules.flatMap((rule) => (rule.type === 'workflows' ? (rule.parameters?.workflows ?? []) : []));
  return {
    base: await readTip(baseBranch),
    main: await readTip(project.source.defaultBranch),
    disabled: workflows.flatMap(({ path, state }) => (DISABLED.has(state) ? [path] : [])).toSorted(),
    required: [...new Set(required.map(({ path }) => path))].toSorted(),
  };
}

/**
 * Every App may read rules (`metadata: read`). A plan that has no rulesets for private repositories has none of them in force, and
 * says so by these words alone: https://github.com/github/branch-deploy/pull/345
 */
function isWithoutRules({ status, said }: GithubFailure): boolean {
  return status === 403 && /^Upgrade to GitHub \w/.test(said);
}

export interface StartInquest {
  readonly planned: Pick<PlannedRedHalf, 'plan' | 'removed'>;
  readonly runs: readonly HeadRunRead[];
  readonly ground: StartGround;
}

/** Empty: everything that would start is what the head's runs were. */
export async function findStartFaults(
  work: ProveWork,
  { planned: { plan, removed }, runs, ground }: StartInquest,
): Promise<readonly StartRefusal[]> {
  const { deps, project, proof, signal } = work;
  const { defaultBranch } = project.source;
  const read = openRepository(deps, project, 'read', signal);
  const withJobs: StartQuestion['runs'][number][] = [];
  for (const { id, path, event, waited } of runs) {
    const listed = await readList('jobs', async (page) => {
      const of = { run_id: id, filter: 'latest' as const, ...page };
      return (await read(({ rest }, place) => rest.actions.listJobsForWorkflowRun({ ...place, ...of }))).jobs;
    });
    // One without a step was skipped, cancelled before, or refused by its environment.
    const jobs = listed.map(({ name, steps = [] }) => ({ name, ran: steps.length > 0 }));
    // Who let a job of an environment run; once it has, it looks like any other.
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
    ofBase: await readWorkflowFiles(work, ground.base),
    ofDefault: await readWorkflowFiles(work, ground.main),
    ofHead: await readWorkflowFiles(work, proof.head),
    disabled: ground.disabled,
    required: ground.required,
    paths: [...plan.tests, ...removed],
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
