// Usage for people: this month against its budgets, and what was used month by month.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { InvestigationState } from '../../core/investigation.ts';
import type { Html } from '../show.ts';
import type { WebDeps } from '../web-deps.ts';
import { badge, count, dollars, plural } from '../words.ts';
import { acceptedOf, type UsageFigures, type UsageLine, type UsageMonth } from './usage-months.ts';

/** Of a budget: from here on people are told. */
const NEARLY = 0.8;
/** Projects of a month that are listed by name; the file for spreadsheets has all. */
const MOST_LINES = 50;

/** `month` is the current one; null: nothing was used in it yet. */
export function budgetTable(month: UsageMonth | null, budget: WebDeps['budget']): Html {
  const lines = (month?.lines ?? []).filter(({ spentUsd }) => spentUsd > 0);
  const shown = lines.slice(0, MOST_LINES);
  return html`<table class="cards log"><caption class="hidden">Cost of this month beside the budgets</caption>
<thead><tr><th scope="col">Budget</th><th scope="col" class="number">Used</th><th scope="col" class="number">The operator's limit</th><th scope="col">Share</th></tr></thead>
<tbody>${budgetRow({ name: 'Your projects, of the budget for all repositories' }, month?.total.spentUsd ?? 0, budget.all)}
${shown.map(({ project, spentUsd }) => budgetRow({ name: inertLine(project.name, 150), settings: `/projects/${project.id}/settings` }, spentUsd, budget.repository))}</tbody></table>
<p class="hint">${shown.length === 0 ? `Each repository may use ${dollars(budget.repository)} a month. ` : ''}${lines.length > shown.length ? `${plural(lines.length - shown.length, 'project')} with less are not listed. ` : ''}One investigation may use ${dollars(budget.run)} at most. A project's own file may set lower limits: what counts stands in its Settings, behind its name. Where a budget is used up, reports are still answered from facts, without a model.</p>`;
}

interface Budgeted {
  readonly name: string;
  /** Address of the page that says what counts; absent: nothing else does. */
  readonly settings?: string;
}

function budgetRow({ name, settings }: Budgeted, used: number, limit: number): Html {
  const share = limit > 0 ? Math.round((used / limit) * 100) : 100;
  const mark = share >= 100 ? badge('used up', 'bad') : share >= 100 * NEARLY ? badge('nearly used up', 'busy') : '';
  return html`<tr><th scope="row">${settings === undefined ? name : html`<a href="${settings}">${name}</a>`}</th><td class="number" data-label="Used">${dollars(used)}</td><td class="number" data-label="The operator's limit">${dollars(limit)}</td>
<td class="bar" data-label="Share">${budgetMeter(used, limit, `Share of the budget: ${name}`)} ${count(share)}% ${mark}</td></tr>`;
}

/** Beside a limit, the colours of the bar change as its words do. */
function budgetMeter(used: number, limit: number, name: string): Html {
  // An empty scale cannot be drawn.
  if (limit <= 0) return html``;
  return html`<meter min="0" max="${limit}" low="${NEARLY * limit}" high="${0.999 * limit}" optimum="0" value="${Math.min(used, limit)}" aria-label="${name}">${dollars(used)} of ${dollars(limit)}</meter>`;
}

export function monthTable({ month, lines, total }: UsageMonth): Html {
  const shown = lines.slice(0, MOST_LINES);
  const rest = lines.length - shown.length;
  return html`<section aria-labelledby="m-${month}"><h3 id="m-${month}">${monthName(month)}</h3>
<div class="scroll" role="region" tabindex="0" aria-label="Table of ${monthName(month)}"><table class="cards log"><caption class="hidden">Usage in ${monthName(month)}, by project</caption>
<thead><tr><th scope="col">Project</th><th scope="col">Investigations</th><th scope="col" class="number">Turns</th>
<th scope="col" class="number">Prompt tokens</th><th scope="col" class="number">of them cached</th><th scope="col" class="number">Completion tokens</th>
<th scope="col" class="number">Cost</th><th scope="col">Share of the month</th></tr></thead>
<tbody>${shown.map((line) => projectRow(line, total))}</tbody>
<tfoot><tr><th scope="row"><strong>All ${plural(lines.length, 'project')}</strong></th>${figureCells(total)}<td></td></tr></tfoot></table></div>
${rest > 0 ? html`<p class="hint">${plural(rest, 'project')} with less cost ${rest === 1 ? 'is' : 'are'} in the sum and in the file, and not listed here.</p>` : ''}</section>`;
}

function projectRow(line: UsageLine, total: UsageFigures): Html {
  const { project, spentUsd } = line;
  const name = inertLine(project.name, 150);
  return html`<tr><th scope="row"><a href="/projects/${project.id}">${name}</a></th>${figureCells(line)}
<td class="bar" data-label="Share of the month">${total.spentUsd > 0 ? shareOf(spentUsd / total.spentUsd, name) : html`<span class="soft">–</span>`}</td></tr>`;
}

function shareOf(share: number, name: string): Html {
  const percent = `${count(Math.round(share * 100))}%`;
  return html`<meter class="share" value="${share}" aria-label="Share of the month's cost: ${name}">${percent}</meter> ${percent}`;
}

function figureCells(figures: UsageFigures): Html {
  const { turns, promptTokens, completionTokens, spentUsd } = figures;
  return html`<td data-label="Investigations">${investigationWords(figures)}</td><td class="number" data-label="Turns">${count(turns)}</td>
<td class="number" data-label="Prompt tokens">${count(promptTokens)}</td><td class="number" data-label="of them cached">${cachedWords(figures)}</td>
<td class="number" data-label="Completion tokens">${count(completionTokens)}</td><td class="number" data-label="Cost">${dollars(spentUsd)}</td>`;
}

/** What was written to the cache costs more than other tokens with some providers, and is nothing with most. */
function cachedWords({ cachedTokens, cacheWriteTokens }: UsageFigures): Html {
  if (cacheWriteTokens === 0) return html`${count(cachedTokens)}`;
  return html`${count(cachedTokens)} <span class="soft">(and ${count(cacheWriteTokens)} written to the cache)</span>`;
}

const STATES: readonly (readonly [InvestigationState, string])[] = [
  ['concluded', 'concluded'],
  ['gave_up', 'given up'],
  ['cancelled', 'cancelled'],
  ['running', 'running'],
  ['queued', 'waiting'],
];

/** "14: 11 concluded, 3 given up". */
function investigationWords(figures: UsageFigures): Html {
  const parts = STATES.flatMap(([state, words]) => {
    const number = figures.investigations[state];
    return number === 0 ? [] : [`${count(number)} ${words}`];
  });
  if (parts.length === 0) return html`0`;
  return html`${count(acceptedOf(figures))} <span class="soft">(${parts.join(', ')})</span>`;
}

/** "November 2026". */
function monthName(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
