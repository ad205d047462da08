// Title, body and commit message of our own pull requests: cause, change, what was checked and what wasn't.

import { formatCodeSpan, formatPlain, sanitiseInline } from 'causeway-safe-markdown';
import { type CommitRange, type Failure, orderRange, removeDuration } from '../../core/check/index.ts';
import {
  buildSourceLinks,
  filterIssue,
  MAX_CHANGE_TITLE,
  removeCitations,
  type SourcedIssue,
  splitSentences,
} from '../../core/issue/index.ts';
import { lowerConfidence, toProof } from '../../core/proof/index.ts';
import type { ChecksState, PostedPullRequest, Subject } from '../../core/thread/index.ts';
import { describeWayBack, formatCheckNames, isOfRepository, type PostPlace } from './comment.ts';
import {
  foldInvestigation,
  foldReproduction,
  renderCause,
  renderGuards,
  renderSecondLook,
  renderSteps,
} from './issue-parts.ts';
import { describeCount, formatList, renderMarkdownPage, text } from './page.ts';
import {
  describeCi,
  foldCertificate,
  foldOwnRun,
  isContradicted,
  isRefuted,
  mayClose,
  type ShownProof,
} from './proof.ts';

export interface PullRequestText {
  readonly place: PostPlace;
  readonly issue: SourcedIssue;
  /** The failure of a branch that it fixes; null: it is for something else. */
  readonly failure: FixedFailure | null;
  /** Login of the person with write access behind it, without @; "" if unknown. */
  readonly requestedBy: string;
  /** Whether that person pushed the failing commit and didn't ask. */
  readonly isForPush: boolean;
  /** Of our comment on the subject; "" for none. */
  readonly commentUrl: string;
  /** Null for the first commit. */
  readonly attempt: { readonly number: number; readonly failedChecks: readonly string[] } | null;
  readonly checks: ChecksState;
  /** Absent: none. */
  readonly proof?: ShownProof;
  /** Absent: it isn't open yet. */
  readonly posted?: Pick<PostedPullRequest, 'number' | 'url' | 'state'>;
  /** Failing checks that fail on the base as well. */
  readonly failingOnBase?: { readonly base: string; readonly names: readonly string[] };
}

export interface FixedFailure {
  readonly branch: string;
  readonly checkNames: Failure['checkNames'];
  readonly headline: string;
  /** The commits that the branch began to fail with; null: not known. */
  readonly range: CommitRange | null;
  /** Whether the branch has passed since without this change, and at which commit. */
  readonly since: null | { readonly kind: 'gone' | 'back'; readonly sha: string };
}

const MAX_TITLE = 100;
const MAX_HEADLINE = 72;
const MAX_BODY = 800;
const FILES_SHOWN = 20;
const COMMITS_SHOWN = 5;

/** The title is one line of at most 100 characters, the body Markdown of at most 60,000 with the marker as its last line. */
export function renderPullRequest(request: PullRequestText): { readonly title: string; readonly body: string } {
  const { place, posted, proof = null } = request;
  const shown = filterIssue(request.issue, place);
  const { issue } = shown;
  const links = buildSourceLinks(place, issue);
  const body = renderMarkdownPage({
    open: [
      text(describeFailingOnBase(request)),
      ...renderHeadline(issue, request).map(text),
      text(describeAim(request)),
      text(describeCi({ proof, checks: request.checks, state: posted?.state ?? 'open' }, place)),
      renderCause(issue, links),
      text(renderSecondLook(issue)),
      text(listFiles(issue)),
      ...renderSteps(issue.solutionSteps, links, 'How the fix works:'),
      text(describeChecked(request)),
      ...renderGuards(issue, links),
    ],
    folds: [
      foldReproduction(shown, links),
      foldInvestigation(shown, links),
      foldOwnRun(proof, posted?.number ?? 0),
      foldCertificate(proof, place, posted?.url ?? ''),
    ],
    footer: renderPullRequestFooter(request),
    marker: place.marker,
  });
  return { title: renderPullTitle(issue, MAX_TITLE, isContradicted(proof)), body };
}

/** Both titles that it may have: before and after its test, or its checks, spoke against it. */
export function listTitles(issue: SourcedIssue, place: PostPlace): readonly string[] {
  const shown = filterIssue(issue, place).issue;
  return [false, true].map((isUnfinished) => renderPullTitle(shown, MAX_TITLE, isUnfinished));
}

/** What changes, such as `Accept coupon codes in any case`; where the model gave no such title, what it fixes. */
function renderPullTitle(issue: SourcedIssue, max: number, isUnfinished = false): string {
  const change = formatPlain(issue.changeTitle ?? '', MAX_CHANGE_TITLE);
  const title = `${isUnfinished ? UNFINISHED : ''}${change}`;
  return change === '' || title.length > max ? renderProblemTitle(issue, max, isUnfinished) : title;
}

const UNFINISHED = 'Unfinished fix: ';

/** Such as `Fix: checkout crashes for some coupons`, without a full stop. */
function renderProblemTitle({ problem, analysis }: SourcedIssue, max: number, isUnfinished: boolean): string {
  // The first line of an issue's report is its title.
  const source = analysis.origin === 'github-issue' ? analysis.report : splitSentences(problem, 1).first;
  const [first = ''] = source.trim().split('\n');
  const kind = isUnfinished ? UNFINISHED : 'Fix: ';
  const words = formatPlain(first, max - kind.length).replace(/^fix(?:e[sd])?\b:?\s*/i, '');
  return kind + (words.replace(/(?<!\.)\.$/, '') || 'a reported problem');
}

/** If the branch has passed without this change since, that comes first. */
function renderHeadline({ analysis }: SourcedIssue, { failure, proof = null }: PullRequestText): readonly string[] {
  // The record of the proof is saved after the text.
  const ended = proof === null || proof === 'opening' ? null : toProof(proof);
  const confidence = lowerConfidence(analysis.confidence, ended);
  const sure = confidence === null ? '' : ` · confidence ${Math.round(confidence * 100)} %`;
  const outcome = isRefuted(proof)
    ? 'Possible cause, and a change with which CI still fails'
    : isContradicted(proof)
      ? 'Possible cause, and a change not shown to fix it'
      : 'Proposed fix';
  const found = `${outcome}${sure}`;
  if (failure === null || failure.since === null) {
    return [`**${found} · review it like any external PR**`];
  }
  const branch = formatCodeSpan(failure.branch);
  const green = formatCodeSpan(failure.since.sha.slice(0, 7));
  return failure.since.kind === 'gone'
    ? [`**${branch} has passed since ${green} without this change · next: close this unless you still want it**`, found]
    : [
        `**${branch} is failing again: it passed at ${green} without this change · next: check whether this still applies; close it if not**`,
        found,
      ];
}

/** Contains the only closing keyword, for an issue that was analysed to its end. */
function describeAim({ place: { subject }, failure, issue, proof = null }: PullRequestText): string {
  const { outcome, partial } = issue.analysis;
  switch (subject.kind) {
    case 'issue':
      return outcome === 'code_fix' && !partial && mayClose(proof)
        ? `Fixes #${subject.number}.`
        : `Related to #${subject.number}; this may not fix it completely.`;
    case 'pull_request':
      return `For the failing checks of #${subject.number}. Merges into the branch of that pull request.`;
    case 'failure':
      return failure === null ? 'For failing checks.' : describeFixedFailure(failure);
    case 'report':
      return 'For a report submitted through the API.';
  }
}

export function describeFixedFailure({ branch, checkNames, headline, range }: FixedFailure): string {
  const names = checkNames.length === 0 ? '' : `: ${formatCheckNames(checkNames)}`;
  return [
    `For failing checks on ${formatCodeSpan(branch)}${names}.`,
    ...(headline === '' ? [] : [`First error: ${formatCodeSpan(removeDuration(headline))}`]),
    ...(range === null ? [] : [describeCommitRange(range)]),
  ].join('\n');
}

function describeCommitRange(range: CommitRange): string {
  const count = describeCount(range.total, 'commit');
  const ends = `Passing at ${formatCodeSpan(range.from.slice(0, 12))}, failing at ${formatCodeSpan(range.to.slice(0, 12))}`;
  const commits = listCommits(range, ({ sha, author, subject }) => {
    const by = author === '' ? '' : ` by ${formatCodeSpan(author)}`;
    return `${formatCodeSpan(sha.slice(0, 12))}${by}: ${sanitiseInline(subject, 100)}`;
  });
  return `${ends}, ${count} later:\n${commits}`;
}

/** The commits that are listed, the likeliest first, with what ties each to the failure. */
export function listCommits(range: CommitRange, describe: (commit: CommitRange['commits'][number]) => string): string {
  const shown = orderRange(range).slice(0, COMMITS_SHOWN);
  const lines = shown.map(({ isLikeliest, reason, ...commit }) => {
    const why = reason === '' ? '' : ` · ${isLikeliest ? 'most likely: ' : ''}${sanitiseInline(reason, 300)}`;
    return `- ${describe(commit)}${why}`;
  });
  const more = range.total - shown.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function listFiles({ diff }: SourcedIssue): string {
  const verbs = { added: 'new', deleted: 'deleted', modified: 'edited', renamed: 'renamed' };
  const lines = diff.files.map(
    ({ fileName, status = 'modified' }) => `${formatCodeSpan(fileName) || '–'} (${verbs[status]})`,
  );
  return lines.length === 0 ? '' : `Changes:\n${formatList(lines, FILES_SHOWN)}`;
}

function describeChecked({ attempt }: PullRequestText): string {
  const failed = attempt?.failedChecks.slice(0, 10).map(formatCodeSpan).filter(Boolean).join(', ') ?? '';
  const after = failed === '' ? '' : `, after failing checks: ${failed}`;
  return [
    'Checked: the quotes match the source at this commit, and the patch applies. Causeway itself runs no code.',
    ...(attempt === null ? [] : [`Attempt ${attempt.number + 1}${after}.`]),
  ].join('\n');
}

function describeFailingOnBase({ failingOnBase }: PullRequestText): string {
  if (failingOnBase === undefined || failingOnBase.names.length === 0) return '';
  const names = failingOnBase.names.slice(0, 10).map(formatCodeSpan).filter(Boolean).join(', ');
  return `Also failing on ${formatCodeSpan(failingOnBase.base)}, so not caused by this change: ${names}.`;
}

function renderPullRequestFooter({ place, requestedBy, isForPush, commentUrl, posted }: PullRequestText): string {
  return [
    ...(requestedBy === '' ? [] : [`${isForPush ? 'after a push by' : 'requested by'} ${formatCodeSpan(requestedBy)}`]),
    ...(isOfRepository(commentUrl, place) ? [`[analysis](${commentUrl})`] : []),
    describeWayBack(place, posted?.state ?? 'open'),
  ]
    .filter(Boolean)
    .join(' · ');
}

const ORIGINS: Readonly<Record<Subject['kind'], string>> = {
  issue: 'an issue',
  pull_request: 'failing checks of a pull request',
  failure: 'failing checks of a branch',
  report: 'a report',
};

/** Names no number: a reference would appear on the subject again with every push, and the pull request has it. */
export function renderCommitMessage(
  whole: SourcedIssue,
  subject: Subject,
): { readonly headline: string; readonly body: string } {
  // A private repository may become public, and its commits with it.
  const { issue } = filterIssue(whole, { isPublic: true });
  const cause = formatPlain(removeCitations(splitSentences(issue.rootCause, 3).first), MAX_BODY);
  const origin = `Proposed by Causeway from ${ORIGINS[subject.kind]}; see the pull request for the evidence.`;
  return { headline: renderPullTitle(issue, MAX_HEADLINE), body: [cause, origin].filter(Boolean).join('\n\n') };
}

/** Of the commit with the tests alone, which comes before the fix. */
export function renderTestCommitMessage(whole: SourcedIssue): { readonly headline: string; readonly body: string } {
  const { issue } = filterIssue(whole, { isPublic: true });
  const headline = `Test: ${renderPullTitle(issue, MAX_HEADLINE - 'Test: '.length).replace(/^Fix: /, '')}`;
  return { headline, body: 'Fails until the fix, which follows in a commit of its own.' };
}
