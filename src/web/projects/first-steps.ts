// What to do first: where no project is to be seen, and where nothing was handed in yet.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import { isAtLeast } from '../../core/role.ts';
import type { KnownProjects } from '../../services/access.ts';
import type { Html } from '../show.ts';
import type { Entrance } from '../web-deps.ts';

/** So many get a button of their own. */
const FEW = 3;

export async function noProjects(entrance: Entrance, signal: AbortSignal): Promise<Html> {
  if (entrance.kind === 'local') {
    return html`<div class="empty"><p>No project yet: Causeway was started outside a git repository, and <code>PROJECTS</code> names none.</p>
<p>Stop it, and start it again with one or more repositories, separated as in <code>PATH</code>:</p>
<pre tabindex="0" role="region" aria-label="Command"><code>PROJECTS=/path/to/repository npm start</code></pre></div>`;
  }
  const address = await entrance.installUrl(signal);
  const install = address === '' ? html`` : html` <a href="${address}">Install the App</a>`;
  return html`<div class="empty"><p>There is no project that you may see.</p>
<ul><li>If the App is not installed yet, somebody who owns the repository installs it on GitHub. Then it appears here.${install}</li>
<li>If it is, ask for access on GitHub: read for a private repository, triage for a public one.</li></ul>
<p class="hint">GitHub is asked again at most 5 minutes after a role has changed.</p></div>`;
}

/** Nothing where none of the projects is one that the person may hand a report in for. */
export function firstReport({ projects, roles }: Pick<KnownProjects, 'projects' | 'roles'>): Html {
  const usable = projects.filter(({ id }) => isAtLeast(roles.get(id) ?? 'none', 'triage')).slice(0, FEW + 1);
  const [first] = usable;
  if (first === undefined) return html``;
  return html`<section class="panel" aria-labelledby="first"><h2 id="first">Hand in your first report</h2>
<p>Paste an error message or a log. Causeway looks for its cause in the source of the project, and shows how it knows.</p>
${usable.length > FEW ? html`<p>Open the project that it is about, and choose <em>New report</em>.</p>` : buttons(usable)}</section>`;
}

function buttons(projects: readonly Project[]): Html {
  const isOne = projects.length === 1;
  return html`<p class="actions">${projects.map(
    ({ id, name }, at) =>
      html`<a class="button ${at === 0 ? 'primary' : ''}" href="/projects/${id}/reports/new">${isOne ? 'New report' : `New report for ${inertLine(name, 80)}`}</a> `,
  )}</p>`;
}
