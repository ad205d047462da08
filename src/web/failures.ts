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
  removeDuration,
  type Sighting,
  splitError,
} from '../core/check/index.ts';
import { formatPercent } from '../core/issue/index.ts';
import { isGithubProject, type Project } from '../core/project/index.ts';
import type { Investigation } from '../core/report/index.ts';
import type { Thread } from '../core/thread/index.ts';
import type { LastFinding } from '../db/index.ts';
import { findVisibleIssue } from '../services/index.ts';
import { formatDay, listTrendDays, renderDayChart, renderSparkline, spreadOverDays } from './charts.ts';
import {
  createCrumbs,
  cutPage,
  cutToWholeLines,
  DASH,
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
  const findings = await deps.store.findLastFindings(flaky);
  const body = html`${renderProjectHead(seen, 'failures')}
${renderSection(
  'failures',
  'Failures',
  html`${renderFilters('State', filters)}
${isEmpty ? renderEmpty(describeEmpty(project, state, after !== '')) : await renderFailures(deps, [project], entries)}
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
  const { title, error } = titleFailure(failure, excerpt);
  const days = listTrendDays(deps.now());
  const body = html`<h1 class="failure-line">${title}</h1>${error === '' ? '' : html`<p class="mono">${error}</p>`}
${renderProjectTabs(project, 'failures', { isWithin: true })}
${renderFacts(project, failure)}
${renderFlake(describeFlakeOf(deps, failure, last))}
${renderSection('cause', 'Cause', await renderFailureCause(c, deps, project, failure))}
${renderRange(project, failure)}
${renderLogExcerpt(excerpt)}
${renderTrend((await readSightings(deps.store, [failure], days)).get(id) ?? [], days)}`;
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
export async function renderFailures(
  { store, now }: Pick<WebDeps, 'store' | 'now'>,
  projects: readonly Project[],
  failures: readonly Failure[],
): Promise<Html> {
  const byId = new Map(projects.map((project) => [project.id, project]));
  const days = listTrendDays(now());
  const findings = await store.findLastFindings(failures);
  const sightings = await readSightings(store, failures, days);
  return renderTable({
    caption: 'Failures',
    style: 'ledger failures',
    columns: ['Failure', 'State', 'Last 30 days', 'Commits and pull requests', 'Owner', 'Last seen'],
    rows: failures.flatMap((failure) => {
      const project = byId.get(failure.projectId);
      if (project === undefined) return [];
      const last = findings.get(failure.id);
      return [
        [
          html`${renderFailureLink(failure, last?.excerpt)}
<span class="soft below">${renderFailureSource(project, failure, titleFailure(failure, last?.excerpt).title, projects.length > 1)}</span>`,
          renderFailureState(project, failure),
          renderCounts(failure, sightings.get(failure.id) ?? []),
          renderFailurePlaces(project, failure),
          renderOwner(failure, last),
          renderMoment(failure.lastSeen.at),
        ],
      ];
    }),
  });
}

/** Red checks on each of the days, by the failure's id. */
async function readSightings(
  store: WebDeps['store'],
  failures: readonly Failure[],
  days: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const failureIds = failures.map(({ id }) => id);
  const counts = await store.readDailySightings({ failureIds, since: days[0] ?? '' });
  const byFailure = Map.groupBy(counts, ({ id }) => id);
  return new Map(failureIds.map((id) => [id, spreadOverDays(byFailure.get(id) ?? [], days)]));
}

function renderFailureLink(failure: Failure, excerpt?: Excerpt): Html {
  const { title, error } = titleFailure(failure, excerpt);
  return html`<a class="row-link" href="/projects/${failure.projectId}/failures/${failure.id}">${title}</a>
${error === '' ? '' : html`<span class="below mono failure-error">${error}</span>`}`;
}

/** Says only that something failed, as it does of any other failure too. */
const SAYS_NOTHING =
  /^(?:##\[error\])?(?:error:? )?(?:the )?(?:process|command|script|job|step|task|action)?\b.{0,60}\b(?:exit(?:ed)?(?: with)? ?(?:code|status)?:? \d{1,3}|failed)\.?$/i;

/** The failed test with its error; without a test the error, or, where that says nothing, the check that failed. */
export function titleFailure(failure: Failure, excerpt?: Excerpt): { readonly title: string; readonly error: string } {
  const { headline } = failure;
  const error = sanitiseLine(headline, 300);
  const [test = '', ...more] = excerpt?.tests ?? [];
  if (test !== '') {
    const others = more.length === 0 ? '' : ` and ${formatPlural(more.length, 'other test')}`;
    const title = `${sanitiseLine(test, 200)}${others}`;
    const said =
      excerpt === undefined || removeDuration(headline) !== removeDuration(excerpt.headline)
        ? error
        : sanitiseLine(splitError(excerpt).error, 300);
    return { title, error: removeDuration(said) === test ? '' : said };
  }
  if (error !== '' && !SAYS_NOTHING.test(error)) return { title: error, error: '' };
  return { title: nameCheck(failure), error };
}

function nameCheck({ lastSeen }: Failure): string {
  return `${cleanName(lastSeen.checkName) || 'A check'} failed`;
}

/** The checks that it is of, unless its title names that one; after its project where there are several. */
function renderFailureSource(project: Project, failure: Failure, title: string, isNamed: boolean): Html {
  const { checkNames } = failure;
  const isSaid = checkNames.length === 1 && title === nameCheck(failure);
  const checks = isSaid ? [] : listSome(checkNames.map(cleanName));
  return renderJoined([...(isNamed ? [cleanName(project.name)] : []), ...checks], ' · ');
}

function cleanName(name: string): string {
  return sanitiseLine(name, 200);
}

function listSome(parts: readonly (Html | string)[]): readonly (Html | string)[] {
  const more = parts.length - MAX_PLACES;
  return parts.length === 0
    ? []
    : [html`${renderJoined(parts.slice(0, MAX_PLACES))}${more > 0 ? ` and ${more} more` : ''}`];
}

/** A bar for each day, and how often it was seen in all. */
function renderCounts(failure: Failure, values: readonly number[]): Html {
  const recent = values.reduce((sum, value) => sum + value, 0);
  const label =
    recent === 0
      ? 'No red check in 30 days'
      : `${formatPlural(recent, 'red check')} in 30 days, at most ${formatCount(Math.max(...values))} a day`;
  const tone = failure.state === 'closed' ? 'quiet' : describeState(failure).tone;
  return html`<span class="counts">${renderSparkline({ values, label, tone })} <span class="count">${formatCount(recent)}</span></span>`;
}

/** Pull requests, else branches; and the first and the last commit. */
function renderFailurePlaces(project: Project, failure: Failure): Html {
  const { firstSeen, lastSeen } = failure;
  const main = project.source.kind === 'github' ? project.source.defaultBranch : '';
  const pullRequests = failure.pullRequests.map((number) => renderNumber(project, 'pull', number));
  const branches = failure.branches
    .filter((name) => name !== main)
    .map((name) => html`<code>${cleanName(name)}</code>`);
  const places = listSome(pullRequests.length > 0 ? pullRequests : branches);
  const first = renderCommit(project, firstSeen.sha);
  const commits = firstSeen.sha === lastSeen.sha ? first : html`${first} to ${renderCommit(project, lastSeen.sha)}`;
  return html`${places}${places.length === 0 ? commits : html`<span class="below">${commits}</span>`}`;
}

/** Who owns the failing test, else who wrote the commit that it came with. */
function renderOwner(failure: Failure, last?: LastFinding): Html {
  const owners = last?.testFile?.owners ?? [];
  if (owners.length > 0) return html`${sanitiseLine(owners.join(', '), 400)}`;
  const range = findRange(failure);
  const sha = range?.likeliest?.sha ?? (range?.total === 1 ? range.to : '');
  const author = range?.commits.find((commit) => commit.sha === sha)?.author ?? '';
  return author === ''
    ? DASH
    : html`${sanitiseLine(author, 80)} <span class="soft below">wrote ${sha.slice(0, 7)}</span>`;
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
function renderTrend(values: readonly number[], days: readonly string[]): Html {
  const total = values.reduce((sum, value) => sum + value, 0);
  const most = Math.max(0, ...values);
  const seen = days.flatMap((day, at) => (values[at] === 0 ? [] : [`${formatDay(day)}: ${values[at]}`]));
  const label = `Red checks a day with this failure. ${seen.length === 0 ? 'None.' : seen.join(', ')}`;
  const caption =
    most === 0 ? 'No red check' : `${formatPlural(total, 'red check')}, at most ${formatCount(most)} a day`;
  const figure = html`<figure class="diagram">${renderDayChart({ id: 'trend-chart', days, values, label })}<figcaption class="hint">${caption}; ${days[0]} to ${days.at(-1)}.</figcaption></figure>`;
  return renderSection('trend', 'Last 30 days', figure);
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

interface FailureStanding {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'busy' | 'quiet';
}

/** In a word or two, which differ where what is to be done differs. */
function describeState(failure: Failure): FailureStanding {
  const { state, closed, opening, isOnDefault, hits, flakyHits, lastSeen, pullRequests } = failure;
  if (state === 'closed')
    return closed?.by === 'green' ? { text: 'fixed', tone: 'good' } : { text: 'closed', tone: 'quiet' };
  if (flakyHits > 0 && flakyHits * 2 > hits) return { text: 'flaky', tone: 'busy' };
  if (lastSeen.verdict === 'infrastructure') return { text: 'CI machine', tone: 'quiet' };
  if (opening > 1 && closed?.by === 'green') return { text: 'regression', tone: 'bad' };
  if (isOnDefault) return { text: 'on the default branch', tone: 'bad' };
  return pullRequests.length > 0 ? { text: 'in pull requests', tone: 'busy' } : { text: 'on a branch', tone: 'busy' };
}

function renderFailureState(project: Project, failure: Failure): Html {
  const { state, closed, opening, flakyHits } = failure;
  const { text, tone } = describeState(failure);
  const notes: readonly (Html | string)[] = [
    ...(state === 'closed' && closed !== null ? [renderClosing(project, closed)] : []),
    ...(flakyHits > 0 ? [`passed unchanged: ${formatRate(failure)}`] : []),
    ...(opening > 1 ? [`opened ${opening} times`] : []),
  ];
  return html`${renderBadge(text, tone)}${notes.map((note) => html`<span class="soft below">${note}</span>`)}`;
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
  return html`<dl class="facts"><dt>State</dt><dd>${renderFailureState(project, failure)} ${renderHistory(project, failure)}</dd>
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
