// One search over what the person may see: projects by name, failures and issues by their words.
import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import type { Project } from '../core/project/index.ts';
import { type KnownProjects, listKnownProjects, listVisibleIssueLines } from '../services/index.ts';
import {
  formatCount,
  formatPlural,
  NOTHING,
  renderEmpty,
  renderKind,
  renderMissing,
  renderSection,
} from './components.ts';
import { titleFailure } from './failure-parts.ts';
import { renderFailures } from './failures.ts';
import { type Html, renderPage } from './layout.ts';
import { renderIssues } from './project.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

/** Results that are shown of each kind. */
const MAX_SHOWN = 20;
/** The newest that are looked through: their text is read from their records, about 1 ms for each ten. */
const [MOST_ISSUES, ISSUE_STEP] = [1_000, 200];
const MOST_FAILURES = 500;

/** GET /search?q= */
export async function getSearch(c: PageContext, deps: WebDeps): Promise<Response> {
  const words = sanitiseLine(c.req.query('q') ?? '', 200).trim();
  const known = await listKnownProjects(deps, c.get('asking'));
  const body = html`<h1>Search</h1>${renderMissing(known.isWhole)}
${words === '' ? html`<p>Type words of an error, a test, a title or a project into the field above. Press <kbd>/</kbd> on any page to get there.</p>` : await renderResults(c, deps, known, words.toLowerCase())}`;
  return renderPage(c, deps, { title: words === '' ? 'Search' : `${words} · Search`, body, search: words });
}

async function renderResults(c: PageContext, deps: WebDeps, known: KnownProjects, words: string): Promise<Html> {
  const { projects } = known;
  const named = projects.filter(({ name }) => name.toLowerCase().includes(words)).slice(0, MAX_SHOWN);
  const issues = await findIssues(c, deps, projects, words);
  const ids = projects.map(({ id }) => id);
  const failures = await deps.store.listFailures(ids, { limit: MOST_FAILURES });
  const findings = await deps.store.findLastFindings(failures);
  const failed = failures
    .filter((failure) => {
      const { title, error } = titleFailure(failure, findings.get(failure.id)?.excerpt);
      return `${title}\n${error}\n${failure.checkNames.join('\n')}`.toLowerCase().includes(words);
    })
    .slice(0, MAX_SHOWN);
  if (named.length + issues.length + failed.length === 0) {
    const hint = html`<p class="hint">Looked through ${formatPlural(projects.length, 'project')}, the newest ${formatCount(MOST_ISSUES)} issues and ${formatCount(MOST_FAILURES)} failures. It searches for the exact phrase.</p>`;
    return renderEmpty(html`No results for “${words}”.`, hint);
  }
  const list = html`<ul class="rows">${named.map((project) => html`<li><a class="row-link" href="/projects/${project.id}">${sanitiseLine(project.name, 300)}</a> ${renderKind(project)}</li>`)}</ul>`;
  return html`${named.length === 0 ? NOTHING : renderSection('projects', 'Projects', list)}
${issues.length === 0 ? NOTHING : renderSection('issues', 'Issues', renderIssues(projects, issues))}
${failed.length === 0 ? NOTHING : renderSection('failures', 'Failures', await renderFailures(deps, projects, failed))}`;
}

async function findIssues(c: PageContext, deps: WebDeps, projects: readonly Project[], words: string) {
  const projectIds = projects.map(({ id }) => id);
  const found: Awaited<ReturnType<typeof listVisibleIssueLines>>[number][] = [];
  for (let read = 0, after = ''; read < MOST_ISSUES && found.length < MAX_SHOWN; read += ISSUE_STEP) {
    const range = { projectIds, limit: ISSUE_STEP, ...(after === '' ? {} : { after }) };
    const lines = await listVisibleIssueLines(deps, c.get('asking'), range);
    found.push(
      ...lines.filter(({ problem, rootCause, reference }) =>
        `${problem}\n${rootCause}\n${reference}`.toLowerCase().includes(words),
      ),
    );
    after = lines.at(-1)?.id ?? '';
    if (lines.length < ISSUE_STEP) break;
  }
  return found.slice(0, MAX_SHOWN);
}
