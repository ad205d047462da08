// Whether a report holds only words of people who may write to the project.
import type { GithubProject } from '../../core/project.ts';
import { isAtLeast } from '../../core/role.ts';
import type { Person } from '../../core/thread.ts';
import type { GatherDeps } from './gather-deps.ts';

/** More than these are not asked for: their report is not trusted. */
const MOST_AUTHORS = 10;

/** `authors`: null for somebody who cannot be named any more. */
export async function areTrusted(
  { permissions }: Pick<GatherDeps, 'permissions'>,
  project: GithubProject,
  authors: readonly (Person | null)[],
  signal: AbortSignal,
): Promise<boolean> {
  const people = new Map<number, Person>();
  for (const author of authors) {
    if (author === null) return false;
    people.set(author.id, author);
  }
  if (people.size > MOST_AUTHORS) return false;
  const roles = [...people.values()].map((person) => permissions.roleOfPerson(person, project, signal));
  return (await Promise.all(roles)).every((role) => isAtLeast(role, 'write'));
}
