// What became of the pull requests that were opened: their state, their checks, and the way to them.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import type { ChecksState } from '../../core/thread.ts';
import type { OpenedPullRequest } from '../../db/store.ts';
import { ownLink } from '../projects/github-links.ts';
import type { Html } from '../show.ts';
import { badge, count, moment, type Tone } from '../words.ts';

type State = OpenedPullRequest['pullRequest']['state'];

const STATES: Readonly<Record<State, readonly [words: string, tone: Tone]>> = {
  open: ['open', 'busy'],
  merged: ['merged', 'good'],
  closed: ['closed without a merge', 'quiet'],
};

const CHECKS: Readonly<Record<ChecksState, readonly [words: string, tone: Tone]>> = {
  waiting: ['waiting', 'busy'],
  green: ['green', 'good'],
  red: ['red', 'bad'],
  none: ['none', 'quiet'],
  moved: ['taken over by somebody', 'quiet'],
};

/** `most`: so many were asked for, so that there may be older ones. */
export function pullRequestList(
  opened: readonly OpenedPullRequest[],
  projects: readonly Project[],
  most: number,
): Html {
  if (opened.length === 0) {
    return html`<div class="empty"><p>No pull request was opened yet. One is opened where a proven fix was found, or from the page of an issue with a change.</p></div>`;
  }
  const known = new Map(projects.map((project) => [project.id, project]));
  const summary = (['merged', 'open', 'closed'] as const)
    .map(
      (state) => `${count(opened.filter(({ pullRequest }) => pullRequest.state === state).length)} ${STATES[state][0]}`,
    )
    .join(', ');
  return html`<p>${opened.length === most ? `Of the last ${most}: ` : ''}${summary}.</p>
<table class="cards log"><caption class="hidden">Pull requests, the last changed first</caption>
<thead><tr><th scope="col">Pull request</th><th scope="col">State</th><th scope="col">Its checks</th><th scope="col">Issue</th><th scope="col">Last change</th></tr></thead>
<tbody>${opened.map((one) => row(one, known.get(one.projectId)))}</tbody></table>`;
}

function row({ pullRequest, changedAt }: OpenedPullRequest, project: Project | undefined): Html {
  const { state, checks, number, url, issueId } = pullRequest;
  const words = `${inertLine(project?.name ?? '', 150)}#${number}`;
  return html`<tr><th scope="row">${project === undefined ? words : ownLink(project, url, words)}</th>
<td data-label="State">${badge(...STATES[state])}</td><td data-label="Its checks">${badge(...CHECKS[checks])}</td>
<td data-label="Issue"><a class="mono" href="/issues/${issueId}">${issueId}</a></td><td data-label="Last change">${moment(changedAt)}</td></tr>`;
}
