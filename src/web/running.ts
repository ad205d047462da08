// An investigation that waits or runs, as the pages name it: by its report, and by what is done for it now.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import type { Project } from '../core/project/index.ts';
import type { Investigation } from '../core/report/index.ts';
import { describeRunning, type Running } from '../services/index.ts';
import { formatCount, formatPlural, renderBadge, renderMoment, renderPlainLine } from './components.ts';
import type { Html } from './layout.ts';
import { getFirstSentence } from './text.ts';
import type { WebDeps } from './web-deps.ts';

/** Investigations that are listed: of those that run, more than a service runs at once. */
const MAX_LISTED = { running: 64, queued: 20 } as const;
/** Between two looks at what runs, while a page that shows it is in front of a person. */
const REFRESH_SECONDS = { busy: 4, idle: 20 } as const;

/** What names it in a list and above its page, as `getHeadline` names its Issue. May contain backticks. */
export function getRunningTitle({ title }: Running): string {
  return getFirstSentence(title);
}

/** Without a full stop. */
export function describeActivity({ phase, isAsking }: Running): string {
  switch (phase) {
    case 'waits':
      return 'Waiting for its turn';
    case 'reads':
      return 'Reading the report';
    case 'searches':
      return 'Searching the source';
    case 'asks':
      return isAsking ? 'Waiting for the model' : 'Looking up what the model asked for';
    case 'verifies':
      return 'Checking the answer';
    case 'ended':
      return 'Ended';
  }
}

export interface RunningInvestigations {
  /** Those that run before those that wait, each newest first. */
  readonly listed: readonly (Running & { readonly investigation: Investigation; readonly project: string })[];
  readonly total: number;
  /** How many of them wait for their turn. */
  readonly waiting: number;
}

/** Of all projects together; with several, each says which it is of. */
export async function findRunning(deps: WebDeps, projects: readonly Project[]): Promise<RunningInvestigations> {
  const { store } = deps;
  const projectIds = projects.map(({ id }) => id);
  const find = (state: 'running' | 'queued') =>
    store.listInvestigations({ projectIds, state, limit: MAX_LISTED[state] });
  const investigations = [...(await find('running')), ...(await find('queued'))];
  const described = await describeRunning(deps, investigations);
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const listed = investigations.flatMap((investigation) => {
    const running = described.get(investigation.id);
    const project = projects.length > 1 ? (names.get(investigation.projectId) ?? '') : '';
    return running === undefined ? [] : [{ ...running, investigation, project }];
  });
  const counted = [...(await store.countByProject(projectIds)).values()].reduce((sum, each) => sum + each.underWay, 0);
  const total = Math.max(counted, listed.length);
  const going = listed.filter(({ investigation }) => investigation.outcome.state === 'running').length;
  return { listed, total, waiting: total - going };
}

/** Fetched again by the page itself while something runs. */
export function renderRunning({ listed, total, waiting }: RunningInvestigations, accountId: string): Html {
  // It stays where nothing runs, so that what begins appears.
  if (listed.length === 0) return html`<div id="running-now" data-refresh="${REFRESH_SECONDS.idle}"></div>`;
  const more = total - listed.length;
  return html`<div id="running-now" data-refresh="${REFRESH_SECONDS.busy}"><section class="panel" aria-labelledby="running"><h2 id="running">${describeCounts({ total, waiting })}</h2>
<ul class="rows">${listed.map((each) => renderRunningRow(each, accountId))}</ul>
${more > 0 ? html`<p class="hint">${formatCount(more)} more queued.</p>` : ''}</section></div>`;
}

/** Such as "1 running, 2 queued"; "" where there is neither. */
export function describeCounts({ total, waiting }: Pick<RunningInvestigations, 'total' | 'waiting'>): string {
  const parts = [
    ...(total > waiting ? [`${formatCount(total - waiting)} running`] : []),
    ...(waiting > 0 ? [`${formatCount(waiting)} queued`] : []),
  ];
  return parts.join(', ');
}

function renderRunningRow(running: RunningInvestigations['listed'][number], accountId: string): Html {
  const { investigation, project } = running;
  const { id, outcome, progress, reference, createdAt } = investigation;
  const isRunning = outcome.state === 'running';
  const activity = `${describeActivity(running)}${progress.step === 0 ? '' : `, ${formatPlural(progress.step, 'step')} so far`}`;
  return html`<li id="run-${id}">${renderBadge(isRunning ? 'running' : 'queued', isRunning ? 'busy' : 'quiet')}
<a class="row-link" href="/investigations/${id}">${renderPlainLine(getRunningTitle(running))}</a>
<span class="soft below">${reference === '' ? (project === '' ? '' : `${sanitiseLine(project, 200)} · `) : html`${renderPlainLine(reference, 100)} · `}${activity} · ${investigation.accountId === accountId ? 'started by you' : 'started'} ${renderMoment(createdAt)}</span></li>`;
}
