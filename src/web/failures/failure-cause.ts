// What is known of a failure's cause: its investigation, the issue that this became, and the pull request against it.
import { html } from 'hono/html';
import type { Failure } from '../../core/failure.ts';
import { inertLine } from '../../core/inert-text.ts';
import type { Investigation } from '../../core/investigation.ts';
import type { Project } from '../../core/project.ts';
import type { PostedPullRequest, Thread } from '../../core/thread.ts';
import { ownLink } from '../projects/github-links.ts';
import { firstSentence, outcomeBadges, percentage } from '../projects/issue-words.ts';
import type { Html } from '../show.ts';
import type { WebDeps } from '../web-deps.ts';
import { badge, line } from '../words.ts';

type Store = WebDeps['store'];

export async function causePart({ store }: WebDeps, project: Project, failure: Failure): Promise<Html> {
  const { investigationId, threadId } = failure;
  const investigation = investigationId === null ? null : await store.investigation(investigationId);
  const thread = threadId === null ? null : await store.thread(threadId);
  return html`<section aria-labelledby="cause"><h2 id="cause">Cause</h2>
${investigation === null ? none(failure) : await found(store, investigation)}
${thread === null ? '' : shownOnGithub(project, thread)}</section>`;
}

async function found(store: Store, { id, outcome, progress }: Investigation): Promise<Html> {
  switch (outcome.state) {
    case 'concluded':
      return concluded(store, outcome.issueId, id);
    case 'queued':
    case 'running':
      return html`<p>${badge(outcome.state, outcome.state === 'running' ? 'busy' : 'quiet')}
<a href="/investigations/${id}">${progress.step === 0 ? 'Is being looked into' : `Step ${progress.step}: ${inertLine(progress.action, 140)}`}</a></p>`;
    case 'gave_up':
    case 'cancelled':
      return html`<p>${badge(outcome.state === 'gave_up' ? 'gave up' : 'cancelled')} ${line(outcome.reason.detail, 400)}</p>
<p><a href="/investigations/${id}">The investigation</a></p>`;
  }
}

async function concluded(store: Store, issueId: string, investigationId: string): Promise<Html> {
  const issue = await store.issue(issueId);
  if (issue === null) return html`<p><a href="/investigations/${investigationId}">The investigation</a></p>`;
  const { confidence } = issue.analysis;
  const sentence = firstSentence(issue.rootCause, 300) || firstSentence(issue.problem, 300) || issueId;
  return html`<p>${outcomeBadges(issue.analysis)} <a href="/issues/${issueId}">${line(sentence)}</a>
${confidence === null ? '' : html`<span class="soft">confidence ${percentage(confidence)}</span>`}</p>`;
}

function none({ investigationId }: Failure): Html {
  const why =
    investigationId === null
      ? 'No investigation was begun since it was last opened: this costs nothing until somebody asks, or it is seen where red checks are looked into.'
      : 'What was found out was deleted.';
  return html`<p class="soft">${why}</p>`;
}

function shownOnGithub(project: Project, { record: { pullRequest, comment } }: Thread): Html {
  return html`${pullRequest === null ? '' : html`<p>${pullRequestWords(project, pullRequest)}</p>`}
${comment === null || comment.url === '' ? '' : html`<p>${ownLink(project, comment.url, 'The comment on GitHub')}</p>`}`;
}

function pullRequestWords(project: Project, { number, url, state, checks }: PostedPullRequest): Html {
  const tone = state === 'closed' ? 'quiet' : 'good';
  return html`Pull request ${ownLink(project, url, `#${number}`)} ${badge(state, tone)}
${state === 'open' && checks === 'red' ? badge('checks red', 'bad') : ''}`;
}
