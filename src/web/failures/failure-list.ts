// The ledger of failures as tables: a page of it, and the ones that come and go.
import { html } from 'hono/html';
import type { Failure } from '../../core/failure.ts';
import type { Project } from '../../core/project.ts';
import { percentage } from '../projects/issue-words.ts';
import type { Html } from '../show.ts';
import { count, moment, plural } from '../words.ts';
import { closingWords, flakyShare, flakyWords, headlineOf, stateBadges, whereSeen } from './failure-words.ts';

/** So many of the flaky ones are named. */
const RANKED = 10;

export function failureTable(project: Project, failures: readonly Failure[], caption: string): Html {
  return html`<table class="cards ledger"><caption class="hidden">${caption}</caption>
<thead><tr><th scope="col">Failure</th><th scope="col">State</th><th scope="col" class="number">Seen</th>
<th scope="col">By chance</th><th scope="col">First</th><th scope="col">Last</th></tr></thead>
<tbody>${failures.map((failure) => failureRow(project, failure))}</tbody></table>`;
}

function failureRow(project: Project, failure: Failure): Html {
  const { hits, firstSeen, lastSeen, state, closed } = failure;
  return html`<tr><th scope="row">${failureLink(failure)}
<span class="soft below">${whereSeen(project, failure)}</span></th>
<td data-label="State">${stateBadges(failure)}
${state === 'closed' && closed !== null ? html`<span class="soft below">${closingWords(project, closed)}</span>` : ''}</td>
<td class="number" data-label="Seen">${count(hits)}</td>
<td data-label="By chance">${failure.flakyHits === 0 ? '' : flakyWords(failure)}</td>
<td data-label="First">${moment(firstSeen.at)}</td><td data-label="Last">${moment(lastSeen.at)}</td></tr>`;
}

function failureLink(failure: Failure): Html {
  return html`<a class="row-link mono" href="/projects/${failure.projectId}/failures/${failure.id}">${headlineOf(failure)}</a>`;
}

/** Those that passed without a change most often first; nothing where none did. */
export function flakyRanking(failures: readonly Failure[]): Html {
  const ranked = failures
    .filter(({ flakyHits }) => flakyHits > 0)
    .sort(byFlakiness)
    .slice(0, RANKED);
  if (ranked.length === 0) return html``;
  return html`<section aria-labelledby="flaky"><h2 id="flaky">Flaky</h2>
<p class="hint">Red, and then green at the same commit without a change. Ranked over the ${plural(failures.length, 'failure')} seen last.</p>
<table class="cards ledger"><caption class="hidden">Flaky failures, the most frequent first</caption>
<thead><tr><th scope="col">Failure</th><th scope="col" class="number">By chance</th><th scope="col" class="number">Of</th>
<th scope="col" class="number">Share</th><th scope="col">Last</th></tr></thead><tbody>${ranked.map(flakyRow)}</tbody></table></section>`;
}

function byFlakiness(one: Failure, other: Failure): number {
  return other.flakyHits - one.flakyHits || flakyShare(other) - flakyShare(one);
}

function flakyRow(failure: Failure): Html {
  return html`<tr><th scope="row">${failureLink(failure)}</th>
<td class="number" data-label="By chance">${count(failure.flakyHits)}</td>
<td class="number" data-label="Of">${count(failure.hits)}</td>
<td class="number" data-label="Share">${percentage(flakyShare(failure))}</td>
<td data-label="Last">${moment(failure.lastSeen.at)}</td></tr>`;
}
