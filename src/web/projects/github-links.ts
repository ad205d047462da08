// Links to GitHub's pages of a project: commits, ranges of them, pull requests; plain text where it has none there.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import type { Html } from '../show.ts';

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Address of the repository's page, without a slash at its end; "" where it has none. */
export function repositoryPage({ source }: Project): string {
  if (source.kind !== 'github' || !isWebAddress(source.url)) return '';
  return source.url.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '');
}

export function commitLink(project: Project, sha: string): Html {
  return linkOrText(addressIn(project, SHA.test(sha) ? `commit/${sha}` : ''), html`<code>${shortSha(sha)}</code>`);
}

/** What came after `from`, up to and with `to`. */
export function compareLink(project: Project, { from, to }: { readonly from: string; readonly to: string }): Html {
  const isKnown = SHA.test(from) && SHA.test(to);
  const text = html`<code>${shortSha(from)}..${shortSha(to)}</code>`;
  return linkOrText(addressIn(project, isKnown ? `compare/${from}...${to}` : ''), text);
}

export function pullRequestLink(project: Project, number: number): Html {
  return linkOrText(addressIn(project, `pull/${number}`), html`#${number}`);
}

export function issueLink(project: Project, number: number): Html {
  return linkOrText(addressIn(project, `issues/${number}`), html`#${number}`);
}

/** An address that somebody else told, if it is an https one of where the project's repository is; else "". */
export function ownAddress(project: Project, address: string | null): string {
  const page = repositoryPage(project);
  if (address === null || page === '' || !URL.canParse(address)) return '';
  const { protocol, origin, username, password } = new URL(address);
  const isOwn = protocol === 'https:' && origin === new URL(page).origin && username === '' && password === '';
  return isOwn ? address : '';
}

/** A link to an address that somebody else told, where it is the project's own; else the text alone. */
export function ownLink(project: Project, address: string | null, text: string): Html {
  return linkOrText(ownAddress(project, address), html`${text}`);
}

/** `#31` of an address that ends in a number, as those of pull requests do. */
export function numberIn(address: string): string {
  const number = /\/(\d{1,10})$/.exec(address)?.[1];
  return number === undefined ? 'on GitHub' : `#${number}`;
}

function shortSha(sha: string): string {
  return inertLine(sha, 64).slice(0, 7);
}

function addressIn(project: Project, path: string): string {
  const page = repositoryPage(project);
  return page === '' || path === '' ? '' : `${page}/${path}`;
}

function linkOrText(address: string, text: Html): Html {
  return address === '' ? text : html`<a href="${address}">${text}</a>`;
}

function isWebAddress(address: string): boolean {
  return /^https?:\/\//.test(address) && URL.canParse(address);
}
