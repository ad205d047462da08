// A project: what is being looked into, and what was found so far.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import type { Project } from '../../core/project.ts';
import { isAtLeast } from '../../core/role.ts';
import { isId } from '../../services/access.ts';
import { doneNotice } from '../done-notice.ts';
import { refuseAbsentPage } from '../refusal.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { issueList } from './issue-list.ts';
import { projectTabs } from './project-tabs.ts';
import { crumbsOf, projectHead, type SeenProject, seenProject } from './seen-project.ts';
import { underWayIn, underWayPart } from './under-way.ts';

const PAGE = 50;

/** GET /projects/{projectId} */
export function getProject(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const seen = await seenProject(c, deps);
    const { project } = seen;
    const after = c.req.query('after') || undefined;
    if (after !== undefined && !isId(after)) refuseAbsentPage();
    const underWay = await underWayIn(deps, project.id);
    const body = html`${projectHead(seen)}
${projectTabs(project, 'issues')}
${doneNotice(c, { deleted: 'The issue was deleted, with its investigation and every webhook not yet delivered.' })}
${after === undefined ? underWayPart(underWay, c.get('signedIn').account.id) : ''}
${await issuesPart(deps, seen, { after, isAnyUnderWay: underWay.total > 0 })}`;
    return show(c, deps, { title: project.name, body, section: 'projects', crumbs: crumbsOf(project) });
  };
}

interface Wanted {
  readonly after: string | undefined;
  readonly isAnyUnderWay: boolean;
}

async function issuesPart({ store }: WebDeps, seen: SeenProject, { after, isAnyUnderWay }: Wanted): Promise<Html> {
  const { project } = seen;
  const found = await store.issueLines({
    projectId: project.id,
    limit: PAGE + 1,
    ...(after === undefined ? {} : { after }),
  });
  const lines = found.slice(0, PAGE);
  const list = { hasNext: found.length > PAGE, isFirst: after === undefined };
  return html`<section aria-labelledby="issues"><h2 id="issues">Issues</h2>
${lines.length > 0 ? issueList(project, lines, list) : noIssues(seen, { after, isAnyUnderWay })}</section>`;
}

function noIssues({ project, role }: SeenProject, { after, isAnyUnderWay }: Wanted): Html {
  if (after !== undefined) {
    return html`<div class="empty"><p>No older issue, or the one at which this page begins was deleted.</p>
<p><a class="button" href="/projects/${project.id}">To the newest issues</a></p></div>`;
  }
  if (isAnyUnderWay)
    return html`<div class="empty"><p>No issue yet: what is under way becomes one when it is concluded.</p></div>`;
  return html`<div class="empty"><p>No issue yet. ${howTheyCome(project)}</p>
${isAtLeast(role, 'triage') ? html`<p><a class="button" href="/projects/${project.id}/reports/new">Hand in a report</a></p>` : ''}</div>`;
}

function howTheyCome({ source }: Project): Html {
  if (source.kind !== 'github') return html`Paste an error message or a log, and see what the source says about it.`;
  return html`Put the label <code>analyse</code> on an issue on GitHub, wait for a red check, or paste a log here.`;
}
