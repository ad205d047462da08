// Usage: what was investigated and what it cost, by month and project, beside the budgets; what became of the pull requests.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import { type Asking, knownProjects, visibleProjects } from '../../services/access.ts';
import { missingNotice } from '../missing-projects.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { pullRequestList } from './opened-pull-requests.ts';
import { usageCsv } from './usage-csv.ts';
import { monthBefore, usageMonths } from './usage-months.ts';
import { budgetTable, monthTable } from './usage-tables.ts';

/** The current one and those before it. */
const MONTHS = 6;
const MOST_PULL_REQUESTS = 50;

/** GET /usage; `?format=csv`: the same figures as a file. */
export function getUsage(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const now = deps.now();
    const isFile = c.req.query('format') === 'csv';
    const { projects, isWhole } = await projectsFor(deps, c.get('asking'), isFile);
    const projectIds = projects.map(({ id }) => id);
    const rows = await deps.store.usage({ projectIds, sinceMonth: monthBefore(now, MONTHS - 1) });
    const months = usageMonths(rows, projects);
    if (isFile) return file(usageCsv(months));
    const opened = await deps.store.openedPullRequests(projectIds, MOST_PULL_REQUESTS);
    const current = months.find(({ month }) => month === monthBefore(now, 0)) ?? null;
    const body = html`<h1>Usage</h1>${missingNotice(isWhole)}
<p>Of the projects that you see. Months are those of UTC, and costs are in US dollars, by the prices of the model.</p>
<section aria-labelledby="budgets"><h2 id="budgets">This month</h2>${budgetTable(current, deps.budget)}</section>
<section aria-labelledby="months"><div class="title-line"><h2 id="months">The last ${MONTHS} months</h2>
${months.length === 0 ? '' : html`<a class="button" href="/usage?format=csv" download="usage.csv">Download as CSV</a>`}</div>
${months.length === 0 ? nothing(projects.length > 0) : months.map((month) => monthTable(month))}</section>
<section aria-labelledby="pull-requests"><h2 id="pull-requests">What became of pull requests</h2>${pullRequestList(opened, projects, MOST_PULL_REQUESTS)}</section>`;
    return show(c, deps, { title: 'Usage', section: 'usage', body, isWide: true });
  };
}

/** A page can say what it lacks; a file cannot, and fails where GitHub does not say all. */
async function projectsFor(deps: WebDeps, asking: Asking, isFile: boolean) {
  if (isFile) return { projects: await visibleProjects(deps, asking), isWhole: true };
  return await knownProjects(deps, asking);
}

function nothing(hasProjects: boolean): Html {
  if (!hasProjects)
    return html`<div class="empty"><p>You see no project. Your <a href="/projects">projects</a> say what to do about that.</p></div>`;
  return html`<div class="empty"><p>Nothing was investigated yet. Hand in a first report from the page of one of your <a href="/projects">projects</a>.</p></div>`;
}

function file(text: string): Response {
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': 'attachment; filename="usage.csv"',
  };
  return new Response(text, { headers });
}
