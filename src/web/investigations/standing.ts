// Where an investigation stands, in words: what it is doing now, or how it ended and what to do about that.
import { html } from 'hono/html';
import { inertText } from '../../core/inert-text.ts';
import type { Investigation, InvestigationState } from '../../core/investigation.ts';
import type { FailureReason } from '../../core/reason.ts';
import { isAtLeast, type Role } from '../../core/role.ts';
import type { Spending } from '../../db/store.ts';
import type { Html } from '../show.ts';
import { badge, plural, type Tone } from '../words.ts';

const STATES: Readonly<Record<InvestigationState, readonly [text: string, tone: Tone]>> = {
  queued: ['queued', 'quiet'],
  running: ['running', 'busy'],
  concluded: ['concluded', 'good'],
  gave_up: ['gave up', 'bad'],
  cancelled: ['cancelled', 'quiet'],
};

const NEXT: Readonly<Record<FailureReason['code'], string>> = {
  cancelled: 'Hand the report in again to have it looked into after all.',
  revision_not_found: 'Hand it in again with a branch, tag or commit that has been pushed.',
  repository_empty: 'Push a commit, then hand the report in again.',
  repository_unreachable: 'Check that the repository can be reached, then hand the report in again.',
  access_lost: 'Give the App access to the repository again, then hand the report in again.',
  internal: 'Hand the report in again. If it fails again, the log of the service has the details.',
};

export function stateBadge({ state }: Investigation['outcome']): Html {
  const [text, tone] = STATES[state];
  return badge(text, tone);
}

/** One sentence on what happens just now, for as long as it is under way. */
export function nowDoing({ outcome, progress }: Investigation, spending: Spending): string {
  if (outcome.state === 'queued') return 'It waits for its turn and begins by itself.';
  if (spending.reservedUsd > 0) return `The model is being asked what follows from ${plural(progress.step, 'step')}.`;
  if (progress.step === 0) return 'The commit is being opened and the report read.';
  return spending.turns === 0
    ? 'Facts are being gathered, without a model.'
    : 'What the model asked for is being looked up.';
}

/** How it ended without an Issue. */
export function endedPart(
  reason: FailureReason,
  { projectId, role }: { readonly projectId: string; readonly role: Role },
): Html {
  const { code, detail } = reason;
  return html`<div class="notice${code === 'cancelled' ? '' : ' bad'}"><p>${inertText(detail, 2_000)}</p>
<p class="soft">Reason: <code>${code}</code></p></div>
<p>${NEXT[code] ?? NEXT.internal}</p>
${isAtLeast(role, 'triage') ? html`<p><a class="button" href="/projects/${projectId}/reports/new">New report</a></p>` : ''}`;
}
