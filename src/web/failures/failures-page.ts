// The failures of a project, and one of them.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import type { Failure } from '../../core/failure.ts';
import type { Project } from '../../core/project.ts';
import { projectTabs } from '../projects/project-tabs.ts';
import { crumbsOf, projectHead, seenProject } from '../projects/seen-project.ts';
import { refuseAbsentPage } from '../refusal.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { causePart } from './failure-cause.ts';
import { failureFacts, rangePart } from './failure-facts.ts';
import { failureTable, flakyRanking } from './failure-list.ts';
import { headlineOf } from './failure-words.ts';

const PAGE = 50;
/** The flaky ones are looked for among so many. */
const LOOKED_AT = 200;

type Wanted = Failure['state'] | 'all';

const FILTERS: readonly (readonly [wanted: Wanted, text: string])[] = [
  ['open', 'Open'],
  ['closed', 'Closed'],
  ['all', 'All'],
];

/** GET /projects/{projectId}/failures */
export function getFailures(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const seen = await seenProject(c, deps);
    const { project } = seen;
    const wanted = wantedState(c);
    const after = c.req.query('after') ?? '';
    if (after !== '' && !isFailureId(after)) refuseAbsentPage();
    const body = html`${projectHead(seen)}
${projectTabs(project, 'failures')}
<section aria-labelledby="failures"><h2 id="failures">Failures</h2>
${filterLinks(project, wanted)}
${await ledgerPart(deps, project, { wanted, after })}</section>
${after === '' ? flakyRanking(await deps.store.failures(project.id, { limit: LOOKED_AT })) : ''}`;
    const crumbs = crumbsOf(project, { text: 'Failures', href: `/projects/${project.id}/failures` });
    return show(c, deps, { title: `Failures · ${project.name}`, body, section: 'projects', crumbs });
  };
}

/** GET /projects/{projectId}/failures/{failureId} */
export function getFailure(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const { project } = await seenProject(c, deps);
    const id = c.req.param('failureId') ?? '';
    const failure = (isFailureId(id) ? await deps.store.failure(id) : null) ?? refuseAbsentPage();
    if (failure.projectId !== project.id) refuseAbsentPage();
    const title = headlineOf(failure);
    const body = html`<h1 class="failure-line">${title}</h1>
${projectTabs(project, 'failures', { isWithin: true })}
${failureFacts(project, failure)}
${await causePart(deps, project, failure)}
${rangePart(project, failure)}`;
    const list = { text: 'Failures', href: `/projects/${project.id}/failures` };
    const crumbs = crumbsOf(project, list, { text: title, href: `${list.href}/${id}` });
    return show(c, deps, { title: `${title} · ${project.name}`, body, section: 'projects', crumbs });
  };
}

function isFailureId(text: string): boolean {
  return /^fal_[0-9A-Za-z]{1,32}$/.test(text);
}

/** Open ones are what somebody has to do something about. */
function wantedState(c: Context<WebEnv>): Wanted {
  const given = c.req.query('state');
  return FILTERS.find(([wanted]) => wanted === given)?.[0] ?? 'open';
}

function filterLinks({ id }: Project, current: Wanted): Html {
  return html`<nav class="filters" aria-label="State"><ul>${FILTERS.map(
    ([wanted, text]) =>
      html`<li><a href="/projects/${id}/failures?state=${wanted}"${wanted === current ? html` aria-current="true"` : ''}>${text}</a></li>`,
  )}</ul></nav>`;
}

interface Page {
  readonly wanted: Wanted;
  readonly after: string;
}

async function ledgerPart({ store }: WebDeps, project: Project, page: Page): Promise<Html> {
  const { wanted, after } = page;
  const found = await store.failures(project.id, {
    limit: PAGE + 1,
    ...(wanted === 'all' ? {} : { state: wanted }),
    ...(after === '' ? {} : { after }),
  });
  const failures = found.slice(0, PAGE);
  if (failures.length === 0) return noFailures(project, page);
  const next = found.length > PAGE ? failures.at(-1)?.id : undefined;
  return html`${failureTable(project, failures, 'Failures, the last seen first')}
${pages(project, page, next)}`;
}

function pages({ id }: Project, { wanted, after }: Page, next: string | undefined): Html {
  if (after === '' && next === undefined) return html``;
  const address = `/projects/${id}/failures?state=${wanted}`;
  return html`<nav aria-label="Pages of failures" class="actions">
${after === '' ? '' : html`<a class="button" href="${address}">Last seen</a>`}
${next === undefined ? '' : html`<a class="button" href="${address}&amp;after=${next}" rel="next">Seen before that</a>`}</nav>`;
}

function noFailures(project: Project, { wanted, after }: Page): Html {
  if (after !== '')
    return html`<div class="empty"><p>No further failure, or the one at which this page begins was forgotten.</p></div>`;
  if (project.source.kind !== 'github') {
    return html`<div class="empty"><p>Failures are gathered from the checks of repositories on GitHub. This project is a repository on this disk: hand in the log of a red check as a report.</p></div>`;
  }
  if (wanted === 'closed') return html`<div class="empty"><p>No failure was closed so far.</p></div>`;
  return html`<div class="empty"><p>${wanted === 'open' ? 'No failure is open.' : 'No failure was seen so far.'}
When a check turns red, its cause is noted here, and is closed when the default branch is green again.</p></div>`;
}
