// The projects that a person may see, each with its figures; and what to do where there is none, or none was used yet.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { isAtLeast, type Project } from '../core/project/index.ts';
import type { ProjectCounts } from '../db/index.ts';
import { type KnownProjects, listKnownProjects } from '../services/index.ts';
import {
  cutPage,
  formatCount,
  NOTHING,
  renderBadge,
  renderEmpty,
  renderKind,
  renderMissing,
  renderMoment,
  renderNewReport,
  renderPager,
  renderTable,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import type { PageContext, SignInMethod, WebDeps } from './web-deps.ts';

/** From this number on, a search box helps more than reading. */
const MANY = 20;
const PAGE = 100;
/** Projects that the menu of the button names; for others, it is on their own page. */
const MAX_CHOICES = 15;

interface ListQuery {
  /** Part of a name; "": all. */
  readonly q: string;
  /** Last name of the page before; "": from the first. */
  readonly after: string;
}

/** GET /projects */
export async function getProjects(c: PageContext, deps: WebDeps): Promise<Response> {
  const query = { q: readQuery(c, 'q').trim(), after: readQuery(c, 'after') };
  const known = await findProjects(c, deps, query);
  const isFiltered = query.q !== '' || query.after !== '';
  const isListed = known.projects.length > 0 || isFiltered || !known.isWhole;
  const title = html`<div class="title-line"><h1>Projects</h1>${isFiltered ? '' : renderReportButton(known)}</div>`;
  const body = html`${title}${renderMissing(known.isWhole)}
${isListed ? await renderFound(deps, query, known) : await renderNoProjects(deps.signInMethod, c.get('asking').signal)}`;
  return renderPage(c, deps, { title: 'Projects', body, section: 'projects' });
}

/** PostgreSQL refuses NUL in text, and no name contains one. */
function readQuery(c: PageContext, name: string): string {
  return (c.req.query(name) ?? '').replaceAll('\0', '').slice(0, 300);
}

/**
 * One more than a page has, where there are so many. A name is searched in all of them, since roles decide which are
 * seen.
 */
async function findProjects(c: PageContext, deps: WebDeps, { q, after }: ListQuery): Promise<KnownProjects> {
  if (q === '') return listKnownProjects(deps, c.get('asking'), { after, most: PAGE + 1 });
  const known = await listKnownProjects(deps, c.get('asking'), { after });
  return { ...known, projects: known.projects.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())) };
}

async function renderFound(deps: WebDeps, { q, after }: ListQuery, known: KnownProjects): Promise<Html> {
  const { store } = deps;
  const { entries, last } = cutPage(known.projects, PAGE);
  const counts = await store.countByProject(entries.map(({ id }) => id));
  const isFiltered = q !== '' || after !== '';
  const toAddress = (query: Partial<ListQuery>) => `/projects?${new URLSearchParams(query)}`;
  const filter = q === '' ? {} : { q };
  return html`${isFiltered || known.projects.length > MANY ? renderSearch(q) : ''}
${entries.length > 0 ? renderProjectTable(entries, counts) : isFiltered ? renderNoProjectMatch(q) : ''}
${renderPager({
  label: 'Pages of projects',
  first: after === '' ? null : toAddress(filter),
  next: last === undefined ? null : toAddress({ ...filter, after: last.name }),
  texts: ['First page', 'Next page'],
})}
`;
}

/** A menu where there are several projects to choose from; nothing where the person may submit none. */
export function renderReportButton({ projects, roles }: KnownProjects): Html {
  const usable = projects.filter(({ id }) => isAtLeast(roles.get(id) ?? 'none', 'triage')).slice(0, MAX_CHOICES);
  const [first] = usable;
  if (first === undefined) return NOTHING;
  if (usable.length === 1) return html`<p>${renderNewReport(first, 'primary')}</p>`;
  const items = usable.map(
    ({ id, name }) =>
      html`<li><a href="/projects/${id}/reports/new"><span class="hidden">New report for </span>${sanitiseLine(name, 100)}</a></li>`,
  );
  return html`<details class="menu end"><summary class="button primary">New report</summary><div><ul>${items}</ul></div></details>`;
}

function renderSearch(q: string): Html {
  return html`<form method="get" action="/projects" class="filter"><label for="q">Name contains</label>
<input type="search" id="q" name="q" value="${q}" autocomplete="off" spellcheck="false"><button>Filter</button></form>`;
}

function renderNoProjectMatch(q: string): Html {
  const text = q === '' ? 'No more projects.' : 'None of your projects has this in its name.';
  return renderEmpty(text, html`<p><a class="button" href="/projects">All projects</a></p>`);
}

function renderProjectTable(projects: readonly Project[], counts: ReadonlyMap<string, ProjectCounts>): Html {
  return renderTable({
    caption: 'Projects by name',
    style: 'ledger',
    columns: ['Project', ['Issues', 'number'], ['Running', 'number'], ['Open failures', 'number'], 'Latest issue'],
    rows: projects.map((project) => {
      const { issues = 0, underWay = 0, openFailures = 0, lastIssueAt = '' } = counts.get(project.id) ?? {};
      const address = `/projects/${project.id}`;
      return [
        html`<a class="row-link" href="${address}">${sanitiseLine(project.name, 300)}</a> ${renderKind(project)}`,
        formatCount(issues),
        underWay === 0 ? '0' : renderBadge(formatCount(underWay), 'busy'),
        openFailures === 0
          ? '0'
          : html`<a class="row-link" href="${address}/failures">${formatCount(openFailures)}</a>`,
        renderMoment(lastIssueAt),
      ];
    }),
  });
}

export async function renderNoProjects(method: SignInMethod, signal: AbortSignal): Promise<Html> {
  if (method.kind === 'local') {
    return html`<div class="empty"><p>No project yet: Causeway was started outside a git repository, and <code>PROJECTS</code> is not set.</p>
<p>Stop it, name one or more repositories, separated as in <code>PATH</code>, and start it again in the same terminal:</p>
<pre tabindex="0" role="region" aria-label="Command"><code>export PROJECTS=/path/to/repository</code></pre></div>`;
  }
  const address = await method.installUrl(signal);
  const install = address === '' ? '' : html` <a href="${address}">Install the App</a>`;
  return html`<div class="empty"><p>You have no projects yet.</p>
<ul><li>If the App is not installed, an owner of the repository installs it on GitHub. Then the project appears here.${install}</li>
<li>If it is, ask for access on GitHub: read for a private repository, triage for a public one.</li></ul>
<p class="hint">A changed role takes effect here within 5 minutes.</p></div>`;
}

/** Nothing where the person may not submit a report for any of the projects. */
export function renderFirstReport(projects: readonly Project[], roles: KnownProjects['roles']): Html {
  if (!projects.some(({ id }) => isAtLeast(roles.get(id) ?? 'none', 'triage'))) return NOTHING;
  return html`<section class="panel" aria-labelledby="first"><h2 id="first">Submit your first report</h2>
<p>Choose <em>New report</em> and paste an error message or a log. Causeway looks for its cause in the source of the project, and shows the evidence.</p></section>`;
}
