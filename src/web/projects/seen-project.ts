// The project of an address, as far as whoever asks may see it; and the frame that all its pages share.
import type { Context } from 'hono';
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import { isAtLeast } from '../../core/role.ts';
import { isId, type Seen, visibleProject } from '../../services/access.ts';
import { refuseAbsentPage } from '../refusal.ts';
import type { Crumb, Html } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { badge } from '../words.ts';

export type SeenProject = Seen<{ readonly project: Project }>;

/** By its id alone: in a path, a name's slash would be another path. Foreign and absent are refused alike. */
export async function seenProject(c: Context<WebEnv>, deps: WebDeps): Promise<SeenProject> {
  const id = c.req.param('projectId') ?? '';
  return (isId(id) ? await visibleProject(deps, c.get('asking'), id) : null) ?? refuseAbsentPage();
}

/** The way to a page of the project; `steps` lead on from its first page. */
export function crumbsOf({ id, name }: Project, ...steps: readonly Crumb[]): readonly Crumb[] {
  return [{ text: 'Projects', href: '/projects' }, { text: name, href: `/projects/${id}` }, ...steps];
}

/** Name, kind, and the button for a report where one may be handed in. */
export function projectHead({ project, role }: SeenProject): Html {
  const mayReport = isAtLeast(role, 'triage');
  return html`<div class="title-line"><h1>${inertLine(project.name, 300)}</h1><p class="kinds">${kindBadges(project)}</p>
${mayReport ? html`<p><a class="button primary" href="/projects/${project.id}/reports/new">New report</a></p>` : ''}</div>`;
}

/** Who may see it, and whether it is still worked on. */
export function kindBadges({ source }: Project): Html {
  if (source.kind !== 'github') return badge('local');
  return html`${badge(source.isPrivate ? 'private' : 'public')}${source.isArchived ? html` ${badge('archived')}` : ''}`;
}
