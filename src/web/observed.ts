// What Causeway would have done: of the days before it was installed, and of what mode `observe` held back; what that costs,
// and the line that switches it on.

import { removeInvisible, sanitiseLine, sanitiseText } from 'causeway-visible-text';
import { html } from 'hono/html';
import type { Finding, Head, Verdict } from '../core/check/index.ts';
import { formatDollars, formatPercent } from '../core/issue/index.ts';
import { countFailed, describeForecastCheck, explainForecast, FORECAST_GROUPS, type Forecast } from '../core/past.ts';
import type { EffectiveMode, Project } from '../core/project/index.ts';
import type { Subject, Thread } from '../core/thread/index.ts';
import type { Backfill } from '../db/index.ts';
import { describeRunning, listVisibleIssueLines, type SeenProject } from '../services/index.ts';
import { renderShares, renderSwatch, type ShareTone } from './charts.ts';
import {
  createCrumbs,
  DASH,
  describeVerdict,
  findSeenProject,
  formatCount,
  formatPlural,
  NOTHING,
  renderBudgetMeter,
  renderCommit,
  renderCopyable,
  renderJoined,
  renderMoment,
  renderNumber,
  renderOwnLink,
  renderPlainLine,
  renderProjectHead,
  renderSection,
  renderTable,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import { getHeadline } from './text.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const MAX_LISTED = 50;
/** Entries of that list that are not folded. */
const MAX_OPEN = 10;
/** A comment on GitHub is never longer; a check run may be, and is cut. */
const MAX_TEXT = 66_000;
const [DAYS, DAYS_OF_MONTH] = [14, 30];

/** GET /projects/{projectId}/observed */
export async function getObserved(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project } = seen;
  const held = await readHeld(c, deps, seen);
  const backfill = await deps.store.findBackfill(project.id);
  const forecast = backfill?.forecast ?? null;
  const { signal } = c.get('asking');
  // The page is useful without it, where GitHub does not answer.
  const configuration = await deps.configurationOf(project, signal).catch(() => null);
  const effective = configuration?.mode ?? null;
  const isAnyHeld = held.threads.length + held.heads.length > 0;
  const body = html`${renderProjectHead(seen, 'observed')}
<p class="lead">${isAnyHeld ? summariseHeld(held, effective) : describePast(backfill)}</p>
${isAnyHeld ? renderSection('so-far', 'Held back so far', renderHeldTable(held)) : NOTHING}
${forecast === null ? NOTHING : renderSection('forecast', `The ${DAYS} days before it was installed`, renderForecastOfProject(forecast, isAnyHeld))}
${forecast === null && isAnyHeld ? html`<p class="hint">${describePast(backfill)}</p>` : NOTHING}
${await renderCost(deps, project, forecast)}
${renderSwitch(effective)}
${isAnyHeld ? renderSection('held', 'What would have been posted', renderHeldList(project, held)) : NOTHING}
${forecast === null ? NOTHING : renderFailed(project, forecast)}`;
  const crumbs = createCrumbs(project, { text: 'Observed', href: `/projects/${project.id}/observed` });
  return renderPage(c, deps, { title: `Observed · ${project.name}`, body, section: 'projects', crumbs });
}

/** A subject with what would have been posted for it. */
interface HeldThread {
  readonly thread: Thread;
  /** May contain backticks. */
  readonly title: string;
  /** It rests on another repository, which the person cannot read: so do its texts. */
  readonly isWithheld: boolean;
  /** Null: it is of no failed check. */
  readonly verdict: Verdict | null;
  readonly usd: number;
  readonly startedAt: string;
}

/** The newest of each kind. */
interface Held {
  readonly threads: readonly HeldThread[];
  readonly heads: readonly Head[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

async function readHeld(c: PageContext, deps: WebDeps, { project }: SeenProject): Promise<Held> {
  const { store } = deps;
  const threads = await store.listHeldThreads(project.id, MAX_LISTED + 1);
  const heads = await store.listHeldHeads(project.id, MAX_LISTED + 1);
  const found = await Promise.all(
    threads.slice(0, MAX_LISTED).map(async (thread) => {
      const investigation = await store.findInvestigation(thread.investigationId);
      return investigation === null ? [] : [{ thread, investigation }];
    }),
  );
  const known = found.flat();
  const issueIds = known.flatMap(({ investigation: { outcome } }) =>
    outcome.state === 'concluded' ? [outcome.issueId] : [],
  );
  const filter = { projectIds: [project.id], issueIds, limit: MAX_LISTED };
  const lines = issueIds.length === 0 ? [] : await listVisibleIssueLines(deps, c.get('asking'), filter);
  const running = await describeRunning(
    deps,
    known.map(({ investigation }) => investigation),
  );
  const named = known.map(async ({ thread, investigation }): Promise<HeldThread> => {
    const { id, runId, outcome, createdAt } = investigation;
    const line = lines.find((one) => outcome.state === 'concluded' && one.id === outcome.issueId);
    const title = line === undefined || getHeadline(line) === line.id ? running.get(id)?.title : getHeadline(line);
    const isOfCheck = thread.subject.kind === 'failure' || thread.subject.kind === 'pull_request';
    const { spentUsd } = await store.readRunSpending(runId);
    return {
      ...{ thread, usd: spentUsd, startedAt: createdAt },
      title: title ?? describeSubject(thread.subject),
      isWithheld: line?.isWithheld === true,
      verdict: isOfCheck ? (line?.verdict ?? 'inconclusive') : null,
    };
  });
  const isCut = threads.length > MAX_LISTED || heads.length > MAX_LISTED;
  return { threads: await Promise.all(named), heads: heads.slice(0, MAX_LISTED), isCut };
}

function describeSubject({ kind }: Subject): string {
  switch (kind) {
    case 'issue':
      return 'An issue';
    case 'pull_request':
      return 'A pull request with failed checks';
    case 'failure':
      return 'A failure of the default branch';
    case 'report':
      return 'A report';
  }
}

function summariseHeld({ threads, heads, isCut }: Held, effective: EffectiveMode | null): Html {
  const comments = threads.filter(({ thread }) => hasHeld(thread, 'comment')).length;
  const pullRequests = threads.filter(({ thread }) => hasHeld(thread, 'pullRequest')).length;
  const parts = [
    ...(comments > 0 ? [formatPlural(comments, 'comment')] : []),
    ...(pullRequests > 0 ? [formatPlural(pullRequests, 'pull request')] : []),
    ...(heads.length > 0 ? [formatPlural(heads.length, 'check run')] : []),
  ];
  const counted = parts.map((part) => html`<strong>${part}</strong>`);
  const beginning = effective === null || effective.mode === 'observe' ? 'Switched on' : 'While it only observed';
  return html`${beginning}, Causeway would have posted ${isCut ? 'at least ' : ''}${renderList(counted)} here.`;
}

/** "a, b and c" */
function renderList(parts: readonly Html[]): Html {
  if (parts.length < 2) return renderJoined(parts);
  return html`${renderJoined(parts.slice(0, -1))} and ${parts.at(-1) ?? ''}`;
}

function hasHeld({ record }: Thread, part: 'comment' | 'pullRequest'): boolean {
  return (record.held?.[part] ?? '') !== '';
}

/** Of the days before, in one sentence. */
function describePast(backfill: Backfill | null): Html {
  if (backfill?.forecast) return summarisePast(backfill.forecast);
  if (backfill?.state === 'waiting') {
    return html`Reading the ${DAYS} days before Causeway was installed. The forecast appears here in some minutes.`;
  }
  return html`<span class="soft">No forecast: there is no check history, or an earlier version read it.</span>`;
}

function summarisePast(forecast: Forecast, began = `In the ${DAYS} days before it was installed, Causeway`): Html {
  const failed = countFailed(forecast);
  const labelled = forecast.issues.labelled.length;
  if (failed + labelled === 0) return html`${began} would have had nothing to do.`;
  const parts = [
    ...(failed > 0 ? [html`classified <strong>${formatPlural(failed, 'failed check')}</strong>`] : []),
    ...(labelled > 0 ? [html`analysed <strong>${formatPlural(labelled, 'labelled issue')}</strong>`] : []),
  ];
  return html`${began} would have ${renderList(parts)}, for about <strong>${formatDollars(forecast.usd)}</strong>.`;
}

/** What came of one kind of problem. Null: not known. */
interface Row {
  readonly words: string;
  readonly tone: ShareTone;
  /** Null: of no check. */
  readonly checks: number | null;
  readonly comments: number | null;
  readonly pullRequests: number | null;
  readonly usd: number | null;
  /** Beside the words. */
  readonly note?: string;
}

const TONES: Readonly<Record<Verdict, ShareTone>> = {
  code: 'bad',
  flaky: 'busy',
  base_broken: 'accent',
  infrastructure: 'field',
  inconclusive: 'line',
};

const isAnything = ({ checks, comments, pullRequests, usd }: Row) =>
  [checks, comments, pullRequests, usd].some((value) => (value ?? 0) > 0);

/** Nothing is an empty cell, which a narrow screen leaves out. `most`: comments and pull requests are upper limits, and money an estimate. */
function renderRows(rows: readonly Row[], most: boolean): Html {
  const shown = rows.filter(isAnything);
  const sum = (pick: (row: Row) => number | null): number | null =>
    shown.some((row) => row.checks !== null && pick(row) === null)
      ? null
      : shown.reduce((total, row) => total + (pick(row) ?? 0), 0);
  const formatLimit = (value: number | null) => {
    if (value === null) return DASH;
    return value === 0 ? '' : `${most ? 'up to ' : ''}${formatCount(value)}`;
  };
  const formatCost = (value: number | null) => {
    if (value === null) return DASH;
    return value === 0 ? '' : formatDollars(value);
  };
  const shares = shown.flatMap(({ checks, words, tone }) =>
    checks === null || checks === 0 ? [] : [{ value: checks, words, tone }],
  );
  return html`${renderShares(`Failed checks: ${shares.map(({ value, words }) => `${formatCount(value)} ${words}`).join(', ')}`, shares)}
${renderTable({
  caption: 'By what was to blame',
  style: 'ledger decision',
  columns: [
    'What was to blame',
    ['Failed checks', 'number'],
    ['Comments', 'number'],
    ['Pull requests', 'number'],
    [most ? 'Cost, about' : 'Cost', 'number'],
  ],
  rows: shown.map(({ words, tone, note = '', checks, comments, pullRequests, usd }) => [
    html`${checks === null ? '' : renderSwatch(tone)}${words}${note === '' ? '' : html` <span class="soft">${note}</span>`}`,
    checks === null || checks === 0 ? '' : formatCount(checks),
    formatLimit(comments),
    formatLimit(pullRequests),
    formatCost(usd),
  ]),
  foot: [
    html`<strong>Total</strong>`,
    formatCount(sum(({ checks }) => checks ?? 0) ?? 0),
    formatLimit(sum(({ comments }) => comments)),
    formatLimit(sum(({ pullRequests }) => pullRequests)),
    formatCost(sum(({ usd }) => usd)) || formatDollars(0),
  ],
})}`;
}

function renderHeldTable({ threads, heads, isCut }: Held): Html {
  const findings = heads.flatMap((head) => head.findings);
  const toRow = (verdict: Verdict | null, words: string, tone: ShareTone): Row => {
    const own = threads.filter((one) => one.verdict === verdict);
    const count = (part: 'comment' | 'pullRequest') => own.filter(({ thread }) => hasHeld(thread, part)).length;
    const checks = findings.filter((one) => one.verdict === verdict).reduce((sum, one) => sum + one.checks.length, 0);
    return {
      ...{ words, tone, checks: verdict === null ? null : checks },
      ...{ comments: count('comment'), pullRequests: count('pullRequest') },
      usd: own.reduce((sum, { usd }) => sum + usd, 0),
    };
  };
  const rows = [
    ...FORECAST_GROUPS.map(([verdict]) => toRow(verdict, capitalise(describeVerdict(verdict)), TONES[verdict])),
    toRow(null, 'Issues and reports', 'line'),
  ];
  return html`${renderRows(rows, false)}
${isCut ? html`<p class="hint">Of the ${MAX_LISTED} newest comments and pull requests, and of the ${MAX_LISTED} newest check runs.</p>` : ''}`;
}

function renderForecastOfProject(forecast: Forecast, isNamed: boolean): Html {
  const { groups, issues, usdEach, unreadChecks } = forecast;
  const rows = FORECAST_GROUPS.map(([verdict]): Row => {
    const { checks, tests, answers } = groups[verdict];
    return {
      ...{ words: capitalise(describeVerdict(verdict)), tone: TONES[verdict], checks },
      note: verdict === 'flaky' && tests > 0 ? `(${formatPlural(tests, 'test')})` : '',
      comments: answers?.comments ?? null,
      pullRequests: answers?.pullRequests ?? null,
      usd: answers === undefined ? null : answers.investigations * usdEach,
    };
  });
  const unread: Row = {
    ...{ words: 'Not read', tone: 'line', checks: unreadChecks },
    ...{ comments: 0, pullRequests: 0, usd: 0 },
  };
  const labelled = issues.labelled.length;
  const ofIssues: Row = {
    ...{ words: 'Labelled issues', tone: 'line', checks: null, note: `(${formatCount(labelled)})` },
    ...{ comments: labelled, pullRequests: labelled, usd: labelled * usdEach },
  };
  const all = [...rows, unread, ofIssues];
  return html`${isNamed ? html`<p>${summarisePast(forecast, 'Causeway')}</p>` : ''}
${all.some(isAnything) ? renderRows(all, true) : ''}
<details><summary>How this was counted</summary><ul class="hint">${explainForecast(forecast).map((line) => html`<li>${line}</li>`)}
<li>Comments and pull requests are upper limits: Causeway posts only where it is sure enough, and a pull request needs a person with write access.</li></ul></details>`;
}

function capitalise(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** What was spent and what is to be expected, against the repository's budget of a month. */
async function renderCost(deps: WebDeps, { id }: Project, forecast: Forecast | null): Promise<Html> {
  const { store, now, budget } = deps;
  const [usage] = await store.readUsage({ projectIds: [id], sinceMonth: now().toISOString().slice(0, 7) });
  const count = Object.values(usage?.investigations ?? {}).reduce((sum, some) => sum + some, 0);
  const spent = usage?.spentUsd ?? 0;
  const expected = forecast === null ? 0 : (forecast.usd * DAYS_OF_MONTH) / DAYS;
  const toCells = (name: string, used: number, note: string) => [
    html`${name}<span class="soft below">${note}</span>`,
    formatDollars(used),
    budget.repository > 0
      ? html`${renderBudgetMeter(name, used, budget.repository)} ${formatPercent(used / budget.repository)}`
      : DASH,
  ];
  if (count === 0 && expected === 0) return NOTHING;
  const rows = [
    toCells(
      'This month so far',
      spent,
      count === 0 ? 'nothing was investigated' : `for ${formatPlural(count, 'investigation')}`,
    ),
    ...(forecast === null || forecast.usd === 0
      ? []
      : [
          toCells(
            'A month like those days',
            Math.round(expected * 100) / 100,
            `an estimate, at about ${formatDollars(forecast.usdEach)} an investigation`,
          ),
        ]),
  ];
  const table = renderTable({
    caption: 'Cost against the budget of this repository',
    style: 'ledger decision',
    columns: ['Time', ['Cost', 'number'], [`Of ${formatDollars(budget.repository)} a month`, 'bar']],
    rows,
  });
  const hint = html`<p class="hint">Observing costs the same as posting. When the budget is used up, answers come from the source alone, without a model.</p>`;
  return renderSection('cost', 'Cost', html`${table}${hint}`);
}

function renderSwitch(effective: EffectiveMode | null): Html {
  const { mode, isCapped } = effective ?? { mode: null, isCapped: false };
  const file = html`<code>.github/causeway.yml</code>`;
  const isOn = mode === 'comment' || mode === 'fix';
  const title = isOn ? `It is on: mode ${mode}` : 'Switch it on';
  const more = isOn
    ? html`${mode === 'comment' && !isCapped ? html`<p>It opens no pull requests in this mode. To allow them, put <code>mode: fix</code> into ${file}.</p>` : ''}
<p>To hold everything back first and see it listed here, put this line into ${file} on the default branch:</p>
${renderCopyable('line', 'mode: observe', 'line')}
<p class="hint">For all repositories at once, the operator sets <code>MAX_MODE=observe</code>.</p>`
    : html`<p>In <code>observe</code> mode Causeway posts nothing${mode === null ? '' : ', and this is the mode here'}. Put this line into ${file} on the default branch:</p>
${renderCopyable('line', 'mode: comment', 'line')}
<p class="hint"><code>mode: fix</code> opens draft pull requests as well.${isCapped ? html` The operator's <code>MAX_MODE=observe</code> holds everything back until it is raised, whatever the file says.` : ''}</p>`;
  return html`<section class="panel switch" aria-labelledby="switch"><h2 id="switch">${title}</h2>${more}</section>`;
}

function renderHeldList(project: Project, { threads, heads, isCut }: Held): Html {
  const all = [
    ...threads.map((one) => renderHeldThread(project, one)),
    ...heads.map((head) => renderHeldHead(project, head)),
  ];
  const rest = all.slice(MAX_OPEN);
  return html`${isCut ? html`<p class="hint">At most ${MAX_LISTED} of each, most recently changed first.</p>` : ''}
<ul class="rows held">${all.slice(0, MAX_OPEN)}</ul>
${rest.length === 0 ? '' : html`<details><summary>${formatCount(rest.length)} more</summary><ul class="rows held">${rest}</ul></details>`}`;
}

function renderHeldThread(project: Project, { thread, title, isWithheld, usd, startedAt }: HeldThread): Html {
  const { id, subject, investigationId, record } = thread;
  const { comment = '', pullRequest = '' } = record.held ?? {};
  const what = [...(comment === '' ? [] : ['comment']), ...(pullRequest === '' ? [] : ['pull request'])].join(' and ');
  const texts = isWithheld
    ? NOTHING
    : html`<div class="texts">${comment === '' ? '' : renderHeld('Comment', comment)}
${pullRequest === '' ? '' : renderHeld('Pull request', pullRequest)}</div>`;
  return html`<li><h3 id="${id}"><a href="/investigations/${investigationId}">${renderPlainLine(title)}</a></h3>
<p class="soft">${capitalise(what)} ${renderPlace(project, subject)} · ${formatDollars(usd)} · ${renderMoment(startedAt)}</p>
${texts}</li>`;
}

function renderPlace(project: Project, subject: Subject): Html {
  switch (subject.kind) {
    case 'issue':
      return html`for issue ${renderNumber(project, 'issues', subject.number)}`;
    case 'pull_request':
      return html`for pull request ${renderNumber(project, 'pull', subject.number)}`;
    case 'failure':
      return html`for a <a href="/projects/${project.id}/failures/${subject.failureId}">failure of the default branch</a>`;
    case 'report':
      return html`for an <a href="/issues/${subject.issueId}">issue reported through the API</a>`;
  }
}

function renderHeldHead(project: Project, head: Head): Html {
  const { id, sha, findings, record, createdAt } = head;
  const title = renderPlainLine(nameHead(head));
  const [first] = findings;
  return html`<li><h3 id="${id}">${first === undefined ? title : html`<a href="/projects/${project.id}/failures/${first.failureId}">${title}</a>`}</h3>
<p class="soft">Check run ${renderHeadPlace(project, head)}, commit ${renderCommit(project, sha)} · ${describeFindings(findings)} · ${renderMoment(createdAt)}</p>
${renderHeld('Check run', record.held ?? '')}</li>`;
}

/** By what fails there: its error, else its test, else its check. */
function nameHead({ findings }: Head): string {
  const [first] = findings;
  if (first === undefined) return 'Checks that pass again';
  const { headline, tests } = first.excerpt;
  return headline || tests[0] || `${first.checks[0]?.name ?? 'A check'} fails`;
}

/** A commit that is no longer the head of anything has the branch that the event named. */
function renderHeadPlace(project: Project, { place, branch }: Head): Html {
  if (place?.kind === 'pull_request') return html`on pull request ${renderNumber(project, 'pull', place.number)}`;
  const name = place?.branch ?? branch;
  if (name === '') return html`on no branch`;
  return html`on ${place?.kind === 'default' ? 'the default branch' : 'branch'} <code>${sanitiseLine(name, 200)}</code>`;
}

/** Each verdict once, with how many findings have it. */
function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'nothing fails there any more';
  const verdicts = findings.map(({ verdict }) => describeVerdict(verdict));
  const counted = [...new Set(verdicts)].map((one) => {
    const times = verdicts.filter((verdict) => verdict === one).length;
    return times === 1 ? one : `${one} (${formatCount(times)})`;
  });
  return counted.join(', ');
}

/** As plain text, exactly as it was written. */
function renderHeld(name: string, text: string): Html {
  const isCut = removeInvisible(text).trim().length > MAX_TEXT;
  return html`<details><summary>${name}</summary><pre>${sanitiseText(text, MAX_TEXT)}</pre>
${isCut ? html`<p class="hint">Only the first ${formatCount(MAX_TEXT)} characters are shown.</p>` : ''}</details>`;
}

/** The failed checks behind the numbers, and the issues. */
function renderFailed(project: Project, { groups, issues }: Forecast): Html {
  const folds = FORECAST_GROUPS.flatMap(([verdict]) => {
    const { checks, listed } = groups[verdict];
    if (listed.length === 0) return [];
    const rows = listed.map((one) => {
      const place =
        one.pullRequest === null
          ? html`<code>${sanitiseLine(one.branch, 100)}</code>`
          : renderNumber(project, 'pull', one.pullRequest);
      return html`<li>${renderOwnLink(project, one.url, sanitiseLine(describeForecastCheck(one), 200))}
<span class="soft below">${sanitiseLine(one.name, 100)} on ${place}</span></li>`;
    });
    const more = checks - listed.length;
    return [renderFold(`${capitalise(describeVerdict(verdict))} (${formatCount(checks)})`, rows, more)];
  });
  const labelled = issues.labelled.map(
    ({ number, title, url }) =>
      html`<li>${renderOwnLink(project, url, sanitiseLine(title, 200))} <span class="soft">#${number}</span></li>`,
  );
  const all = [
    ...folds,
    ...(labelled.length === 0 ? [] : [renderFold(`Labelled issues (${formatCount(labelled.length)})`, labelled, 0)]),
  ];
  return all.length === 0 ? NOTHING : renderSection('failed', `What happened in those ${DAYS} days`, html`${all}`);
}

function renderFold(summary: string, rows: readonly Html[], more: number): Html {
  return html`<details><summary>${summary}</summary><ul class="rows">${rows}</ul>
${more > 0 ? html`<p class="hint">And ${formatCount(more)} more.</p>` : ''}</details>`;
}
