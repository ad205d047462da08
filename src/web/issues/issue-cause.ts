// Why it breaks: the cause in prose, and the quotations that it rests on, each with the way to its step.
import { html } from 'hono/html';
import { inertText } from '../../core/inert-text.ts';
import type { Analysis, Issue } from '../../core/issue.ts';
import { richLine, richText, type TextLinks } from '../rich-text.ts';
import type { Html } from '../show.ts';
import { plural } from '../words.ts';
import { issueTitle } from './seen-issue.ts';

const MOST_CITATIONS = 60;
const MAX_QUOTE = 2_000;

export function causeSection(issue: Issue, links: TextLinks): Html {
  const { outcome, reason } = issue.analysis;
  const title = outcome === 'facts_only' ? 'Where it points' : 'Root cause';
  return html`<section aria-labelledby="cause"><h2 id="cause">${title}</h2>
${issue.rootCause.trim() === '' ? html`<p>No cause was found.</p>` : richText(issue.rootCause, links)}
${reason.trim() === '' ? '' : html`<div class="reason"><h3>Why this outcome</h3>${richText(reason, links)}</div>`}
${restsOn(issue, links)}</section>`;
}

/** The report as it was understood, where the heading does not say all of it. */
export function problemSection(issue: Issue, links: TextLinks): Html {
  if (issue.problem.replace(/\s+/g, ' ').trim() === issueTitle(issue, 200)) return html``;
  return html`<section aria-labelledby="problem"><h2 id="problem">Problem</h2>${richText(issue.problem, links)}</section>`;
}

function restsOn({ analysis }: Issue, links: TextLinks): Html {
  const shown = analysis.citations.slice(0, MOST_CITATIONS);
  if (shown.length === 0) return html``;
  const more = analysis.citations.length - shown.length;
  return html`<h3 id="rests-on">What it rests on</h3><ul class="citations">${byClaim(shown).map(
    ([claim, quotes]) =>
      html`<li><div>${richLine(claim, links)}</div>${quotes.map((quote) => quotation(quote, links))}</li>`,
  )}</ul>${more > 0 ? html`<p class="hint">${plural(more, 'more quotation')} in the answer of the API.</p>` : ''}`;
}

type Citation = Analysis['citations'][number];

/** In their order; claims that several quotations support stand once. */
function byClaim(citations: readonly Citation[]): readonly (readonly [string, readonly Citation[]])[] {
  const claims = new Map<string, Citation[]>();
  for (const citation of citations) claims.set(citation.claim, [...(claims.get(citation.claim) ?? []), citation]);
  return [...claims];
}

function quotation({ step, quote }: Citation, { steps }: TextLinks): Html {
  const source = step >= 1 && step <= steps ? html`<a href="#step-${step}">Step ${step}</a>` : html`Step ${step}`;
  return html`<blockquote><pre><code>${inertText(quote, MAX_QUOTE)}</code></pre><p class="source">${source}</p></blockquote>`;
}
