// Addresses on GitHub that stand in an Issue: only those of the project's own GitHub become links.
import { html } from 'hono/html';
import type { Project } from '../../domain/project.ts';
import { numberIn, repositoryPage } from '../projects/github-links.ts';
import type { Html } from '../show.ts';

/** The address, if it is an https one of where the project's repository is; else "". */
export function ownAddress(project: Project, address: string | null): string {
  const page = repositoryPage(project);
  if (address === null || page === '' || !URL.canParse(address)) return '';
  const { protocol, origin, username, password } = new URL(address);
  const isOwn = protocol === 'https:' && origin === new URL(page).origin && username === '' && password === '';
  return isOwn ? address : '';
}

/** Such as `pull request #31`; null where there is none to lead to. */
export function ownLink(project: Project, address: string | null, what: string): Html | null {
  const own = ownAddress(project, address);
  if (own === '') return null;
  const number = what === 'pull request' ? ` ${numberIn(own)}` : '';
  return html`<a href="${own}">${what}${number}</a>`;
}
