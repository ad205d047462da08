// A failure in words: how it stands, how often it passed by chance, and where it was seen.
import { html } from 'hono/html';
import type { Verdict } from '../../core/check.ts';
import type { Closing, Failure } from '../../core/failure.ts';
import { inertLine } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import { commitLink, pullRequestLink } from '../projects/github-links.ts';
import { percentage } from '../projects/issue-words.ts';
import type { Html } from '../show.ts';
import { badge, plural } from '../words.ts';

const VERDICTS: Readonly<Record<Verdict, string>> = {
  code: 'the change broke it',
  base_broken: 'red before the change',
  flaky: 'chance',
  infrastructure: 'the machine',
  inconclusive: 'not clear',
};

export function verdictWords(verdict: Verdict): string {
  return VERDICTS[verdict];
}

export function headlineOf({ headline }: Failure): string {
  return inertLine(headline, 300) || 'No error line was found';
}

export function stateBadges({ state, opening }: Failure): Html {
  const now = state === 'open' ? badge('open', 'bad') : badge('closed', 'good');
  return html`${now}${opening > 1 ? html` ${badge(`opened ${opening} times`, 'busy')}` : ''}`;
}

/** What closed it, the last time. */
export function closingWords(project: Project, closed: Closing): Html {
  switch (closed.by) {
    case 'green':
      return html`green on the default branch at ${commitLink(project, closed.sha)}`;
    case 'pull_request':
      return html`its pull requests came to their end`;
    case 'unseen':
      return html`seen by nobody for 30 days`;
  }
}

export function flakyShare({ hits, flakyHits }: Failure): number {
  return hits === 0 ? 0 : flakyHits / hits;
}

export function flakyWords(failure: Failure): string {
  if (failure.flakyHits === 0) return 'never';
  return `${plural(failure.flakyHits, 'time')}, ${percentage(flakyShare(failure))}`;
}

const FEW = 3;

/** Checks, branches and pull requests that it was seen in, a few of each. */
export function whereSeen(project: Project, { checkNames, branches, pullRequests, isOnDefault }: Failure): Html {
  const parts = [
    listed(checkNames.map((name) => html`${inertLine(name, 80)}`)),
    listed(branches.map((name) => html`<code>${inertLine(name, 80)}</code>`)),
    listed(pullRequests.map((number) => pullRequestLink(project, number))),
  ].filter((part) => part !== null);
  const all = isOnDefault ? [html`on the default branch`, ...parts] : parts;
  return html`${all.map((part, at) => html`${at === 0 ? '' : ' · '}${part}`)}`;
}

function listed(all: readonly Html[]): Html | null {
  if (all.length === 0) return null;
  const more = all.length - FEW;
  return html`${all.slice(0, FEW).map((each, at) => html`${at === 0 ? '' : ', '}${each}`)}${more > 0 ? ` and ${more} more` : ''}`;
}
