// Known failures in the account area: which issue a failure is tied to, which issues are proposed for it, and the forms that tie it.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import {
  describeKnownRefusal,
  type Failure,
  type KnownIssue,
  type KnownOfFailure,
  type KnownRefusal,
  MATCHED_DAYS,
  type PatternMatch,
} from '../core/check/index.ts';
import { isAtLeast, isGithubProject, type Project, type Role } from '../core/project/index.ts';
import { confirmPattern, type KnownAnswer, proposePattern, tieFailure, untieIssue } from '../services/index.ts';
import {
  createCrumbs,
  findSeenProject,
  formatPlural,
  NOTHING,
  renderBadge,
  renderDone,
  renderJoined,
  renderMoment,
  renderNumber,
  renderSection,
  renderTable,
} from './components.ts';
import { isFailureId } from './failure-parts.ts';
import { readForm } from './forms.ts';
import { type Html, refuseAbsentPage, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import type { PageContext, SignedIn, WebDeps } from './web-deps.ts';

const MAX_PATTERN = 300;
const MAX_LISTED = 10;
const DONE = {
  tied: 'Tied. Failed checks with this failure are shown as known from now on.',
  counted: 'The pattern counts from now on.',
  untied: 'Untied. Nothing is covered by that issue any more.',
};

interface KnownPlace {
  readonly project: Project;
  readonly role: Role;
  readonly failure: Failure;
}

/** Nothing where there is no GitHub. */
export async function renderKnown(c: PageContext, deps: WebDeps, place: KnownPlace): Promise<Html> {
  const { project, role, failure } = place;
  if (!isGithubProject(project)) return NOTHING;
  const known = (await deps.store.listKnownOfFailures([failure.id])).get(failure.id) ?? null;
  const candidates = await listCandidates(deps, failure);
  const mayTie = isAtLeast(role, 'write') && deps.knownChecks !== null;
  const isTied = known?.state === 'open';
  if (known === null && candidates.length === 0 && !mayTie) return NOTHING;
  const signedIn = c.get('signedIn');
  const body = html`${renderDone(c, DONE)}${known === null ? '' : renderTied(project, known)}
${isTied ? '' : candidates.map((one) => renderCandidate(place, one, mayTie ? signedIn : null))}
${mayTie && isTied ? renderUntie(place, known.number, signedIn) : ''}
${mayTie ? renderTie(place, isTied || candidates.length > 0, signedIn) : ''}`;
  return renderSection('known', 'Known failure', body);
}

/** Labelled, and naming this failure. */
async function listCandidates({ store }: WebDeps, { id, projectId }: Failure): Promise<readonly KnownIssue[]> {
  const issues = await store.listKnownIssues(projectId);
  return issues.filter(({ isLabelled, state, named }) => isLabelled && state !== 'open' && named.includes(id));
}

/** In a list: the issue that covers it; nothing where none does. */
export function renderKnownNumber(project: Project, known: KnownOfFailure | undefined): Html {
  if (known?.state !== 'open') return NOTHING;
  return html`<span class="soft below">known: ${renderNumber(project, 'issues', known.number)}</span>`;
}

function renderTied(project: Project, { number, title, state, endedAt, pattern, by, at }: KnownOfFailure): Html {
  const who = by === null ? '' : html`, by ${sanitiseLine(by.login, 60)}`;
  const how = pattern === null ? 'Tied' : html`By the pattern <code>${sanitiseLine(pattern, MAX_PATTERN)}</code>, tied`;
  const ended = endedAt === null ? '' : html`, ended ${renderMoment(endedAt)}`;
  return html`<p>${renderNumber(project, 'issues', number)} ${sanitiseLine(title, 200)} ${renderBadge(state === 'open' ? 'known' : 'ended', state === 'open' ? 'good' : 'quiet')}
<span class="soft below">${how} ${renderMoment(at)}${who}${ended}</span></p>`;
}

function renderCandidate(place: KnownPlace, { number, title }: KnownIssue, signedIn: SignedIn | null): Html {
  const button =
    signedIn === null
      ? ''
      : renderAct(place, signedIn, { act: 'tie', issue: number }, html`<button>Tie to #${number}</button>`);
  return html`<p>Proposed: ${renderNumber(place.project, 'issues', number)} ${sanitiseLine(title, 200)}
<span class="soft below">It has the label <code>known failure</code> and names this failure. Nothing counts until it is tied.</span></p>${button}`;
}

function renderAct(
  { project, failure }: KnownPlace,
  signedIn: SignedIn,
  { act, issue, pattern = '' }: { readonly act: string; readonly issue: number; readonly pattern?: string },
  button: Html,
): Html {
  return html`<form method="post" action="/projects/${project.id}/failures/${failure.id}/known">${renderFormToken(signedIn)}
<input type="hidden" name="act" value="${act}"><input type="hidden" name="issue" value="${issue}">
${pattern === '' ? '' : html`<input type="hidden" name="pattern" value="${pattern}">`}<p class="actions">${button}</p></form>`;
}

function renderUntie(place: KnownPlace, issue: number, signedIn: SignedIn): Html {
  return renderAct(
    place,
    signedIn,
    { act: 'untie', issue },
    html`<button class="plain">Untie all of #${issue}</button>`,
  );
}

function renderTie({ project, failure }: KnownPlace, hasOther: boolean, signedIn: SignedIn): Html {
  return html`<details class="menu"><summary class="button">${hasOther ? 'Tie to another issue' : 'Tie to an issue'}</summary><div><form method="post" action="/projects/${project.id}/failures/${failure.id}/known">${renderFormToken(signedIn)}<input type="hidden" name="act" value="tie">
<div class="field"><label for="issue">Issue</label>
<p class="hint" id="issue-hint">Number of an open issue of this repository. Until it is closed, this failure is shown as known and not investigated.</p>
<input type="text" id="issue" name="issue" size="8" inputmode="numeric" pattern="#?[0-9]{1,9}" required autocomplete="off" aria-describedby="issue-hint"></div>
<div class="field"><label for="pattern">Pattern (optional)</label>
<p class="hint" id="pattern-hint">Instead of this failure alone: every failed check with a line that matches, as an RE2 expression. You see what it would have matched before it counts.</p>
<input type="text" id="pattern" name="pattern" maxlength="${MAX_PATTERN}" autocomplete="off" spellcheck="false" aria-describedby="pattern-hint"></div>
<p class="actions"><button class="primary">Tie</button></p></form>
<p class="hint">On the issue, <code>/analyse known ${failure.id}</code> does the same.</p></div></details>`;
}

/** POST /projects/{projectId}/failures/{failureId}/known: ties, confirms or unties; a pattern is shown first. */
export async function postKnown(c: PageContext, deps: WebDeps): Promise<Response> {
  const form = await readForm(c);
  const { project, role } = await findSeenProject(c, deps);
  const id = c.req.param('failureId') ?? '';
  const failure = (isFailureId(id) ? await deps.store.findFailure(id) : null) ?? refuseAbsentPage();
  const { knownChecks: checks } = deps;
  if (failure.projectId !== project.id || !isGithubProject(project) || checks === null) return refuseAbsentPage();
  if (!isAtLeast(role, 'write')) {
    throw new WebRefusal(403, 'Tying a failure to an issue needs write access to the repository. Nothing was changed.');
  }
  const { account, signal } = c.get('asking');
  const number = /^#?(\d{1,9})$/.exec(form.text('issue').trim())?.[1];
  if (number === undefined) throw new WebRefusal(400, 'Give the number of an issue, such as 123. Nothing was changed.');
  if (account.githubId === null) return refuseAbsentPage();
  const request = { project, issue: Number(number), by: { id: account.githubId, login: account.login } };
  const pattern = form.text('pattern').trim();
  const act = form.text('act');
  const known = { ...deps, checks };
  const answer =
    act === 'untie'
      ? await untieIssue(known, request)
      : act === 'confirm'
        ? await confirmPattern(known, request, signal, pattern)
        : pattern === ''
          ? await tieFailure(known, request, failure.id, signal)
          : await proposePattern(known, request, pattern, signal);
  return showAnswer(c, deps, { project, role, failure }, answer);
}

function showAnswer(
  c: PageContext,
  deps: WebDeps,
  place: KnownPlace,
  answer: KnownAnswer,
): Response | Promise<Response> {
  const address = `/projects/${place.project.id}/failures/${place.failure.id}`;
  switch (answer.kind) {
    case 'tied':
      return c.redirect(`${address}?done=${answer.pattern === '' ? 'tied' : 'counted'}#known`, 303);
    case 'ended':
      return c.redirect(`${address}?done=untied#known`, 303);
    case 'refused':
      throw new WebRefusal(409, `${describeRefusedTie(answer.refusal)} Nothing was changed.`);
    case 'proposed':
      return renderPreview(c, deps, place, answer);
  }
}

function describeRefusedTie(refusal: KnownRefusal): string {
  const said = sanitiseLine(describeKnownRefusal(refusal).replaceAll('`', ''), 600);
  return refusal.code === 'known_pattern_passes' ? `${said} That check is ${sanitiseLine(refusal.check, 100)}.` : said;
}

/** What the pattern would have matched, before the button that makes it count. */
function renderPreview(
  c: PageContext,
  deps: WebDeps,
  place: KnownPlace,
  { issue, pattern, matches }: Extract<KnownAnswer, { readonly kind: 'proposed' }>,
): Response | Promise<Response> {
  const { project, failure } = place;
  const address = `/projects/${project.id}/failures/${failure.id}`;
  const table = renderTable({
    caption: 'What the pattern would have matched',
    style: 'ledger',
    columns: ['Failure', 'Line', ['Failed checks', 'number'], 'Pull requests'],
    rows: matches.map((match) => [
      html`<a class="row-link" href="/projects/${project.id}/failures/${match.id}">${sanitiseLine(match.headline, 200) || 'Failure'}</a>`,
      html`<code>${sanitiseLine(match.line, 200)}</code>`,
      html`${match.checks}`,
      html`${renderJoined(match.pullRequests.map((number) => renderNumber(project, 'pull', number)))}`,
    ]),
  });
  const body = html`<h1>Count this pattern for #${issue}?</h1>
<p class="lead"><code>${sanitiseLine(pattern, MAX_PATTERN)}</code></p>
<p>In the last ${MATCHED_DAYS} days it would have matched ${formatPlural(countChecks(matches), 'failed check')}. Nothing counts yet.</p>
${table}
${renderAct(place, c.get('signedIn'), { act: 'confirm', issue, pattern }, html`<button class="primary">Count it</button> <a class="button" href="${address}#known">Back</a>`)}`;
  const list = { text: 'Failures', href: `/projects/${project.id}/failures` };
  const crumbs = createCrumbs(project, list, { text: 'Pattern', href: address });
  return renderPage(c, deps, { title: `Pattern · ${project.name}`, body, section: 'projects', crumbs });
}

function countChecks(matches: readonly PatternMatch[]): number {
  return matches.reduce((sum, { checks }) => sum + checks, 0);
}

/** Issues with the label that no failure is tied to, with what they name; nothing where there are none. */
export async function renderLabelledIssues({ store }: WebDeps, project: Project): Promise<Html> {
  const issues = (await store.listKnownIssues(project.id))
    .filter(({ isLabelled, state }) => isLabelled && state !== 'open')
    .slice(-MAX_LISTED);
  if (issues.length === 0) return NOTHING;
  const rows = await Promise.all(
    issues.map(async ({ number, title, named }) => {
      const failures = await Promise.all(named.map((id) => store.findFailure(id)));
      const links = failures.flatMap((failure) =>
        failure === null
          ? []
          : [
              html`<a href="/projects/${project.id}/failures/${failure.id}#known">${sanitiseLine(failure.headline, 120) || 'Failure'}</a>`,
            ],
      );
      const found =
        links.length === 0 ? html`<span class="soft">none by its error line or id</span>` : renderJoined(links);
      return [html`${renderNumber(project, 'issues', number)} ${sanitiseLine(title, 200)}`, html`${found}`];
    }),
  );
  const hint = html`<p class="hint">Issues with the label <code>known failure</code>. They cover nothing until somebody with write ties a failure to them.</p>`;
  const table = renderTable({ caption: 'Proposed known failures', style: 'ledger', columns: ['Issue', 'Names'], rows });
  return renderSection('proposed', 'Proposed known failures', html`${hint}${table}`);
}
