// An investigation on its way: where it stands, what it has found so far, what that costs, and the button that stops it.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import { isEnded } from '../../core/investigation.ts';
import { isAtLeast } from '../../core/role.ts';
import type { RecordedStep, Spending } from '../../db/store.ts';

import { visibleInvestigation } from '../../services/access.ts';
import { doneNotice } from '../done-notice.ts';
import { formTokenField } from '../form-token.ts';
import { originWord } from '../projects/issue-words.ts';
import { crumbsOf } from '../projects/seen-project.ts';
import { refuseAbsentPage } from '../refusal.ts';
import { NO_TEXT_LINKS } from '../rich-text.ts';
import { type Html, show } from '../show.ts';
import type { SignedIn, WebDeps, WebEnv } from '../web-deps.ts';
import { line, moment } from '../words.ts';
import { runBudget, spendingPart } from './spending.ts';
import { endedPart, nowDoing, stateBadge } from './standing.ts';
import { stepList } from './step-list.ts';

/** The page is fetched anew with every step: what is long is shown in full with the Issue. */
const LIMITS = { lines: 60, characters: 6_000 };
const REFRESH_SECONDS = 5;
const DONE = {
  stopped: 'It was stopped.',
  ended: 'It had ended already, so that nothing was left to stop.',
};

type Seen = NonNullable<Awaited<ReturnType<typeof visibleInvestigation>>>;

interface Shown extends Seen {
  readonly steps: readonly RecordedStep[];
  readonly spending: Spending;
  /** US dollars; null: no model is asked. */
  readonly budget: number | null;
  readonly signedIn: SignedIn;
  /** Whether the page is loaded anew by itself where no script runs. */
  readonly isFollowed: boolean;
}

/** GET /investigations/{investigationId}: one that has an Issue leads there, unless its steps alone are asked for (`?steps=1`). */
export function getInvestigation(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const id = c.req.param('investigationId') ?? '';
    const seen = (await visibleInvestigation(deps, c.get('asking'), id)) ?? refuseAbsentPage();
    const { investigation, project } = seen;
    const { outcome, runId } = investigation;
    if (outcome.state === 'concluded' && c.req.query('steps') !== '1')
      return c.redirect(`/issues/${outcome.issueId}`, 303);
    const steps = await deps.store.steps(runId, 0);
    const spending = await deps.store.runSpending(runId);
    const budget = await runBudget(deps, project, c.get('asking').signal);
    const isLive = !isEnded(outcome);
    const isFollowed = c.req.query('follow') === '1';
    const shown = { ...seen, steps, spending, budget, signedIn: c.get('signedIn'), isFollowed };
    return show(c, deps, {
      title: `Investigation ${investigation.reference}`,
      body: html`${doneNotice(c, DONE)}${isLive ? livePage(shown) : endedPage(shown)}`,
      section: 'projects',
      crumbs: crumbsOf(project, { text: 'Investigation', href: `/investigations/${investigation.id}` }),
      ...(isLive && isFollowed ? { refresh: REFRESH_SECONDS } : {}),
    });
  };
}

function livePage(shown: Shown): Html {
  const { investigation, steps, spending, budget } = shown;
  return html`${head(shown)}${withoutScripts(shown)}<div id="live" data-live="/investigations/${investigation.id}/live">
<p class="standing">${stateBadge(investigation.outcome)} <span role="status">${nowDoing(investigation, spending)}</span></p>
${spendingPart(spending, budget)}
${stopForm(shown)}
<h2>Steps so far</h2>
${steps.length === 0 ? html`<p class="soft">None yet. They appear here as they are taken.</p>` : stepsOf(steps)}
<p class="now">${latest(steps)}</p></div>`;
}

/** Nothing moves that was not asked to, and what moves can be stopped (WCAG 2.2.2). */
function withoutScripts({ investigation, isFollowed }: Shown): Html {
  const address = `/investigations/${investigation.id}`;
  const other = isFollowed
    ? html`<a class="button" href="${address}">Stop following</a><span class="hint">Loaded anew every ${REFRESH_SECONDS} seconds.</span>`
    : html`<a class="button" href="${address}">Look again</a><a class="button" href="${address}?follow=1">Follow without scripts</a>`;
  return html`<noscript><p class="actions">${other}</p></noscript>`;
}

function endedPage(shown: Shown): Html {
  const { investigation, project, role, steps, spending, budget } = shown;
  const { outcome } = investigation;
  return html`${head(shown)}<p class="standing">${stateBadge(outcome)}</p>
${outcome.state === 'concluded' ? html`<p>What it found: <a href="/issues/${outcome.issueId}">read the issue</a>.</p>` : ''}
${'reason' in outcome ? endedPart(outcome.reason, { projectId: project.id, role }) : ''}
${spendingPart(spending, budget)}
<h2>Steps</h2>
${steps.length === 0 ? html`<p class="soft">It ended before its first step.</p>` : stepsOf(steps)}`;
}

function head({ investigation, project }: Shown): Html {
  const { reference, origin, createdAt } = investigation;
  return html`<h1>Investigation in ${inertLine(project.name, 200)}</h1>
<dl class="facts"><dt>From</dt><dd>${originWord(origin)}${reference === '' ? '' : html` · ${line(reference, 300)}`}</dd>
<dt>Handed in</dt><dd>${moment(createdAt)}</dd></dl>`;
}

function stepsOf(steps: readonly RecordedStep[]): Html {
  return stepList(steps, { links: { ...NO_TEXT_LINKS, steps: steps.length }, limits: LIMITS });
}

function latest(steps: readonly RecordedStep[]): Html {
  const last = steps.at(-1);
  if (last === undefined) return html`<span class="soft">Nothing has been looked up yet.</span>`;
  return html`<span class="soft">Last taken: step ${last.number}. The next one appears here.</span>`;
}

function stopForm({ investigation, role, signedIn }: Shown): Html {
  if (!isAtLeast(role, 'triage')) return html``;
  return html`<form method="post" action="/investigations/${investigation.id}/stop" class="actions">${formTokenField(signedIn)}
<button class="danger">Stop it</button><span class="hint">It ends without a result. What was spent is spent.</span></form>`;
}
