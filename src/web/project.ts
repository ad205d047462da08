// A project: what is running, and its issues; and its effective settings.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import { sanitiseLine, sanitiseText } from '../core/inert-text.ts';
import type { Investigation } from '../core/investigation.ts';
import { isGithubProject, type Project } from '../core/project.ts';
import { isAtLeast } from '../core/role.ts';
import type { EffectiveConfiguration, EffectiveValue, ValueSource } from '../core/settings.ts';
import type { IssueLine } from '../db/investigations.ts';
import { isId } from '../services/access.ts';
import {
  createCrumbs,
  describeOrigin,
  findProject,
  formatPercent,
  formatPlural,
  getNumberText,
  getRepositoryPage,
  renderBadge,
  renderDone,
  renderMoment,
  renderOutcome,
  renderOwnLink,
  renderPager,
  renderPlainLine,
  renderProjectHead,
  renderProjectTabs,
  type SeenProject,
} from './components.ts';
import { type Html, refuseAbsentPage, renderPage } from './layout.ts';
import { getFirstSentence } from './text.ts';
import type { WebDeps, WebEnv } from './web-deps.ts';

const PAGE = 50;
/** Investigations that are listed of each state. */
const MAX_RUNNING = 20;

interface Running {
  /** Those that run before those that wait, each the newest first. */
  readonly listed: readonly Investigation[];
  readonly total: number;
}

/** GET /projects/{projectId} */
export function getProject(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const seen = await findProject(c, deps);
    const { project } = seen;
    const after = c.req.query('after') ?? '';
    if (after !== '' && !isId(after)) refuseAbsentPage();
    const running = await findRunning(deps, project.id);
    const body = html`${renderProjectHead(seen)}
${renderProjectTabs(project, 'issues')}
${renderDone(c, { deleted: 'The issue was deleted, with its investigation and every webhook not yet delivered.' })}
${after === '' ? renderRunning(running, c.get('signedIn').account.id) : ''}
<section aria-labelledby="issues"><h2 id="issues">Issues</h2>
${await renderIssuePage(deps, seen, after, running.total > 0)}</section>`;
    return renderPage(c, deps, { title: project.name, body, section: 'projects', crumbs: createCrumbs(project) });
  };
}

/** `after`: the last issue of the page before; "": the first page. */
async function renderIssuePage(
  { store }: WebDeps,
  seen: SeenProject,
  after: string,
  isAnyRunning: boolean,
): Promise<Html> {
  const { project } = seen;
  const filter = { projectId: project.id, limit: PAGE + 1, ...(after === '' ? {} : { after }) };
  const found = await store.listIssueLines(filter);
  const lines = found.slice(0, PAGE);
  if (lines.length === 0) return renderNoIssues(seen, after !== '', isAnyRunning);
  const last = found.length > PAGE ? lines.at(-1) : undefined;
  return html`${renderIssues(project, lines)}
${renderPager({
  label: 'Pages of issues',
  first: after === '' ? null : { href: `/projects/${project.id}`, text: 'Newest' },
  next: last === undefined ? null : { href: `/projects/${project.id}?after=${last.id}`, text: 'Older' },
})}`;
}

async function findRunning({ store }: WebDeps, projectId: string): Promise<Running> {
  const find = (state: 'running' | 'queued') =>
    store.listInvestigations({ projectIds: [projectId], state, limit: MAX_RUNNING });
  const listed = [...(await find('running')), ...(await find('queued'))];
  const counted = (await store.countByProject([projectId])).get(projectId)?.underWay ?? 0;
  return { listed, total: Math.max(counted, listed.length) };
}

function renderRunning({ listed, total }: Running, accountId: string): Html {
  if (listed.length === 0) return html``;
  return html`<section class="panel" aria-labelledby="running"><h2 id="running">Running: ${formatPlural(total, 'investigation')}</h2>
<ul class="rows">${listed.map((each) => renderRunningRow(each, accountId))}</ul>
${total > listed.length ? html`<p class="hint">${formatPlural(total - listed.length, 'more waits', 'more wait')}.</p>` : ''}</section>`;
}

function renderRunningRow(investigation: Investigation, accountId: string): Html {
  const { id, outcome, origin, reference, createdAt } = investigation;
  const isRunning = outcome.state === 'running';
  return html`<li>${renderBadge(isRunning ? 'running' : 'queued', isRunning ? 'busy' : 'quiet')}
<a class="row-link" href="/investigations/${id}">${describeProgress(investigation)}</a>
<span class="soft below">${describeOrigin(origin)}${reference === '' ? '' : html` · ${renderPlainLine(reference, 100)}`} ·
${investigation.accountId === accountId ? 'started by you' : 'started'} ${renderMoment(createdAt)}</span></li>`;
}

function describeProgress({ outcome, progress }: Investigation): string {
  if (outcome.state === 'queued') return 'Waiting for its turn';
  if (progress.step === 0) return 'Reading the report';
  return `Step ${progress.step}: ${sanitiseLine(progress.action, 140)}`;
}

/** The problem is the title, the cause a second line: people look for what they reported. */
function renderIssues(project: Project, lines: readonly IssueLine[]): Html {
  return html`<table class="cards ledger"><caption class="hidden">Issues</caption>
<thead><tr><th scope="col">Outcome</th><th scope="col">Problem</th><th scope="col" class="number">Confidence</th><th scope="col">From</th>
<th scope="col">When</th><th scope="col">Pull request</th></tr></thead>
<tbody>${lines.map((issue) => renderIssueRow(project, issue))}</tbody></table>`;
}

function renderIssueRow(project: Project, issue: IssueLine): Html {
  const { id, rootCause, problem, confidence, origin, reference, createdAt, pullRequest } = issue;
  const [firstLine = ''] = problem.trim().split('\n', 1);
  const title = getFirstSentence(firstLine.replace(/^#{1,6}\s/, '')) || getFirstSentence(rootCause) || id;
  const cause = getFirstSentence(rootCause);
  return html`<tr><td>${renderOutcome(issue)}</td><th scope="row"><a class="row-link" href="/issues/${id}">${renderPlainLine(title)}</a>
${cause === '' || cause === title ? '' : html`<span class="soft below">${renderPlainLine(cause)}</span>`}
${reference === '' ? '' : html`<span class="soft below">${renderPlainLine(reference, 200)}</span>`}</th>
<td class="number" data-label="Confidence">${confidence === null ? '' : formatPercent(confidence)}</td>
<td data-label="From">${describeOrigin(origin)}</td>
<td data-label="When">${renderMoment(createdAt)}</td>
<td data-label="Pull request">${pullRequest === null ? '' : renderOwnLink(project, pullRequest, getNumberText(pullRequest))}</td></tr>`;
}

function renderNoIssues({ project, role }: SeenProject, isPaged: boolean, isAnyRunning: boolean): Html {
  if (isPaged) {
    return html`<div class="empty"><p>No older issues, or the one at which this page begins was deleted.</p>
<p><a class="button" href="/projects/${project.id}">Newest issues</a></p></div>`;
  }
  if (isAnyRunning) {
    return html`<div class="empty"><p>No issues yet: a running investigation becomes one when it concludes.</p></div>`;
  }
  const how =
    project.source.kind === 'github'
      ? html`Put the label <code>analyse</code> on an issue on GitHub, wait for a failed check, or paste a log here.`
      : html`Paste an error message or a log, and see what the source says about it.`;
  return html`<div class="empty"><p>No issues yet. ${how}</p>
${isAtLeast(role, 'triage') ? html`<p><a class="button" href="/projects/${project.id}/reports/new">New report</a></p>` : ''}</div>`;
}

const FILE = '.github/causeway.yml';
const EXAMPLE = `mode: comment
labels: [analyse]
checks:
  exclude: ["deploy-*"]
budget:
  run: 0.50`;

/** GET /projects/{projectId}/settings */
export function getSettings(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const seen = await findProject(c, deps);
    const { project } = seen;
    const configuration = await deps.configurationOf(project, c.get('asking').signal);
    const { problem } = configuration;
    const body = html`${renderProjectHead(seen)}
${renderProjectTabs(project, 'settings')}
${problem === '' ? '' : html`<p class="notice bad" role="alert">${renderPlainLine(problem, 1_000)}</p>`}
<section aria-labelledby="configuration"><h2 id="configuration">Effective settings</h2>
${renderHowToChange(project, configuration)}
${renderValues(project, configuration)}</section>
${renderAbout(seen)}`;
    const crumbs = createCrumbs(project, { text: 'Settings', href: `/projects/${project.id}/settings` });
    return renderPage(c, deps, { title: `Settings · ${project.name}`, body, section: 'projects', crumbs });
  };
}

function renderHowToChange(project: Project, { url }: EffectiveConfiguration): Html {
  if (!isGithubProject(project)) {
    return html`<p>A local repository has no configuration file: environment variables at the start of Causeway set these values. docs/configuration.md lists them all.</p>`;
  }
  return html`<p>To change a value, put it into <code>${FILE}</code> on the default branch. The file is re-read for every analysis; defaults apply without it. Operator settings are upper limits.</p>
${url === '' ? html`<p class="soft">There is no such file, neither here nor in the owner's <code>.github</code> repository.</p>` : html`<p>${renderOwnLink(project, url, 'Configuration file')}</p>`}
<details><summary>An example</summary><pre tabindex="0" role="region" aria-label="Example of the file"><code>${EXAMPLE}</code></pre>
<p class="hint">All keys are in docs/configuration.md of Causeway, with a schema for editors.</p></details>`;
}

function renderValues(project: Project, { values }: EffectiveConfiguration): Html {
  if (values.length === 0) return html`<div class="empty"><p>This project has no settings.</p></div>`;
  return html`<table class="cards values"><caption class="hidden">Effective settings of ${sanitiseLine(project.name, 100)}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Value</th><th scope="col">From</th><th scope="col">Meaning</th></tr></thead>
<tbody>${values.map(renderValue)}</tbody></table>`;
}

function renderValue({ name, value, from, limit, means }: EffectiveValue): Html {
  const given = sanitiseText(value, 4_000);
  const isWithheld = from.kind === 'owner' && limit !== '';
  return html`<tr><th scope="row"><code>${name}</code></th>
<td data-label="Value"><span class="value">${given === '' ? html`<span class="soft">${isWithheld ? 'not shown' : 'nothing'}</span>` : given}</span>
${limit === '' ? '' : html`<span class="limit below"><strong>Effective:</strong> ${renderPlainLine(limit)}</span>`}</td>
<td data-label="From">${renderValueSource(from)}</td><td class="soft">${means}</td></tr>`;
}

function renderValueSource(from: ValueSource): Html {
  switch (from.kind) {
    case 'default':
      return html`<span class="soft">default</span>`;
    case 'file':
      return html`this repository's file`;
    case 'owner':
      return html`the file of <code>${sanitiseLine(from.repository, 200)}</code>`;
    case 'operator':
      return html`the operator: <code>${from.variable}</code>`;
  }
}

function renderAbout({ project, role }: SeenProject): Html {
  const { id, source, createdAt } = project;
  return html`<section aria-labelledby="about"><h2 id="about">About</h2><dl class="facts">
<dt>Id for the API</dt><dd><code>${id}</code></dd>
${renderSource(project)}
${source.kind === 'github' ? html`<dt>Your role</dt><dd>${role}</dd>` : ''}
<dt>Added</dt><dd>${renderMoment(createdAt)}</dd></dl></section>`;
}

function renderSource(project: Project): Html {
  const { source } = project;
  switch (source.kind) {
    case 'path':
      return html`<dt>Folder</dt><dd><code>${sanitiseLine(source.path, 1_000)}</code></dd>`;
    // The address may contain credentials.
    case 'url':
      return html``;
    case 'github':
      return html`<dt>Repository</dt><dd>${renderOwnLink(project, getRepositoryPage(project), sanitiseLine(project.name, 300))}</dd>
<dt>Default branch</dt><dd>${source.defaultBranch === '' ? 'none: it has no commit' : html`<code>${sanitiseLine(source.defaultBranch, 300)}</code>`}</dd>`;
  }
}
