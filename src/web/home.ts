// The first screen: what needs the person, the state of everything in one line, what runs, and the projects with their last 30 days.
import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { listDaysUntil } from '../core/check/index.ts';
import { formatDollars } from '../core/issue/index.ts';
import { calibrate } from '../core/outcome/index.ts';
import { isGithubProject, type Project } from '../core/project/index.ts';
import type { LastFinding, ProjectCounts } from '../db/index.ts';
import {
  type BranchState,
  findNeeds,
  type KnownProjects,
  listKnownProjects,
  listVisibleIssueLines,
  type Need,
  readBranchStates,
} from '../services/index.ts';
import { renderSparkline, spreadOverDays } from './charts.ts';
import {
  cutPage,
  DASH,
  describeChecks,
  formatCount,
  formatPlural,
  NOTHING,
  renderBadge,
  renderCommit,
  renderJoined,
  renderKind,
  renderMissing,
  renderMoment,
  renderPlainLine,
  renderSection,
  renderTable,
  type Tone,
} from './components.ts';
import { titleFailure } from './failure-parts.ts';
import { type Html, renderPage } from './layout.ts';
import { renderIssues } from './project.ts';
import { renderFirstReport, renderNoProjects, renderReportButton } from './projects.ts';
import { describeCounts, findRunning, type RunningInvestigations, renderRunning } from './running.ts';
import { getHeadline } from './text.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

/** Needs of a kind that are shown at once; the others are folded below them. */
const MAX_OPEN = 4;
/** Projects in the table, the last active ones; all are on a page of their own. */
const MAX_ROWS = 12;
/** Projects whose needs and figures are read, by name. */
const MOST_PROJECTS = 100;
const LATEST = 5;

/** GET / */
export async function getHome(c: PageContext, deps: WebDeps): Promise<Response> {
  const asking = c.get('asking');
  const known = await listKnownProjects(deps, asking, { most: MOST_PROJECTS });
  const title = html`<div class="title-line"><h1>Needs you</h1>${renderReportButton(known)}</div>`;
  const isEmpty = known.projects.length === 0 && known.isWhole;
  const body = html`${title}${renderMissing(known.isWhole)}
${isEmpty ? await renderNoProjects(deps.signInMethod, asking.signal) : await renderHome(c, deps, known)}`;
  return renderPage(c, deps, { title: 'Needs you', body, section: 'home' });
}

async function renderHome(c: PageContext, deps: WebDeps, known: KnownProjects): Promise<Html> {
  const { store } = deps;
  const asking = c.get('asking');
  const { projects, roles } = known;
  const ids = projects.map(({ id }) => id);
  const needs = await findNeeds(deps, asking, known);
  const findings = await store.findLastFindings(
    needs.flatMap((need) => (need.kind === 'red_branch' ? [need.failure] : [])),
  );
  const branches = await readBranchStates(deps, projects);
  const counts = await store.countByProject(ids);
  const running = await findRunning(deps, projects);
  const latest = await listVisibleIssueLines(deps, asking, { projectIds: ids, limit: LATEST });
  const isFirstVisit = counts.size === 0 && needs.length === 0;
  return html`${renderGlance(await readGlance(deps, ids, branches, running))}
${isFirstVisit ? renderFirstReport(projects, roles) : renderNeeds(needs, findings, projects.length > 1)}
${renderRunning(running, asking.account.id)}
${renderSection('projects', 'Projects', await renderProjects(deps, projects, { counts, branches }))}
<div id="latest-now" data-refresh="20">${latest.length === 0 ? '' : renderSection('latest', 'Latest answers', renderIssues(projects, latest))}</div>`;
}

interface Glance {
  readonly branches: ReadonlyMap<string, BranchState>;
  readonly running: Pick<RunningInvestigations, 'total' | 'waiting'>;
  /** US dollars of this month. */
  readonly spent: number;
  /** Of everybody; null: the person does not see all that it pays for. */
  readonly budget: number | null;
  readonly right: number;
  readonly rated: number;
  /** With a confidence, rated or not. */
  readonly answers: number;
}

async function readGlance(
  { store, now, budget }: WebDeps,
  ids: readonly string[],
  branches: ReadonlyMap<string, BranchState>,
  running: RunningInvestigations,
): Promise<Glance> {
  const usage = await store.readUsage({ projectIds: ids, sinceMonth: now().toISOString().slice(0, 7) });
  const { right, wrong, answers } = calibrate(await store.listCalibrated(ids));
  return {
    branches,
    running,
    spent: usage.reduce((sum, { spentUsd }) => sum + spentUsd, 0),
    budget: (await store.listProjects({})).length === ids.length ? budget.all : null,
    right,
    rated: right + wrong,
    answers,
  };
}

/** Four questions that everybody asks first, answered in one line. */
function renderGlance({ branches, running, spent, budget, right, rated, answers }: Glance): Html {
  const count = (state: BranchState['kind']) => [...branches.values()].filter(({ kind }) => kind === state).length;
  const [red, green, unknown] = [count('red'), count('green'), count('unseen') + count('unknown')];
  const name = (number: number, word: string) => (branches.size === 1 ? word : `${formatCount(number)} ${word}`);
  const states = [
    ...(red > 0 ? [html`<strong class="bad">${name(red, 'red')}</strong>`] : []),
    ...(green > 0 ? [html`<strong class="good">${name(green, 'green')}</strong>`] : []),
    ...(unknown > 0 ? [branches.size === count('unseen') ? 'no checks seen yet' : name(unknown, 'unknown')] : []),
  ];
  const unrated = Math.max(0, answers - rated);
  const ratings =
    rated === 0
      ? 'none yet'
      : html`<a href="/calibration">${formatCount(right)} of ${formatCount(rated)}</a>${unrated === 0 ? '' : `, ${formatCount(unrated)} unrated`}`;
  return html`<dl class="summary-line">${states.length === 0 ? '' : html`<div><dt>Default ${branches.size === 1 ? 'branch' : 'branches'}</dt><dd>${renderJoined(states)}</dd></div>`}
<div><dt>Investigations</dt><dd>${describeCounts(running) || 'none running'}</dd></div>
<div><dt>Cost this month</dt><dd><a href="/usage">${formatDollars(spent)}</a>${budget === null ? '' : html` of ${formatDollars(budget)} budget`}</dd></div>
<div><dt>Answers rated right</dt><dd>${ratings}</dd></div></dl>`;
}

const GROUPS: readonly (readonly [kinds: readonly Need['kind'][], title: string])[] = [
  [['red_branch'], 'Red default branches'],
  [['configuration', 'deliveries'], 'Broken set-up'],
  [['pull_request'], 'Pull requests to review'],
  [['questions'], 'Questions that wait for an answer'],
];

function renderNeeds(
  needs: readonly Need[],
  findings: ReadonlyMap<string, LastFinding>,
  isProjectNamed: boolean,
): Html {
  if (needs.length === 0) {
    return html`<p class="all-clear">Nothing needs you: no red default branch, and among the newest 100 answers and pull requests no question without an answer and nothing to review.</p>`;
  }
  const renderAll = (some: readonly Need[]) =>
    html`<ul class="rows needs">${some.map((need) => renderNeed(need, findings, isProjectNamed))}</ul>`;
  return html`${GROUPS.map(([kinds, title], at) => {
    const found = needs.filter(({ kind }) => kinds.includes(kind));
    // A fold of one would take the line that the one takes.
    const open = found.length === MAX_OPEN + 1 ? found.length : MAX_OPEN;
    const folded = found.slice(open);
    if (found.length === 0) return '';
    // Several failures may break one branch.
    const isOfBranches = kinds.includes('red_branch');
    const count = isOfBranches
      ? new Set(found.map((need) => ('project' in need ? need.project.id : ''))).size
      : found.length;
    return html`<section aria-labelledby="needs-${at}"><h2 class="needs-title" id="needs-${at}">${title} <span class="soft">${formatCount(count)}</span></h2>
${renderAll(found.slice(0, open))}${folded.length === 0 ? '' : html`<details><summary>${formatCount(folded.length)} more</summary>${renderAll(folded)}</details>`}</section>`;
  })}`;
}

interface NeedRow {
  readonly badge: readonly [text: string, tone: Tone];
  readonly link: Html;
  /** Null: of no project. */
  readonly project: Project | null;
  readonly details: readonly (Html | string)[];
  readonly since: string;
}

function renderNeed(need: Need, findings: ReadonlyMap<string, LastFinding>, isProjectNamed: boolean): Html {
  const { badge, link, project, details, since } = describeNeed(need, findings);
  const shown = [
    ...(project !== null && isProjectNamed ? [sanitiseLine(project.name, 200)] : []),
    ...details,
    ...(since === '' ? [] : [renderMoment(since)]),
  ];
  return html`<li>${renderBadge(...badge)} <div>${link}<span class="soft below">${renderJoined(shown, ' · ')}</span></div></li>`;
}

function describeNeed(need: Need, findings: ReadonlyMap<string, LastFinding>): NeedRow {
  switch (need.kind) {
    case 'red_branch': {
      const { project, failure, commit, since } = need;
      const { title, error } = titleFailure(failure, findings.get(failure.id)?.excerpt);
      const link = html`<a class="row-link" href="/projects/${project.id}/failures/${failure.id}">${title}</a>${error === '' ? '' : html`<span class="below mono">${error}</span>`}`;
      const blame =
        commit === null
          ? []
          : [
              html`since ${renderCommit(project, commit.sha)} ${renderPlainLine(commit.subject, 100)} (${sanitiseLine(commit.author, 60)})`,
            ];
      return {
        badge: [isGithubProject(project) ? `${project.source.defaultBranch || 'default branch'} is red` : 'red', 'bad'],
        link,
        project,
        details: [...blame, html`last red ${renderMoment(since)}`],
        since: '',
      };
    }
    case 'pull_request': {
      const { project, number, url, checks, issue, since } = need;
      const title = issue === null ? `Pull request #${number}` : getHeadline(issue);
      const link = html`<a class="row-link" href="${url}">${renderPlainLine(title)}</a>`;
      const answer = issue === null ? [] : [html`<a href="/issues/${issue.id}">the answer</a>`];
      return {
        badge: ['review', 'busy'],
        link,
        project,
        details: [
          `pull request #${number}`,
          checks === 'none' ? 'no checks' : `checks ${describeChecks(checks)[0]}`,
          ...answer,
        ],
        since,
      };
    }
    case 'questions': {
      const { project, issue, since } = need;
      const link = html`<a class="row-link" href="/issues/${issue.id}#questions">${renderPlainLine(getHeadline(issue))}</a>`;
      return {
        badge: ['question', 'busy'],
        link,
        project,
        details: [renderPlainLine(issue.question || 'needs information to go on', 160)],
        since,
      };
    }
    case 'configuration': {
      const { project, problem } = need;
      const link = html`<a class="row-link" href="/projects/${project.id}/settings">The settings file has an error</a>`;
      return { badge: ['set-up', 'bad'], link, project, details: [renderPlainLine(problem, 300)], since: '' };
    }
    case 'deliveries': {
      const { count, since } = need;
      const link = html`<a class="row-link" href="/account/deliveries?state=dead">${formatPlural(count, 'webhook')} could not be delivered</a>`;
      return { badge: ['set-up', 'bad'], link, project: null, details: [], since };
    }
  }
}

interface ProjectFigures {
  readonly counts: ReadonlyMap<string, ProjectCounts>;
  readonly branches: ReadonlyMap<string, BranchState>;
}

async function renderProjects(
  deps: WebDeps,
  projects: readonly Project[],
  { counts, branches }: ProjectFigures,
): Promise<Html> {
  const getLast = ({ id }: Project) => counts.get(id)?.lastIssueAt ?? '';
  const active = projects.toSorted((a, b) => getLast(b).localeCompare(getLast(a)) || a.name.localeCompare(b.name));
  const { entries, last } = cutPage(active, MAX_ROWS);
  const lines = await readLines(deps, entries);
  const table = renderTable({
    caption: 'Projects, the last active first',
    style: 'ledger overview',
    columns: [
      'Project',
      'Default branch',
      ['Open failures', 'number'],
      'Last 30 days',
      ['Answers', 'number'],
      'Latest',
    ],
    rows: entries.map((project) => {
      const { issues = 0, openFailures = 0, lastIssueAt = '' } = counts.get(project.id) ?? {};
      const address = `/projects/${project.id}`;
      const branch = branches.get(project.id);
      return [
        html`<a class="row-link" href="${address}">${sanitiseLine(project.name, 300)}</a> ${renderKind(project)}`,
        branch === undefined ? DASH : renderBranchState(branch),
        openFailures === 0 ? '0' : html`<a href="${address}/failures">${formatCount(openFailures)}</a>`,
        lines.get(project.id) ?? NOTHING,
        formatCount(issues),
        renderMoment(lastIssueAt),
      ];
    }),
  });
  return html`${table}${last === undefined ? '' : html`<p><a href="/projects">All projects</a></p>`}`;
}

function renderBranchState(state: BranchState): Html {
  switch (state.kind) {
    case 'red':
      return renderBadge('red', 'bad');
    case 'green':
      return renderBadge('green', 'good');
    case 'unseen':
      return html`<span class="soft">no checks seen</span>`;
    case 'unknown':
      return html`<span class="soft">unknown</span>`;
  }
}

/** Red checks a day; answers a day where no checks are seen, as in local mode. */
async function readLines({ store, now }: WebDeps, projects: readonly Project[]): Promise<ReadonlyMap<string, Html>> {
  const days = listDaysUntil(now());
  const [since = ''] = days;
  const ids = projects.map(({ id }) => id);
  const sightings = Map.groupBy(await store.readDailySightings({ projectIds: ids, since }), ({ id }) => id);
  const issues = Map.groupBy(await store.readDailyIssues({ projectIds: ids, since }), ({ id }) => id);
  return new Map(
    projects.map((project) => {
      const red = sightings.get(project.id);
      const values = spreadOverDays(red ?? issues.get(project.id) ?? [], days);
      const sum = values.reduce((total, value) => total + value, 0);
      const what = formatPlural(sum, red === undefined ? 'answer' : 'red check');
      const label = sum === 0 ? 'Nothing in 30 days' : `${what} in 30 days`;
      const tone = red === undefined ? 'quiet' : 'bad';
      const words = html`<span class="soft spark-words">${sum === 0 ? 'quiet' : what}</span>`;
      return [project.id, html`${renderSparkline({ values, label, tone })} ${words}`];
    }),
  );
}
