// What mode `observe` held back: what would have been posted, and what it cost to know.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import type { Finding, Head } from '../../core/head.ts';
import { inertLine, inertText, withoutUnseen } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import type { Subject, Thread } from '../../core/thread.ts';
import type { Backfill, UsageRow } from '../../db/store.ts';

import { commitLink, issueLink, pullRequestLink } from '../projects/github-links.ts';
import { projectTabs } from '../projects/project-tabs.ts';
import { crumbsOf, projectHead, seenProject } from '../projects/seen-project.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { count, dollars, plural } from '../words.ts';
import { verdictWords } from './failure-words.ts';

const MOST = 50;
/** A comment on GitHub is never longer; a check run may be, and is cut. */
const LONGEST = 66_000;

/** GET /projects/{projectId}/observed */
export function getObserved(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const seen = await seenProject(c, deps);
    const { project } = seen;
    const threads = await deps.store.heldThreads(project.id, MOST + 1);
    const heads = await deps.store.heldHeads(project.id, MOST + 1);
    const body = html`${projectHead(seen)}
${projectTabs(project, 'observed')}
${await costPart(deps, project)}
<section aria-labelledby="held"><h2 id="held">What would have been posted</h2>
${threads.length + heads.length === 0 ? nothingHeld() : html`${threadList(project, threads)}${headList(project, heads)}`}</section>`;
    const crumbs = crumbsOf(project, { text: 'Observed', href: `/projects/${project.id}/observed` });
    return show(c, deps, { title: `Observed · ${project.name}`, body, section: 'projects', crumbs });
  };
}

async function costPart({ store, now }: WebDeps, { id }: Project): Promise<Html> {
  const month = now().toISOString().slice(0, 7);
  const [usage] = await store.usage({ projectIds: [id], sinceMonth: month });
  return html`<section aria-labelledby="cost"><h2 id="cost">What it costs</h2>
<dl class="facts"><dt>This month, so far</dt><dd>${spentWords(usage)}</dd>
<dt>Forecast for 30 days</dt><dd>${forecastWords(await store.backfill(id))}</dd></dl></section>`;
}

function spentWords(usage: UsageRow | undefined): string {
  if (usage === undefined) return 'nothing';
  const begun = Object.values(usage.investigations).reduce((sum, some) => sum + some, 0);
  return `${dollars(usage.spentUsd)} for ${plural(begun, 'investigation')}`;
}

function forecastWords(backfill: Backfill | null): Html {
  if (backfill?.forecast) {
    const { redChecks, investigations, usd } = backfill.forecast;
    return html`${dollars(usd)}: ${plural(investigations, 'investigation')} of ${plural(redChecks, 'red check')}, as in the last 14 days before Causeway came`;
  }
  if (backfill?.state === 'waiting')
    return html`not known yet: the last 14 days are being read, ${plural(backfill.checks, 'red check')} so far`;
  return html`<span class="soft">not known: the red checks of before were not read</span>`;
}

function nothingHeld(): Html {
  return html`<div class="empty"><p>Nothing is held back. In mode <code>observe</code> Causeway looks into issues and red checks as always, writes nothing on GitHub, and shows here what it would have posted.</p>
<p>To switch it on, put this into <code>.github/causeway.yml</code> on the default branch:</p>
<pre tabindex="0" role="region" aria-label="Line of the file"><code>mode: observe</code></pre>
<p class="hint">For all repositories at once, the operator sets <code>MAX_MODE=observe</code>. What is investigated costs the same as in the other modes.</p></div>`;
}

function threadList(project: Project, threads: readonly Thread[]): Html {
  if (threads.length === 0) return html``;
  const shown = threads.slice(0, MOST);
  return html`<p class="hint">${threads.length > MOST ? `The ${count(MOST)} that changed last.` : `${plural(shown.length, 'subject')}, the last changed first.`}</p>
${shown.map((thread) => threadPart(project, thread))}`;
}

function threadPart(project: Project, { id, subject, investigationId, record }: Thread): Html {
  const { comment = '', pullRequest = '' } = record.held ?? {};
  return html`<article class="panel" aria-labelledby="${id}"><h3 id="${id}">${subjectWords(project, subject)}</h3>
${comment === '' ? '' : heldText('The comment', comment)}
${pullRequest === '' ? '' : heldText('The pull request', pullRequest)}
<p><a href="/investigations/${investigationId}">The investigation</a></p></article>`;
}

function subjectWords(project: Project, subject: Subject): Html {
  switch (subject.kind) {
    case 'issue':
      return html`Issue ${issueLink(project, subject.number)}`;
    case 'pull_request':
      return html`Pull request ${pullRequestLink(project, subject.number)}`;
    case 'failure':
      return html`<a href="/projects/${project.id}/failures/${subject.failureId}">A failure of the default branch</a>`;
    case 'report':
      return html`<a href="/issues/${subject.issueId}">An issue of the API</a>`;
  }
}

function headList(project: Project, heads: readonly Head[]): Html {
  if (heads.length === 0) return html``;
  const shown = heads.slice(0, MOST);
  return html`<p class="hint">${heads.length > MOST ? `The check runs of the ${count(MOST)} newest commits.` : `${plural(shown.length, 'check run')}, the newest commit first.`}</p>
${shown.map((head) => headPart(project, head))}`;
}

function headPart(project: Project, head: Head): Html {
  const { id, sha, findings, record } = head;
  return html`<article class="panel" aria-labelledby="${id}"><h3 id="${id}">${placeWords(project, head)}, commit ${commitLink(project, sha)}</h3>
<p>${verdictsOf(findings)}</p>
${heldText('The check run', record.held ?? '')}</article>`;
}

/** One that is the head of nothing any more has the branch that the event named. */
function placeWords(project: Project, { place, branch }: Head): Html {
  if (place?.kind === 'pull_request') return html`Pull request ${pullRequestLink(project, place.number)}`;
  const name = place?.branch ?? branch;
  if (name === '') return html`No branch`;
  return html`${place?.kind === 'default' ? 'Default branch' : 'Branch'} <code>${inertLine(name, 200)}</code>`;
}

/** Each once, with how many findings have it. */
function verdictsOf(findings: readonly Finding[]): string {
  const verdicts = findings.map(({ verdict }) => verdictWords(verdict));
  if (verdicts.length === 0) return 'Nothing is red there any more.';
  const words = [...new Set(verdicts)].map((one) => {
    const times = verdicts.filter((verdict) => verdict === one).length;
    return times === 1 ? one : `${one} (${count(times)})`;
  });
  return `${plural(verdicts.length, 'cause')}: ${words.join(', ')}`;
}

/** As text: it is read here as it was written, and nothing in it does anything. */
function heldText(name: string, text: string): Html {
  const isCut = withoutUnseen(text).trim().length > LONGEST;
  return html`<details><summary>${name}</summary><pre>${inertText(text, LONGEST)}</pre>
${isCut ? html`<p class="hint">The first ${count(LONGEST)} characters; the rest is left out here.</p>` : ''}</details>`;
}
