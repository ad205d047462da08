// What a person may see and do: what they reach, by their role in its project. The rest is absent.
import type { Account } from '../core/account.ts';
import { CausewayError } from '../core/errors.ts';
import type { Investigation } from '../core/investigation.ts';
import type { Issue } from '../core/issue.ts';
import type { Project } from '../core/project.ts';
import { isAtLeast, type Permissions, type Role } from '../core/role.ts';
import type { InvestigationFilter, Store } from '../db/store.ts';

interface AccessDeps {
  readonly store: Store;
  readonly permissions: Permissions;
}

/** Who asks, and until when somebody waits for the answer. */
export interface Asking {
  readonly account: Account;
  /** Projects beyond which nothing is shown, such as those that a token is bound to; null: no such bound. */
  readonly reach: readonly string[] | null;
  readonly signal: AbortSignal;
}

/** What the person may see, with the role that it may be done something with. */
export type Seen<T> = T & { readonly role: Role };

type SeenProject = Seen<{ readonly project: Project }>;

/** Roles asked for at a time: GitHub answers one person's in about a tenth of a second. */
const AT_ONCE = 10;

/**
 * By id, or by `owner/name`; null where it is absent for this person. While GitHub does not say, it throws `github_failed` for those alone
 * who are known to have seen the project: to anybody else that it throws would tell that there is such a project.
 */
export async function visibleProject(deps: AccessDeps, asking: Asking, idOrName: string): Promise<SeenProject | null> {
  // PostgreSQL refuses NUL in text, and no project has one in its name.
  const project = idOrName.includes('\0') ? null : await deps.store.findProject(idOrName);
  return project && (await seenOrAbsent(deps, asking, project));
}

/** What `visibleProject` gives of a project that was looked up already. */
async function seenOrAbsent(deps: AccessDeps, asking: Asking, project: Project): Promise<SeenProject | null> {
  try {
    return await seen(deps, asking, project);
  } catch (error) {
    if (!isSilence(error) || (await isKnownTo(deps, asking, project))) throw error;
    return null;
  }
}

/** By what was bound to the project, remembered or handed in there: each of it was open to those alone who saw it then. */
async function isKnownTo({ store, permissions }: AccessDeps, asking: Asking, project: Project): Promise<boolean> {
  const { account, reach } = asking;
  if (reach !== null) return reaches(asking, project.id);
  const last = permissions.lastRole?.(account, project) ?? 'none';
  return isAtLeast(last, neededToSee(project)) || (await store.hasReported(account.id, project.id));
}

function isSilence(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'github_failed';
}

/** Whether the account may still be told what came of its report. Throws `github_failed` where GitHub does not say. */
export async function mayStillSee(
  deps: AccessDeps,
  { accountId, investigationId }: { readonly accountId: string; readonly investigationId: string },
  signal: AbortSignal,
): Promise<boolean> {
  const account = await deps.store.findAccount(accountId);
  if (account === null) return false;
  return (await visibleInvestigation(deps, { account, reach: null, signal }, investigationId)) !== null;
}

interface Range {
  /** The last name of the page before. */
  readonly after?: string;
  /** How many are wanted at most. */
  readonly most?: number;
}

/** By name, ascending. Throws `github_failed` where GitHub does not say of one of them what the person may. */
export async function visibleProjects(
  deps: AccessDeps,
  asking: Asking,
  range: Range = {},
): Promise<readonly Project[]> {
  const found = await collect(asking, { deps, range, look: (project) => seen(deps, asking, project) });
  return found.map(({ project }) => project);
}

/** Projects that a person sees, with their role in each by its id. */
export interface KnownProjects {
  readonly projects: readonly Project[];
  readonly roles: ReadonlyMap<string, Role>;
  /** False where GitHub did not say of some, which are left out. */
  readonly isWhole: boolean;
}

/** Those of which GitHub says that the person may see them. */
export async function knownProjects(deps: AccessDeps, asking: Asking, range: Range = {}): Promise<KnownProjects> {
  let isWhole = true;
  const look = async (project: Project) => {
    try {
      return await seen(deps, asking, project);
    } catch (error) {
      if (!isSilence(error)) throw error;
      isWhole = false;
      return null;
    }
  };
  const found = await collect(asking, { deps, range, look });
  const roles = new Map(found.map(({ project, role }) => [project.id, role]));
  return { projects: found.map(({ project }) => project), roles, isWhole };
}

interface Collecting {
  readonly deps: AccessDeps;
  readonly range: Range;
  readonly look: (project: Project) => Promise<SeenProject | null>;
}

async function collect(
  asking: Asking,
  { deps, range: { after = '', most = Number.POSITIVE_INFINITY }, look }: Collecting,
): Promise<readonly SeenProject[]> {
  const projects = await deps.store.listProjects(after === '' ? {} : { after });
  const reached = projects.filter(({ id }) => reaches(asking, id));
  const visible: SeenProject[] = [];
  for (let at = 0; at < reached.length && visible.length < most; at += AT_ONCE) {
    const some = await Promise.all(reached.slice(at, at + AT_ONCE).map(look));
    visible.push(...some.flatMap((found) => found ?? []));
  }
  return visible;
}

export async function visibleInvestigation(
  deps: AccessDeps,
  asking: Asking,
  id: string,
): Promise<Seen<{ readonly investigation: Investigation; readonly project: Project }> | null> {
  const investigation = isId(id) ? await deps.store.findInvestigation(id) : null;
  if (investigation === null) return null;
  const found = await visibleProject(deps, asking, investigation.projectId);
  return found && { ...found, investigation };
}

export async function visibleIssue(
  deps: AccessDeps,
  asking: Asking,
  id: string,
): Promise<Seen<{ readonly issue: Issue; readonly project: Project }> | null> {
  const issue = isId(id) ? await deps.store.findIssue(id) : null;
  if (issue === null) return null;
  const found = await visibleProject(deps, asking, issue.projectId);
  return found && { ...found, issue };
}

/** Whether the person may erase the Issue: with maintain, or where its report was their own. */
export async function mayErase(
  { store }: AccessDeps,
  { account }: Asking,
  { issue, role }: Seen<{ readonly issue: Issue }>,
): Promise<boolean> {
  if (isAtLeast(role, 'maintain')) return true;
  return (await store.findInvestigation(issue.analysis.investigationId))?.accountId === account.id;
}

/** Whether the text can be an identifier: the store is asked about nothing else, and the log holds nothing else (no token, say). */
export function isId(text: string): boolean {
  return /^(?:iss|prj|inv)_[0-9A-Za-z]{1,32}$/.test(text);
}

async function seen({ permissions }: AccessDeps, asking: Asking, project: Project): Promise<SeenProject | null> {
  if (!reaches(asking, project.id)) return null;
  const role = await permissions.roleOf(asking.account, project, asking);
  return isAtLeast(role, neededToSee(project)) ? { project, role } : null;
}

/** All the world reads a public repository: what was found out about it is for those who work on it. */
function neededToSee({ source }: Project): Role {
  return source.kind === 'github' && !source.isPrivate ? 'triage' : 'read';
}

function reaches({ reach }: Asking, projectId: string): boolean {
  return reach === null || reach.includes(projectId);
}

/**
 * Newest first. Where somebody sees all that was found newest, as in local mode, only the projects on that page are looked at: to look at 1,000
 * for each page took 1.2 ms of its 1.5. Throws `github_failed` as `visibleProjects` does.
 */
export async function visibleInvestigations(
  deps: AccessDeps,
  asking: Asking,
  filter: Omit<InvestigationFilter, 'projectIds'>,
): Promise<readonly Investigation[]> {
  const newest = await deps.store.listInvestigations(filter);
  if (await seesAll(deps, asking, newest)) return newest;
  const projectIds = (await visibleProjects(deps, asking)).map(({ id }) => id);
  return await deps.store.listInvestigations({ ...filter, projectIds });
}

/** Some projects at a time, until one is not theirs to see. */
async function seesAll(deps: AccessDeps, asking: Asking, page: readonly Investigation[]): Promise<boolean> {
  const projectIds = [...new Set(page.map((one) => one.projectId))];
  for (let at = 0; at < projectIds.length; at += AT_ONCE) {
    const some = projectIds.slice(at, at + AT_ONCE).map((id) => visibleProject(deps, asking, id));
    if ((await Promise.all(some)).includes(null)) return false;
  }
  return true;
}
