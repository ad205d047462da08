// An issue as people read it: the result and the next action first, then the evidence, the change and the record; and
// its forms.

import type { SourceLinks } from 'causeway-safe-markdown';
import { sanitiseLine, sanitiseText } from 'causeway-visible-text';
import { html } from 'hono/html';
import type { Verdict } from '../core/check/index.ts';
import { CausewayError } from '../core/errors.ts';
import {
  type Analysis,
  addSources,
  buildSourceLinks,
  changesResult,
  createIssueView,
  describeLook,
  filterIssue,
  formatPercent,
  type Issue,
  type IssueView,
  isReliable,
  NO_LINKS,
  nameLook,
  SCRIPTED_MODEL,
  type Step,
  type Suspect,
  writeAgentBrief,
} from '../core/issue/index.ts';
import type { Outcome } from '../core/outcome/index.ts';
import { isAtLeast, isGithubProject, type Project } from '../core/project/index.ts';
import { describeProof, nameProof } from '../core/proof/index.ts';
import { findUnfinished, listFurther, type PostedPullRequest, type UnfinishedPull } from '../core/thread/index.ts';
import {
  canErase,
  eraseIssue,
  findObstacle,
  findVisibleIssue,
  listRunParts,
  type RunParts,
  requestPullRequest,
  type Seen,
} from '../services/index.ts';
import {
  checkOwnAddress,
  createCrumbs,
  formatPlural,
  getNumberText,
  getRepositoryPage,
  NOTHING,
  renderBadge,
  renderDone,
  renderJoined,
  renderOutcome,
  renderOwnLink,
  renderPlainLine,
  renderSection,
  renderTable,
} from './components.ts';
import { readForm } from './forms.ts';
import { renderChange } from './issue-change.ts';
import {
  renderFoldedSection,
  renderIssueDetails,
  renderRecordLine,
  renderReport,
  renderTimeline,
} from './issue-record.ts';
import { type Html, refuseAbsentPage, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import { renderRetry } from './retry.ts';
import { getHeadline, renderLine, renderText, type TextLinks } from './text.ts';
import type { PageContext, SignedIn, WebDeps } from './web-deps.ts';

/** Steps, questions, claims and guards that are listed. */
const MAX_LISTED = 40;
/** Claims with their quotations that are not folded. */
const MAX_OPEN = 3;
const MAX_QUOTE = 2_000;
/** A longer problem is folded, so that its cause is seen. */
const MAX_PROBLEM = 400;
const MAX_REASONS = 5;

const DONE = {
  requested: 'The pull request is being opened. It is linked here within a minute or so.',
  open: 'The pull request is already open; it is being updated.',
};

const NEXT: Readonly<Record<Outcome, string>> = {
  code_fix: 'review the change, then apply it or open a pull request',
  action_recommended: 'follow the steps under “What to do”',
  needs_information: 'answer the questions',
  already_fixed: 'update to a version that has the fix',
  not_a_bug: 'close the report, or say what was missed',
  inconclusive: 'add what you know, and submit the report again',
  facts_only: 'check the places below',
};

const VERDICTS: Readonly<Record<Verdict, string>> = {
  code: 'The change under test broke this check.',
  base_broken: 'The check failed before this change: its base branch is broken.',
  flaky: 'The check is flaky: it passes and fails without a change.',
  infrastructure: 'The CI machine or a service failed, not the code.',
  inconclusive: "Can't tell whether this change broke the check.",
};

type SeenIssue = Seen<{ readonly issue: Issue; readonly project: Project }>;

/** The pull request as it was last recorded; `url` is on the project's own host. */
interface RecordedPullRequest {
  readonly url: string;
  readonly name: string;
  readonly state: PostedPullRequest['state'];
  readonly checks: PostedPullRequest['checks'];
  /** Where its change is not, or not only, that of this issue; null: it is. */
  readonly attempts: OtherAttempt | null;
  /** Null: it isn't for people to take over. */
  readonly unfinished: UnfinishedPull | null;
}

/** `issueId`: of the other attempt; null: it was deleted. */
interface OtherAttempt {
  readonly other: 'later' | 'first';
  readonly issueId: string | null;
}

interface IssuePageContent extends SeenIssue {
  readonly view: IssueView;
  readonly run: RunParts;
  readonly signedIn: SignedIn;
  readonly links: TextLinks;
  readonly change: Html;
  readonly pullRequest: RecordedPullRequest | null;
  /** Whether the button for a pull request is shown; a text says why not. */
  readonly offer: boolean | string;
  readonly mayErase: boolean;
  /** Login of the account that submitted the report; "" if it is not known. */
  readonly requestedBy: string;
  readonly address: string;
  /** What is pasted to a coding agent; "" for nothing. */
  readonly brief: string;
}

/** GET /issues/{issueId} */
export async function getIssuePage(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findIssue(c, deps);
  const { issue, project } = seen;
  const pullRequest = await findPullRequest(deps, project, issue);
  const investigation = await deps.store.findInvestigation(issue.analysis.investigationId);
  const account = investigation === null ? null : await deps.store.findAccount(investigation.accountId);
  const links = { source: createSourceLinks(project, issue), steps: issue.investigationSteps.length };
  const changeSet = issue.diff.files.length === 0 ? null : await deps.store.findChangeSet(issue.id);
  const address = `${deps.baseUrl()}/issues/${issue.id}`;
  const page: IssuePageContent = {
    ...seen,
    view: createIssueView(issue),
    run: await listRunParts(deps, issue),
    signedIn: c.get('signedIn'),
    links,
    change: await renderChange(issue, changeSet, { links, highlight: deps.highlight }),
    pullRequest,
    offer: await decideOffer(c, deps, seen, pullRequest),
    mayErase: await canErase(deps, c.get('asking'), seen),
    requestedBy: account?.login ?? '',
    address,
    brief: await writeBrief(deps, seen, { pullRequest, address }),
  };
  const body = html`${renderDone(c, DONE)}${renderIssueBody(page)}`;
  const crumbs = createIssueCrumbs(seen);
  return renderPage(c, deps, { title: getHeadline(issue).replaceAll('`', ''), body, section: 'projects', crumbs });
}

/** It may be pasted into a ticket of a public repository. */
async function writeBrief(
  { store }: WebDeps,
  { issue, project }: SeenIssue,
  { pullRequest, address }: Pick<IssuePageContent, 'pullRequest' | 'address'>,
): Promise<string> {
  const isPublic = isGithubProject(project) && !project.source.isPrivate;
  const shown = filterIssue(addSources(issue, await store.listStepSources(issue.id)), { isPublic });
  const pull = pullRequest?.unfinished ?? null;
  return writeAgentBrief(shown, { repository: project.name, recordUrl: address, pull, attempt: null });
}

/** The issue of the address, as far as the person may see it. */
export async function findIssue(c: PageContext, deps: WebDeps): Promise<SeenIssue> {
  return (await findVisibleIssue(deps, c.get('asking'), c.req.param('issueId') ?? '')) ?? refuseAbsentPage();
}

/** Places in the source on GitHub, at the analysed commit; none for other projects. */
export function createSourceLinks(project: Project, issue: Issue): SourceLinks {
  const [, webUrl = '', repository = ''] = /^(https?:\/\/.+)\/([^/]+\/[^/]+)$/.exec(getRepositoryPage(project)) ?? [];
  return webUrl === '' ? NO_LINKS : buildSourceLinks({ webUrl, repository }, issue);
}

function createIssueCrumbs({ issue, project }: SeenIssue) {
  return createCrumbs(project, {
    text: sanitiseLine(getHeadline(issue).replaceAll('`', ''), 60),
    href: `/issues/${issue.id}`,
  });
}

/** The issue's link may be older than the records of the publisher, which know the state as well. */
async function findPullRequest(
  { store }: WebDeps,
  project: Project,
  issue: Issue,
): Promise<RecordedPullRequest | null> {
  if (!isGithubProject(project)) return null;
  const address = issue.analysis.links.pullRequest;
  const opened = await store.listOpenedPullRequests([project.id], 100);
  const posted = opened
    .map((each) => each.pullRequest)
    .find(({ url, issueId }) => url === address || issueId === issue.id);
  const url = checkOwnAddress(project, posted?.url ?? address);
  if (url === '') return null;
  const name = `pull request ${getNumberText(url)}`;
  const { state = 'open', checks = 'waiting' } = posted ?? {};
  const attempts = posted === undefined ? null : await findAttempts(store, posted, issue);
  return { url, name, state, checks, attempts, unfinished: findUnfinished(posted ?? null) };
}

async function findAttempts(
  store: WebDeps['store'],
  posted: PostedPullRequest,
  { id, analysis }: Issue,
): Promise<OtherAttempt | null> {
  const further = listFurther(posted);
  if (posted.issueId !== id) {
    return further.includes(analysis.investigationId) ? { other: 'first', issueId: posted.issueId } : null;
  }
  const last = further.at(-1);
  if (last === undefined) return null;
  const outcome = (await store.findInvestigation(last))?.outcome;
  return { other: 'later', issueId: outcome?.state === 'concluded' ? outcome.issueId : null };
}

async function decideOffer(
  c: PageContext,
  deps: WebDeps,
  { issue, project, role }: SeenIssue,
  pullRequest: RecordedPullRequest | null,
): Promise<boolean | string> {
  const { account, signal } = c.get('asking');
  if (!isAtLeast(role, 'write') || issue.diff.files.length === 0) return false;
  if (pullRequest !== null && pullRequest.state !== 'closed') return false;
  // A pull request on GitHub needs an author there.
  if (isGithubProject(project) && account.githubId === null) return false;
  try {
    const reason = await findObstacle(deps, { issue, project }, signal);
    return reason === '' || reason;
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'github_failed') throw error;
    return 'GitHub is not answering, so a pull request can’t be opened right now. Reload this page in a minute.';
  }
}

function renderIssueBody(page: IssuePageContent): Html {
  const { issue, view, links } = page;
  const { outcome } = issue.analysis;
  const pointsFirst = outcome === 'facts_only' || outcome === 'inconclusive';
  const suspects = renderIssueSuspects(view, links, pointsFirst);
  const todo = [renderIssueSolution(page), renderIssueQuestions(issue, links)].filter((part) => part !== NOTHING);
  return html`<div class="issue">${renderIssueHead(page)}
${renderActions(page)}
<div class="answer">${renderIssueCause(issue, view, links)}${todo.length === 0 ? '' : html`<div class="todos">${todo}</div>`}</div>
${pointsFirst ? suspects : ''}
${page.change}
${renderIssueGuards('why-not', 'Why not a pull request', view.blocking, links)}
${renderIssueGuards('look-at', 'Check before applying', view.toCheck, links)}
${renderTimeline(page)}
<div class="folds">${pointsFirst ? '' : suspects}
${renderReproduction(issue, links)}
${renderBrief(page.brief)}
${renderReport(issue)}
${renderIssueDetails(page)}</div></div>`;
}

function renderIssueHead(page: IssuePageContent): Html {
  const { issue, links, project, pullRequest } = page;
  const { confidence, verdict, outcome, partial, model, sameAs } = issue.analysis;
  const cutShort =
    outcome === 'facts_only'
      ? 'The model gave no answer: this is a search of the source only.'
      : 'The investigation stopped early: this is what it had found by then.';
  const scripted = 'A script plays the model here. The lookups, the checks of the quotes and the patch are real.';
  const notices = [
    ...(partial ? [cutShort] : []),
    ...(model === SCRIPTED_MODEL ? [scripted] : []),
    ...(pullRequest?.attempts ? [renderOtherAttempt(pullRequest.attempts, pullRequest)] : []),
    ...(sameAs === null
      ? []
      : [html`Answered from an identical report: <a href="/issues/${sameAs}">its first issue</a>.`]),
  ];
  return html`<h1>${renderPlainLine(getHeadline(issue))}</h1>
<div class="outcome">${renderOutcome(issue.analysis)}${
    confidence === null ? '' : html` ${renderBadge(`${formatPercent(confidence)} confidence`)}`
  } ${renderAssurance(issue, links)} <span class="next"><strong>Next:</strong> ${describeNextStep(issue, project, pullRequest)}.</span></div>
${renderRecordLine(page)}
${verdict === null ? '' : html`<p>${VERDICTS[verdict]}</p>`}
${notices.map((notice) => html`<p class="notice">${notice}</p>`)}
${renderProblem(issue, links)}`;
}

function renderOtherAttempt({ other, issueId }: OtherAttempt, { name }: RecordedPullRequest): Html {
  const link = (words: string) => (issueId === null ? words : html`<a href="/issues/${issueId}">${words}</a>`);
  return other === 'later'
    ? html`The first attempt: CI rejected it. What is in ${name} now came with ${link('a later attempt')}, on top of the change below.`
    : html`A further attempt, on top of the change of ${link('the first')}, which CI rejected. There are both in ${name}.`;
}

/** What was done to test the answer: at a glance, with the whole below. */
function renderAssurance({ analysis: { proof, secondLook } }: Issue, links: TextLinks): Html {
  if (proof === null && secondLook === null) return NOTHING;
  const badges = [
    ...(proof === null ? [] : [renderBadge(nameProof(proof), proof.state === 'proven' ? 'good' : 'quiet')]),
    ...(secondLook === null ? [] : [renderBadge(nameLook(secondLook), changesResult(secondLook) ? 'busy' : 'quiet')]),
  ];
  return html`<details class="assurance"${changesResult(secondLook) ? html` open` : ''}><summary>${renderJoined(badges, ' ')}</summary>
${proof === null ? '' : html`<p>${renderLine(describeProof(proof), links, 600)}</p>`}
${proof?.commands === undefined ? '' : html`<pre><code>${sanitiseText(proof.commands.join('\n'), 4_000)}</code></pre>`}
${secondLook === null ? '' : html`<p>${renderLine(describeLook(secondLook), links, 1_000)}</p>`}</details>`;
}

function describeNextStep(
  { analysis, diff }: Issue,
  project: Project,
  pullRequest: RecordedPullRequest | null,
): string {
  const { outcome, suspects } = analysis;
  if (pullRequest?.state === 'merged') return 'nothing to do: the pull request is merged';
  if (pullRequest?.state === 'open') return 'review the pull request';
  // Without a suspect to rely on there is no place to check.
  if (outcome === 'facts_only' && !isReliable(suspects[0])) return NEXT.inconclusive;
  const appliesByHand = outcome === 'code_fix' && (!isGithubProject(project) || diff.files.length === 0);
  return appliesByHand ? 'review the change, then apply it' : NEXT[outcome];
}

/** One primary button, the rest in a menu, Delete set apart. */
function renderActions(page: IssuePageContent): Html {
  const { issue, offer, mayErase: isErasable } = page;
  const { id } = issue;
  const isFirst = offer !== true && (page.pullRequest?.state ?? 'closed') === 'closed';
  return html`<div class="actions">
${renderPullRequestButtons(page)}
${issue.diff.files.length > 0 ? html`<a class="button${isFirst ? ' primary' : ''}" href="/issues/${id}/patch">Download patch</a>` : ''}
${isAtLeast(page.role, 'triage') ? renderRetry({ ...page, id }) : ''}
<details class="menu"><summary class="button">More</summary><div><ul>
<li><button type="button" class="plain" data-copy-from="/issues/${id}/markdown" hidden>Copy as Markdown</button></li>
<li><a href="/issues/${id}/markdown">View as Markdown</a></li></ul></div></details>
${typeof offer === 'string' ? html`<p class="hint">${sanitiseText(offer, 1_000)}</p>` : ''}
${isErasable ? html`<a class="button danger apart" href="/issues/${id}/delete">Delete…</a>` : ''}</div>`;
}

function renderPullRequestButtons({ issue: { id }, signedIn, pullRequest, offer }: IssuePageContent): Html {
  const isOpen = pullRequest !== null && pullRequest.state !== 'closed';
  return html`${pullRequest === null ? '' : html`<a class="button${isOpen ? ' primary' : ''}" href="${pullRequest.url}">View ${pullRequest.name}</a>`}
${
  offer === true
    ? html`<form method="post" action="/issues/${id}/pull-request">${renderFormToken(signedIn)}
<button class="primary">${pullRequest === null ? 'Open pull request' : 'Open pull request again'}</button></form>`
    : ''
}`;
}

function renderIssueCause(
  { rootCause, analysis: { outcome, reason } }: Issue,
  view: IssueView,
  links: TextLinks,
): Html {
  return renderSection(
    'cause',
    outcome === 'facts_only' ? 'Where it points' : 'Root cause',
    html`${rootCause.trim() === '' ? html`<p>No cause was found.</p>` : renderText(rootCause, links)}
${reason.trim() === '' ? '' : html`<div class="reason"><h3>Why this outcome</h3>${renderText(reason, links)}</div>`}
${renderIssueEvidence(view, rootCause, links)}`,
  );
}

/** Each quotation with its step; a claim only where the root cause does not have it word for word. */
function renderIssueEvidence({ claims }: IssueView, rootCause: string, links: TextLinks): Html {
  if (claims.length === 0) return NOTHING;
  const items = claims.slice(0, MAX_LISTED).map(({ claim, quotes }) => {
    const isSaid = rootCause.includes(claim.trim().replace(/\.$/, ''));
    const quoted = quotes.map(({ step, quote }) => {
      const isListed = step >= 1 && step <= links.steps;
      const source = isListed ? html`<a href="#step-${step}">Step ${step}</a>` : html`Step ${step}`;
      return html`<blockquote><pre><code>${sanitiseText(quote, MAX_QUOTE)}</code></pre><p class="source">${source}</p></blockquote>`;
    });
    return html`<li>${isSaid ? '' : html`<div>${renderLine(claim, links)}</div>`}${quoted}</li>`;
  });
  const further = items.slice(MAX_OPEN);
  return html`<h3 id="evidence">Evidence</h3><ul class="citations">${items.slice(0, MAX_OPEN)}</ul>
${further.length === 0 ? '' : html`<details><summary>${formatPlural(further.length, 'more claim')}</summary><ul class="citations">${further}</ul></details>`}${renderMoreNote(claims.length, 'more claim')}`;
}

function renderMoreNote(count: number, what: string): Html {
  const more = count - MAX_LISTED;
  return more > 0 ? html`<p class="hint">${formatPlural(more, what)} in the API response.</p>` : NOTHING;
}

/** What the title leaves out of the problem. */
function renderProblem({ problem, id }: Issue, links: TextLinks): Html {
  const title = getHeadline({ problem, id });
  const whole = sanitiseText(problem, 20_000).trim();
  if (whole === title) return NOTHING;
  const rest = whole.startsWith(title) ? whole.slice(title.length).trim() : whole;
  const body = html`<div class="problem">${renderText(rest, links)}</div>`;
  return rest.length <= MAX_PROBLEM ? body : html`<details><summary>The problem in full</summary>${body}</details>`;
}

/** With a pull request, applying the change by hand is the exception. */
function renderIssueSolution({ issue, links, pullRequest }: IssuePageContent): Html {
  const { solutionSteps } = issue;
  if (pullRequest === null || pullRequest.state === 'closed') {
    return renderStepsSection('solution', 'What to do', solutionSteps, links);
  }
  const { state, url, name, checks } = pullRequest;
  const badges = { green: renderBadge('checks passing', 'good'), red: renderBadge('checks failing', 'bad') };
  const badge = checks === 'green' || checks === 'red' ? badges[checks] : '';
  const byHand = html`<details><summary>Without the pull request</summary>${renderIssueSteps(solutionSteps, links)}</details>`;
  return renderSection(
    'solution',
    'What to do',
    html`<p>${state === 'merged' ? 'Merged:' : 'Review'} <a href="${url}">${name}</a> ${badge}</p>
${solutionSteps.length === 0 ? '' : byHand}`,
  );
}

function renderStepsSection(id: string, title: string, steps: readonly Step[], links: TextLinks): Html {
  return steps.length === 0 ? NOTHING : renderSection(id, title, renderIssueSteps(steps, links));
}

function renderIssueSteps(steps: readonly Step[], links: TextLinks): Html {
  const items = steps.slice(0, MAX_LISTED).map(({ description }) => html`<li>${renderText(description, links)}</li>`);
  return html`<ol class="todo">${items}</ol>${renderMoreNote(steps.length, 'more step')}`;
}

/** Also as one block, to be pasted. */
function renderIssueQuestions({ analysis }: Issue, links: TextLinks): Html {
  const questions = analysis.questions.slice(0, MAX_LISTED);
  if (questions.length === 0) return NOTHING;
  const text = questions.map((question) => `- ${sanitiseLine(question, 1_000)}`).join('\n');
  return renderSection(
    'questions',
    'Questions',
    html`<ul>${questions.map((question) => html`<li>${renderLine(question, links, 1_000)}</li>`)}</ul>
<p><button type="button" data-copy="questions-text" hidden>Copy the questions</button></p>
<pre id="questions-text" hidden>${text}</pre>`,
  );
}

function renderIssueGuards(id: string, title: string, guards: Analysis['guards'], links: TextLinks): Html {
  if (guards.length === 0) return NOTHING;
  const table = renderTable({
    caption: title,
    style: '',
    columns: ['File', 'Reason'],
    rows: guards
      .slice(0, MAX_LISTED)
      .map(({ file, reason }) => [
        file === '' ? 'the change as a whole' : html`<code>${sanitiseLine(file, 400)}</code>`,
        renderLine(reason, links),
      ]),
  });
  return renderSection(id, title, html`${table}${renderMoreNote(guards.length, 'more reason')}`);
}

/** Where a cause was found they are only its background. */
function renderIssueSuspects({ likely, unlikely }: IssueView, links: TextLinks, isOpen: boolean): Html {
  if (likely.length === 0) return NOTHING;
  const caption = 'Suspects, most likely first';
  if (!isOpen) {
    const all = [...likely, ...unlikely];
    return renderFoldedSection(
      'suspects',
      formatPlural(all.length, 'suspect'),
      '',
      renderSuspectPlaces(caption, all, links),
    );
  }
  const others = html`<details><summary>${formatPlural(unlikely.length, 'less likely suspect')}</summary>${renderSuspectPlaces('Less likely suspects', unlikely, links)}</details>`;
  return renderSection(
    'suspects',
    'Suspects',
    html`${renderSuspectPlaces(caption, likely, links)}
${unlikely.length === 0 ? '' : others}`,
  );
}

function renderSuspectPlaces(caption: string, suspects: readonly Suspect[], links: TextLinks): Html {
  return renderTable({
    caption,
    style: 'suspects',
    columns: ['Place', 'Why', ['Score', 'number']],
    rows: suspects.map(({ file, line, function: name, score, reasons }) => {
      const code = html`<code>${sanitiseLine(line > 0 ? `${file}:${line}` : file, 400)}</code>`;
      // Without a line, the link leads to the top of the file.
      const address = links.source(`${file}:${line > 0 ? line : 1}`);
      const place = address === null ? code : html`<a href="${address}">${code}</a>`;
      return [
        name === '' ? place : html`${place} in <code>${sanitiseLine(name, 200)}</code>`,
        renderJoined(
          reasons.slice(0, MAX_REASONS).map((reason) => renderLine(reason.replace(/\.$/, ''), links)),
          '; ',
        ),
        formatPercent(score),
      ];
    }),
  });
}

/** What follows from the cause is read by whoever doubts it. */
function renderReproduction({ stepsToReproduce: steps }: Issue, links: TextLinks): Html {
  if (steps.length === 0) return NOTHING;
  const count = formatPlural(steps.length, 'step');
  return renderFoldedSection('reproduction', 'How to reproduce it', count, renderIssueSteps(steps, links));
}

function renderBrief(brief: string): Html {
  if (brief === '') return NOTHING;
  const body = html`<p><button type="button" data-copy="agent-brief" hidden>Copy</button></p>
<pre id="agent-brief"><code>${brief}</code></pre>`;
  return renderFoldedSection('agent', 'For a coding agent', '', body);
}

/** POST /issues/{issueId}/pull-request: it is opened from the stored change. */
export async function postPullRequest(c: PageContext, deps: WebDeps): Promise<Response> {
  await readForm(c);
  const { issue, project, role } = await findIssue(c, deps);
  if (!isAtLeast(role, 'write')) {
    throw new WebRefusal(403, 'Opening a pull request needs write access to the repository. Nothing was changed.');
  }
  const { account, signal } = c.get('asking');
  const requested = await requestPullRequest(deps, { issue, project, account }, signal);
  switch (requested.kind) {
    case 'requested':
    case 'open':
      return c.redirect(`/issues/${issue.id}?done=${requested.kind}`, 303);
    case 'refused':
      throw new WebRefusal(409, sanitiseText(requested.reason, 1_000));
    case 'absent':
      return refuseAbsentPage();
  }
}

/** GET /issues/{issueId}/delete: what is deleted and what stays, before the button. */
export async function getDeleteIssue(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await requireErasable(c, deps);
  const { issue, project } = seen;
  const { pullRequest, comment, checkRun } = issue.analysis.links;
  const onGithub = (
    [
      [pullRequest, `pull request ${getNumberText(pullRequest ?? '')}`],
      [comment, 'comment'],
      [checkRun, 'check run'],
    ] as const
  ).filter(([address]) => checkOwnAddress(project, address) !== '');
  const body = html`<h1>Delete this issue?</h1>
<p class="lead">${renderPlainLine(getHeadline(issue))}</p>
<h2>What is deleted</h2>
<ul><li>the issue, with its report, cause and change</li>
<li>its investigation and its steps, except those shared with an identical report</li>
<li>webhooks about it that were not delivered yet</li></ul>
<h2>What stays</h2>
<ul>${onGithub.map(([address, name]) => html`<li>on GitHub: its ${renderOwnLink(project, address, name)}; close or delete it there</li>`)}
<li>its cost in the totals of the usage page, without any text</li>
<li>a line in the audit log that says who deleted it</li></ul>
<p>This cannot be undone.</p>
<form method="post" action="/issues/${issue.id}/delete" class="actions">${renderFormToken(c.get('signedIn'))}
<button class="danger">Delete the issue</button><a class="button" href="/issues/${issue.id}">Keep it</a></form>`;
  const crumbs = [...createIssueCrumbs(seen), { text: 'Delete', href: `/issues/${issue.id}/delete` }];
  return renderPage(c, deps, { title: 'Delete the issue', body, section: 'projects', crumbs });
}

/** POST /issues/{issueId}/delete */
export async function postDeleteIssue(c: PageContext, deps: WebDeps): Promise<Response> {
  await readForm(c);
  const { issue, project } = await requireErasable(c, deps);
  if (!(await eraseIssue(deps, issue.id, c.get('asking').account.id))) refuseAbsentPage();
  return c.redirect(`/projects/${project.id}?done=deleted`, 303);
}

async function requireErasable(c: PageContext, deps: WebDeps): Promise<SeenIssue> {
  const seen = await findIssue(c, deps);
  if (await canErase(deps, c.get('asking'), seen)) return seen;
  const message = 'Only the person who submitted the report, or one with the maintain role, can delete an issue.';
  throw new WebRefusal(403, message);
}
