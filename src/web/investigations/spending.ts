// What an investigation has cost so far, against what it may cost.
import { html } from 'hono/html';
import { CausewayError } from '../../core/errors.ts';
import type { Project } from '../../core/project.ts';
import type { InvestigationSettings } from '../../core/settings.ts';
import type { Spending } from '../../db/store.ts';
import type { Html } from '../show.ts';
import type { WebDeps } from '../web-deps.ts';
import { count, dollars, plural } from '../words.ts';

/** US dollars that one investigation of the project may cost; null: no model is asked there. */
export async function runBudget(deps: WebDeps, project: Project, signal: AbortSignal): Promise<number | null> {
  if (deps.modelName === null) return null;
  const settings = await settingsOf(deps, project, signal);
  if (settings === null) return deps.budget.run;
  if (!settings.useModel) return null;
  return Math.min(deps.budget.run, settings.budget.run ?? Number.POSITIVE_INFINITY);
}

/** Null where GitHub does not say: the page is worth showing all the same. */
async function settingsOf(deps: WebDeps, project: Project, signal: AbortSignal): Promise<InvestigationSettings | null> {
  try {
    return (await deps.settingsOf(project, signal)).investigation;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'github_failed') return null;
    throw error;
  }
}

export function spendingPart(spending: Spending, budget: number | null): Html {
  const { spentUsd, reservedUsd, turns, promptTokens, completionTokens } = spending;
  const hasAsked = turns > 0 || spentUsd > 0 || reservedUsd > 0;
  if (budget === null && !hasAsked)
    return html`<p class="spending soft">Facts only: no model is asked, and nothing is spent.</p>`;
  const amount = budget === null ? dollars(spentUsd) : `${dollars(spentUsd)} of ${dollars(budget)}`;
  const words = `${amount}, ${plural(turns, 'turn')}, ${plural(promptTokens + completionTokens, 'token')}`;
  return html`<div class="spending"><p id="spending-words"><span class="soft">Spent:</span> ${words}${
    reservedUsd > 0 ? html`; ${dollars(reservedUsd)} set aside for the answer under way` : ''
  }</p>${budget === null ? '' : meter(spentUsd, budget)}</div>`;
}

/** The bar beside the words, which say the same. */
function meter(spent: number, budget: number): Html {
  const most = Math.max(budget, 0.000_001);
  return html`<meter min="0" max="${most}" high="${most * 0.8}" value="${Math.min(spent, most)}" aria-labelledby="spending-words">${count(
    Math.round((100 * spent) / most),
  )} %</meter>`;
}
