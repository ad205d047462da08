// One failure: what failed with its error, then its cause, owner and last days, ten lines of its log, and the rest folded.

import type { Excerpt } from 'causeway-ci-log';
import { foldSpaces, removeInvisible, sanitiseLine, truncate } from 'causeway-visible-text';
import { html } from 'hono/html';
import {
  type CommitRange,
  describeBisect,
  type Failure,
  type Flake,
  findRange,
  isUntold,
  listDaysUntil,
  orderRange,
  type Quarantine,
  type Sighting,
  type Verdict,
} from '../core/check/index.ts';
import { formatPercent, type Issue } from '../core/issue/index.ts';
import { hasCause } from '../core/outcome/index.ts';
import type { Project } from '../core/project/index.ts';
import type { Investigation } from '../core/report/index.ts';
import type { Thread } from '../core/thread/index.ts';
import type { LastFinding } from '../db/index.ts';
import { findVisibleIssue } from '../services/index.ts';
import { formatDay, renderDayChart } from './charts.ts';
import {
  createCrumbs,
  describeVerdict,
  findSeenProject,
  formatCount,
  formatPlural,
  NOTHING,
  renderBadge,
  renderCommit,
  renderComparison,
  renderJoined,
  renderMoment,
  renderNumber,
  renderOutcome,
  renderOwnLink,
  renderPlainLine,
  renderProjectTabs,
  renderSection,
} from './components.ts';
import {
  cleanLabel,
  describeFlakeOf,
  explainOwner,
  isFailureId,
  listOwners,
  type Owner,
  readSightings,
  renderFailureState,
  titleFailure,
} from './failure-parts.ts';
import { renderKnown } from './known-issue.ts';
import { type Html, refuseAbsentPage, renderPage } from './layout.ts';
import { renderPutBack } from './put-back.ts';
import { getFirstSentence } from './text.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

/** Of the log: around the error, and before it. */
const [SHOWN_LINES, LEADING_LINES] = [10, 4];
const MAX_LOG_LINE = 400;

/** GET /projects/{projectId}/failures/{failureId} */
export async function getFailurePage(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project, role } = seen;
  const id = c.req.param('failureId') ?? '';
  const failure = (isFailureId(id) ? await deps.store.findFailure(id) : null) ?? refuseAbsentPage();
  if (failure.projectId !== project.id) refuseAbsentPage();
  const last = (await deps.store.findLastFindings([failure])).get(id);
  const { title, error } = titleFailure(failure, last?.excerpt);
  const days = listDaysUntil(deps.now());
  const { cause, owners } = await renderFailureCause(c, deps, project, { failure, last });
  const facts = { failure, owners: [...listOwners(failure, last), ...owners], days };
  const values = (await readSightings(deps.store, [failure], days)).get(id) ?? [];
  const flake = describeFlakeOf(deps, failure, last);
  const body = html`<h1 class="failure-line">${title}</h1>${error === '' ? '' : html`<p class="failure-lead mono">${error}</p>`}
${renderProjectTabs(project, 'failures', { isWithin: true })}
<div class="failure-top"><div>${renderSection('cause', 'Cause', cause)}${await renderSaid(deps, project, failure)}${await renderKnown(c, deps, { project, role, failure })}${renderRange(project, failure)}${await renderPutBack(c, deps, seen, failure)}</div>
${renderFacts(project, facts, values)}
<div>${renderLog(failure, last?.excerpt)}
${flake === null || flake.quarantine === null ? '' : renderSection('flake', 'Skip it for now', renderQuarantine(flake, flake.quarantine))}
${renderWhere(project, failure)}</div></div>`;
  const list = { text: 'Failures', href: `/projects/${project.id}/failures` };
  const crumbs = createCrumbs(project, list, { text: title, href: `${list.href}/${id}` });
  return renderPage(c, deps, { title: `${title} · ${project.name}`, body, section: 'projects', crumbs });
}

/** What people with write said of it on their pull requests, against or with what was judged. */
async function renderSaid({ store }: WebDeps, project: Project, { id }: Failure): Promise<Html> {
  const said = await store.listOverridesOf(id);
  if (said.length === 0) return NOTHING;
  const items = said.map(({ whose, reason, by, at, pullRequest }) => {
    const who = by === null ? 'Someone with write access' : sanitiseLine(by.login, 60);
    const what = `${who} said it ${whose === 'mine' ? 'is' : 'is not'} because of`;
    return html`<li>${what} ${renderNumber(project, 'pull', pullRequest)}${reason === '' ? '' : html`: “${sanitiseLine(reason, 300)}”`} <span class="soft">${renderMoment(at)}</span></li>`;
  });
  return renderSection('said', 'What people said', html`<ul>${items}</ul>`);
}

interface FailureFacts {
  readonly failure: Failure;
  readonly owners: readonly Owner[];
  readonly days: readonly string[];
}

function renderFacts(project: Project, { failure, owners, days }: FailureFacts, values: readonly number[]): Html {
  const { hits, firstSeen, lastSeen } = failure;
  const pullRequests = failure.pullRequests.map((number) => renderNumber(project, 'pull', number));
  const named = [...new Map(owners.map((owner) => [owner.name, owner])).values()];
  return html`<section class="panel glance" aria-label="At a glance"><dl class="facts"><dt>State</dt><dd>${renderFailureState(project, failure)}${renderHistory(failure)}</dd>
<dt>Owner</dt><dd>${named.length === 0 ? html`<span class="soft">not known</span>` : named.map(renderOwner)}</dd>
<dt>${failure.opening === 1 ? 'Since' : 'First seen'}</dt><dd>${renderMoment(firstSeen.at)} at ${renderCommit(project, firstSeen.sha)}${firstSeen.pullRequest === null ? '' : html` in ${renderNumber(project, 'pull', firstSeen.pullRequest)}`}</dd>
<dt>Last seen</dt><dd>${renderMoment(lastSeen.at)} in ${cleanLabel(lastSeen.checkName)}</dd>
<dt>Seen</dt><dd>${formatPlural(hits, 'time')}</dd>
${pullRequests.length === 0 ? '' : html`<dt>Pull requests</dt><dd>${renderJoined(pullRequests)}</dd>`}</dl>
${renderTrend(values, days)}</section>`;
}

function renderOwner(owner: Owner): Html {
  return html`<span class="owner">${owner.name} <span class="soft">${renderPlainLine(explainOwner(owner))}</span></span>`;
}

/** A bar for each of the last 30 days (UTC). */
function renderTrend(values: readonly number[], days: readonly string[]): Html {
  const total = values.reduce((sum, value) => sum + value, 0);
  const most = Math.max(0, ...values);
  const seen = days.flatMap((day, at) => (values[at] === 0 ? [] : [`${formatDay(day)}: ${values[at]}`]));
  const label = `Red checks a day with this failure. ${seen.length === 0 ? 'None.' : seen.join(', ')}`;
  const caption =
    most === 0
      ? 'No red check in 30 days.'
      : `${formatPlural(total, 'red check')} in 30 days, at most ${formatCount(most)} a day.`;
  const chart =
    most === 0 ? '' : renderDayChart({ id: 'trend-chart', days, values, label, tone: 'bad', size: 'small' });
  return html`<figure class="diagram">${chart}<figcaption class="hint">${caption}</figcaption></figure>`;
}

/** Ten lines around the error, the rest folded before and after them. */
function renderLog({ headline }: Failure, excerpt: Excerpt | undefined): Html {
  if (excerpt === undefined || (excerpt.lines.length === 0 && excerpt.cut === '')) return NOTHING;
  const lines = excerpt.lines.map((line) => truncate(removeInvisible(line), MAX_LOG_LINE));
  const wanted = [headline, excerpt.headline].map(foldSpaces).filter(Boolean);
  const exact = lines.findIndex((line) => wanted.includes(foldSpaces(line)));
  const [test = ''] = excerpt.tests;
  const hit = exact === -1 && test !== '' ? lines.findIndex((line) => line.includes(test)) : exact;
  const from = Math.max(0, Math.min(hit - LEADING_LINES, lines.length - SHOWN_LINES));
  const [before, shown, after] = [
    lines.slice(0, from),
    lines.slice(from, from + SHOWN_LINES),
    lines.slice(from + SHOWN_LINES),
  ];
  const marked = shown.map((line, at) => (from + at === hit ? html`<mark>${line}</mark>\n` : html`${line}\n`));
  const step = excerpt.step === '' ? '' : html`<p class="hint">Step ${sanitiseLine(excerpt.step, 100)}</p>`;
  const cut = excerpt.cut === '' ? '' : html`<p class="hint">${sanitiseLine(excerpt.cut, 300)}</p>`;
  const body = html`${step}${foldLines(before, 'before')}${shown.length === 0 ? '' : html`<pre tabindex="0" role="region" aria-label="Log around the error"><code>${marked}</code></pre>`}${foldLines(after, 'after')}${cut}`;
  return renderSection('log', 'Log', body);
}

function foldLines(lines: readonly string[], where: 'before' | 'after'): Html {
  if (lines.length === 0) return NOTHING;
  return html`<details class="fold"><summary>${formatPlural(lines.length, 'line')} ${where}</summary><pre tabindex="0" role="region" aria-label="Log ${where} that"><code>${lines.join('\n')}</code></pre></details>`;
}

function renderQuarantine({ file, test }: Flake, quarantine: Quarantine): Html {
  const { state, until, code, where } = quarantine;
  if (state === 'expired') {
    return html`<p>Not seen again by ${until}. If the test was skipped, run it again now, and fix or remove it if it still fails.</p>`;
  }
  return html`<p>To skip ${test === '' ? 'the test' : sanitiseLine(test, 200)} in <code>${sanitiseLine(file, 400)}</code> until ${until}, write this ${renderPlainLine(where)}. Causeway doesn't open a pull request for it.</p>
<pre id="quarantine"><code>${code}</code></pre>
<p><button type="button" class="plain" data-copy="quarantine" hidden>Copy</button></p>`;
}

/** Every name that it was seen under. */
function renderWhere(project: Project, failure: Failure): Html {
  const { checkNames, branches, firstSeen, lastSeen, fingerprint } = failure;
  const renderList = (name: string, all: readonly (Html | string)[]) =>
    all.length === 0 ? '' : html`<dt>${name}</dt><dd>${renderJoined(all)}</dd>`;
  return html`<details class="fold"><summary>Where it was seen</summary><dl class="facts">
${renderList('Checks', checkNames.map(cleanLabel))}${renderList(
  'Branches',
  branches.map((name) => html`<code>${cleanLabel(name)}</code>`),
)}
<dt>First seen</dt><dd>${renderSighting(project, firstSeen)}</dd>
<dt>Last seen</dt><dd>${renderSighting(project, lastSeen)}</dd>
<dt>Fingerprint</dt><dd><code>${sanitiseLine(fingerprint, 100)}</code></dd></dl></details>`;
}

/** When it was closed, also where it is open again. */
function renderHistory({ state, closed }: Failure): Html {
  if (closed === null) return NOTHING;
  return html`<span class="soft below">${state === 'closed' ? 'closed' : 'closed before,'} ${renderMoment(closed.at)}</span>`;
}

function renderSighting(project: Project, { at, checkName, sha, branch, pullRequest, verdict }: Sighting): Html {
  return html`${renderMoment(at)} · ${sanitiseLine(checkName, 200)} at ${renderCommit(project, sha)}
${branch === '' ? '' : html` on <code>${sanitiseLine(branch, 200)}</code>`}
${pullRequest === null ? '' : html` in ${renderNumber(project, 'pull', pullRequest)}`} · Verdict: ${describeVerdict(verdict)}`;
}

/** What is known without an investigation. */
const VERDICT_CAUSES: Partial<Readonly<Record<Verdict, string>>> = {
  flaky: 'Flaky: it passed on a re-run without a change. ',
  infrastructure: 'The CI machine failed, not the code. ',
  base_broken: 'It was broken before the change. ',
};

interface FailureCause {
  readonly cause: Html;
  /** Whether it is a cause, and not that none was found. */
  readonly isFound?: boolean;
  /** Of the file that the answer is about; none where there is none, or the person may not see it. */
  readonly owners: readonly Owner[];
}

async function renderFailureCause(
  c: PageContext,
  deps: WebDeps,
  project: Project,
  { failure, last }: { readonly failure: Failure; readonly last: LastFinding | undefined },
): Promise<FailureCause> {
  const { store } = deps;
  const { investigationId, threadId } = failure;
  const investigation = investigationId === null ? null : await store.findInvestigation(investigationId);
  const thread = threadId === null ? null : await store.findThread(threadId);
  const known = VERDICT_CAUSES[failure.lastSeen.verdict] ?? '';
  const none =
    investigationId === null
      ? `${known}Not investigated since it was last opened. Request an analysis, or have failed checks investigated automatically.`
      : `${known}The investigation was deleted.`;
  const own = investigation === null ? null : await renderInvestigation(c, deps, investigation);
  const leaning = own?.isFound === true ? NOTHING : renderLeaning(project, failure, last);
  const cause = html`${leaning}${own === null ? html`<p class="soft">${none}</p>` : own.cause}
${thread === null ? '' : renderOnGithub(project, thread)}${await renderOthers(c, deps, project, failure)}`;
  return { cause, owners: own?.owners ?? [] };
}

/** Of the check in which it was seen last. */
function renderLeaning(project: Project, { lastSeen }: Failure, last: LastFinding | undefined): Html {
  if (last?.leaning === undefined || lastSeen.verdict !== 'inconclusive') return NOTHING;
  const { pullRequest } = lastSeen;
  const [test = '', ...way] = last.leaning.path.map((path) => `\`${sanitiseLine(path, 200).replaceAll('`', '')}\``);
  const whose = pullRequest === null ? 'the branch' : renderNumber(project, 'pull', pullRequest);
  return html`<p>Probably the change of ${whose}: ${renderPlainLine(`${test} uses ${way.join(', which uses ')}, which it touches.`, 900)}</p>`;
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
${(await renderInvestigation(c, deps, investigation)).cause}`);
  }
  return others.length === 0 ? NOTHING : html`${others}`;
}

async function renderInvestigation(
  c: PageContext,
  deps: WebDeps,
  { id, outcome, progress }: Investigation,
): Promise<FailureCause> {
  const link = html`<a href="/investigations/${id}">Investigation</a>`;
  switch (outcome.state) {
    case 'concluded': {
      const seen = await findVisibleIssue(deps, c.get('asking'), outcome.issueId);
      return seen === null ? { cause: html`<p>${link}</p>`, owners: [] } : renderAnswer(seen.issue);
    }
    case 'queued':
    case 'running': {
      const text =
        progress.step === 0 ? 'Being investigated' : `Step ${progress.step}: ${sanitiseLine(progress.action, 140)}`;
      const badge = renderBadge(outcome.state, outcome.state === 'running' ? 'busy' : 'quiet');
      return { cause: html`<p>${badge} <a href="/investigations/${id}">${text}</a></p>`, owners: [] };
    }
    case 'gave_up':
    case 'cancelled': {
      const badge = renderBadge(outcome.state === 'gave_up' ? 'gave up' : 'cancelled');
      return { cause: html`<p>${badge} ${renderPlainLine(outcome.reason.detail, 400)}</p><p>${link}</p>`, owners: [] };
    }
  }
}

/** The cause, if one was found; else the reason of the answer, whose own page has the rest. */
function renderAnswer(issue: Issue): FailureCause {
  const { id, rootCause, analysis } = issue;
  const { confidence, ownership } = analysis;
  const sure = confidence === null ? '' : html` <span class="soft">confidence ${formatPercent(confidence)}</span>`;
  const found = hasCause(issue) ? getFirstSentence(rootCause, 300) : '';
  const owners = (ownership?.owners ?? []).map((name) => ({
    name: cleanLabel(name),
    by: 'file' as const,
    path: sanitiseLine(ownership?.file ?? '', 300),
  }));
  const cause =
    found === ''
      ? html`<p>${renderOutcome(analysis)} <span class="soft">${renderPlainLine(analysis.reason, 400)}</span></p>
<p><a href="/issues/${id}">What was checked</a></p>`
      : html`<p class="lead"><a href="/issues/${id}">${renderPlainLine(found)}</a></p><p>${renderOutcome(analysis)}${sure}</p>`;
  return { cause, owners, isFound: found !== '' };
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
${likeliest === undefined && total > 1 ? html`<p class="soft">${isUntold(range) ? 'Nothing ties any of them to the failure.' : 'No commit stands out.'}</p>` : ''}
<ol class="commits">${orderRange(range).map((commit) => renderRangeCommit(project, commit))}</ol>
${total > commits.length ? html`<p class="hint">These are the ${commits.length} newest of ${total}.</p>` : ''}${renderBisect(range)}`,
  );
}

function renderRangeCommit(
  project: Project,
  { sha, author, subject, isLikeliest, reason }: ReturnType<typeof orderRange>[number],
): Html {
  const why = html`${isLikeliest ? html`${renderBadge('most likely', 'bad')} ` : ''}${renderPlainLine(reason, 400)}`;
  return html`<li>${renderCommit(project, sha)} ${renderPlainLine(subject, 200)} <span class="soft">${sanitiseLine(author, 80)}</span>
${reason === '' && !isLikeliest ? '' : html`<span class="below">${why}</span>`}</li>`;
}

/** Nothing where there is only one commit, or the test cannot be run alone. */
function renderBisect(range: CommitRange): Html {
  const bisect = describeBisect(range);
  if (bisect === null) return NOTHING;
  return html`<p>To find it at home, in a clone without changes of your own:${bisect.note === '' ? '' : ` ${bisect.note}`}</p>
<pre id="bisect"><code>${bisect.line}</code></pre>
<p><button type="button" class="plain" data-copy="bisect" hidden>Copy</button></p>`;
}
