// The failures of a project: the list of them, and the flaky ones.

import { html } from 'hono/html';
import { type Failure, listDaysUntil } from '../core/check/index.ts';
import { isGithubProject, type Project } from '../core/project/index.ts';
import type { LastFinding } from '../db/index.ts';
import { renderSparkline } from './charts.ts';
import {
  createCrumbs,
  cutPage,
  findSeenProject,
  formatCount,
  formatPlural,
  NOTHING,
  renderCommit,
  renderEmpty,
  renderFilters,
  renderJoined,
  renderMoment,
  renderNumber,
  renderPager,
  renderProjectHead,
  renderSection,
  renderTable,
} from './components.ts';
import {
  cleanLabel,
  describeFlakeOf,
  describeState,
  explainOwner,
  formatRate,
  isFailureId,
  listOwners,
  readSightings,
  renderFailureState,
  titleByCheck,
  titleFailure,
} from './failure-parts.ts';
import { renderKnownNumber, renderLabelledIssues } from './known-issue.ts';
import { type Html, refuseAbsentPage, renderPage } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const PAGE = 50;
const MAX_RANKED = 10;
/** Left out of the cards of a narrow screen. */
const NONE: Html = html`<span class="soft none">–</span>`;
/** Checks, branches and pull requests that a row names of each. */
const MAX_PLACES = 3;

type FailureStateFilter = Failure['state'] | 'all';

/** GET /projects/{projectId}/failures: by default the open ones, since those need action. */
export async function getFailures(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project } = seen;
  const given = c.req.query('state');
  const state: FailureStateFilter = given === 'closed' || given === 'all' ? given : 'open';
  const after = c.req.query('after') ?? '';
  if (after !== '' && !isFailureId(after)) refuseAbsentPage();
  const address = `/projects/${project.id}/failures`;
  const filters = (['open', 'closed', 'all'] as const).map((each) => ({
    href: `${address}?state=${each}`,
    text: `${each.charAt(0).toUpperCase()}${each.slice(1)}`,
    isCurrent: each === state,
  }));
  const filter = { ...(state === 'all' ? {} : { state }), ...(after === '' ? {} : { after }) };
  const { entries, last } = cutPage(await deps.store.listFailures([project.id], { limit: PAGE + 1, ...filter }), PAGE);
  const isEmpty = entries.length === 0;
  const flaky = after === '' ? await deps.store.listFailures([project.id], { sort: 'flaky', limit: MAX_RANKED }) : [];
  const findings = await deps.store.findLastFindings(flaky);
  const body = html`${renderProjectHead(seen, 'failures')}
${renderSection(
  'failures',
  'Failures',
  html`${renderFilters('State', filters)}
${isEmpty ? renderEmpty(describeEmpty(project, state, after !== '')) : await renderFailures(deps, [project], entries)}
${renderPager({
  label: 'Pages of failures',
  first: isEmpty || after === '' ? null : `${address}?state=${state}`,
  next: last === undefined ? null : `${address}?state=${state}&after=${last.id}`,
})}`,
)}
${after === '' ? await renderLabelledIssues(deps, project) : ''}
${renderFlaky(deps, flaky, findings)}`;
  const crumbs = createCrumbs(project, { text: 'Failures', href: address });
  return renderPage(c, deps, { title: `Failures · ${project.name}`, body, section: 'projects', crumbs });
}

function describeEmpty(project: Project, state: FailureStateFilter, isPaged: boolean): string {
  if (isPaged) return 'No more failures. (The failure at the start of this page may have been deleted.)';
  if (!isGithubProject(project)) {
    return 'Failures come from GitHub checks; this is a local repository. Submit a failing log as a report instead.';
  }
  if (state === 'closed') return 'No closed failures.';
  const none = state === 'open' ? 'No open failures.' : 'No failures yet.';
  return `${none} When a check fails, its cause is listed here; it is closed when the default branch passes again.`;
}

/** With several projects, each row names its own. */
export async function renderFailures(
  { store, now }: Pick<WebDeps, 'store' | 'now'>,
  projects: readonly Project[],
  failures: readonly Failure[],
): Promise<Html> {
  const byId = new Map(projects.map((project) => [project.id, project]));
  const days = listDaysUntil(now());
  const findings = await store.findLastFindings(failures);
  const sightings = await readSightings(store, failures, days);
  const known = await store.listKnownOfFailures(failures.map(({ id }) => id));
  return renderTable({
    caption: 'Failures',
    style: 'ledger failures',
    columns: ['Failure', 'State', 'Last 30 days', 'Seen in', 'Owner', 'Last seen'],
    rows: failures.flatMap((failure) => {
      const project = byId.get(failure.projectId);
      if (project === undefined) return [];
      const last = findings.get(failure.id);
      return [
        [
          html`${renderFailureLink(failure, last)}
<span class="soft below">${listSources(project, failure, { last, isNamed: projects.length > 1 })}</span>${renderKnownNumber(project, known.get(failure.id))}`,
          renderFailureState(project, failure),
          renderCounts(project, failure, sightings.get(failure.id) ?? []),
          renderFailurePlaces(project, failure),
          renderOwner(failure, last),
          renderMoment(failure.lastSeen.at),
        ],
      ];
    }),
  });
}

function renderFailureLink(failure: Failure, last?: LastFinding): Html {
  const { title, error } = titleFailure(failure, last?.excerpt);
  return html`<a class="row-link" href="/projects/${failure.projectId}/failures/${failure.id}">${title}</a>
${error === '' ? '' : html`<span class="below mono failure-error">${error}</span>`}`;
}

interface SourceOptions {
  readonly last: LastFinding | undefined;
  /** Whether its project is named. */
  readonly isNamed: boolean;
}

/** The checks that it is of, unless its title names that one. */
function listSources(project: Project, failure: Failure, { last, isNamed }: SourceOptions): Html {
  const { checkNames } = failure;
  const isSaid = checkNames.length === 1 && titleFailure(failure, last?.excerpt).title === titleByCheck(failure);
  const checks = isSaid ? [] : listSome(checkNames.map(cleanLabel));
  return renderJoined([...(isNamed ? [cleanLabel(project.name)] : []), ...checks], ' · ');
}

/** A bar for each day, and how often it was seen in all. */
function renderCounts(project: Project, failure: Failure, values: readonly number[]): Html {
  const recent = values.reduce((sum, value) => sum + value, 0);
  const label =
    recent === 0
      ? 'No red check in 30 days'
      : `${formatPlural(recent, 'red check')} in 30 days, at most ${formatCount(Math.max(...values))} a day`;
  const tone = failure.state === 'closed' ? 'quiet' : describeState(failure, project).tone;
  return html`<span class="counts">${renderSparkline({ values, label, tone })} <span class="count">${formatCount(recent)}</span></span>`;
}

function listSome(parts: readonly (Html | string)[]): readonly (Html | string)[] {
  const more = parts.length - MAX_PLACES;
  return parts.length === 0
    ? []
    : [html`${renderJoined(parts.slice(0, MAX_PLACES))}${more > 0 ? ` and ${more} more` : ''}`];
}

function renderOwner(failure: Failure, last?: LastFinding): Html {
  const owners = listOwners(failure, last);
  const ofFile = owners.filter(({ by }) => by === 'file');
  if (ofFile.length > 0) return renderNames(ofFile.map(({ name }) => name));
  const [author] = owners;
  if (author === undefined) return NONE;
  return html`${renderNames([author.name])}<span class="soft below">${explainOwner(author)}</span>`;
}

function renderNames(names: readonly string[]): Html {
  return names.length === 0 ? NONE : html`${names.map(cleanLabel).join(', ')}`;
}

/** Pull requests, else branches; and the first and the last commit. */
function renderFailurePlaces(project: Project, failure: Failure): Html {
  const { firstSeen, lastSeen } = failure;
  const main = project.source.kind === 'github' ? project.source.defaultBranch : '';
  const pullRequests = failure.pullRequests.map((number) => renderNumber(project, 'pull', number));
  const branches = failure.branches
    .filter((name) => name !== main)
    .map((name) => html`<code>${cleanLabel(name)}</code>`);
  const places = listSome(pullRequests.length > 0 ? pullRequests : branches);
  const first = renderCommit(project, firstSeen.sha);
  const commits = firstSeen.sha === lastSeen.sha ? first : html`${first} – ${renderCommit(project, lastSeen.sha)}`;
  return html`${places}<span class="below whole">${commits}</span>`;
}

/** The most frequent first; nothing where no failure passed without a change. */
function renderFlaky(deps: WebDeps, failures: readonly Failure[], findings: ReadonlyMap<string, LastFinding>): Html {
  if (failures.length === 0) return NOTHING;
  const table = renderTable({
    caption: 'Flaky failures, the most frequent first',
    style: 'ledger',
    columns: ['Failure', ['Passed on a re-run', 'number'], 'Since', 'Owners', 'Quarantine', 'Last seen'],
    rows: failures.map((failure) => {
      const last = findings.get(failure.id);
      const flake = describeFlakeOf(deps, failure, last);
      return [
        renderFailureLink(failure, last),
        html`${formatRate(failure)}`,
        renderMoment(failure.firstSeen.at),
        html`${renderNames(flake?.owners ?? [])}`,
        flake === null || flake.quarantine === null
          ? NONE
          : html`${flake.quarantine.state}, until <span class="whole">${flake.quarantine.until}</span>`,
        renderMoment(failure.lastSeen.at),
      ];
    }),
  });
  const hint = html`<p class="hint">Failed checks that passed on the same commit later, the most frequent first.</p>`;
  return renderSection('flaky', 'Flaky', html`${hint}${table}`);
}
