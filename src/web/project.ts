// A project: what is running, and its issues; and its effective settings.

import { sanitiseLine, sanitiseText } from 'causeway-visible-text';
import { html } from 'hono/html';
import { ALL_OUTCOMES, describeOutcome, formatPercent } from '../core/issue/index.ts';
import type { Outcome } from '../core/outcome/index.ts';
import {
  type EffectiveConfiguration,
  isAtLeast,
  isGithubProject,
  type Project,
  type ValueSource,
} from '../core/project/index.ts';
import type { Origin } from '../core/report/index.ts';
import type { IssueLine } from '../db/index.ts';
import { isId, listVisibleIssueLines, type SeenProject } from '../services/index.ts';
import {
  ALL_ORIGINS,
  createCrumbs,
  cutPage,
  describeOrigin,
  findSeenProject,
  formatCount,
  formatPlural,
  getNumberText,
  getRepositoryPage,
  NOTHING,
  renderBadge,
  renderDone,
  renderEmpty,
  renderMoment,
  renderNewReport,
  renderOutcome,
  renderOwnLink,
  renderPager,
  renderPlainLine,
  renderProjectHead,
  renderSection,
  renderTable,
} from './components.ts';
import { type Html, refuseAbsentPage, renderPage } from './layout.ts';
import { findRunning, renderRunning } from './running.ts';
import { getFirstSentence, getHeadline } from './text.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const PAGE = 50;
/** Up to this many issues are read faster than filtered. */
const FEW = 10;
const [SEARCHED, SEARCH_STEP] = [2_000, 200];
const DONE = { deleted: 'The issue was deleted, with its investigation and every webhook not yet delivered.' };

/** GET /projects/{projectId} */
export async function getProjectPage(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project } = seen;
  const after = c.req.query('after') ?? '';
  if (after !== '' && !isId(after)) refuseAbsentPage();
  const running = await findRunning(deps, [project]);
  const filter = readFilter(c);
  const read = (limit: number, from: string) => {
    const range = { projectIds: [project.id], limit, ...(from === '' ? {} : { after: from }) };
    return listVisibleIssueLines(deps, c.get('asking'), range);
  };
  const { entries, last } = await findIssues(read, filter, after);
  const isEmpty = entries.length === 0;
  const toAddress = (query: Record<string, string>) => `/projects/${project.id}${formatQuery({ ...filter, ...query })}`;
  const isLong = isFiltered(filter) || after !== '' || entries.length > FEW;
  const none = isFiltered(filter) ? renderNoIssueMatch(project) : renderNoIssues(seen, after !== '', running.total > 0);
  const body = html`${renderProjectHead(seen, 'issues')}
${renderDone(c, DONE)}
${after === '' ? renderRunning(running, c.get('signedIn').account.id) : ''}
${renderSection(
  'issues',
  'Issues',
  html`${isLong ? renderIssueFilter(filter) : ''}
${isEmpty ? none : renderIssues([project], entries)}
${renderPager({
  label: 'Pages of issues',
  first: after === '' ? null : toAddress({}),
  next: last === undefined ? null : toAddress({ after: last.id }),
})}`,
)}`;
  return renderPage(c, deps, { title: project.name, body, section: 'projects', crumbs: createCrumbs(project) });
}

interface IssueFilter {
  /** Words of the problem, the cause or the reference; "": any. */
  readonly q: string;
  readonly outcome: Outcome | '';
  readonly origin: Origin | '';
}

function readFilter(c: PageContext): IssueFilter {
  return {
    q: sanitiseLine(c.req.query('q') ?? '', 200),
    outcome: ALL_OUTCOMES.find((each) => each === c.req.query('outcome')) ?? '',
    origin: ALL_ORIGINS.find((each) => each === c.req.query('origin')) ?? '',
  };
}

function isFiltered(filter: IssueFilter): boolean {
  return Object.values(filter).some((value) => value !== '');
}

function formatQuery(query: object): string {
  const set = Object.entries(query).filter(([, value]) => value !== '');
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

interface FoundIssues {
  readonly entries: readonly IssueLine[];
  /** Where the next page begins. */
  readonly last?: IssueLine;
}

/** A filtered page has what matches among the next 200 to 2,000 issues. */
async function findIssues(
  read: (limit: number, from: string) => Promise<readonly IssueLine[]>,
  filter: IssueFilter,
  after: string,
): Promise<FoundIssues> {
  if (!isFiltered(filter)) return cutPage(await read(PAGE + 1, after), PAGE);
  const found: IssueLine[] = [];
  for (let from = after, searched = 0; ; searched += SEARCH_STEP) {
    const lines = await read(SEARCH_STEP, from);
    found.push(...lines.filter((line) => matchesFilter(line, filter)));
    const last = lines.at(-1);
    if (last === undefined || lines.length < SEARCH_STEP) return { entries: found };
    if (found.length >= PAGE || searched >= SEARCHED) return { entries: found, last };
    from = last.id;
  }
}

function matchesFilter(line: IssueLine, { q, outcome, origin }: IssueFilter): boolean {
  const text = `${line.problem}\n${line.rootCause}\n${line.reference}`.toLowerCase();
  return (
    (outcome === '' || line.outcome === outcome) &&
    (origin === '' || line.origin === origin) &&
    text.includes(q.toLowerCase())
  );
}

function renderIssueFilter({ q, outcome, origin }: IssueFilter): Html {
  const renderOptions = <T extends string>(all: readonly T[], current: string, describe: (value: T) => string) =>
    all.map(
      (value) => html`<option value="${value}"${value === current ? html` selected` : ''}>${describe(value)}</option>`,
    );
  return html`<form method="get" class="filter"><label for="q">Search</label>
<input type="search" id="q" name="q" value="${q}" autocomplete="off" spellcheck="false">
<label for="outcome">Outcome</label><select id="outcome" name="outcome"><option value="">any</option>${renderOptions(ALL_OUTCOMES, outcome, describeOutcome)}</select>
<label for="origin">From</label><select id="origin" name="origin"><option value="">anywhere</option>${renderOptions(ALL_ORIGINS, origin, describeOrigin)}</select>
<button>Filter</button></form>`;
}

function renderNoIssueMatch({ id }: Project): Html {
  return renderEmpty('No issue here matches.', html`<p><a class="button" href="/projects/${id}">All issues</a></p>`);
}

/**
 * The problem is the title, the cause a second line: people look for what they reported. With several projects, each row
 * names its own.
 */
export function renderIssues(projects: readonly Project[], issues: readonly IssueLine[]): Html {
  const byId = new Map(projects.map((project) => [project.id, project]));
  return renderTable({
    caption: 'Issues, newest first',
    style: 'ledger',
    columns: ['Outcome', 'Problem', ['Confidence', 'number'], 'From', 'When', 'Pull request'],
    named: 1,
    rows: issues.flatMap((issue) => {
      const project = byId.get(issue.projectId);
      return project === undefined ? [] : [listIssueCells(project, issue, projects.length > 1)];
    }),
  });
}

function listIssueCells(project: Project, issue: IssueLine, isNamed: boolean): readonly (Html | string)[] {
  const { id, confidence, origin, reference, createdAt, pullRequest } = issue;
  const cause = getFirstSentence(issue.rootCause);
  const title = getHeadline(issue);
  const source = [...(isNamed ? [project.name] : []), ...(reference === '' ? [] : [reference])].join(' · ');
  return [
    renderOutcome(issue),
    html`<a class="row-link" href="/issues/${id}">${renderPlainLine(title)}</a>
${cause === '' || cause === title ? '' : html`<span class="soft below">${renderPlainLine(cause)}</span>`}
${source === '' ? '' : html`<span class="soft below">${renderPlainLine(source)}</span>`}`,
    confidence === null ? '' : formatPercent(confidence),
    describeOrigin(origin),
    renderMoment(createdAt),
    pullRequest === null ? '' : renderOwnLink(project, pullRequest, getNumberText(pullRequest)),
  ];
}

function renderNoIssues({ project, role }: SeenProject, isPaged: boolean, isAnyRunning: boolean): Html {
  if (isPaged) {
    const button = html`<p><a class="button" href="/projects/${project.id}">Newest issues</a></p>`;
    return renderEmpty('No older issues. (The issue at the start of this page may have been deleted.)', button);
  }
  if (isAnyRunning) return renderEmpty('No issues yet: a running investigation becomes one when it concludes.');
  const how = isGithubProject(project)
    ? html`Put the label <code>analyse</code> on an issue on GitHub, wait for a failed check, or paste a log here.`
    : html`Paste an error message or a log, and see what the source says about it.`;
  const button = isAtLeast(role, 'triage') ? html`<p>${renderNewReport(project)}</p>` : NOTHING;
  return renderEmpty(html`No issues yet. ${how}`, button);
}

const FILE = '.github/causeway.yml';
const EXAMPLE = `mode: comment
labels: [analyse]
checks:
  exclude: ["deploy-*"]
budget:
  run: 0.50`;

/** GET /projects/{projectId}/settings */
export async function getSettings(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project } = seen;
  const configuration = await deps.configurationOf(project, c.get('asking').signal);
  const { problem } = configuration;
  const body = html`${renderProjectHead(seen, 'settings')}
${problem === '' ? '' : html`<p class="notice bad" role="alert">${renderPlainLine(problem, 1_000)}</p>`}
${renderSection(
  'configuration',
  'Effective settings',
  html`${renderHowToChange(project, configuration)}${renderValues(project, configuration)}`,
)}
${renderSection('about', 'About', renderAbout(seen))}`;
  const crumbs = createCrumbs(project, { text: 'Settings', href: `/projects/${project.id}/settings` });
  return renderPage(c, deps, { title: `Settings · ${project.name}`, body, section: 'projects', crumbs });
}

function renderHowToChange(project: Project, { url }: EffectiveConfiguration): Html {
  if (!isGithubProject(project)) {
    return html`<p>These values come from the environment in which Causeway was started. In local mode, only <code>context</code> of <code>${FILE}</code> is used. docs/configuration.md lists all settings.</p>`;
  }
  return html`<p>To change a value, put it into <code>${FILE}</code> on the default branch. The file is re-read for every analysis; defaults apply without it. Operator settings are upper limits.</p>
${url === '' ? html`<p class="soft">There is no such file, neither here nor in the owner's <code>.github</code> repository.</p>` : html`<p>${renderOwnLink(project, url, 'Configuration file')}</p>`}
<details><summary>Example</summary><pre tabindex="0" role="region" aria-label="Example of the file"><code>${EXAMPLE}</code></pre>
<p class="hint">All keys are in docs/configuration.md of Causeway, with a schema for editors.</p></details>`;
}

function renderValues(project: Project, { values }: EffectiveConfiguration): Html {
  if (values.length === 0) return renderEmpty('This project has no settings.');
  return renderTable({
    caption: `Effective settings of ${sanitiseLine(project.name, 100)}`,
    style: 'values',
    columns: ['Name', 'Value', 'From', ['Meaning', 'soft']],
    rows: values.map(({ name, value, from, limit, means }) => {
      const given = sanitiseText(value, 4_000);
      const none = from.kind === 'owner' && limit !== '' ? 'not shown' : 'nothing';
      return [
        html`<code>${name}</code>`,
        html`<span class="value">${given === '' ? html`<span class="soft">${none}</span>` : given}</span>
${limit === '' ? '' : html`<span class="limit below"><strong>Effective:</strong> ${renderPlainLine(limit)}</span>`}`,
        renderValueSource(from),
        renderPlainLine(means, 1_000),
      ];
    }),
  });
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
  return html`<dl class="facts"><dt>Id for the API</dt><dd><code>${id}</code></dd>
${renderSource(project)}
${source.kind === 'github' ? html`<dt>Your role</dt><dd>${role}</dd>` : ''}
<dt>Added</dt><dd>${renderMoment(createdAt)}</dd></dl>`;
}

function renderSource(project: Project): Html {
  const { source } = project;
  switch (source.kind) {
    case 'path':
      return html`<dt>Folder</dt><dd><code>${sanitiseLine(source.path, 1_000)}</code></dd>`;
    // The address may contain credentials.
    case 'url':
      return NOTHING;
    case 'github':
      return html`<dt>Repository</dt><dd>${renderOwnLink(project, getRepositoryPage(project), sanitiseLine(project.name, 300))}</dd>
<dt>Default branch</dt><dd>${source.defaultBranch === '' ? 'none: it has no commits' : html`<code>${sanitiseLine(source.defaultBranch, 300)}</code>`}</dd>`;
  }
}
