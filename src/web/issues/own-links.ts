// What stands on GitHub for an Issue, such as its pull request, as a link with a name.
import type { Project } from '../../core/project.ts';
import { numberIn, ownAddress, ownLink } from '../projects/github-links.ts';
import type { Html } from '../show.ts';

/** Such as `pull request #31`; null where there is none to lead to. */
export function namedLink(project: Project, address: string | null, what: string): Html | null {
  const own = ownAddress(project, address);
  if (own === '') return null;
  return ownLink(project, own, what === 'pull request' ? `${what} ${numberIn(own)}` : what);
}
