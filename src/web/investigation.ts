// An investigation in progress: its state, steps and cost, live; the button that stops it; and how it ended.

import { sanitiseLine, sanitiseText } from 'causeway-visible-text';
import { html } from 'hono/html';
import { CausewayError } from '../core/errors.ts';
import { describeCost, formatDollars, formatDuration, type Issue } from '../core/issue/index.ts';
import { type InvestigationSettings, isAtLeast, type Project } from '../core/project/index.ts';
import type { FailureReason } from '../core/reason.ts';
import { type Investigation, type InvestigationState, isEnded } from '../core/report/index.ts';
import type { RecordedStep, Spending } from '../db/index.ts';
import {
  type Asking,
  cancelInvestigation,
  describeRunning,
  type FollowEvent,
  findVisibleInvestigation,
  followInvestigation,
  type Running,
  STILL_FOLLOWING,
  STREAM_HEADERS,
  streamOf,
  withTicks,
} from '../services/index.ts';
import {
  createCrumbs,
  describeOrigin,
  formatPlural,
  renderBadge,
  renderDone,
  renderJoined,
  renderMoment,
  renderPlainLine,
  renderStepRows,
  type Tone,
} from './components.ts';
import { readForm } from './forms.ts';
import { type Html, refuseAbsentPage, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import { describeActivity, getRunningTitle } from './running.ts';
import { findSession, readCookie } from './session.ts';
import { NO_TEXT_LINKS } from './text.ts';
import type { PageContext, SignedIn, WebDeps } from './web-deps.ts';

/** The page is fetched again with every step: long results are shown in full on the issue's page. */
const STEP_LIMITS = { lines: 60, characters: 6_000 };
const REFRESH_SECONDS = 5;

const DONE = {
  stopped: 'The investigation was stopped.',
  ended: 'The investigation had already ended.',
};

const STATES: Readonly<Record<InvestigationState, readonly [text: string, tone: Tone]>> = {
  queued: ['queued', 'quiet'],
  running: ['running', 'busy'],
  concluded: ['concluded', 'good'],
  gave_up: ['gave up', 'bad'],
  cancelled: ['cancelled', 'quiet'],
};

const REPAIRS: Readonly<Record<FailureReason['code'], string>> = {
  cancelled: 'Submit the report again to have it investigated after all.',
  revision_not_found: 'Submit it again with a branch, tag or commit that has been pushed.',
  repository_empty: 'Push a commit, then submit the report again.',
  repository_unreachable: 'Check that the repository can be reached, then submit the report again.',
  access_lost: 'Give the App access to the repository again, then submit the report again.',
  internal: 'Submit the report again. If it fails again, the log of the service has the details.',
};

interface ShownInvestigation extends NonNullable<Awaited<ReturnType<typeof findVisibleInvestigation>>> {
  readonly running: Running;
  readonly steps: readonly RecordedStep[];
  readonly spending: Spending;
  /** What it has ended with; null: nothing. */
  readonly issue: Issue | null;
  /** US dollars; null: no model is used. */
  readonly budget: number | null;
  readonly signedIn: SignedIn;
  readonly now: Date;
  /** Whether the page reloads itself where no script runs. */
  readonly isFollowed: boolean;
}

/**
 * GET /investigations/{investigationId}: with an issue it redirects there, unless only its steps are wanted
 * (`?steps=1`).
 */
export async function getInvestigationPage(c: PageContext, deps: WebDeps): Promise<Response> {
  const id = c.req.param('investigationId') ?? '';
  const seen = (await findVisibleInvestigation(deps, c.get('asking'), id)) ?? refuseAbsentPage();
  const { investigation, project } = seen;
  const { outcome, runId } = investigation;
  if (outcome.state === 'concluded' && c.req.query('steps') !== '1') {
    return c.redirect(`/issues/${outcome.issueId}`, 303);
  }
  const running = (await describeRunning(deps, [investigation])).get(id) ?? refuseAbsentPage();
  const shown: ShownInvestigation = {
    ...seen,
    running,
    steps: await deps.store.listSteps(runId, 0),
    spending: await deps.store.readRunSpending(runId),
    issue: outcome.state === 'concluded' ? await deps.store.findIssue(outcome.issueId) : null,
    budget: await findBudget(deps, project, c.get('asking').signal),
    signedIn: c.get('signedIn'),
    now: deps.now(),
    isFollowed: c.req.query('follow') === '1',
  };
  const isLive = !isEnded(outcome);
  return renderPage(c, deps, {
    title: getRunningTitle(running).replaceAll('`', ''),
    body: html`${renderDone(c, DONE)}${renderInvestigationHead(shown)}${isLive ? renderLive(shown) : renderEnded(shown)}`,
    section: 'projects',
    crumbs: createCrumbs(project, { text: 'Investigation', href: `/investigations/${investigation.id}` }),
    ...(isLive && shown.isFollowed ? { refresh: REFRESH_SECONDS } : {}),
  });
}

function renderInvestigationHead({ investigation, project, running }: ShownInvestigation): Html {
  const { reference, origin, createdAt } = investigation;
  const parts = [
    html`<a href="/projects/${project.id}">${sanitiseLine(project.name, 200)}</a>`,
    describeOrigin(origin),
    ...(reference === '' ? [] : [renderPlainLine(reference, 300)]),
    html`submitted ${renderMoment(createdAt)}`,
  ];
  return html`<h1>${renderPlainLine(getRunningTitle(running))}</h1>
<p class="record soft">${renderJoined(parts, ' · ')}</p>`;
}

const SPINNER = html`<span class="spinner"></span>`;

function renderLive(shown: ShownInvestigation): Html {
  const { investigation, running, steps } = shown;
  const address = `/investigations/${investigation.id}`;
  // Nothing moves unless the person starts it, and what moves can be stopped (WCAG 2.2.2).
  const withoutScripts = shown.isFollowed
    ? html`<a class="button" href="${address}">Stop following</a><span class="hint">Reloads every ${REFRESH_SECONDS} seconds.</span>`
    : html`<a class="button" href="${address}">Reload</a><a class="button" href="${address}?follow=1">Follow without scripts</a>`;
  return html`<noscript><p class="actions">${withoutScripts}</p></noscript><div id="live" data-live="${address}/live">
<p class="standing">${renderInvestigationState(investigation)} <strong role="status">${describeActivity(running)}</strong> ${renderEffortSoFar(shown)}</p>
${renderProgress(shown)}
${renderStop(shown)}
<h2>Steps so far</h2>
${steps.length === 0 ? html`<p class="soft">None yet. They appear here one by one.</p>` : renderRecordedSteps(steps)}
<p class="now" aria-hidden="true">${investigation.outcome.state === 'queued' ? '' : SPINNER} <span class="soft">${describeActivity(running)}…</span></p></div>`;
}

/** How long it has taken, and what it has cost where it has cost anything. */
function renderEffortSoFar({ investigation: { createdAt }, now, spending }: ShownInvestigation): Html {
  const seconds = Math.max(0, (now.getTime() - Date.parse(createdAt)) / 1_000);
  const cost =
    spending.turns === 0 ? '' : ` · ${formatDollars(spending.spentUsd)}, ${formatPlural(spending.turns, 'turn')}`;
  return html`<span class="soft"><span data-since="${createdAt}">${formatDuration(seconds)}</span>${cost}</span>`;
}

type Phase = Running['phase'];

const PHASES: readonly (readonly [phase: Phase, text: string])[] = [
  ['reads', 'Read the report'],
  ['searches', 'Search the source'],
  ['asks', 'Ask the model'],
  ['verifies', 'Verify the answer'],
];

function renderProgress({ running, budget }: ShownInvestigation): Html {
  const phases = PHASES.filter(([phase]) => budget !== null || phase === 'reads' || phase === 'searches');
  const current = phases.findIndex(([phase]) => phase === running.phase);
  // What is updated in place loses no attribute: each has one in any state.
  const items = phases.map(([, text], at) => {
    const state = at === current ? 'current' : at < current ? 'done' : 'coming';
    return html`<li class="${state}" aria-current="${at === current ? 'step' : 'false'}">${text}<span class="hidden">${state === 'done' ? ' (done)' : ''}</span></li>`;
  });
  return html`<ol class="progress">${items}</ol>`;
}

function renderEnded({ investigation, project, role, steps, spending, issue, budget }: ShownInvestigation): Html {
  const { outcome } = investigation;
  const isConcluded = outcome.state === 'concluded';
  return html`<p class="standing">${renderInvestigationState(investigation)}</p>
${isConcluded ? html`<p>Result: <a href="/issues/${outcome.issueId}">read the issue</a>.</p>` : ''}
${'reason' in outcome ? renderFailureReason(outcome.reason, project, isAtLeast(role, 'triage')) : ''}
${issue === null ? renderSpending(spending, budget) : renderEffort(issue)}
<h2>Steps</h2>
${steps.length === 0 ? html`<p class="soft">It ended before its first step.</p>` : renderRecordedSteps(steps)}`;
}

function renderRecordedSteps(steps: readonly RecordedStep[]): Html {
  return renderStepRows(steps, { ...NO_TEXT_LINKS, steps: steps.length }, STEP_LIMITS);
}

function renderInvestigationState({ outcome }: Investigation): Html {
  return renderBadge(...STATES[outcome.state]);
}

function renderStop({ investigation, role, signedIn }: ShownInvestigation): Html {
  if (!isAtLeast(role, 'triage')) return html``;
  return html`<form method="post" action="/investigations/${investigation.id}/stop" class="actions">${renderFormToken(signedIn)}
<button class="danger">Stop investigation</button><span class="hint">Ends without a result; tokens used so far are still billed.</span></form>`;
}

function renderFailureReason({ code, detail }: FailureReason, project: Project, mayReport: boolean): Html {
  return html`<div class="notice${code === 'cancelled' ? '' : ' bad'}"><p>${sanitiseText(detail, 2_000)}</p>
<p class="soft">Reason: <code>${code}</code></p></div>
<p>${REPAIRS[code] ?? REPAIRS.internal}</p>
${mayReport ? html`<p><a class="button" href="/projects/${project.id}/reports/new">New report</a></p>` : ''}`;
}

/** US dollars that one investigation of the project may cost; null: no model is used there. */
async function findBudget(deps: WebDeps, project: Project, signal: AbortSignal): Promise<number | null> {
  if (deps.modelName === null) return null;
  const settings = await findSettings(deps, project, signal);
  if (settings === null) return deps.budget.run;
  if (!settings.useModel) return null;
  return Math.min(deps.budget.run, settings.budget.run ?? Number.POSITIVE_INFINITY);
}

/** Null where GitHub does not answer: the page is useful without them. */
async function findSettings(
  deps: WebDeps,
  project: Project,
  signal: AbortSignal,
): Promise<InvestigationSettings | null> {
  try {
    return (await deps.settingsOf(project, signal)).investigation;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'github_failed') return null;
    throw error;
  }
}

/** The same figures as on its issue: the ledger also has what was booked for answers that broke off. */
function renderEffort({ analysis }: Issue): Html {
  const { model, usage } = analysis;
  const duration = formatDuration(usage.seconds);
  if (model === null) return html`<p class="spending soft">${NO_MODEL} ${duration}.</p>`;
  const tokens = formatPlural(usage.promptTokens + usage.completionTokens, 'token');
  return html`<p class="spending"><span class="soft">Cost:</span> ${describeCost(analysis)}, ${formatPlural(usage.turns, 'turn')}, ${tokens}, ${duration}</p>`;
}

const NO_MODEL = 'No model configured – no cost.';

/** What was booked where there is no issue that says it. */
function renderSpending({ spentUsd, turns, promptTokens, completionTokens }: Spending, budget: number | null): Html {
  if (budget === null && turns === 0 && spentUsd === 0) return html`<p class="spending soft">${NO_MODEL}</p>`;
  const tokens = formatPlural(promptTokens + completionTokens, 'token');
  return html`<p class="spending"><span class="soft">Cost:</span> ${formatDollars(spentUsd)}, ${formatPlural(turns, 'turn')}, ${tokens}</p>`;
}

/** POST /investigations/{investigationId}/stop */
export async function postStop(c: PageContext, deps: WebDeps): Promise<Response> {
  await readForm(c);
  const id = c.req.param('investigationId') ?? '';
  const { investigation, role } = (await findVisibleInvestigation(deps, c.get('asking'), id)) ?? refuseAbsentPage();
  if (!isAtLeast(role, 'triage')) {
    const message = 'Stopping an investigation needs the triage role in its repository. Nothing was changed.';
    throw new WebRefusal(403, message);
  }
  const cancelled = await cancelInvestigation(deps, investigation.id, undefined, c.get('asking').account.id);
  if (cancelled.kind === 'absent') refuseAbsentPage();
  const done = cancelled.kind === 'cancelled' ? 'stopped' : 'ended';
  return c.redirect(`/investigations/${investigation.id}?done=${done}`, 303);
}

interface LiveStream {
  readonly id: string;
  readonly cookie: string;
  readonly asking: Asking;
  readonly signal: AbortSignal;
  /** Ends what the stream waits for; `signal` follows it. */
  readonly stop: AbortController;
}

/** GET /investigations/{investigationId}/live: notifies the page of changes, which it then fetches itself. */
export async function getLive(c: PageContext, deps: WebDeps): Promise<Response> {
  const asking = c.get('asking');
  const id = c.req.param('investigationId') ?? '';
  const { investigation } = (await findVisibleInvestigation(deps, asking, id)) ?? refuseAbsentPage();
  if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS);
  const stop = new AbortController();
  const hold = deps.limiter.hold(asking.account.id);
  if (hold === null) throw new WebRefusal(429, 'Too many live pages are open: close some, or reload this one.');
  stop.signal.addEventListener('abort', () => hold.release(), { once: true });
  const signal = AbortSignal.any([stop.signal, asking.signal]);
  const live: LiveStream = { id: investigation.id, cookie: readCookie(c, deps, 'session'), asking, signal, stop };
  return c.body(streamOf(createLiveFrames(deps, live), stop), 200, STREAM_HEADERS);
}

/**
 * The last frame is `end`, also where the person has lost access: the page reloads once, and shows what there is then.
 */
async function* createLiveFrames(
  deps: WebDeps,
  { id, cookie, asking, signal, stop }: LiveStream,
): AsyncGenerator<string> {
  try {
    const mayStillFollow = async () => {
      const signedIn = await findSession(deps, cookie);
      if (signedIn === null) return false;
      return (await findVisibleInvestigation(deps, { ...asking, account: signedIn.account, signal }, id)) !== null;
    };
    for await (const event of withTicks(followInvestigation(deps, id, 0, signal), { mayStillFollow, signal })) {
      if (event === 'tick') yield STILL_FOLLOWING;
      else if (!isLast(event)) yield 'event: changed\ndata: {}\n\n';
    }
    // Nothing is sent when the server stops: the page reconnects to the next one.
    if (!signal.aborted) yield 'event: end\ndata: {}\n\n';
  } catch (error) {
    deps.log.error({ err: error, investigationId: id }, 'live page failed');
  } finally {
    stop.abort();
  }
}

/** The last state comes with the end, after which the page reloads anyway. */
function isLast(event: FollowEvent): boolean {
  return event.type === 'end' || (event.type === 'state' && isEnded(event.investigation.outcome));
}
