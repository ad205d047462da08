// What waits for a person in the projects that they see: the first thing that they should read.
import type { Permissions } from '../core/account/index.ts';
import { type Failure, findBlamedCommit, isMostlyFlaky, mayNameCommits } from '../core/check/index.ts';
import { type ConfigurationOf, isAtLeast, isGithubProject, type Project } from '../core/project/index.ts';
import type { ChecksState } from '../core/thread/index.ts';
import type { IssueLine, Store } from '../db/index.ts';
import { type Asking, type KnownProjects, listVisibleIssueLines } from './access.ts';

/** One thing that waits; `since`: ISO 8601, of a red branch when it was last seen red. */
export type Need =
  /** The default branch fails, and neither a flaky test nor the CI machine is to blame. `commit`: null where none is likelier than the others. */
  | {
      readonly kind: 'red_branch';
      readonly project: Project;
      readonly failure: Failure;
      readonly commit: ReturnType<typeof findBlamedCommit>;
      readonly since: string;
    }
  /** `issue` null: it was deleted. */
  | {
      readonly kind: 'pull_request';
      readonly project: Project;
      readonly number: number;
      readonly url: string;
      readonly checks: ChecksState;
      readonly issue: IssueLine | null;
      readonly since: string;
    }
  /** The investigation went no further without an answer. */
  | { readonly kind: 'questions'; readonly project: Project; readonly issue: IssueLine; readonly since: string }
  /** The project's configuration file has an error; `problem`: a sentence. */
  | { readonly kind: 'configuration'; readonly project: Project; readonly problem: string }
  /** Events of the last days that the account's own addresses did not take. */
  | { readonly kind: 'deliveries'; readonly count: number; readonly since: string };

interface NeedDeps {
  readonly store: Store;
  readonly permissions: Permissions;
  readonly configurationOf: ConfigurationOf;
  readonly now: () => Date;
}

const DAY_MS = 86_400_000;
/** An older question is no longer shown. */
const QUESTION_DAYS = 30;
const DELIVERY_DAYS = 3;
/** Read of each kind: more than a person works through, and a bound on what one page costs. */
const MOST_READ = 100;
/** Open failures of default branches that are counted. */
const MOST_RED = 1_000;
/** Files that are asked for at once, and how long GitHub may take for all of them: the page does not wait longer. */
const MOST_FILES = 12;
const FILES_MS = 800;

/**
 * The most urgent kind first, within a kind the newest. Only what the person can do something about: pull requests and
 * questions from the triage role on, files from write on. GitHub not answering leaves files out.
 */
export async function findNeeds(deps: NeedDeps, asking: Asking, known: KnownProjects): Promise<readonly Need[]> {
  const byId = new Map(known.projects.map((project) => [project.id, project]));
  const canAct = (id: string) => isAtLeast(known.roles.get(id) ?? 'none', 'triage');
  const ids = known.projects.map(({ id }) => id);
  const acting = ids.filter(canAct);
  const [red, pullRequests, questions, files, deliveries] = await Promise.all([
    listRedBranches(deps, ids, byId),
    listPullRequests(deps, asking, acting, byId),
    listNeededQuestions(deps, asking, acting, byId),
    listFaultyFiles(deps, asking, known),
    countFailedDeliveries(deps, asking),
  ]);
  return [...red, ...pullRequests, ...questions, ...files, ...deliveries];
}

type Projects = ReadonlyMap<string, Project>;

async function listRedBranches({ store }: NeedDeps, ids: readonly string[], byId: Projects): Promise<readonly Need[]> {
  const failures = await store.listFailures(ids, { state: 'open', isOnDefault: true, limit: MOST_READ });
  return failures.flatMap((failure) => {
    const project = byId.get(failure.projectId);
    // An archived repository cannot be changed.
    if (project === undefined || isArchived(project) || !breaksBranch(failure)) return [];
    return [
      { kind: 'red_branch' as const, project, failure, commit: findBlamedCommit(failure), since: failure.lastSeen.at },
    ];
  });
}

function isArchived({ source }: Project): boolean {
  return source.kind === 'github' && source.isArchived;
}

/** A flaky test and a broken machine are no reason to change the branch. */
function breaksBranch(failure: Failure): boolean {
  return mayNameCommits(failure.lastSeen.verdict) && !isMostlyFlaky(failure);
}

async function listPullRequests(
  deps: NeedDeps,
  asking: Asking,
  ids: readonly string[],
  byId: Projects,
): Promise<readonly Need[]> {
  const opened = await deps.store.listOpenedPullRequests(ids, MOST_READ);
  const open = opened.filter(({ pullRequest }) => pullRequest.state === 'open');
  const issues = await readIssues(
    deps,
    asking,
    ids,
    open.map(({ pullRequest }) => pullRequest.issueId),
  );
  // Those that can be merged first.
  const ready = open.toSorted(
    (a, b) => Number(b.pullRequest.checks === 'green') - Number(a.pullRequest.checks === 'green'),
  );
  return ready.flatMap(({ pullRequest: { number, url, checks, issueId }, projectId, changedAt }) => {
    const project = byId.get(projectId);
    if (project === undefined) return [];
    const issue = issues.get(issueId) ?? null;
    return [
      { kind: 'pull_request' as const, project, number, url, checks, issue, since: issue?.createdAt ?? changedAt },
    ];
  });
}

async function readIssues(
  deps: NeedDeps,
  asking: Asking,
  projectIds: readonly string[],
  issueIds: readonly string[],
): Promise<ReadonlyMap<string, IssueLine>> {
  const lines = await listVisibleIssueLines(deps, asking, { projectIds, issueIds, limit: MOST_READ });
  return new Map(lines.map((line) => [line.id, line]));
}

/** Of one report only the newest answer counts: a question may have been answered since. */
async function listNeededQuestions(
  deps: NeedDeps,
  asking: Asking,
  projectIds: readonly string[],
  byId: Projects,
): Promise<readonly Need[]> {
  const since = new Date(deps.now().getTime() - QUESTION_DAYS * DAY_MS).toISOString();
  const lines = await listVisibleIssueLines(deps, asking, { projectIds, limit: MOST_READ });
  const seen = new Set<string>();
  return lines.flatMap((issue) => {
    const subject = issue.reference === '' ? issue.id : `${issue.projectId} ${issue.reference}`;
    const isNewest = !seen.has(subject);
    seen.add(subject);
    const project = byId.get(issue.projectId);
    if (project === undefined || !isNewest || issue.outcome !== 'needs_information' || issue.createdAt < since)
      return [];
    return [{ kind: 'questions' as const, project, issue, since: issue.createdAt }];
  });
}

async function listFaultyFiles(
  { configurationOf }: NeedDeps,
  { signal }: Asking,
  { projects, roles }: KnownProjects,
): Promise<readonly Need[]> {
  const own = projects.filter(
    (project) => isGithubProject(project) && isAtLeast(roles.get(project.id) ?? 'none', 'write'),
  );
  const limited = AbortSignal.any([signal, AbortSignal.timeout(FILES_MS)]);
  const found = await Promise.all(
    own.slice(0, MOST_FILES).map(async (project) => {
      // The page is useful without it, and the settings' own page says what is wrong.
      const problem = await configurationOf(project, limited).then(
        (configuration) => configuration.problem,
        () => '',
      );
      return problem === '' ? [] : [{ kind: 'configuration' as const, project, problem }];
    }),
  );
  return found.flat();
}

async function countFailedDeliveries({ store, now }: NeedDeps, { account }: Asking): Promise<readonly Need[]> {
  const since = new Date(now().getTime() - DELIVERY_DAYS * DAY_MS).toISOString();
  const failed = (await store.listWebhooks(account.id, MOST_READ, { state: 'dead' })).filter(
    ({ createdAt }) => createdAt >= since,
  );
  const last = failed.at(-1);
  return last === undefined ? [] : [{ kind: 'deliveries', count: failed.length, since: last.createdAt }];
}

/** Whether the default branch of a project passes. `unseen`: none of its checks was seen. `unknown`: since its last pass only a flaky test or the CI machine failed. */
export type BranchState =
  | { readonly kind: 'red'; readonly failures: number }
  | { readonly kind: 'green'; readonly passedAt: string }
  | { readonly kind: 'unseen' | 'unknown' };

/** Of the projects on GitHub that are not archived; others have no checks. */
export async function readBranchStates(
  { store }: Pick<NeedDeps, 'store'>,
  projects: readonly Project[],
): Promise<ReadonlyMap<string, BranchState>> {
  const ids = projects.filter((one) => isGithubProject(one) && !isArchived(one)).map(({ id }) => id);
  const failures = await store.listFailures(ids, { state: 'open', isOnDefault: true, limit: MOST_RED });
  const byProject = Map.groupBy(failures, ({ projectId }) => projectId);
  const passing = await store.readLastPassing(ids);
  return new Map(
    ids.map((id): [string, BranchState] => {
      const passedAt = passing.get(id);
      const open = byProject.get(id) ?? [];
      const failing = open.filter(breaksBranch).length;
      if (failing > 0) return [id, { kind: 'red', failures: failing }];
      // A flake or a broken machine that was seen after the last pass leaves it open.
      const isNewest = passedAt !== undefined && open.every(({ lastSeen }) => lastSeen.at <= passedAt);
      if (isNewest) return [id, { kind: 'green', passedAt }];
      return [id, { kind: passedAt === undefined && open.length === 0 ? 'unseen' : 'unknown' }];
    }),
  );
}
