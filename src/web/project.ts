// A project: what is running, and its issues.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { ALL_OUTCOMES, describeOutcome, formatPercent } from '../core/issue/index.ts';
import type { Outcome } from '../core/outcome/index.ts';
import { isAtLeast, isGithubProject, type Project } from '../core/project/index.ts';
import type { Origin } from '../core/report/index.ts';
import type { IssueLine } from '../db/index.ts';
import { isId, listVisibleIssueLines, type SeenProject } from '../services/index.ts';
import {
  ALL_ORIGINS,
  createCrumbs,
  cutPage,
  describeOrigin,
  findSeenProject,
  getNumberText,
  NOTHING,
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
<div id="issues-now" data-refresh="20">${isEmpty ? none : renderIssues([project], entries)}</div>
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
  // A place on GitHub begins with the project's name.
  const isSaid = reference.startsWith(`${project.name}#`);
  const source = [...(isNamed && !isSaid ? [project.name] : []), ...(reference === '' ? [] : [reference])].join(' · ');
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
