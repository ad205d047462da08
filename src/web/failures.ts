// The failures of a project: the list of them, the flaky ones, and one failure with its cause and its first bad commit.

import type { Excerpt } from 'causeway-ci-log';
import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import {
  type Closing,
  type CommitRange,
  describeFlake,
  type Failure,
  type Flake,
  findRange,
  type Quarantine,
  type Sighting,
} from '../core/check/index.ts';
import { formatPercent } from '../core/issue/index.ts';
import { isGithubProject, type Project } from '../core/project/index.ts';
import type { Investigation } from '../core/report/index.ts';
import type { Thread } from '../core/thread/index.ts';
import type { LastFinding } from '../db/index.ts';
import { findVisibleIssue } from '../services/index.ts';
import { countByDay, formatDay, listTrendDays, renderDayChart } from './charts.ts';
import {
  createCrumbs,
  cutPage,
  cutToWholeLines,
  describeVerdict,
  findSeenProject,
  formatCount,
  formatPlural,
  NOTHING,
  renderBadge,
  renderCommit,
  renderComparison,
  renderEmpty,
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
  renderSection,
  renderTable,
} from './components.ts';
import { type Html, refuseAbsentPage, renderPage } from './layout.ts';
import { getFirstSentence } from './text.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const PAGE = 50;
const MAX_RANKED = 10;
/** Checks, branches and pull requests that a row names of each. */
const MAX_PLACES = 3;

type FailureStateFilter = Failure['state'] | 'all';

/** GET /projects/{projectId}/failures: by default the open ones, since those need action. */
export async function getFailures(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project } = seen;
  const given = c.req.query('state');
  const state: FailureStateFilter = given === 'closed' || given === 'all' ? given : 'open';
  const after = c.req.query('after') ?? '';
  if (after !== '' && !isFailureId(after)) refuseAbsentPage();
  const address = `/projects/${project.id}/failures`;
  const filters = (['open', 'closed', 'all'] as const).map((each) => ({
    href: `${address}?state=${each}`,
    text: `${each.charAt(0).toUpperCase()}${each.slice(1)}`,
    isCurrent: each === state,
  }));
  const filter = { ...(state === 'all' ? {} : { state }), ...(after === '' ? {} : { after }) };
  const { entries, last } = cutPage(await deps.store.listFailures([project.id], { limit: PAGE + 1, ...filter }), PAGE);
  const isEmpty = entries.length === 0;
  const flaky = after === '' ? await deps.store.listFailures([project.id], { sort: 'flaky', limit: MAX_RANKED }) : [];
  const findings = await deps.store.findLastFindings([...entries, ...flaky]);
  const body = html`${renderProjectHead(seen, 'failures')}
${renderSection(
  'failures',
  'Failures',
  html`${renderFilters('State', filters)}
${isEmpty ? renderEmpty(describeEmpty(project, state, after !== '')) : renderFailures([project], entries, findings)}
${renderPager({
  label: 'Pages of failures',
  first: isEmpty || after === '' ? null : `${address}?state=${state}`,
  next: last === undefined ? null : `${address}?state=${state}&after=${last.id}`,
})}`,
)}
${renderFlaky(deps, flaky, findings)}`;
  const crumbs = createCrumbs(project, { text: 'Failures', href: address });
  return renderPage(c, deps, { title: `Failures · ${project.name}`, body, section: 'projects', crumbs });
}

/** GET /projects/{projectId}/failures/{failureId} */
export async function getFailurePage(c: PageContext, deps: WebDeps): Promise<Response> {
  const { project } = await findSeenProject(c, deps);
  const id = c.req.param('failureId') ?? '';
  const failure = (isFailureId(id) ? await deps.store.findFailure(id) : null) ?? refuseAbsentPage();
  if (failure.projectId !== project.id) refuseAbsentPage();
  const last = (await deps.store.findLastFindings([failure])).get(id);
  const excerpt = last?.excerpt;
  const { title, error } = getTitle(failure, excerpt);
  const [since = ''] = listTrendDays(deps.now());
  const body = html`<h1 class="failure-line">${title}</h1>${error === '' ? '' : html`<p class="mono">${error}</p>`}
${renderProjectTabs(project, 'failures', { isWithin: true })}
${renderFacts(project, failure)}
${renderFlake(describeFlakeOf(deps, failure, last))}
${renderSection('cause', 'Cause', await renderFailureCause(c, deps, project, failure))}
${renderRange(project, failure)}
${renderLogExcerpt(excerpt)}
${renderTrend(await deps.store.listSightingTimes(id, since), deps.now())}`;
  const list = { text: 'Failures', href: `/projects/${project.id}/failures` };
  const crumbs = createCrumbs(project, list, { text: title, href: `${list.href}/${id}` });
  return renderPage(c, deps, { title: `${title} · ${project.name}`, body, section: 'projects', crumbs });
}

function isFailureId(text: string): boolean {
  return /^fal_[0-9A-Za-z]{1,32}$/.test(text);
}

function describeEmpty(project: Project, state: FailureStateFilter, isPaged: boolean): string {
  if (isPaged) return 'No more failures. (The failure at the start of this page may have been deleted.)';
  if (!isGithubProject(project)) {
    return 'Failures come from GitHub checks; this is a local repository. Submit a failing log as a report instead.';
  }
  if (state === 'closed') return 'No closed failures.';
  const none = state === 'open' ? 'No open failures.' : 'No failures yet.';
  return `${none} When a check fails, its cause is listed here; it is closed when the default branch passes again.`;
}

/** With several projects, each row names its own. */
export function renderFailures(
  projects: readonly Project[],
  failures: readonly Failure[],
  findings: ReadonlyMap<string, LastFinding>,
): Html {
  const byId = new Map(projects.map((project) => [project.id, project]));
  return renderTable({
    caption: 'Failures',
    style: 'ledger',
    columns: ['Failure', 'State', ['Occurrences', 'number'], 'Flaky', 'First', 'Last'],
    rows: failures.flatMap((failure) => {
      const project = byId.get(failure.projectId);
      if (project === undefined) return [];
      const { hits, flakyHits, firstSeen, lastSeen, state, closed } = failure;
      const isClosed = state === 'closed' && closed !== null;
      return [
        [
          html`${renderFailureLink(failure, findings.get(failure.id)?.excerpt)}
${projects.length > 1 ? html`<span class="soft below">${sanitiseLine(project.name, 200)}</span>` : ''}
<span class="soft below">${renderFailurePlaces(project, failure)}</span>`,
          html`${renderFailureState(failure)}
${isClosed ? html`<span class="soft below">${renderClosing(project, closed)}</span>` : ''}`,
          formatCount(hits),
          flakyHits === 0 ? '' : describeFlakiness(failure),
          renderMoment(firstSeen.at),
          renderMoment(lastSeen.at),
        ],
      ];
    }),
  });
}

function renderFailureLink(failure: Failure, excerpt?: Excerpt): Html {
  const { title, error } = getTitle(failure, excerpt);
  return html`<a class="row-link mono" href="/projects/${failure.projectId}/failures/${failure.id}">${title}</a>
${error === '' ? '' : html`<span class="below mono">${error}</span>`}`;
}

/** The failed test if it is known, with the error below it; otherwise the error. */
function getTitle({ headline }: Failure, excerpt?: Excerpt): { readonly title: string; readonly error: string } {
  const error = sanitiseLine(headline, 300);
  const [test = '', ...more] = excerpt?.tests ?? [];
  if (test === '') return { title: error || 'No error line was found', error: '' };
  const others = more.length === 0 ? '' : ` and ${formatPlural(more.length, 'other test')}`;
  return { title: `${sanitiseLine(test, 200)}${others}`, error };
}

function renderLogExcerpt(excerpt: Excerpt | undefined): Html {
  if (excerpt === undefined || excerpt.lines.length === 0) return NOTHING;
  const { text } = cutToWholeLines(excerpt.lines.join('\n'), 60, 8_192);
  const step = excerpt.step === '' ? '' : html`<p class="hint">Step ${sanitiseLine(excerpt.step, 100)}</p>`;
  return renderSection(
    'excerpt',
    'Excerpt',
    html`${step}<pre tabindex="0" role="region" aria-label="Excerpt of the log"><code>${text}</code></pre>`,
  );
}

/** A bar for each of the last 30 days (UTC). */
function renderTrend(times: readonly string[], now: Date): Html {
  const days = listTrendDays(now);
  const values = countByDay(times, days);
  const most = Math.max(...values);
  const seen = days.flatMap((day, at) => (values[at] === 0 ? [] : [`${formatDay(day)}: ${values[at]}`]));
  const label = `Red checks a day with this failure. ${seen.length === 0 ? 'None.' : seen.join(', ')}`;
  const caption =
    most === 0 ? 'No red check' : `${formatPlural(times.length, 'red check')}, at most ${formatCount(most)} a day`;
  const figure = html`<figure class="diagram">${renderDayChart({ id: 'trend-chart', days, values, label })}<figcaption class="hint">${caption}; ${days[0]} to ${days.at(-1)}.</figcaption></figure>`;
  return renderSection('trend', 'Last 30 days', figure);
}

function renderFailurePlaces(project: Project, failure: Failure): Html {
  const { checkNames, branches, pullRequests, isOnDefault } = listPlaces(project, failure);
  const lists = [isOnDefault ? [html`on the default branch`] : [], checkNames, branches, pullRequests];
  const parts = lists.flatMap((list) => {
    const more = list.length - MAX_PLACES;
    if (list.length === 0) return [];
    return [html`${renderJoined(list.slice(0, MAX_PLACES))}${more > 0 ? ` and ${more} more` : ''}`];
  });
  return renderJoined(parts, ' · ');
}

function listPlaces(project: Project, { checkNames, branches, pullRequests, isOnDefault }: Failure) {
  return {
    isOnDefault,
    checkNames: checkNames.map((name) => html`${sanitiseLine(name, 200)}`),
    branches: branches.map((name) => html`<code>${sanitiseLine(name, 200)}</code>`),
    pullRequests: pullRequests.map((number) => renderNumber(project, 'pull', number)),
  };
}

/** The most frequent first; nothing where no failure passed without a change. */
function renderFlaky(deps: WebDeps, failures: readonly Failure[], findings: ReadonlyMap<string, LastFinding>): Html {
  if (failures.length === 0) return NOTHING;
  const table = renderTable({
    caption: 'Flaky failures, the most frequent first',
    style: 'ledger',
    columns: ['Failure', ['Flaky', 'number'], 'Since', 'Owners', 'Quarantine', 'Last'],
    rows: failures.map((failure) => {
      const last = findings.get(failure.id);
      const flake = describeFlakeOf(deps, failure, last);
      return [
        renderFailureLink(failure, last?.excerpt),
        html`${formatRate(failure)}`,
        renderMoment(failure.firstSeen.at),
        sanitiseLine(flake?.owners.join(', ') ?? '', 400) || '–',
        flake === null || flake.quarantine === null
          ? '–'
          : `${flake.quarantine.state}, until ${flake.quarantine.until}`,
        renderMoment(failure.lastSeen.at),
      ];
    }),
  });
  const hint = html`<p class="hint">How many of the red checks with each failure passed later on the same commit, without a change.</p>`;
  return renderSection('flaky', 'Flaky', html`${hint}${table}`);
}

function describeFlakeOf({ baseUrl, now }: WebDeps, failure: Failure, last: LastFinding | undefined): Flake | null {
  const address = `${baseUrl()}/projects/${failure.projectId}/failures/${failure.id}`;
  return describeFlake(failure, last, { address, now: now() });
}

/** Who owns its test, and how that can be skipped for some time. */
function renderFlake(flake: Flake | null): Html {
  if (flake === null) return NOTHING;
  const { test, file, owners, quarantine, since } = flake;
  const facts = html`<dl class="facts"><dt>Since</dt><dd>${renderMoment(since)}</dd>
${file === '' ? '' : html`<dt>Test</dt><dd><code>${sanitiseLine(file, 400)}</code>${test === '' ? '' : ` · ${sanitiseLine(test, 200)}`}</dd>`}
${owners.length === 0 ? '' : html`<dt>Owners</dt><dd>${sanitiseLine(owners.join(', '), 400)}</dd>`}</dl>`;
  return renderSection('flake', 'Flaky', html`${facts}${quarantine === null ? '' : renderQuarantine(quarantine)}`);
}

function renderQuarantine({ state, until, code, where }: Quarantine): Html {
  if (state === 'expired') {
    return html`<p>Not seen again by ${until}. If the test was skipped, run it again now, and fix or remove it if it still fails.</p>`;
  }
  const pre = html`<pre id="quarantine"><code>${code}</code></pre>`;
  return html`<p>To skip the test until ${until}, write this ${renderPlainLine(where)}. Causeway doesn't open a pull request for it.</p>${pre}
<p><button type="button" class="plain" data-copy="quarantine" hidden>Copy</button></p>`;
}

function renderFailureState({ state, opening }: Failure): Html {
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
  return flakyHits === 0 ? 'no' : formatRate({ hits, flakyHits });
}

/** Such as `3 of 4, 75 %`. */
function formatRate({ hits, flakyHits }: Pick<Failure, 'hits' | 'flakyHits'>): string {
  return `${formatCount(flakyHits)} of ${formatCount(hits)}, ${formatPercent(flakyHits / Math.max(1, hits))}`;
}

function renderFacts(project: Project, failure: Failure): Html {
  const { checkNames, branches, pullRequests } = listPlaces(project, failure);
  const renderList = (name: string, all: readonly Html[]) =>
    all.length === 0 ? '' : html`<dt>${name}</dt><dd>${renderJoined(all)}</dd>`;
  return html`<dl class="facts"><dt>State</dt><dd>${renderFailureState(failure)} ${renderHistory(project, failure)}</dd>
<dt>Occurrences</dt><dd>${formatCount(failure.hits)}</dd>
<dt>Flaky</dt><dd>${describeFlakiness(failure)}</dd>
<dt>First seen</dt><dd>${renderSighting(project, failure.firstSeen)}</dd>
<dt>Last seen</dt><dd>${renderSighting(project, failure.lastSeen)}</dd>
${renderList('Checks', checkNames)}${renderList('Branches', branches)}${renderList('Pull requests', pullRequests)}</dl>
<details><summary>Fingerprint</summary><p><code>${sanitiseLine(failure.fingerprint, 100)}</code></p></details>`;
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

async function renderFailureCause(c: PageContext, deps: WebDeps, project: Project, failure: Failure): Promise<Html> {
  const { store } = deps;
  const { investigationId, threadId } = failure;
  const investigation = investigationId === null ? null : await store.findInvestigation(investigationId);
  const thread = threadId === null ? null : await store.findThread(threadId);
  const none =
    investigationId === null
      ? 'Not investigated since it was last opened. Request an analysis, or have failed checks investigated automatically.'
      : 'The investigation was deleted.';
  return html`${investigation === null ? html`<p class="soft">${none}</p>` : await renderInvestigation(c, deps, investigation)}
${thread === null ? '' : renderOnGithub(project, thread)}${await renderOthers(c, deps, project, failure)}`;
}

/** Pull requests may have it for different reasons: each has an investigation of its own. */
async function renderOthers(c: PageContext, deps: WebDeps, project: Project, failure: Failure): Promise<Html> {
  const seen = new Set([failure.investigationId]);
  const others: Html[] = [];
  for (const { pullRequest, finding } of await deps.store.listInvestigated(failure)) {
    const isOf = (finding.opening ?? 1) === failure.opening && !seen.has(finding.investigationId);
    seen.add(finding.investigationId);
    const investigation = isOf ? await deps.store.findInvestigation(finding.investigationId) : null;
    if (investigation === null) continue;
    others.push(html`<h3>For ${renderNumber(project, 'pull', pullRequest)}</h3>
${await renderInvestigation(c, deps, investigation)}`);
  }
  return others.length === 0 ? NOTHING : html`${others}`;
}

async function renderInvestigation(
  c: PageContext,
  deps: WebDeps,
  { id, outcome, progress }: Investigation,
): Promise<Html> {
  const link = html`<a href="/investigations/${id}">Investigation</a>`;
  switch (outcome.state) {
    case 'concluded': {
      const seen = await findVisibleIssue(deps, c.get('asking'), outcome.issueId);
      if (seen === null) return html`<p>${link}</p>`;
      const { issue } = seen;
      const { confidence } = issue.analysis;
      const sentence = getFirstSentence(issue.rootCause, 300) || getFirstSentence(issue.problem, 300) || issue.id;
      return html`<p>${renderOutcome(issue.analysis)} <a href="/issues/${issue.id}">${renderPlainLine(sentence)}</a>
${confidence === null ? '' : html`<span class="soft">confidence ${formatPercent(confidence)}</span>`}</p>`;
    }
    case 'queued':
    case 'running': {
      const text =
        progress.step === 0 ? 'Being investigated' : `Step ${progress.step}: ${sanitiseLine(progress.action, 140)}`;
      const badge = renderBadge(outcome.state, outcome.state === 'running' ? 'busy' : 'quiet');
      return html`<p>${badge} <a href="/investigations/${id}">${text}</a></p>`;
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
function renderRange(project: Project, failure: Failure): Html {
  const range = findRange(failure);
  if (range === null) return NOTHING;
  const { total, commits, likeliest } = range;
  return renderSection(
    'range',
    'First bad commit',
    html`<p>The default branch broke with ${total === 1 ? 'this commit' : `one of ${formatPlural(total, 'commit')}`}: ${renderComparison(project, range)}</p>
${likeliest === undefined ? html`<p class="soft">No commit stands out.</p>` : ''}
<ol class="commits">${commits.map((commit) => renderRangeCommit(project, commit, likeliest))}</ol>
${total > commits.length ? html`<p class="hint">These are the ${commits.length} newest of ${total}.</p>` : ''}`,
  );
}

function renderRangeCommit(
  project: Project,
  { sha, author, subject }: CommitRange['commits'][number],
  likeliest: CommitRange['likeliest'],
): Html {
  return html`<li>${renderCommit(project, sha)} ${renderPlainLine(subject, 200)} <span class="soft">${sanitiseLine(author, 80)}</span>
${likeliest?.sha === sha ? html`<span class="below">${renderBadge('most likely', 'bad')} ${renderPlainLine(likeliest.reason, 400)}</span>` : ''}</li>`;
}
