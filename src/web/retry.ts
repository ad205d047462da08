// Analysing an Issue again with what a person adds: the form on its page, and what it starts.

import { sanitiseText } from 'causeway-visible-text';
import { html } from 'hono/html';
import { describeNoSpace } from '../core/disk.ts';
import { CausewayError } from '../core/errors.ts';
import { isAtLeast, isGithubProject, type Project } from '../core/project/index.ts';
import { MAX_GUIDANCE } from '../core/report/index.ts';
import { findVisibleIssue, type Retried, type RetryRequest, retryIssue } from '../services/index.ts';
import { readForm, readOnceKey, renderOnceKey } from './forms.ts';
import { type Html, refuseAbsentPage, renderFormToken, WebRefusal } from './layout.ts';
import { hashValue } from './session.ts';
import type { PageContext, SignedIn, WebDeps } from './web-deps.ts';

interface RetryForm {
  /** Of the Issue. */
  readonly id: string;
  readonly project: Project;
  readonly signedIn: SignedIn;
}

export function renderRetry({ id, project, signedIn }: RetryForm): Html {
  const place = isGithubProject(project) ? ' GitHub shows the better of the two answers.' : '';
  return html`<details class="menu"><summary class="button">Analyse again</summary><div><form method="post" action="/issues/${id}/retry">${renderFormToken(signedIn)}${renderOnceKey()}
<div class="field"><label for="guidance">What to consider (optional)</label>
<p class="hint" id="guidance-hint">What was missed, or where to look.${place} This page stays as it is.</p>
<textarea id="guidance" name="guidance" rows="4" maxlength="${MAX_GUIDANCE}" aria-describedby="guidance-hint"></textarea></div>
<p class="actions"><button class="primary">Start</button></p></form></div></details>`;
}

/** POST /issues/{issueId}/retry: the same report, with what the person adds. */
export async function postRetry(c: PageContext, deps: WebDeps): Promise<Response> {
  const form = await readForm(c);
  const id = c.req.param('issueId') ?? '';
  const seen = (await findVisibleIssue(deps, c.get('asking'), id)) ?? refuseAbsentPage();
  if (!isAtLeast(seen.role, 'triage')) {
    throw new WebRefusal(403, 'Analysing an issue again needs the triage role in its repository. Nothing was started.');
  }
  const { account, signal } = c.get('asking');
  const guidance = form.text('guidance').trim();
  if ([...guidance].length > MAX_GUIDANCE) {
    throw new WebRefusal(400, `This is longer than ${MAX_GUIDANCE} characters. Nothing was started; shorten it.`);
  }
  const key = readOnceKey(form);
  if (key === '') throw new WebRefusal(400, 'The form was incomplete. Nothing was started; open the page again.');
  const { allowed, retryAfter } = deps.limiter.take(account.id, 'creation', deps.now());
  if (!allowed) throw new WebRefusal(429, `Too many reports within a minute: try again in ${retryAfter} s.`);
  const shortage = await deps.room();
  if (shortage !== null) throw new WebRefusal(503, describeNoSpace(shortage));
  const idempotency = { key: `form ${key}`, bodyHash: hashValue(`${seen.issue.id} ${guidance}`) };
  const retried = await startRetry(
    deps,
    { ...seen, account, mayFix: true, guidance, callbackUrl: '', idempotency },
    signal,
  );
  switch (retried.kind) {
    case 'accepted':
      return c.redirect(`/investigations/${retried.investigationId}`, 303);
    case 'key_reused':
      throw new WebRefusal(409, 'This form was already sent with other words: open the page again.');
    case 'refused':
      throw new WebRefusal(409, sanitiseText(retried.reason, 1_000));
    case 'absent':
      return refuseAbsentPage();
  }
}

async function startRetry(deps: WebDeps, request: RetryRequest, signal: AbortSignal): Promise<Retried> {
  try {
    return await retryIssue(deps, request, signal);
  } catch (error) {
    const code = error instanceof CausewayError ? error.code : '';
    if (code === 'too_many_waiting') throw new WebRefusal(429, (error as CausewayError).message);
    if (code === 'github_failed') {
      throw new WebRefusal(503, 'GitHub is not answering, and nothing was started. Try again in a minute.');
    }
    throw error;
  }
}
