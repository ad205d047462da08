// What can be done with an issue: open the pull request, take it along, delete it; only what this person may.
import { html } from 'hono/html';
import type { Account } from '../../core/account.ts';
import { CausewayError } from '../../core/errors.ts';
import { inertText } from '../../core/inert-text.ts';
import { isGithubProject } from '../../core/project.ts';
import { isAtLeast } from '../../core/role.ts';
import { whyNotOpened } from '../../services/request-pull-request.ts';
import { formTokenField } from '../form-token.ts';
import type { Html } from '../show.ts';
import type { SignedIn, WebDeps } from '../web-deps.ts';
import { namedLink } from './own-links.ts';
import type { SeenIssue } from './seen-issue.ts';

export type PullRequestOffer =
  | { readonly kind: 'none' }
  | { readonly kind: 'offered' }
  /** In words for the person. */
  | { readonly kind: 'refused'; readonly reason: string };

const UNKNOWN =
  'Whether a pull request can be opened is not known just now, since GitHub does not answer. Load this page again in a minute.';

/** None where there is nothing to publish, or the person has no write. */
export async function pullRequestOffer(
  deps: Pick<WebDeps, 'settingsOf'>,
  { issue, project, role }: SeenIssue,
  { account, signal }: { readonly account: Account; readonly signal: AbortSignal },
): Promise<PullRequestOffer> {
  if (!isAtLeast(role, 'write') || issue.diff.files.length === 0) return { kind: 'none' };
  if (isGithubProject(project) && account.githubId === null) return { kind: 'none' };
  try {
    const reason = await whyNotOpened(deps, { issue, project }, signal);
    return reason === '' ? { kind: 'offered' } : { kind: 'refused', reason };
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'github_failed') return { kind: 'refused', reason: UNKNOWN };
    throw error;
  }
}

export interface Actions {
  readonly offer: PullRequestOffer;
  readonly hasPatch: boolean;
  readonly mayErase: boolean;
  readonly signedIn: SignedIn;
}

export function actionsPart({ issue, project }: SeenIssue, { offer, hasPatch, mayErase, signedIn }: Actions): Html {
  const { id, analysis } = issue;
  const link = namedLink(project, analysis.links.pullRequest, 'pull request');
  return html`<div class="actions">
${link === null ? '' : html`<span>Its ${link}</span>`}
${offer.kind === 'offered' ? openForm(id, analysis.links.pullRequest !== null, signedIn) : ''}
<button type="button" data-copy-from="/issues/${id}/markdown" hidden>Copy as Markdown</button>
<a class="button" href="/issues/${id}/markdown">Markdown</a>
${hasPatch ? html`<a class="button" href="/issues/${id}/patch">Download patch</a>` : ''}
${mayErase ? html`<a class="button danger" href="/issues/${id}/delete">Delete…</a>` : ''}</div>
${offer.kind === 'refused' ? html`<p class="hint">No pull request from here: ${inertText(offer.reason, 1_000)}</p>` : ''}`;
}

function openForm(issueId: string, isAgain: boolean, signedIn: SignedIn): Html {
  return html`<form method="post" action="/issues/${issueId}/pull-request">${formTokenField(signedIn)}
<button class="primary">${isAgain ? 'Ask for the pull request again' : 'Open pull request'}</button></form>`;
}
