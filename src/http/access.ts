// What a caller may see: whatever belongs to a project that the token reaches. The rest is absent.
import type { Investigation } from '../domain/investigation.ts';
import type { Issue } from '../domain/issue.ts';
import type { Project } from '../domain/project.ts';
import type { Store } from '../ports/store.ts';
import type { Caller } from './api-deps.ts';

/** By id, or by `owner/name`; null where it is absent for this caller. */
export async function visibleProject(store: Store, caller: Caller, idOrName: string): Promise<Project | null> {
  // PostgreSQL refuses NUL in text, and no project has one in its name.
  const project = idOrName.includes('\0') ? null : await store.project(idOrName);
  return project !== null && reaches(caller, project.id) ? project : null;
}

/** By name, ascending; `after` is the last name of the page before. */
export async function visibleProjects(store: Store, caller: Caller, after = ''): Promise<readonly Project[]> {
  const projects = await store.projects(after === '' ? {} : { after });
  return projects.filter(({ id }) => reaches(caller, id));
}

export async function visibleInvestigation(store: Store, caller: Caller, id: string): Promise<Investigation | null> {
  const investigation = isId(id) ? await store.investigation(id) : null;
  if (investigation === null) return null;
  return (await visibleProject(store, caller, investigation.projectId)) === null ? null : investigation;
}

export async function visibleIssue(store: Store, caller: Caller, id: string): Promise<Issue | null> {
  const issue = isId(id) ? await store.issue(id) : null;
  if (issue === null) return null;
  return (await visibleProject(store, caller, issue.projectId)) === null ? null : issue;
}

/** Ending something early is for the account that began it. */
export function isOwn(caller: Caller, investigation: Investigation | null): boolean {
  return investigation?.accountId === caller.account.id;
}

/** Whether the text can be an identifier: the store is asked about nothing else, and the log holds nothing else (no token, say). */
export function isId(text: string): boolean {
  return /^(?:iss|prj|inv)_[0-9A-Za-z]{1,32}$/.test(text);
}

function reaches(caller: Caller, projectId: string): boolean {
  return caller.token.projectIds === null || caller.token.projectIds.includes(projectId);
}
