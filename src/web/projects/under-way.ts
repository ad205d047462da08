// What is being looked into just now, at the top of a project's page.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Investigation } from '../../core/investigation.ts';
import type { Html } from '../show.ts';
import type { WebDeps } from '../web-deps.ts';
import { badge, line, moment, plural } from '../words.ts';
import { originWord } from './issue-words.ts';

const MOST = 20;

export interface UnderWay {
  /** Those that run before those that wait, each the newest first; at most 40. */
  readonly shown: readonly Investigation[];
  /** All there are. */
  readonly total: number;
}

export async function underWayIn({ store }: Pick<WebDeps, 'store'>, projectId: string): Promise<UnderWay> {
  const of = (state: 'running' | 'queued') => store.investigations({ projectIds: [projectId], state, limit: MOST });
  const shown = [...(await of('running')), ...(await of('queued'))];
  const counted = (await store.projectCounts([projectId])).get(projectId)?.underWay ?? 0;
  return { shown, total: Math.max(counted, shown.length) };
}

/** Nothing at all where nothing is under way. */
export function underWayPart({ shown, total }: UnderWay, accountId: string): Html {
  if (shown.length === 0) return html``;
  return html`<section class="panel" aria-labelledby="under-way"><h2 id="under-way">Under way: ${plural(total, 'investigation')}</h2>
<ul class="rows">${shown.map((each) => underWayRow(each, accountId))}</ul>
${total > shown.length ? html`<p class="hint">${plural(total - shown.length, 'more waits', 'more wait')}.</p>` : ''}</section>`;
}

function underWayRow(investigation: Investigation, accountId: string): Html {
  const { id, outcome, origin, reference, createdAt } = investigation;
  const isRunning = outcome.state === 'running';
  return html`<li>${badge(isRunning ? 'running' : 'queued', isRunning ? 'busy' : 'quiet')}
<a class="row-link" href="/investigations/${id}">${doing(investigation)}</a>
<span class="soft below">${originWord(origin)}${reference === '' ? '' : html` · ${line(reference, 100)}`} ·
${investigation.accountId === accountId ? 'begun by you' : 'begun'} ${moment(createdAt)}</span></li>`;
}

function doing({ outcome, progress }: Investigation): Html {
  if (outcome.state === 'queued') return html`Waits for its turn`;
  if (progress.step === 0) return html`Looks at the report`;
  return html`Step ${progress.step}: ${inertLine(progress.action, 140)}`;
}
