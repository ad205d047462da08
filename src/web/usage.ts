// Usage: investigations and their cost by month and project, against the budgets; the same as CSV; and the pull
// requests that were opened.

import { removeInvisible, sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { formatDollars } from '../core/issue/index.ts';
import type { Project } from '../core/project/index.ts';
import type { InvestigationState } from '../core/report/index.ts';
import type { ChecksState } from '../core/thread/index.ts';
import type { OpenedPullRequest, UsageRow } from '../db/index.ts';
import { listKnownProjects, listVisibleProjects } from '../services/index.ts';
import {
  DASH,
  formatCount,
  formatPlural,
  renderBadge,
  renderEmpty,
  renderMissing,
  renderMoment,
  renderOwnLink,
  renderSection,
  renderTable,
  type Tone,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

/** The current one and those before it. */
const MONTHS = 6;
const MAX_PULL_REQUESTS = 50;
/** Projects of a month that are listed; the CSV file has all. */
const MAX_LINES = 50;
/** Share of a budget from which on a warning is shown. */
const NEARLY = 0.8;

type Figures = Omit<UsageRow, 'projectId' | 'month'>;

interface UsageLine extends Figures {
  readonly project: Project;
}

interface UsageMonth {
  /** Such as `2026-11`. */
  readonly month: string;
  /** The most expensive first. */
  readonly lines: readonly UsageLine[];
  readonly total: Figures;
}

/** GET /usage; `?format=csv`: the same figures as a file. */
export async function getUsagePage(c: PageContext, deps: WebDeps): Promise<Response> {
  const now = deps.now();
  const asking = c.get('asking');
  const isFile = c.req.query('format') === 'csv';
  // A page can say what is missing; a file cannot, so it fails where GitHub does not answer.
  const { projects, isWhole } = isFile
    ? { projects: await listVisibleProjects(deps, asking), isWhole: true }
    : await listKnownProjects(deps, asking);
  const projectIds = projects.map(({ id }) => id);
  const rows = await deps.store.readUsage({ projectIds, sinceMonth: getMonth(now, MONTHS - 1) });
  const months = groupByMonth(rows, projects);
  if (isFile) {
    return c.body(toCsv(months), 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="usage.csv"',
    });
  }
  const opened = await deps.store.listOpenedPullRequests(projectIds, MAX_PULL_REQUESTS);
  const current = months.find(({ month }) => month === getMonth(now, 0));
  const none =
    projects.length === 0
      ? html`You have no projects. Your <a href="/projects">project list</a> says how to get one.`
      : html`Nothing was investigated yet. Submit a first report from one of your <a href="/projects">projects</a>.`;
  const isEmpty = months.length === 0;
  const body = html`<h1>Usage</h1>${renderMissing(isWhole)}
<p>Projects you can see. Months in UTC, costs in USD.</p>
${renderSection('budgets', 'This month', renderBudgets(current, deps.budget))}
<section aria-labelledby="months"><div class="title-line"><h2 id="months">Last ${MONTHS} months</h2>
${isEmpty ? '' : html`<a class="button" href="/usage?format=csv" download="usage.csv">Download as CSV</a>`}</div>
${isEmpty ? renderEmpty(none) : months.map(renderMonth)}</section>
${renderSection('pull-requests', 'Pull requests', renderPullRequests(opened, projects))}`;
  return renderPage(c, deps, { title: 'Usage', section: 'usage', body });
}

/** Such as `2026-06`, five months before `2026-11`. */
function getMonth(now: Date, monthsAgo: number): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1)).toISOString().slice(0, 7);
}

const NO_FIGURES: Figures = {
  investigations: { queued: 0, running: 0, concluded: 0, gave_up: 0, cancelled: 0 },
  spentUsd: 0,
  turns: 0,
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  lookUsd: 0,
  lookTurns: 0,
};

/** Newest first; months without anything are left out. */
function groupByMonth(rows: readonly UsageRow[], projects: readonly Project[]): readonly UsageMonth[] {
  const projectsById = new Map(projects.map((project) => [project.id, project]));
  const linesByMonth = new Map<string, UsageLine[]>();
  for (const { projectId, month, ...figures } of rows) {
    const project = projectsById.get(projectId);
    if (project === undefined) continue;
    linesByMonth.set(month, [...(linesByMonth.get(month) ?? []), { project, ...figures }]);
  }
  return [...linesByMonth]
    .sort(([one], [other]) => other.localeCompare(one))
    .map(([month, lines]) => ({ month, lines: lines.sort(compareCost), total: lines.reduce(addFigures, NO_FIGURES) }));
}

function compareCost(one: UsageLine, other: UsageLine): number {
  const byCost = other.spentUsd - one.spentUsd || countAcceptedInvestigations(other) - countAcceptedInvestigations(one);
  return byCost || one.project.name.localeCompare(other.project.name);
}

/** With any outcome. */
function countAcceptedInvestigations({ investigations }: Figures): number {
  return Object.values(investigations).reduce((sum, some) => sum + some, 0);
}

function addFigures(one: Figures, other: Figures): Figures {
  const add = (left: Readonly<Record<string, number>>, right: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.keys(left).map((key) => [key, (left[key] ?? 0) + (right[key] ?? 0)]));
  const { investigations: first, ...numbers } = one;
  const { investigations: second, ...others } = other;
  return { ...add(numbers, others), investigations: add(first, second) } as unknown as Figures;
}

const CSV_HEAD =
  'month,project,queued,running,concluded,gave_up,cancelled,turns,prompt_tokens,cached_tokens,completion_tokens,cost_usd,cache_write_tokens,second_look_turns,second_look_cost_usd';

/** RFC 4180: lines end in CR LF; one row for each project and month. */
function toCsv(months: readonly UsageMonth[]): string {
  const rows = months.flatMap(({ month, lines }) =>
    lines.map(({ project, investigations: { queued, running, concluded, gave_up, cancelled }, ...figures }) => {
      const { turns, promptTokens, cachedTokens, completionTokens, spentUsd, cacheWriteTokens, lookTurns, lookUsd } =
        figures;
      const counts = [queued, running, concluded, gave_up, cancelled, turns];
      const tokens = [promptTokens, cachedTokens, completionTokens];
      const costs = [spentUsd.toFixed(6), cacheWriteTokens, lookTurns, lookUsd.toFixed(6)];
      return [month, project.name, ...counts, ...tokens, ...costs].map(toCell).join(',');
    }),
  );
  return [CSV_HEAD, ...rows].map((row) => `${row}\r\n`).join('');
}

/** Spreadsheets run what begins with one of these signs; after an apostrophe it is text to them. */
function toCell(value: string | number): string {
  const text = removeInvisible(String(value)).replace(/\s/g, ' ').trimStart();
  const safe = /^[=+\-@|%]/.test(text) ? `'${text}` : text;
  return /[",']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** `undefined`: nothing was used this month. */
function renderBudgets(month: UsageMonth | undefined, budget: WebDeps['budget']): Html {
  const lines = (month?.lines ?? []).filter(({ spentUsd }) => spentUsd > 0);
  const shown = lines.slice(0, MAX_LINES);
  const more = lines.length - shown.length;
  const looks = month?.total.lookTurns ?? 0;
  const hints = [
    ...(shown.length === 0 ? [`Each repository may use ${formatDollars(budget.repository)} a month.`] : []),
    ...(looks > 0
      ? [`Second looks: ${formatDollars(month?.total.lookUsd ?? 0)} of it, in ${formatPlural(looks, 'turn')}.`]
      : []),
    ...(more > 0 ? [`${formatPlural(more, 'project')} with lower costs not listed.`] : []),
    `One investigation may use ${formatDollars(budget.run)} at most. A project's own file may set lower limits: see its settings.`,
    'When a budget is used up, reports are still answered from the source, without a model.',
  ];
  const rows = shown.map(({ project, spentUsd }) => {
    const name = sanitiseLine(project.name, 150);
    const link = html`<a href="/projects/${project.id}/settings">${name}</a>`;
    return [link, ...renderBudget(name, spentUsd, budget.repository)];
  });
  const all = 'Total (all your projects)';
  const table = renderTable({
    caption: 'Cost of this month and the budgets',
    columns: ['Budget', ['Used', 'number'], ['Limit', 'number'], ['Share', 'bar']],
    rows: [[all, ...renderBudget(all, month?.total.spentUsd ?? 0, budget.all)], ...rows],
  });
  return html`${table}<p class="hint">${hints.join(' ')}</p>`;
}

/** The cells after the name. */
function renderBudget(name: string, used: number, limit: number): readonly (Html | string)[] {
  const share = limit > 0 ? used / limit : 1;
  const badge =
    share >= 1 ? renderBadge('used up', 'bad') : share >= NEARLY ? renderBadge('nearly used up', 'busy') : '';
  // An empty scale cannot be drawn.
  const meter =
    limit <= 0
      ? ''
      : html`<meter min="0" max="${limit}" low="${NEARLY * limit}" high="${0.999 * limit}" optimum="0" value="${Math.min(used, limit)}" aria-label="Share of the budget: ${name}">${formatDollars(used)} of ${formatDollars(limit)}</meter>`;
  return [formatDollars(used), formatDollars(limit), html`${meter} ${formatCount(Math.round(share * 100))}% ${badge}`];
}

function renderMonth({ month, lines, total }: UsageMonth): Html {
  const shown = lines.slice(0, MAX_LINES);
  const rest = lines.length - shown.length;
  const name = new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const table = renderTable({
    caption: `Usage in ${name}, by project`,
    columns: [
      'Project',
      'Investigations',
      ['Turns', 'number'],
      ['Prompt tokens', 'number'],
      ['cached', 'number'],
      ['Completion tokens', 'number'],
      ['Cost', 'number'],
      ['Share of the month', 'bar'],
    ],
    rows: shown.map((line) => {
      const link = html`<a href="/projects/${line.project.id}">${sanitiseLine(line.project.name, 150)}</a>`;
      return [link, ...renderFigures(line), renderShare(line, total)];
    }),
    foot: [html`<strong>Total</strong>`, ...renderFigures(total), ''],
  });
  return html`<section aria-labelledby="m-${month}"><h3 id="m-${month}">${name}</h3>
<div class="scroll" role="region" tabindex="0" aria-label="Table of ${name}">${table}</div>
${rest > 0 ? html`<p class="hint">${formatPlural(rest, 'cheaper project')} in the total and in the file, not listed here.</p>` : ''}</section>`;
}

function renderShare({ project, spentUsd }: UsageLine, total: Figures): Html {
  if (total.spentUsd <= 0) return DASH;
  const share = spentUsd / total.spentUsd;
  const percent = `${formatCount(Math.round(share * 100))}%`;
  const label = `Share of the month's cost: ${sanitiseLine(project.name, 150)}`;
  return html`<meter class="share" value="${share}" aria-label="${label}">${percent}</meter> ${percent}`;
}

const STATE_TEXTS: Readonly<Record<InvestigationState, string>> = {
  concluded: 'concluded',
  gave_up: 'gave up',
  cancelled: 'cancelled',
  running: 'running',
  queued: 'queued',
};

/** The cells between the name and the share. */
function renderFigures(figures: Figures): readonly (Html | string)[] {
  const { investigations, turns, promptTokens, completionTokens, cachedTokens, cacheWriteTokens, spentUsd } = figures;
  const parts = (Object.keys(STATE_TEXTS) as InvestigationState[])
    .filter((state) => investigations[state] > 0)
    .map((state) => `${formatCount(investigations[state])} ${STATE_TEXTS[state]}`);
  const states = parts.length === 0 ? '' : html` <span class="soft">(${parts.join(', ')})</span>`;
  // Some providers charge more for tokens written to the cache; with most there are none.
  const written =
    cacheWriteTokens === 0
      ? ''
      : html` <span class="soft">(and ${formatCount(cacheWriteTokens)} written to the cache)</span>`;
  return [
    html`${formatCount(countAcceptedInvestigations(figures))}${states}`,
    formatCount(turns),
    formatCount(promptTokens),
    html`${formatCount(cachedTokens)}${written}`,
    formatCount(completionTokens),
    formatDollars(spentUsd),
  ];
}

const PULL_REQUEST_STATES: Readonly<Record<OpenedPullRequest['pullRequest']['state'], readonly [string, Tone]>> = {
  merged: ['merged', 'good'],
  open: ['open', 'busy'],
  closed: ['closed without a merge', 'quiet'],
};

const CHECKS: Readonly<Record<ChecksState, readonly [string, Tone]>> = {
  waiting: ['pending', 'busy'],
  green: ['passing', 'good'],
  red: ['failing', 'bad'],
  none: ['none', 'quiet'],
  moved: ['taken over', 'quiet'],
};

function renderPullRequests(opened: readonly OpenedPullRequest[], projects: readonly Project[]): Html {
  if (opened.length === 0) {
    return renderEmpty(
      'No pull requests yet. Causeway opens one for a checked fix, or when you request it on the page of an issue.',
    );
  }
  const projectsById = new Map(projects.map((project) => [project.id, project]));
  const counts = (['merged', 'open', 'closed'] as const).map((state) => {
    const count = opened.filter(({ pullRequest }) => pullRequest.state === state).length;
    return `${formatCount(count)} ${PULL_REQUEST_STATES[state][0]}`;
  });
  const table = renderTable({
    caption: 'Pull requests, most recently changed first',
    columns: ['Pull request', 'State', 'Checks', 'Issue', 'Last change'],
    rows: opened.map(({ pullRequest: { state, checks, number, url, issueId }, projectId, changedAt }) => {
      const project = projectsById.get(projectId);
      const name = `${sanitiseLine(project?.name ?? '', 150)}#${number}`;
      return [
        project === undefined ? name : renderOwnLink(project, url, name),
        renderBadge(...PULL_REQUEST_STATES[state]),
        renderBadge(...CHECKS[checks]),
        html`<a class="mono" href="/issues/${issueId}">${issueId}</a>`,
        renderMoment(changedAt),
      ];
    }),
  });
  return html`<p>${opened.length === MAX_PULL_REQUESTS ? `Of the last ${MAX_PULL_REQUESTS}: ` : ''}${counts.join(', ')}.</p>${table}`;
}
