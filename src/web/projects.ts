// The projects that a person may see, each with its figures; and what to do first.
import { html } from 'hono/html';
import { isAtLeast } from '../core/account.ts';
import type { Project } from '../core/project.ts';
import { sanitiseLine } from '../core/text.ts';
import type { ProjectCounts } from '../db/investigations.ts';
import { type KnownProjects, listKnownProjects } from '../services/access.ts';
import {
  cutPage,
  formatCount,
  NOTHING,
  renderBadge,
  renderEmpty,
  renderKind,
  renderMissing,
  renderMoment,
  renderPager,
  renderTable,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import type { PageContext, SignInMethod, WebDeps } from './web-deps.ts';

/** From this number on, a search box helps more than reading. */
const MANY = 20;
const PAGE = 100;
/** With more projects than these, the first report is started from the project's own page. */
const MAX_BUTTONS = 3;

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
  const body = html`<h1>Projects</h1>${renderMissing(known.isWhole)}
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

async function renderFound({ store }: WebDeps, { q, after }: ListQuery, known: KnownProjects): Promise<Html> {
  const { entries, last } = cutPage(known.projects, PAGE);
  const counts = await store.countByProject(entries.map(({ id }) => id));
  const isFiltered = q !== '' || after !== '';
  const isFirstVisit = !isFiltered && last === undefined && counts.size === 0;
  const toAddress = (query: Partial<ListQuery>) => `/projects?${new URLSearchParams(query)}`;
  const filter = q === '' ? {} : { q };
  return html`${isFirstVisit ? renderFirstReport(entries, known.roles) : ''}
${isFiltered || known.projects.length > MANY ? renderSearch(q) : ''}
${entries.length > 0 ? renderProjects(entries, counts) : isFiltered ? renderNoMatch(q) : ''}
${renderPager({
  label: 'Pages of projects',
  first: after === '' ? null : toAddress(filter),
  next: last === undefined ? null : toAddress({ ...filter, after: last.name }),
  texts: ['First page', 'Next page'],
})}`;
}

function renderSearch(q: string): Html {
  return html`<form method="get" action="/projects" class="filter" role="search"><label for="q">Name contains</label>
<input type="search" id="q" name="q" value="${q}" autocomplete="off" spellcheck="false"><button>Filter</button></form>`;
}

function renderNoMatch(q: string): Html {
  const text = q === '' ? 'No more projects.' : 'None of your projects has this in its name.';
  return renderEmpty(text, html`<p><a class="button" href="/projects">All projects</a></p>`);
}

function renderProjects(projects: readonly Project[], counts: ReadonlyMap<string, ProjectCounts>): Html {
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

async function renderNoProjects(method: SignInMethod, signal: AbortSignal): Promise<Html> {
  if (method.kind === 'local') {
    return html`<div class="empty"><p>No project yet: Causeway was started outside a git repository, and <code>PROJECTS</code> is not set.</p>
<p>Stop it, and start it again with one or more repositories, separated as in <code>PATH</code>:</p>
<pre tabindex="0" role="region" aria-label="Command"><code>PROJECTS=/path/to/repository npm start</code></pre></div>`;
  }
  const address = await method.installUrl(signal);
  const install = address === '' ? '' : html` <a href="${address}">Install the App</a>`;
  return html`<div class="empty"><p>You have no projects yet.</p>
<ul><li>If the App is not installed, an owner of the repository installs it on GitHub. Then the project appears here.${install}</li>
<li>If it is, ask for access on GitHub: read for a private repository, triage for a public one.</li></ul>
<p class="hint">A changed role takes effect here within 5 minutes.</p></div>`;
}

/** Nothing where the person may not submit a report for any of the projects. */
function renderFirstReport(projects: readonly Project[], roles: KnownProjects['roles']): Html {
  const usable = projects.filter(({ id }) => isAtLeast(roles.get(id) ?? 'none', 'triage'));
  if (usable.length === 0) return NOTHING;
  const buttons = usable.map(({ id, name }, index) => {
    const text = usable.length === 1 ? 'New report' : `New report for ${sanitiseLine(name, 80)}`;
    return html`<a class="button ${index === 0 ? 'primary' : ''}" href="/projects/${id}/reports/new">${text}</a> `;
  });
  return html`<section class="panel" aria-labelledby="first"><h2 id="first">Submit your first report</h2>
<p>Paste an error message or a log. Causeway looks for its cause in the source of the project, and shows the evidence.</p>
${usable.length > MAX_BUTTONS ? html`<p>Open the project that it is about, and choose <em>New report</em>.</p>` : html`<p class="actions">${buttons}</p>`}</section>`;
}
