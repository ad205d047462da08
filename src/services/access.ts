// What a person may see and do in a project, by their role there. All else looks absent to them.
import type { Account, Permissions } from '../core/account/index.ts';
import { CausewayError } from '../core/errors.ts';
import { type Issue, listRead, WITHHELD_TITLE, withholdIssue } from '../core/issue/index.ts';
import { isAtLeast, type Project, type Role } from '../core/project/index.ts';
import type { Investigation } from '../core/report/index.ts';
import type { ContextRepository } from '../core/source/index.ts';
import type { InvestigationFilter, IssueLine, Store } from '../db/index.ts';

interface AccessDeps {
  readonly store: Store;
  readonly permissions: Permissions;
}

/** Who asks, and until when the answer is waited for. */
export interface Asking {
  readonly account: Account;
  /** The projects that a token is bound to; null: all. */
  readonly reach: readonly string[] | null;
  readonly signal: AbortSignal;
}

/** What the person may see, with their role. */
export type Seen<T> = T & { readonly role: Role };

export type SeenProject = Seen<{ readonly project: Project }>;

/** Roles that are looked up at once; GitHub answers in about a tenth of a second. */
const AT_ONCE = 10;

/**
 * By id, or by `owner/name`; null where it is absent for this person. While GitHub does not answer, `github_failed` is
 * thrown only for those known to have seen the project: to all others it would reveal that the project exists.
 */
export async function findVisibleProject(
  deps: AccessDeps,
  asking: Asking,
  idOrName: string,
): Promise<SeenProject | null> {
  const { store, permissions } = deps;
  const { account, reach } = asking;
  // PostgreSQL refuses NUL in text, and no project has one in its name.
  const project = idOrName.includes('\0') ? null : await store.findProject(idOrName);
  if (project === null) return null;
  try {
    return await readSeen(deps, asking, project);
  } catch (error) {
    // A token was bound to the project by someone who saw it.
    if (!isUnanswered(error) || reach !== null) throw error;
    const last = permissions.lastRole?.(account, project) ?? 'none';
    const hasSeen = isAtLeast(last, getLeastRole(project)) || (await store.hasReported(account.id, project.id));
    if (hasSeen) throw error;
    return null;
  }
}

function isUnanswered(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'github_failed';
}

/** Whether the account may still see the result of its report. Throws `github_failed` where GitHub does not answer. */
export async function isStillVisible(
  deps: AccessDeps,
  { accountId, investigationId }: { readonly accountId: string; readonly investigationId: string },
  signal: AbortSignal,
): Promise<boolean> {
  const account = await deps.store.findAccount(accountId);
  if (account === null) return false;
  const asking = { account, reach: null, signal };
  const seen = await findVisibleInvestigation(deps, asking, investigationId);
  return seen !== null && (await canReadResult(deps, asking, seen.investigation));
}

/**
 * Whether the account sees the project of an event, and all that its result rests on. Throws `github_failed` where GitHub does not answer, whether or not
 * it has ever seen the project: nothing is shown before there is an answer.
 */
export async function isProjectVisible(
  deps: AccessDeps,
  { accountId, projectId, investigationId }: Record<'accountId' | 'projectId' | 'investigationId', string>,
  signal: AbortSignal,
): Promise<boolean> {
  const account = await deps.store.findAccount(accountId);
  const project = account && (await deps.store.findProject(projectId));
  if (account === null || project === null) return false;
  const asking = { account, reach: null, signal };
  if ((await readSeen(deps, asking, project)) === null) return false;
  const investigation = investigationId === '' ? null : await deps.store.findInvestigation(investigationId);
  return investigation === null || (await canReadResult(deps, asking, investigation));
}

interface PageRange {
  /** The last name of the page before. */
  readonly after?: string;
  readonly most?: number;
}

/** By name, ascending. Throws `github_failed` where GitHub does not answer for one of them. */
export async function listVisibleProjects(
  deps: AccessDeps,
  asking: Asking,
  range: PageRange = {},
): Promise<readonly Project[]> {
  const found = await collectProjects(deps, asking, range, (project) => readSeen(deps, asking, project));
  return found.map(({ project }) => project);
}

/** Projects that a person sees, with their role in each by its id. */
export interface KnownProjects {
  readonly projects: readonly Project[];
  readonly roles: ReadonlyMap<string, Role>;
  /** False where GitHub did not answer for some, which are left out. */
  readonly isWhole: boolean;
}

export async function listKnownProjects(
  deps: AccessDeps,
  asking: Asking,
  range: PageRange = {},
): Promise<KnownProjects> {
  let isWhole = true;
  const found = await collectProjects(deps, asking, range, (project) =>
    readSeen(deps, asking, project).catch((error: unknown) => {
      if (!isUnanswered(error)) throw error;
      isWhole = false;
      return null;
    }),
  );
  const roles = new Map(found.map(({ project, role }) => [project.id, role]));
  return { projects: found.map(({ project }) => project), roles, isWhole };
}

async function collectProjects(
  { store }: AccessDeps,
  { reach }: Asking,
  { after = '', most = Number.POSITIVE_INFINITY }: PageRange,
  read: (project: Project) => Promise<SeenProject | null>,
): Promise<readonly SeenProject[]> {
  const projects = await store.listProjects(after === '' ? {} : { after });
  const reached = projects.filter(({ id }) => reach === null || reach.includes(id));
  const visible: SeenProject[] = [];
  for (let at = 0; at < reached.length && visible.length < most; at += AT_ONCE) {
    const some = await Promise.all(reached.slice(at, at + AT_ONCE).map(read));
    visible.push(...some.filter((found) => found !== null));
  }
  return visible;
}

export async function findVisibleInvestigation(
  deps: AccessDeps,
  asking: Asking,
  id: string,
): Promise<Seen<{ readonly investigation: Investigation; readonly project: Project }> | null> {
  const investigation = isId(id) ? await deps.store.findInvestigation(id) : null;
  const found = investigation && (await findVisibleProject(deps, asking, investigation.projectId));
  return investigation && found && { ...found, investigation };
}

export async function findVisibleIssue(
  deps: AccessDeps,
  asking: Asking,
  id: string,
): Promise<Seen<{ readonly issue: Issue; readonly project: Project }> | null> {
  const issue = isId(id) ? await deps.store.findIssue(id) : null;
  const found = issue && (await findVisibleProject(deps, asking, issue.projectId));
  if (!issue || !found) return null;
  const isWhole = await canReadContext(deps, asking, issue.analysis.context);
  return { ...found, issue: isWhole ? issue : withholdIssue(issue) };
}

/** Whether the person may read all other repositories that a result rests on. A token's projects do not limit this. */
async function canReadContext(
  { store, permissions }: AccessDeps,
  { account, signal }: Pick<Asking, 'account' | 'signal'>,
  context: readonly ContextRepository[],
): Promise<boolean> {
  for (const { projectId } of listRead(context)) {
    const project = await store.findProject(projectId);
    if (project === null) return false;
    const isPublic = project.source.kind === 'github' && !project.source.isPrivate;
    if (!isPublic && !isAtLeast(await permissions.roleOf(account, project, { signal }), 'read')) return false;
  }
  return true;
}

async function canReadResult(
  deps: AccessDeps,
  asking: Pick<Asking, 'account' | 'signal'>,
  { outcome }: Investigation,
): Promise<boolean> {
  const issue = outcome.state === 'concluded' ? await deps.store.findIssue(outcome.issueId) : null;
  return issue === null || (await canReadContext(deps, asking, issue.analysis.context));
}

/** As the project's page lists them. */
export async function listVisibleIssueLines(
  deps: AccessDeps,
  asking: Asking,
  filter: Parameters<Store['listIssueLines']>[0],
): Promise<readonly (IssueLine & { readonly isWithheld?: true })[]> {
  const lines = await deps.store.listIssueLines(filter);
  return await Promise.all(
    lines.map(async (line) => {
      const isWhole = await canReadContext(deps, asking, line.context).catch((error: unknown) => {
        if (!isUnanswered(error)) throw error;
        return false;
      });
      if (isWhole) return line;
      return {
        ...line,
        isWithheld: true as const,
        problem: WITHHELD_TITLE,
        rootCause: '',
        question: '',
        outcome: 'inconclusive' as const,
        confidence: null,
      };
    }),
  );
}

/** Whether the person may erase the Issue: with maintain, or where they submitted its report. */
export async function canErase(
  { store }: AccessDeps,
  { account }: Asking,
  { issue, role }: Seen<{ readonly issue: Issue }>,
): Promise<boolean> {
  if (isAtLeast(role, 'maintain')) return true;
  return (await store.findInvestigation(issue.analysis.investigationId))?.accountId === account.id;
}

/** Whether the text can be an identifier; only these reach the store and the log. */
export function isId(text: string): boolean {
  return /^(?:iss|prj|inv)_[0-9A-Za-z]{1,32}$/.test(text);
}

async function readSeen({ permissions }: AccessDeps, asking: Asking, project: Project): Promise<SeenProject | null> {
  if (asking.reach !== null && !asking.reach.includes(project.id)) return null;
  const role = await permissions.roleOf(asking.account, project, asking);
  return isAtLeast(role, getLeastRole(project)) ? { project, role } : null;
}

/** Everyone can read a public repository; what was found out about it is for those who work on it. */
function getLeastRole({ source }: Project): Role {
  return source.kind === 'github' && !source.isPrivate ? 'triage' : 'read';
}

/**
 * Newest first. Where the person sees all that is newest, as in local mode, only the projects of that page are looked
 * up.
 */
export async function listVisibleInvestigations(
  deps: AccessDeps,
  asking: Asking,
  filter: Omit<InvestigationFilter, 'projectIds'>,
): Promise<readonly Investigation[]> {
  const newest = await deps.store.listInvestigations(filter);
  if (await canSeeAll(deps, asking, newest)) return newest;
  const projectIds = (await listVisibleProjects(deps, asking)).map(({ id }) => id);
  return await deps.store.listInvestigations({ ...filter, projectIds });
}

async function canSeeAll(deps: AccessDeps, asking: Asking, page: readonly Investigation[]): Promise<boolean> {
  const projectIds = [...new Set(page.map((one) => one.projectId))];
  for (let at = 0; at < projectIds.length; at += AT_ONCE) {
    const some = projectIds.slice(at, at + AT_ONCE).map((id) => findVisibleProject(deps, asking, id));
    if ((await Promise.all(some)).includes(null)) return false;
  }
  return true;
}
