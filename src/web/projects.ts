// The projects that a person may see, each with what there is of it; and what to do first.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import { sanitiseLine } from '../core/inert-text.ts';
import type { Project } from '../core/project.ts';
import { isAtLeast } from '../core/role.ts';
import type { ProjectCounts } from '../db/investigations.ts';
import { type KnownProjects, knownProjects } from '../services/access.ts';
import { formatCount, renderBadge, renderKind, renderMissing, renderMoment, renderPager } from './components.ts';
import { type Html, renderPage } from './layout.ts';
import type { SignInMethod, WebDeps, WebEnv } from './web-deps.ts';

/** From this number on, a search box helps more than reading. */
const MANY = 20;
const PAGE = 100;
/** So many projects get a button of their own for the first report. */
const MAX_BUTTONS = 3;

interface ListQuery {
  /** Part of a name; "": all. */
  readonly q: string;
  /** Last name of the page before; "": from the first. */
  readonly after: string;
}

/** GET /projects */
export function getProjects(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const query = { q: readQuery(c, 'q').trim(), after: readQuery(c, 'after') };
    const body = html`<h1>Projects</h1>
${await renderList(c, deps, query)}`;
    return renderPage(c, deps, { title: 'Projects', body, section: 'projects' });
  };
}

/** PostgreSQL refuses NUL in text, and no name contains one. */
function readQuery(c: Context<WebEnv>, name: string): string {
  return (c.req.query(name) ?? '').replaceAll('\0', '').slice(0, 300);
}

async function renderList(c: Context<WebEnv>, deps: WebDeps, query: ListQuery): Promise<Html> {
  const known = await findProjects(c, deps, query);
  const missing = renderMissing(known.isWhole);
  const isFiltered = query.q !== '' || query.after !== '';
  if (known.projects.length > 0 || isFiltered)
    return html`${missing}${await renderFound(deps, query, known, isFiltered)}`;
  return known.isWhole ? renderNoProjects(deps.signInMethod, c.get('asking').signal) : missing;
}

async function renderFound(
  { store }: WebDeps,
  { q, after }: ListQuery,
  { projects, roles }: KnownProjects,
  isFiltered: boolean,
): Promise<Html> {
  const page = projects.slice(0, PAGE);
  const last = projects.length > PAGE ? page.at(-1) : undefined;
  const counts = await store.countByProject(page.map(({ id }) => id));
  const isFirstVisit = !isFiltered && last === undefined && counts.size === 0;
  return html`${isFirstVisit ? renderFirstReport(page, roles) : ''}
${isFiltered || projects.length > MANY ? renderSearch(q) : ''}
${page.length === 0 ? renderNoMatch(q) : renderTable(page, counts)}
${renderPager({
  label: 'Pages of projects',
  first: after === '' ? null : { href: toAddress(q, ''), text: 'First page' },
  next: last === undefined ? null : { href: toAddress(q, last.name), text: 'Next page' },
})}`;
}

function toAddress(q: string, after: string): string {
  return `/projects?${new URLSearchParams({ ...(q === '' ? {} : { q }), ...(after === '' ? {} : { after }) })}`;
}

/** One more than a page has, where there are so many. A name is searched in all of them, since roles decide which are seen. */
async function findProjects(c: Context<WebEnv>, deps: WebDeps, { q, after }: ListQuery): Promise<KnownProjects> {
  if (q === '') return knownProjects(deps, c.get('asking'), { after, most: PAGE + 1 });
  const known = await knownProjects(deps, c.get('asking'), { after });
  return { ...known, projects: known.projects.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())) };
}

function renderSearch(q: string): Html {
  return html`<form method="get" action="/projects" class="filter" role="search"><label for="q">Name contains</label>
<input type="search" id="q" name="q" value="${q}" autocomplete="off" spellcheck="false"><button>Filter</button></form>`;
}

function renderNoMatch(q: string): Html {
  return html`<div class="empty"><p>${q === '' ? 'No more projects.' : 'None of your projects has this in its name.'}</p>
<p><a class="button" href="/projects">All projects</a></p></div>`;
}

function renderTable(page: readonly Project[], counts: ReadonlyMap<string, ProjectCounts>): Html {
  return html`<table class="cards ledger"><caption class="hidden">Projects by name</caption>
<thead><tr><th scope="col">Project</th><th scope="col" class="number">Issues</th><th scope="col" class="number">Running</th>
<th scope="col" class="number">Open failures</th><th scope="col">Latest issue</th></tr></thead>
<tbody>${page.map((project) => renderRow(project, counts.get(project.id)))}</tbody></table>`;
}

function renderRow(project: Project, counts: ProjectCounts | undefined): Html {
  const { issues = 0, underWay = 0, openFailures = 0, lastIssueAt = '' } = counts ?? {};
  const failures = html`<a class="row-link" href="/projects/${project.id}/failures">${formatCount(openFailures)}</a>`;
  return html`<tr><th scope="row"><a class="row-link" href="/projects/${project.id}">${sanitiseLine(project.name, 300)}</a> ${renderKind(project)}</th>
<td class="number" data-label="Issues">${formatCount(issues)}</td>
<td class="number" data-label="Running">${underWay === 0 ? '0' : renderBadge(formatCount(underWay), 'busy')}</td>
<td class="number" data-label="Open failures">${openFailures === 0 ? '0' : failures}</td>
<td data-label="Latest issue">${renderMoment(lastIssueAt)}</td></tr>`;
}

async function renderNoProjects(method: SignInMethod, signal: AbortSignal): Promise<Html> {
  if (method.kind === 'local') {
    return html`<div class="empty"><p>No project yet: Causeway was started outside a git repository, and <code>PROJECTS</code> names none.</p>
<p>Stop it, and start it again with one or more repositories, separated as in <code>PATH</code>:</p>
<pre tabindex="0" role="region" aria-label="Command"><code>PROJECTS=/path/to/repository npm start</code></pre></div>`;
  }
  const address = await method.installUrl(signal);
  const install = address === '' ? html`` : html` <a href="${address}">Install the App</a>`;
  return html`<div class="empty"><p>You have no projects yet.</p>
<ul><li>If the App is not installed, an owner of the repository installs it on GitHub. Then the project appears here.${install}</li>
<li>If it is, ask for access on GitHub: read for a private repository, triage for a public one.</li></ul>
<p class="hint">A changed role takes effect here within 5 minutes.</p></div>`;
}

/** Nothing where the person may not submit a report for any of the projects. */
function renderFirstReport(projects: readonly Project[], roles: KnownProjects['roles']): Html {
  const usable = projects.filter(({ id }) => isAtLeast(roles.get(id) ?? 'none', 'triage'));
  if (usable.length === 0) return html``;
  const buttons = usable.map(({ id, name }, index) => {
    const text = usable.length === 1 ? 'New report' : `New report for ${sanitiseLine(name, 80)}`;
    return html`<a class="button ${index === 0 ? 'primary' : ''}" href="/projects/${id}/reports/new">${text}</a> `;
  });
  return html`<section class="panel" aria-labelledby="first"><h2 id="first">Submit your first report</h2>
<p>Paste an error message or a log. Causeway looks for its cause in the source of the project, and shows the evidence.</p>
${usable.length > MAX_BUTTONS ? html`<p>Open the project that it is about, and choose <em>New report</em>.</p>` : html`<p class="actions">${buttons}</p>`}</section>`;
}
