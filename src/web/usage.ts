// Usage: what this month has cost and brought, a day and in all, against the budgets; the pull requests that were opened;
// and six months by project, which are a CSV file as well.

import { removeInvisible, sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { formatDollars, formatPercent } from '../core/issue/index.ts';
import { calibrate } from '../core/outcome/index.ts';
import type { Project } from '../core/project/index.ts';
import type { InvestigationState } from '../core/report/index.ts';
import type { OpenedPullRequest, UsageRow } from '../db/index.ts';
import { listKnownProjects, listVisibleIssueLines, listVisibleProjects } from '../services/index.ts';
import { sayRated } from './calibration.ts';
import { formatDay, renderDayChart } from './charts.ts';
import {
  DASH,
  describeChecks,
  formatCount,
  formatPlural,
  NEARLY_USED,
  NOTHING,
  renderBadge,
  renderBudgetMeter,
  renderEmpty,
  renderMissing,
  renderMoment,
  renderOwnLink,
  renderPlainLine,
  renderSection,
  renderTable,
  type Tone,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import { getHeadline } from './text.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

/** The current one and those before it. */
const MONTHS = 6;
/** Pull requests that are counted, of them those that are listed, and of these those that are not folded. */
const [MAX_PULL_REQUESTS, MAX_LISTED, MAX_OPEN] = [500, 50, 10];
/** Projects of a month that are listed; the CSV file has all. */
const MAX_LINES = 50;

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
  const month = getMonth(now, 0);
  const current = months.find((one) => one.month === month);
  const none =
    projects.length === 0
      ? html`You have no projects. Your <a href="/projects">project list</a> says how to get one.`
      : html`Nothing was investigated yet. Submit a first report from one of your <a href="/projects">projects</a>.`;
  const isEmpty = months.length === 0;
  const past = months.filter((one) => one !== current);
  const thisMonth = html`${await renderBought(deps, projectIds, { month, current, opened })}
${await renderDailyCosts(deps, projectIds, month)}
${isEmpty ? renderEmpty(none) : ''}
${current === undefined ? '' : renderCostTable(current, deps.budget)}
${renderLimits(current, deps.budget)}`;
  const body = html`<div class="title-line"><h1>Usage</h1>${isEmpty ? '' : html`<p><a class="button" href="/usage?format=csv" download="usage.csv">Download as CSV</a></p>`}</div>
${renderMissing(isWhole)}
<p class="soft">Projects that you can see. Months in UTC, costs in US dollars.</p>
${renderSection('this-month', nameMonth(month), thisMonth)}
${renderSection('pull-requests', 'Pull requests', await renderPullRequests(c, deps, opened.slice(0, MAX_LISTED), projects))}
${past.length === 0 ? '' : renderSection('months', 'Earlier months', html`${past.map(renderPastMonth)}`)}`;
  return renderPage(c, deps, { title: 'Usage', section: 'usage', body });
}

interface Bought {
  readonly month: string;
  readonly current: UsageMonth | undefined;
  readonly opened: readonly OpenedPullRequest[];
}

/** What a month has cost, and what it brought. */
async function renderBought(deps: WebDeps, projectIds: readonly string[], bought: Bought): Promise<Html> {
  const { month, current, opened } = bought;
  const followed = await deps.store.listCalibrated(projectIds);
  const rated = calibrate(followed.filter(({ answeredAt }) => answeredAt.startsWith(month)));
  const spentUsd = current?.total.spentUsd ?? 0;
  const answers = current?.total.investigations.concluded ?? 0;
  const changed = opened.filter(({ changedAt }) => changedAt.startsWith(month));
  const merged = changed.filter(({ pullRequest: { state } }) => state === 'merged').length;
  return renderTiles([
    [formatDollars(spentUsd), `of ${formatDollars(deps.budget.all)} spent`],
    [
      answers === 0 ? DASH : formatDollars(spentUsd / answers),
      answers === 0 ? 'per answer, none yet' : `per answer, ${formatPlural(answers, 'answer')}`,
    ],
    [formatCount(merged), merged === 1 ? 'pull request merged' : 'pull requests merged'],
    rated.right + rated.wrong === 0
      ? [DASH, 'no answer rated yet']
      : [`${formatCount(rated.right)} of ${formatCount(rated.right + rated.wrong)}`, sayRated(rated.right)],
  ]);
}

function renderTiles(tiles: readonly (readonly [value: Html | string, words: string])[]): Html {
  return html`<ul class="tiles">${tiles.map(([value, words]) => html`<li><strong>${value}</strong> <span>${words}</span></li>`)}</ul>`;
}

/** A bar for each day of the month, against what a day may cost; nothing where nothing was spent. */
async function renderDailyCosts(
  { store, budget }: WebDeps,
  projectIds: readonly string[],
  month: string,
): Promise<Html> {
  const costs = await store.readDailyCosts({ projectIds, month });
  const days = listDaysOfMonth(month);
  const spent = new Map(costs.map(({ day, spentUsd }) => [day, spentUsd]));
  const values = days.map((day) => spent.get(day) ?? 0);
  const most = Math.max(...values);
  const undated = spent.get(null) ?? 0;
  if (most === 0 && undated === 0) return NOTHING;
  const perDay = budget.all / days.length;
  const line = { value: perDay, text: `budget: ${formatDollars(perDay)} a day` };
  const seen = days.flatMap((day, at) => (values[at] ? [`${formatDay(day)}: ${formatDollars(values[at])}`] : []));
  const label = `Cost a day. ${seen.length === 0 ? 'None' : seen.join(', ')}. The budget allows ${formatDollars(perDay)} a day.`;
  const note = undated > 0 ? ` ${formatDollars(undated)} of deleted investigations and commands can't be dated.` : '';
  const decimals = most < 0.01 ? 4 : most < 0.1 ? 3 : 2;
  const formatTick = (usd: number) => (usd === 0 ? '$0' : `$${usd.toFixed(decimals)}`);
  const chart = renderDayChart({ id: 'cost-chart', days, values, label, format: formatDollars, formatTick, line });
  return html`<figure class="diagram">${chart}<figcaption class="hint">Cost by the day on which an investigation began.${note}</figcaption></figure>`;
}

function listDaysOfMonth(month: string): readonly string[] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return Array.from({ length: count }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`);
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

/** `month`: undefined where nothing was used in it. */
function renderLimits(month: UsageMonth | undefined, budget: WebDeps['budget']): Html {
  const { lookTurns, lookUsd } = month?.total ?? NO_FIGURES;
  const hints = [
    ...(lookTurns > 0
      ? [`Includes ${formatDollars(lookUsd)} for second reviews (${formatPlural(lookTurns, 'turn')}).`]
      : []),
    `Limits: ${formatDollars(budget.run)} per investigation, ${formatDollars(budget.repository)} per repository per month. A project's own file may set lower ones.`,
    'Without budget, reports are still answered from the source, without a model.',
  ];
  return html`<p class="hint">${hints.join(' ')}</p>`;
}

/** What is used of a budget, with a scale and in words. */
function renderBudget(name: string, used: number, limit: number): Html {
  const share = limit > 0 ? used / limit : 1;
  const badge =
    share >= 1 ? renderBadge('used up', 'bad') : share >= NEARLY_USED ? renderBadge('nearly used up', 'busy') : '';
  return html`${renderBudgetMeter(name, used, limit)} ${formatPercent(share)} of ${formatDollars(limit)} ${badge}`;
}

function nameMonth(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

/** This month, against the budgets. */
function renderCostTable({ month, lines, total }: UsageMonth, budget: WebDeps['budget']): Html {
  const shown = lines.slice(0, MAX_LINES);
  const all = budget.all;
  const table = renderTable({
    caption: `Usage in ${nameMonth(month)}, by project`,
    style: 'ledger',
    columns: ['Project', 'Investigations', ['Cost', 'number'], ['Per answer', 'number'], ['Budget', 'bar']],
    rows: shown.map((line) => {
      const name = sanitiseLine(line.project.name, 150);
      return [renderProjectLink(line), ...listCosts(line), renderBudget(name, line.spentUsd, budget.repository)];
    }),
    foot: [html`<strong>Total</strong>`, ...listCosts(total), renderBudget('all your projects', total.spentUsd, all)],
  });
  return html`${table}${renderRest(lines, shown)}${renderTokens({ month, lines: shown, total })}`;
}

function renderPastMonth({ month, lines, total }: UsageMonth): Html {
  const shown = lines.slice(0, MAX_LINES);
  const name = nameMonth(month);
  const table = renderTable({
    caption: `Usage in ${name}, by project`,
    style: 'ledger',
    columns: ['Project', 'Investigations', ['Cost', 'number'], ['Per answer', 'number'], ['Share of the month', 'bar']],
    rows: shown.map((line) => [renderProjectLink(line), ...listCosts(line), renderShare(line, total)]),
    foot: [html`<strong>Total</strong>`, ...listCosts(total), ''],
  });
  const sum = `${formatDollars(total.spentUsd)}, ${formatPlural(countAcceptedInvestigations(total), 'investigation')}`;
  return html`<details class="month"><summary><h3>${name}</h3> <span class="soft">${sum}</span></summary>
${table}${renderRest(lines, shown)}${renderTokens({ month, lines: shown, total })}</details>`;
}

function renderProjectLink({ project }: UsageLine): Html {
  return html`<a href="/projects/${project.id}">${sanitiseLine(project.name, 150)}</a>`;
}

function renderRest(lines: readonly UsageLine[], shown: readonly UsageLine[]): Html {
  const rest = lines.length - shown.length;
  if (rest <= 0) return NOTHING;
  return html`<p class="hint">${formatPlural(rest, 'cheaper project')} in the total and in the file, not listed here.</p>`;
}

function renderTokens({ month, lines, total }: UsageMonth): Html {
  const table = renderTable({
    caption: `Tokens in ${nameMonth(month)}, by project`,
    style: 'ledger',
    columns: [
      'Project',
      ['Turns', 'number'],
      ['Prompt tokens', 'number'],
      ['cached', 'number'],
      ['Completion tokens', 'number'],
    ],
    rows: lines.map((line) => [renderProjectLink(line), ...listTokens(line)]),
    foot: [html`<strong>Total</strong>`, ...listTokens(total)],
  });
  return html`<details class="tokens"><summary>Tokens</summary>${table}</details>`;
}

function renderShare({ project, spentUsd }: UsageLine, total: Figures): Html {
  if (total.spentUsd <= 0) return DASH;
  const share = spentUsd / total.spentUsd;
  const percent = formatPercent(share);
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

/** The cells after the name. */
function listCosts(figures: Figures): readonly (Html | string)[] {
  const { investigations, spentUsd } = figures;
  const parts = (Object.keys(STATE_TEXTS) as InvestigationState[])
    .filter((state) => investigations[state] > 0)
    .map((state) => `${formatCount(investigations[state])} ${STATE_TEXTS[state]}`);
  const states = parts.length === 0 ? '' : html` <span class="soft">(${parts.join(', ')})</span>`;
  const { concluded } = investigations;
  return [
    html`${formatCount(countAcceptedInvestigations(figures))}${states}`,
    formatDollars(spentUsd),
    concluded === 0 ? DASH : formatDollars(spentUsd / concluded),
  ];
}

/** The cells after the name. */
function listTokens(figures: Figures): readonly (Html | string)[] {
  const { turns, promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = figures;
  // Some providers charge more for tokens written to the cache; with most there are none.
  const written =
    cacheWriteTokens === 0
      ? ''
      : html` <span class="soft">(and ${formatCount(cacheWriteTokens)} written to the cache)</span>`;
  return [
    formatCount(turns),
    formatCount(promptTokens),
    html`${formatCount(cachedTokens)}${written}`,
    formatCount(completionTokens),
  ];
}

const PULL_REQUEST_STATES: Readonly<Record<OpenedPullRequest['pullRequest']['state'], readonly [string, Tone]>> = {
  merged: ['merged', 'good'],
  open: ['open', 'busy'],
  closed: ['closed without a merge', 'quiet'],
};

async function renderPullRequests(
  c: PageContext,
  deps: WebDeps,
  opened: readonly OpenedPullRequest[],
  projects: readonly Project[],
): Promise<Html> {
  if (opened.length === 0) {
    return renderEmpty(
      'No pull requests yet. Causeway opens one for a checked fix, or when you request it on the page of an issue.',
    );
  }
  const projectsById = new Map(projects.map((project) => [project.id, project]));
  const projectIds = [...projectsById.keys()];
  const issueIds = [...new Set(opened.map(({ pullRequest }) => pullRequest.issueId))];
  const lines = await listVisibleIssueLines(deps, c.get('asking'), { projectIds, issueIds, limit: issueIds.length });
  const titles = new Map(lines.map((line) => [line.id, getHeadline(line)]));
  const counts = (['merged', 'open', 'closed'] as const).map((state) => {
    const count = opened.filter(({ pullRequest }) => pullRequest.state === state).length;
    return `${formatCount(count)} ${PULL_REQUEST_STATES[state][0]}`;
  });
  const renderSome = (some: readonly OpenedPullRequest[], caption: string) =>
    renderTable({
      caption,
      style: 'ledger',
      columns: ['Pull request', 'State', 'Checks', 'Last change'],
      rows: some.map((one) =>
        listPullRequestCells(one, projectsById.get(one.projectId), titles.get(one.pullRequest.issueId)),
      ),
    });
  const [first, rest] = [opened.slice(0, MAX_OPEN), opened.slice(MAX_OPEN)];
  const more = html`<details><summary>${formatPlural(rest.length, 'older one')}</summary>${renderSome(rest, 'Older pull requests')}</details>`;
  return html`<p>${opened.length === MAX_LISTED ? `Of the last ${MAX_LISTED}: ` : ''}${counts.join(', ')}.</p>
${renderSome(first, 'Pull requests, most recently changed first')}${rest.length === 0 ? '' : more}`;
}

function listPullRequestCells(
  { pullRequest: { state, checks, number, url, issueId }, changedAt }: OpenedPullRequest,
  project: Project | undefined,
  title: string | undefined,
): readonly Html[] {
  const name = `${sanitiseLine(project?.name ?? '', 150)}#${number}`;
  const link = project === undefined ? html`${name}` : renderOwnLink(project, url, name);
  return [
    title === undefined
      ? html`${link} <span class="soft below">Its issue was deleted.</span>`
      : html`<a class="row-link" href="/issues/${issueId}">${renderPlainLine(title)}</a><span class="below apart">${link}</span>`,
    renderBadge(...PULL_REQUEST_STATES[state]),
    // Nobody follows the checks of one that is no longer open.
    state !== 'open' && checks === 'waiting' ? html`${DASH}` : renderBadge(...describeChecks(checks)),
    renderMoment(changedAt),
  ];
}
