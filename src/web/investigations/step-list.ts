// The steps of an investigation: each with its exact query, what it means, and what was found, folded.
import { html } from 'hono/html';
import type { InvestigationStep } from '../../core/evidence.ts';
import { inertText } from '../../core/inert-text.ts';
import { richText, type TextLinks } from '../rich-text.ts';
import type { Html } from '../show.ts';
import { plural } from '../words.ts';
import { cutResult, type ResultLimits } from './cut-result.ts';

export interface StepListOptions {
  readonly links: TextLinks;
  readonly limits: ResultLimits;
}

/** Step N has the anchor `step-N`. Numbers are those that the text cites them by: their places in the list. */
export function stepList(steps: readonly InvestigationStep[], options: StepListOptions): Html {
  return html`<ol class="steps">${steps.map((step, index) => stepItem(step, index + 1, options))}</ol>`;
}

function stepItem(step: InvestigationStep, number: number, { links, limits }: StepListOptions): Html {
  return html`<li id="step-${number}" tabindex="-1"><p class="query"><span class="number">Step ${number}</span>
<code>${inertText(step.action, 2_000) || '–'}</code></p>
${step.analysis.trim() === '' ? '' : html`<div class="meaning">${richText(step.analysis, links)}</div>`}
${resultFold(step.result, number, limits)}</li>`;
}

function resultFold(result: string, number: number, limits: ResultLimits): Html {
  const { text, lines, cut } = cutResult(result, limits);
  if (text === '') return html`<p class="soft">It gave no result.</p>`;
  return html`<details id="result-${number}"><summary>Result<span class="hidden"> of step ${number}</span>, ${plural(lines, 'line')}</summary>
<pre><code>${text}</code></pre>${cut === '' ? '' : html`<p class="hint">${cut}</p>`}</details>`;
}
