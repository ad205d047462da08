// The failures of a project: the list of them, the flaky ones, and one failure with its cause and its first bad commit.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import type { Closing, CommitRange, Failure, Sighting } from '../core/failure.ts';
import { sanitiseLine } from '../core/inert-text.ts';
import type { Investigation } from '../core/investigation.ts';
import type { Project } from '../core/project.ts';
import type { Thread } from '../core/thread.ts';
import {
  createCrumbs,
  describeVerdict,
  findProject,
  formatCount,
  formatPercent,
  formatPlural,
  renderBadge,
  renderCommit,
  renderComparison,
  renderFilters,
  renderJoined,
  renderMoment,
  renderNumber,
  renderOutcome,
  renderOwnLink,
  renderPager,
  renderPlainLine,
  renderProjectHead,
  renderProjectTabs,
} from './components.ts';
import { type Html, refuseAbsentPage, renderPage } from './layout.ts';
import { getFirstSentence } from './text.ts';
import type { WebDeps, WebEnv } from './web-deps.ts';

const PAGE = 50;
/** Failures among which the flaky ones are ranked. */
const RANKED_OF = 200;
const MAX_RANKED = 10;
/** Checks, branches and pull requests that a row names of each. */
const MAX_PLACES = 3;

type Filter = Failure['state'] | 'all';

interface ListQuery {
  readonly state: Filter;
  /** Id of the last failure of the page before; "": the first page. */
  readonly after: string;
}

/** GET /projects/{projectId}/failures */
export function getFailures(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const seen = await findProject(c, deps);
    const { project } = seen;
    const query = readListQuery(c);
    const address = `/projects/${project.id}/failures`;
    const filters = (['open', 'closed', 'all'] as const).map((state) => ({
      href: `${address}?state=${state}`,
      text: `${state.charAt(0).toUpperCase()}${state.slice(1)}`,
      isCurrent: state === query.state,
    }));
    const body = html`${renderProjectHead(seen)}
${renderProjectTabs(project, 'failures')}
<section aria-labelledby="failures"><h2 id="failures">Failures</h2>
${renderFilters('State', filters)}
${await renderList(deps, project, query)}</section>
${query.after === '' ? renderFlaky(await deps.store.listFailures(project.id, { limit: RANKED_OF })) : ''}`;
    const crumbs = createCrumbs(project, { text: 'Failures', href: address });
    return renderPage(c, deps, { title: `Failures · ${project.name}`, body, section: 'projects', crumbs });
  };
}

/** GET /projects/{projectId}/failures/{failureId} */
export function getFailure(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const { project } = await findProject(c, deps);
    const id = c.req.param('failureId') ?? '';
    const failure = (isFailureId(id) ? await deps.store.findFailure(id) : null) ?? refuseAbsentPage();
    if (failure.projectId !== project.id) refuseAbsentPage();
    const title = getHeadline(failure);
    const body = html`<h1 class="failure-line">${title}</h1>
${renderProjectTabs(project, 'failures', { isWithin: true })}
${renderFacts(project, failure)}
${await renderCause(deps, project, failure)}
${renderRange(project, failure)}`;
    const list = { text: 'Failures', href: `/projects/${project.id}/failures` };
    const crumbs = createCrumbs(project, list, { text: title, href: `${list.href}/${id}` });
    return renderPage(c, deps, { title: `${title} · ${project.name}`, body, section: 'projects', crumbs });
  };
}

function isFailureId(text: string): boolean {
  return /^fal_[0-9A-Za-z]{1,32}$/.test(text);
}

/** Open failures by default: those need somebody to act. */
function readListQuery(c: Context<WebEnv>): ListQuery {
  const given = c.req.query('state');
  const after = c.req.query('after') ?? '';
  if (after !== '' && !isFailureId(after)) refuseAbsentPage();
  return { state: given === 'closed' || given === 'all' ? given : 'open', after };
}

async function renderList({ store }: WebDeps, project: Project, query: ListQuery): Promise<Html> {
  const { state, after } = query;
  const found = await store.listFailures(project.id, {
    limit: PAGE + 1,
    ...(state === 'all' ? {} : { state }),
    ...(after === '' ? {} : { after }),
  });
  const failures = found.slice(0, PAGE);
  if (failures.length === 0) return html`<div class="empty"><p>${describeEmpty(project, query)}</p></div>`;
  const address = `/projects/${project.id}/failures?state=${state}`;
  const last = found.length > PAGE ? failures.at(-1) : undefined;
  return html`<table class="cards ledger"><caption class="hidden">Failures</caption>
<thead><tr><th scope="col">Failure</th><th scope="col">State</th><th scope="col" class="number">Occurrences</th>
<th scope="col">Flaky</th><th scope="col">First</th><th scope="col">Last</th></tr></thead>
<tbody>${failures.map((failure) => renderRow(project, failure))}</tbody></table>
${renderPager({
  label: 'Pages of failures',
  first: after === '' ? null : { href: address, text: 'Newest' },
  next: last === undefined ? null : { href: `${address}&after=${last.id}`, text: 'Older' },
})}`;
}

function describeEmpty({ source }: Project, { state, after }: ListQuery): string {
  if (after !== '') return 'No more failures, or the one at which this page begins was deleted.';
  if (source.kind !== 'github') {
    return 'Failures come from GitHub checks; this is a local repository. Submit a failing log as a report instead.';
  }
  if (state === 'closed') return 'No closed failures.';
  const none = state === 'open' ? 'No open failures.' : 'No failures yet.';
  return `${none} When a check fails, its cause is listed here; it is closed when the default branch passes again.`;
}

function renderRow(project: Project, failure: Failure): Html {
  const { hits, firstSeen, lastSeen, state, closed } = failure;
  return html`<tr><th scope="row">${renderFailureLink(failure)}
<span class="soft below">${renderPlaces(project, failure)}</span></th>
<td data-label="State">${renderState(failure)}
${state === 'closed' && closed !== null ? html`<span class="soft below">${renderClosing(project, closed)}</span>` : ''}</td>
<td class="number" data-label="Occurrences">${formatCount(hits)}</td>
<td data-label="Flaky">${failure.flakyHits === 0 ? '' : describeFlakiness(failure)}</td>
<td data-label="First">${renderMoment(firstSeen.at)}</td><td data-label="Last">${renderMoment(lastSeen.at)}</td></tr>`;
}

function renderFailureLink(failure: Failure): Html {
  return html`<a class="row-link mono" href="/projects/${failure.projectId}/failures/${failure.id}">${getHeadline(failure)}</a>`;
}

function renderPlaces(project: Project, { checkNames, branches, pullRequests, isOnDefault }: Failure): Html {
  const lists = [
    isOnDefault ? [html`on the default branch`] : [],
    checkNames.map((name) => html`${sanitiseLine(name, 80)}`),
    branches.map((name) => html`<code>${sanitiseLine(name, 80)}</code>`),
    pullRequests.map((number) => renderNumber(project, 'pull', number)),
  ].filter((list) => list.length > 0);
  const parts = lists.map((list) => {
    const more = list.length - MAX_PLACES;
    return html`${renderJoined(list.slice(0, MAX_PLACES))}${more > 0 ? ` and ${more} more` : ''}`;
  });
  return renderJoined(parts, ' · ');
}

/** The flakiest first; nothing where no failure passed without a change. */
function renderFlaky(failures: readonly Failure[]): Html {
  const getShare = ({ flakyHits, hits }: Failure) => (hits === 0 ? 0 : flakyHits / hits);
  const ranked = failures
    .filter(({ flakyHits }) => flakyHits > 0)
    .sort((one, other) => other.flakyHits - one.flakyHits || getShare(other) - getShare(one))
    .slice(0, MAX_RANKED);
  if (ranked.length === 0) return html``;
  const rows = ranked.map(
    (failure) => html`<tr><th scope="row">${renderFailureLink(failure)}</th>
<td class="number" data-label="Flaky">${formatCount(failure.flakyHits)}</td>
<td class="number" data-label="Of">${formatCount(failure.hits)}</td>
<td class="number" data-label="Rate">${formatPercent(getShare(failure))}</td>
<td data-label="Last">${renderMoment(failure.lastSeen.at)}</td></tr>`,
  );
  return html`<section aria-labelledby="flaky"><h2 id="flaky">Flaky</h2>
<p class="hint">Failed, then passed at the same commit without a change. Ranked over the ${formatPlural(failures.length, 'latest failure')}.</p>
<table class="cards ledger"><caption class="hidden">Flaky failures, the most frequent first</caption>
<thead><tr><th scope="col">Failure</th><th scope="col" class="number">Flaky</th><th scope="col" class="number">Of</th>
<th scope="col" class="number">Rate</th><th scope="col">Last</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

function getHeadline({ headline }: Failure): string {
  return sanitiseLine(headline, 300) || 'No error line was found';
}

function renderState({ state, opening }: Failure): Html {
  const badge = state === 'open' ? renderBadge('open', 'bad') : renderBadge('closed', 'good');
  return html`${badge}${opening > 1 ? html` ${renderBadge(`opened ${opening} times`, 'busy')}` : ''}`;
}

function renderClosing(project: Project, closed: Closing): Html {
  switch (closed.by) {
    case 'green':
      return html`passed on the default branch at ${renderCommit(project, closed.sha)}`;
    case 'pull_request':
      return html`its pull requests were closed`;
    case 'unseen':
      return html`not seen for 30 days`;
  }
}

function describeFlakiness({ hits, flakyHits }: Failure): string {
  return flakyHits === 0 ? 'no' : `${formatPlural(flakyHits, 'time')}, ${formatPercent(flakyHits / Math.max(1, hits))}`;
}

function renderFacts(project: Project, failure: Failure): Html {
  const { hits, firstSeen, lastSeen, checkNames, branches, pullRequests, fingerprint } = failure;
  const renderList = (name: string, all: readonly Html[]) =>
    all.length === 0 ? '' : html`<dt>${name}</dt><dd>${renderJoined(all)}</dd>`;
  return html`<dl class="facts"><dt>State</dt><dd>${renderState(failure)} ${renderHistory(project, failure)}</dd>
<dt>Occurrences</dt><dd>${formatCount(hits)}</dd>
<dt>Flaky</dt><dd>${describeFlakiness(failure)}</dd>
<dt>First seen</dt><dd>${renderSighting(project, firstSeen)}</dd>
<dt>Last seen</dt><dd>${renderSighting(project, lastSeen)}</dd>
${renderList(
  'Checks',
  checkNames.map((name) => html`${sanitiseLine(name, 200)}`),
)}
${renderList(
  'Branches',
  branches.map((name) => html`<code>${sanitiseLine(name, 200)}</code>`),
)}
${renderList(
  'Pull requests',
  pullRequests.map((number) => renderNumber(project, 'pull', number)),
)}</dl>
<details><summary>Fingerprint</summary><p><code>${sanitiseLine(fingerprint, 100)}</code></p></details>`;
}

/** A failure that was opened again after it had been closed is a regression. */
function renderHistory(project: Project, { state, opening, closed, isOnDefault }: Failure): Html {
  const closing = closed === null ? '' : html`closed ${renderMoment(closed.at)}: ${renderClosing(project, closed)}`;
  if (state === 'closed') return html`${closing}`;
  const where = isOnDefault ? 'seen on the default branch' : 'not seen on the default branch';
  return opening === 1 || closed === null ? html`${where}` : html`${where}; reopened after it was ${closing}`;
}

function renderSighting(project: Project, { at, checkName, sha, branch, pullRequest, verdict }: Sighting): Html {
  return html`${renderMoment(at)} · ${sanitiseLine(checkName, 200)} at ${renderCommit(project, sha)}
${branch === '' ? '' : html` on <code>${sanitiseLine(branch, 200)}</code>`}
${pullRequest === null ? '' : html` in ${renderNumber(project, 'pull', pullRequest)}`} · Verdict: ${describeVerdict(verdict)}`;
}

async function renderCause({ store }: WebDeps, project: Project, failure: Failure): Promise<Html> {
  const { investigationId, threadId } = failure;
  const investigation = investigationId === null ? null : await store.findInvestigation(investigationId);
  const thread = threadId === null ? null : await store.findThread(threadId);
  const none =
    investigationId === null
      ? 'Not investigated since it was last opened: that happens when somebody asks for it, or where failed checks are investigated automatically.'
      : 'The investigation was deleted.';
  return html`<section aria-labelledby="cause"><h2 id="cause">Cause</h2>
${investigation === null ? html`<p class="soft">${none}</p>` : await renderInvestigation(store, investigation)}
${thread === null ? '' : renderOnGithub(project, thread)}</section>`;
}

async function renderInvestigation(store: WebDeps['store'], { id, outcome, progress }: Investigation): Promise<Html> {
  const link = html`<a href="/investigations/${id}">Investigation</a>`;
  switch (outcome.state) {
    case 'concluded': {
      const issue = await store.findIssue(outcome.issueId);
      if (issue === null) return html`<p>${link}</p>`;
      const { confidence } = issue.analysis;
      const sentence = getFirstSentence(issue.rootCause, 300) || getFirstSentence(issue.problem, 300) || issue.id;
      return html`<p>${renderOutcome(issue.analysis)} <a href="/issues/${issue.id}">${renderPlainLine(sentence)}</a>
${confidence === null ? '' : html`<span class="soft">confidence ${formatPercent(confidence)}</span>`}</p>`;
    }
    case 'queued':
    case 'running': {
      const words =
        progress.step === 0 ? 'Being investigated' : `Step ${progress.step}: ${sanitiseLine(progress.action, 140)}`;
      const badge = renderBadge(outcome.state, outcome.state === 'running' ? 'busy' : 'quiet');
      return html`<p>${badge} <a href="/investigations/${id}">${words}</a></p>`;
    }
    case 'gave_up':
    case 'cancelled':
      return html`<p>${renderBadge(outcome.state === 'gave_up' ? 'gave up' : 'cancelled')} ${renderPlainLine(outcome.reason.detail, 400)}</p>
<p>${link}</p>`;
  }
}

function renderOnGithub(project: Project, { record: { pullRequest, comment } }: Thread): Html {
  const isFailing = pullRequest?.state === 'open' && pullRequest.checks === 'red';
  const tone = pullRequest?.state === 'closed' ? 'quiet' : 'good';
  return html`${
    pullRequest === null
      ? ''
      : html`<p>Pull request ${renderOwnLink(project, pullRequest.url, `#${pullRequest.number}`)} ${renderBadge(pullRequest.state, tone)}
${isFailing ? renderBadge('checks failing', 'bad') : ''}</p>`
  }
${comment === null || comment.url === '' ? '' : html`<p>${renderOwnLink(project, comment.url, 'Comment on GitHub')}</p>`}`;
}

/** Nothing where it never broke the default branch, or the commits are not known. */
function renderRange(project: Project, { range }: Failure): Html {
  if (range === null) return html``;
  const { total, commits, likeliest } = range;
  return html`<section aria-labelledby="range"><h2 id="range">First bad commit</h2>
<p>The default branch broke with ${total === 1 ? 'this commit' : `one of ${formatPlural(total, 'commit')}`}: ${renderComparison(project, range)}</p>
${likeliest === undefined ? html`<p class="soft">None of them is more likely than the others.</p>` : ''}
<ol class="commits">${commits.map((commit) => renderRangeCommit(project, commit, likeliest))}</ol>
${total > commits.length ? html`<p class="hint">These are the ${commits.length} newest of ${total}.</p>` : ''}</section>`;
}

function renderRangeCommit(
  project: Project,
  { sha, author, subject }: CommitRange['commits'][number],
  likeliest: CommitRange['likeliest'],
): Html {
  return html`<li>${renderCommit(project, sha)} ${renderPlainLine(subject, 200)} <span class="soft">${sanitiseLine(author, 80)}</span>
${likeliest?.sha === sha ? html`<span class="below">${renderBadge('most likely', 'bad')} ${renderPlainLine(likeliest.reason, 400)}</span>` : ''}</li>`;
}
