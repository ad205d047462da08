// The tabs of a project: its pages, one beside the other.
import { html } from 'hono/html';
import { isGithubProject, type Project } from '../../core/project.ts';
import type { Html } from '../show.ts';

export type ProjectTab = 'issues' | 'failures' | 'observed' | 'settings';

const TEXTS: Readonly<Record<ProjectTab, string>> = {
  issues: 'Issues',
  failures: 'Failures',
  observed: 'Observed',
  settings: 'Settings',
};

/** `isWithin`: the page is one of those behind the current tab, not the tab's own. */
export function projectTabs(project: Project, current: ProjectTab, { isWithin = false } = {}): Html {
  const state = isWithin ? 'true' : 'page';
  return html`<nav class="tabs" aria-label="Project"><ul>${tabsOf(project).map(
    (tab) =>
      html`<li><a href="${addressOf(project, tab)}"${tab === current ? html` aria-current="${state}"` : ''}>${TEXTS[tab]}</a></li>`,
  )}</ul></nav>`;
}

/** Nothing is held back where nothing is posted. */
function tabsOf(project: Project): readonly ProjectTab[] {
  return isGithubProject(project) ? ['issues', 'failures', 'observed', 'settings'] : ['issues', 'failures', 'settings'];
}

function addressOf({ id }: Project, tab: ProjectTab): string {
  return tab === 'issues' ? `/projects/${id}` : `/projects/${id}/${tab}`;
}
