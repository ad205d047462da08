// The revert of the commit that broke the default branch, on the page of its failure: what became of it, and the button for it.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { type Failure, findBlamedStep } from '../core/check/index.ts';
import { CausewayError } from '../core/errors.ts';
import { isAtLeast, isGithubProject, type Project } from '../core/project/index.ts';
import { describeFullDay } from '../core/proof/index.ts';
import {
  describePutBackRefusal,
  findRevertAtHome,
  formatRevertCommand,
  isOfferedAgain,
  type PostedRevert,
  type PutBack,
  type PutBackRefusal,
  type RevertProof,
} from '../core/put-back/index.ts';
import type { ProjectSettings, SeenProject } from '../services/index.ts';
import {
  findSeenProject,
  formatPlural,
  NOTHING,
  renderBadge,
  renderCommit,
  renderOwnLink,
  renderPlainLine,
  renderSection,
  type Tone,
} from './components.ts';
import { isFailureId } from './failure-parts.ts';
import { readForm } from './forms.ts';
import { type Html, refuseAbsentPage, renderFormToken, WebRefusal } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

/** Nothing where no one commit may have brought the failure, and none was reverted for it. */
export async function renderPutBack(
  c: PageContext,
  deps: WebDeps,
  { project, role }: SeenProject,
  failure: Failure,
): Promise<Html> {
  // What became of it is shown after the failure has ended, too.
  const step = findBlamedStep({ ...failure, state: 'open', isOnDefault: true });
  const putBack = step === null ? null : await deps.store.findPutBackOfCommit(project.id, step.sha);
  const isOffered = findBlamedStep(failure) !== null && isOfferedAgain(putBack) && isGithubProject(project);
  if (step === null || (putBack === null && !isOffered)) return NOTHING;
  const state = putBack === null ? NOTHING : renderPutBackState(project, putBack);
  const offer = isOffered ? await renderPutBackOffer(c, deps, { project, role, failure }) : NOTHING;
  return renderSection('put-back', 'Put it back', html`${state}${offer}`);
}

interface OfferedOn {
  readonly project: Project;
  readonly role: SeenProject['role'];
  readonly failure: Failure;
}

async function renderPutBackOffer(c: PageContext, deps: WebDeps, { project, role, failure }: OfferedOn): Promise<Html> {
  const sha = findBlamedStep(failure)?.sha ?? '';
  const what = html`GitHub's own revert of ${renderCommit(project, sha)}, as a draft. Nothing is merged.`;
  if (!isAtLeast(role, 'write')) return html`<p class="hint">Someone with write access can open ${what}</p>`;
  const obstacle = await findPutBackObstacle(c, deps, project);
  if (obstacle !== '') return html`<p class="hint">${sanitiseLine(obstacle, 500)}</p>`;
  return html`<form method="post" action="/projects/${project.id}/failures/${failure.id}/revert" class="actions">${renderFormToken(c.get('signedIn'))}
<input type="hidden" name="sha" value="${sha}"><button>Open revert</button></form><p class="hint">Opens ${what}</p>`;
}

/** "" where reverts are opened, or that can't be known now: then the request is checked. */
async function findPutBackObstacle(c: PageContext, { settingsOf }: WebDeps, project: Project): Promise<string> {
  try {
    return describeObstacle(await settingsOf(project, c.get('asking').signal));
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'github_failed') return '';
    throw error;
  }
}

function describeObstacle({ noPullRequests, ciRunsDay }: ProjectSettings): string {
  if (noPullRequests !== '' || ciRunsDay > 0) return noPullRequests;
  return `No revert is opened here: ${describeFullDay({ limit: 0, freeAt: null })}.`;
}

function renderPutBackState(project: Project, { state, step }: PutBack): Html {
  switch (state.kind) {
    case 'requested':
    case 'opening':
      return html`<p>${renderBadge('opening', 'busy')} a draft that reverts ${renderCommit(project, step.sha)}</p>`;
    case 'opened':
      return renderPostedRevert(project, state.pull);
    case 'refused':
      return html`<p>${renderCommit(project, step.sha)} was not reverted.</p>${renderRefusedPutBack(state.reason)}`;
  }
}

const TONES: Readonly<Record<PostedRevert['state'], Tone>> = { open: 'good', merged: 'good', closed: 'quiet' };

function renderPostedRevert(project: Project, pull: PostedRevert): Html {
  const proof = pull.state === 'open' && !pull.isTaken ? PROOFS[pull.proof.kind] : '';
  const closed =
    pull.closedFor === null
      ? NOTHING
      : html` The branch passed at ${renderCommit(project, pull.closedFor)} without it.`;
  const taken = pull.isTaken && pull.state === 'open' ? 'Others have taken it over.' : proof;
  return html`<p>${renderOwnLink(project, pull.url, `#${pull.number}`)} ${renderBadge(pull.state, TONES[pull.state])} reverts #${pull.reverts}. ${taken}${closed}</p>`;
}

const PROOFS: Readonly<Record<RevertProof['kind'], string>> = {
  waiting: 'Its checks are running.',
  proven: 'Proven in CI: what failed here passes with it.',
  still_red: "It doesn't help: what failed here fails with it as well.",
  breaks: 'Other checks fail with it.',
  unclear: 'CI could not tell whether it helps.',
};

function renderRefusedPutBack(reason: PutBackRefusal): Html {
  const home = findRevertAtHome(reason);
  const why = html`<p>${renderPlainLine(describePutBackRefusal(reason), 900)}</p>`;
  if (home === null) return why;
  const files = home.files.map((path) => html`<li><code>${sanitiseLine(path, 300)}</code></li>`);
  const more = home.more === 0 ? NOTHING : html`<li>and ${formatPlural(home.more, 'more file')}</li>`;
  return html`${why}${files.length === 0 ? NOTHING : html`<p>It changed:</p><ul>${files}${more}</ul>`}
<p>To revert it yourself:</p><pre id="revert-command"><code>${formatRevertCommand(home)}</code></pre>
<p><button type="button" class="plain" data-copy="revert-command" hidden>Copy</button></p>`;
}

/** POST /projects/{projectId}/failures/{failureId}/revert */
export async function postRevert(c: PageContext, deps: WebDeps): Promise<Response> {
  const form = await readForm(c);
  const { project, role } = await findSeenProject(c, deps);
  const id = c.req.param('failureId') ?? '';
  const failure = (isFailureId(id) ? await deps.store.findFailure(id) : null) ?? refuseAbsentPage();
  if (failure.projectId !== project.id) refuseAbsentPage();
  if (!isAtLeast(role, 'write')) {
    throw new WebRefusal(403, 'Opening a revert needs write access to the repository. Nothing was changed.');
  }
  const { githubId, login } = c.get('asking').account;
  if (githubId === null || !isGithubProject(project)) return refuseAbsentPage();
  const obstacle = describeObstacle(await deps.settingsOf(project, c.get('asking').signal));
  if (obstacle !== '') throw new WebRefusal(409, sanitiseLine(obstacle, 500));
  const now = deps.now().toISOString();
  const request = { id: githubId, login, at: now, number: null };
  const requested = await deps.store.requestPutBack({ failureId: id, sha: form.text('sha'), request }, now);
  if (requested.kind === 'none') {
    throw new WebRefusal(
      409,
      'The failure has ended, or another commit is named by now. Nothing was changed; open the page again.',
    );
  }
  return c.redirect(`/projects/${project.id}/failures/${id}#put-back`, 303);
}
