// The projects that somebody may see, each with what there is of it.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import type { ProjectCounts } from '../../db/store.ts';
import { knownProjects } from '../../services/access.ts';
import { missingNotice } from '../missing-projects.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { badge, count, moment } from '../words.ts';
import { firstReport, noProjects } from './first-steps.ts';
import { kindBadges } from './seen-project.ts';

/** From so many on, names are looked for rather than read. */
const MANY = 20;
const PAGE = 100;

/** GET /projects */
export function getProjects(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const wanted = { q: queried(c, 'q').trim(), after: queried(c, 'after') };
    const body = html`<h1>Projects</h1>
${await projectsPart(c, deps, wanted)}`;
    return show(c, deps, { title: 'Projects', body, section: 'projects' });
  };
}

interface Wanted {
  /** Part of a name; "": all. */
  readonly q: string;
  /** Last name of the page before; "": from the first. */
  readonly after: string;
}

/** PostgreSQL refuses NUL in text, and no name has one. */
function queried(c: Context<WebEnv>, name: string): string {
  return (c.req.query(name) ?? '').replaceAll('\0', '').slice(0, 300);
}

async function projectsPart(c: Context<WebEnv>, deps: WebDeps, wanted: Wanted): Promise<Html> {
  const { q, after } = wanted;
  const isFiltered = q !== '' || after !== '';
  const { projects: found, roles, isWhole } = await foundProjects(c, deps, wanted);
  if (found.length === 0 && !isFiltered) {
    return isWhole ? noProjects(deps.entrance, c.get('asking').signal) : missingNotice(isWhole);
  }
  const page = found.slice(0, PAGE);
  const isMore = found.length > PAGE;
  const counts = await deps.store.projectCounts(page.map(({ id }) => id));
  return html`${missingNotice(isWhole)}${!isFiltered && !isMore && counts.size === 0 ? firstReport({ projects: page, roles }) : ''}
${isFiltered || found.length > MANY ? filterBox(q) : ''}
${page.length === 0 ? noMatch(q) : projectTable(page, counts)}
${pages(wanted, isMore ? page.at(-1)?.name : undefined)}`;
}

/** One more than a page has, where there are so many. A name is looked for in all: each one's role has to be known, a page's else. */
async function foundProjects(c: Context<WebEnv>, deps: WebDeps, { q, after }: Wanted) {
  if (q === '') return knownProjects(deps, c.get('asking'), { after, most: PAGE + 1 });
  const { projects, roles, isWhole } = await knownProjects(deps, c.get('asking'), { after });
  return { isWhole, roles, projects: projects.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())) };
}

function filterBox(q: string): Html {
  return html`<form method="get" action="/projects" class="filter" role="search"><label for="q">Name contains</label>
<input type="search" id="q" name="q" value="${q}" autocomplete="off" spellcheck="false"><button>Filter</button></form>`;
}

function noMatch(q: string): Html {
  return html`<div class="empty"><p>${q === '' ? 'No further project.' : 'No project that you may see has this in its name.'}</p>
<p><a class="button" href="/projects">All projects</a></p></div>`;
}

function projectTable(page: readonly Project[], counts: ReadonlyMap<string, ProjectCounts>): Html {
  return html`<table class="cards ledger"><caption class="hidden">Projects by name</caption>
<thead><tr><th scope="col">Project</th><th scope="col" class="number">Issues</th><th scope="col" class="number">Under way</th>
<th scope="col" class="number">Open failures</th><th scope="col">Last issue</th></tr></thead>
<tbody>${page.map((project) => projectRow(project, counts.get(project.id)))}</tbody></table>`;
}

function projectRow(project: Project, counts: ProjectCounts | undefined): Html {
  const { issues = 0, underWay = 0, openFailures = 0, lastIssueAt = '' } = counts ?? {};
  const failures = html`<a class="row-link" href="/projects/${project.id}/failures">${count(openFailures)}</a>`;
  return html`<tr><th scope="row"><a class="row-link" href="/projects/${project.id}">${inertLine(project.name, 300)}</a> ${kindBadges(project)}</th>
<td class="number" data-label="Issues">${count(issues)}</td>
<td class="number" data-label="Under way">${underWay === 0 ? '0' : badge(count(underWay), 'busy')}</td>
<td class="number" data-label="Open failures">${openFailures === 0 ? '0' : failures}</td>
<td data-label="Last issue">${moment(lastIssueAt)}</td></tr>`;
}

function pages({ q, after }: Wanted, next: string | undefined): Html {
  if (after === '' && next === undefined) return html``;
  const address = (from: string) =>
    `/projects?${new URLSearchParams({ ...(q === '' ? {} : { q }), ...(from === '' ? {} : { after: from }) })}`;
  return html`<nav aria-label="Pages of projects" class="actions">
${after === '' ? '' : html`<a class="button" href="${address('')}">First page</a>`}
${next === undefined ? '' : html`<a class="button" href="${address(next)}" rel="next">Next page</a>`}</nav>`;
}
