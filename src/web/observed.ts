// What mode `observe` held back: what Causeway would have posted, and what it cost to find out.

import { removeInvisible, sanitiseLine, sanitiseText } from 'causeway-visible-text';
import { html } from 'hono/html';
import type { Finding, Head } from '../core/check/index.ts';
import { formatDollars } from '../core/issue/index.ts';
import { explainForecast, summariseForecast } from '../core/past.ts';
import type { Project } from '../core/project/index.ts';
import type { Subject, Thread } from '../core/thread/index.ts';
import type { Backfill } from '../db/index.ts';
import {
  createCrumbs,
  describeVerdict,
  findSeenProject,
  formatCount,
  formatPlural,
  NOTHING,
  renderCommit,
  renderNumber,
  renderProjectHead,
  renderSection,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const MAX_LISTED = 50;
/** A comment on GitHub is never longer; a check run may be, and is cut. */
const MAX_TEXT = 66_000;

/** GET /projects/{projectId}/observed */
export async function getObserved(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project } = seen;
  const threads = await deps.store.listHeldThreads(project.id, MAX_LISTED + 1);
  const heads = await deps.store.listHeldHeads(project.id, MAX_LISTED + 1);
  const held = html`${renderThreads(project, threads)}${renderHeads(project, heads)}`;
  const body = html`${renderProjectHead(seen, 'observed')}
${renderSection('cost', 'Cost', await renderCost(deps, project))}
${renderSection('held', 'What would have been posted', threads.length + heads.length === 0 ? renderNothing() : held)}`;
  const crumbs = createCrumbs(project, { text: 'Observed', href: `/projects/${project.id}/observed` });
  return renderPage(c, deps, { title: `Observed · ${project.name}`, body, section: 'projects', crumbs });
}

async function renderCost({ store, now }: WebDeps, { id }: Project): Promise<Html> {
  const [usage] = await store.readUsage({ projectIds: [id], sinceMonth: now().toISOString().slice(0, 7) });
  const count = Object.values(usage?.investigations ?? {}).reduce((sum, some) => sum + some, 0);
  const spent =
    usage === undefined ? 'nothing' : `${formatDollars(usage.spentUsd)} for ${formatPlural(count, 'investigation')}`;
  return html`<dl class="facts"><dt>This month so far</dt><dd>${spent}</dd>
<dt>The 14 days before it was installed</dt><dd>${describeForecast(await store.findBackfill(id))}</dd></dl>`;
}

function describeForecast(backfill: Backfill | null): Html {
  if (backfill?.forecast) {
    return html`${summariseForecast(backfill.forecast)}
<ul class="hint">${explainForecast(backfill.forecast).map((line) => html`<li>${line}</li>`)}</ul>`;
  }
  if (backfill?.state === 'waiting') return html`not yet known: reading the 14 days before Causeway was installed`;
  return html`<span class="soft">No forecast: there is no check history, or an earlier version read it.</span>`;
}

function renderNothing(): Html {
  return html`<div class="empty"><p>In <code>observe</code> mode Causeway posts nothing and lists here what it would have posted.</p>
<p>To switch it on, put this into <code>.github/causeway.yml</code> on the default branch:</p>
<pre tabindex="0" role="region" aria-label="Line of the file"><code>mode: observe</code></pre>
<p class="hint">For all repositories at once, the operator sets <code>MAX_MODE=observe</code>. Investigations cost the same as in the other modes.</p></div>`;
}

function renderThreads(project: Project, threads: readonly Thread[]): Html {
  if (threads.length === 0) return NOTHING;
  const isCut = threads.length > MAX_LISTED;
  const articles = threads.slice(0, MAX_LISTED).map(({ id, subject, investigationId, record }) => {
    const { comment = '', pullRequest = '' } = record.held ?? {};
    return html`<article class="panel" aria-labelledby="${id}"><h3 id="${id}">${renderObservedSubject(project, subject)}</h3>
${comment === '' ? '' : renderHeld('Comment', comment)}
${pullRequest === '' ? '' : renderHeld('Pull request', pullRequest)}
<p><a href="/investigations/${investigationId}">Investigation</a></p></article>`;
  });
  return html`<p class="hint">${isCut ? `The ${MAX_LISTED} most recently changed.` : `${formatPlural(threads.length, 'subject')}, most recently changed first.`}</p>
${articles}`;
}

function renderObservedSubject(project: Project, subject: Subject): Html {
  switch (subject.kind) {
    case 'issue':
      return html`Issue ${renderNumber(project, 'issues', subject.number)}`;
    case 'pull_request':
      return html`Pull request ${renderNumber(project, 'pull', subject.number)}`;
    case 'failure':
      return html`<a href="/projects/${project.id}/failures/${subject.failureId}">A failure of the default branch</a>`;
    case 'report':
      return html`<a href="/issues/${subject.issueId}">An issue reported through the API</a>`;
  }
}

function renderHeads(project: Project, heads: readonly Head[]): Html {
  if (heads.length === 0) return NOTHING;
  const isCut = heads.length > MAX_LISTED;
  const articles = heads.slice(0, MAX_LISTED).map((head) => {
    const { id, sha, findings, record } = head;
    return html`<article class="panel" aria-labelledby="${id}"><h3 id="${id}">${renderHeadPlace(project, head)}, commit ${renderCommit(project, sha)}</h3>
<p>${describeFindings(findings)}</p>
${renderHeld('Check run', record.held ?? '')}</article>`;
  });
  return html`<p class="hint">${isCut ? `The check runs of the ${MAX_LISTED} newest commits.` : `${formatPlural(heads.length, 'check run')}, newest commit first.`}</p>
${articles}`;
}

/** A commit that is no longer the head of anything has the branch that the event named. */
function renderHeadPlace(project: Project, { place, branch }: Head): Html {
  if (place?.kind === 'pull_request') return html`Pull request ${renderNumber(project, 'pull', place.number)}`;
  const name = place?.branch ?? branch;
  if (name === '') return html`No branch`;
  return html`${place?.kind === 'default' ? 'Default branch' : 'Branch'} <code>${sanitiseLine(name, 200)}</code>`;
}

/** Each verdict once, with how many findings have it. */
function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing fails there any more.';
  const verdicts = findings.map(({ verdict }) => describeVerdict(verdict));
  const counted = [...new Set(verdicts)].map((one) => {
    const times = verdicts.filter((verdict) => verdict === one).length;
    return times === 1 ? one : `${one} (${formatCount(times)})`;
  });
  return `${formatPlural(verdicts.length, 'cause')}: ${counted.join(', ')}`;
}

/** As plain text, exactly as it was written. */
function renderHeld(name: string, text: string): Html {
  const isCut = removeInvisible(text).trim().length > MAX_TEXT;
  return html`<details><summary>${name}</summary><pre>${sanitiseText(text, MAX_TEXT)}</pre>
${isCut ? html`<p class="hint">Only the first ${formatCount(MAX_TEXT)} characters are shown.</p>` : ''}</details>`;
}
