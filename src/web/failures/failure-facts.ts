// One failure: how often and where it was seen, how it stands, and which commits it may have come with.
import { html } from 'hono/html';
import type { CommitRange, Failure, Sighting } from '../../core/failure.ts';
import { inertLine } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import { commitLink, compareLink, pullRequestLink } from '../projects/github-links.ts';
import type { Html } from '../show.ts';
import { badge, line, moment, plural } from '../words.ts';
import { closingWords, flakyWords, stateBadges, verdictWords } from './failure-words.ts';

export function failureFacts(project: Project, failure: Failure): Html {
  const { hits, firstSeen, lastSeen, checkNames, branches, pullRequests, fingerprint } = failure;
  return html`<dl class="facts"><dt>State</dt><dd>${stateBadges(failure)} ${history(project, failure)}</dd>
<dt>Seen</dt><dd>${plural(hits, 'time')}</dd>
<dt>By chance</dt><dd>${flakyWords(failure)}</dd>
<dt>First seen</dt><dd>${sightingWords(project, firstSeen)}</dd>
<dt>Last seen</dt><dd>${sightingWords(project, lastSeen)}</dd>
${listFact(
  'Checks',
  checkNames.map((name) => html`${inertLine(name, 200)}`),
)}
${listFact(
  'Branches',
  branches.map((name) => html`<code>${inertLine(name, 200)}</code>`),
)}
${listFact(
  'Pull requests',
  pullRequests.map((number) => pullRequestLink(project, number)),
)}
<dt>Fingerprint</dt><dd><code>${inertLine(fingerprint, 100)}</code></dd></dl>`;
}

/** A regression is one that came back after it had been closed. */
function history(project: Project, { state, opening, closed, isOnDefault }: Failure): Html {
  const before = closed === null ? '' : html`closed ${moment(closed.at)}: ${closingWords(project, closed)}`;
  if (state === 'closed') return html`${before}`;
  const where = isOnDefault ? 'seen on the default branch' : 'not seen on the default branch';
  if (opening === 1 || closed === null) return html`${where}`;
  return html`${where}; it came back after it was ${before}`;
}

function sightingWords(project: Project, { at, checkName, sha, branch, pullRequest, verdict }: Sighting): Html {
  return html`${moment(at)} · ${inertLine(checkName, 200)} at ${commitLink(project, sha)}
${branch === '' ? '' : html` on <code>${inertLine(branch, 200)}</code>`}
${pullRequest === null ? '' : html` in ${pullRequestLink(project, pullRequest)}`} · ${verdictWords(verdict)}`;
}

function listFact(name: string, all: readonly Html[]): Html {
  if (all.length === 0) return html``;
  return html`<dt>${name}</dt><dd>${all.map((each, at) => html`${at === 0 ? '' : ', '}${each}`)}</dd>`;
}

/** Nothing where it never turned the default branch red, or the commits are not known. */
export function rangePart(project: Project, { range }: Failure): Html {
  if (range === null) return html``;
  const { total, commits, likeliest } = range;
  return html`<section aria-labelledby="range"><h2 id="range">First bad commit</h2>
<p>The default branch turned red with ${total === 1 ? 'this commit' : `one of ${plural(total, 'commit')}`}: ${compareLink(project, range)}</p>
${likeliest === undefined ? html`<p class="soft">None of them stands out.</p>` : ''}
<ol class="commits">${commits.map((commit) => commitRow(project, commit, likeliest))}</ol>
${total > commits.length ? html`<p class="hint">These are the ${commits.length} newest of ${total}.</p>` : ''}</section>`;
}

function commitRow(
  project: Project,
  { sha, author, subject }: CommitRange['commits'][number],
  likeliest: CommitRange['likeliest'],
): Html {
  const isLikeliest = likeliest?.sha === sha;
  return html`<li>${commitLink(project, sha)} ${line(subject, 200)} <span class="soft">${inertLine(author, 80)}</span>
${isLikeliest ? html`<span class="below">${badge('likeliest', 'bad')} ${line(likeliest.reason, 400)}</span>` : ''}</li>`;
}
