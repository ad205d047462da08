// The pull request and its commit: cause, change, how it was checked and what was not.

import type { CommitRange } from '../../core/failure.ts';
import { formatBullet, formatCodeSpan, inertInline } from '../../core/markdown/github.ts';
import { buildSourceLinks, filterIssue, type SourcedIssue, type SourceLinks } from '../../core/shown-issue.ts';

import type { Subject } from '../../core/thread.ts';
import { withoutTime } from './check-run-ground.ts';
import { isOfRepository, listCheckNames } from './comment.ts';
import type { MendedFailure, PullRequestGround } from './ground.ts';
import {
  causeBlocks,
  describeWayBack,
  firstSentences,
  foldInvestigation,
  foldReproduction,
  remarkBlocks,
  renderWhatToDo,
} from './issue-parts.ts';
import { type Block, renderPage, text } from './page.ts';
import { plainWords } from './plain-words.ts';

const MAX_TITLE = 100;

const FILES_SHOWN = 20;

const CHECKS: Readonly<Record<PullRequestGround['checks'], string>> = {
  waiting: 'they have not finished yet',
  green: 'they are green on this head',
  red: 'they are red on this head',
  none: 'none ran on this head',
  moved: 'others have pushed since, so that they are no longer followed',
};

/** The title is one line of at most 100 characters, the body Markdown of at most 60,000 with the marker as its last line. */
export function renderPullRequest(ground: PullRequestGround): { readonly title: string; readonly body: string } {
  const { place } = ground;
  const shown = filterIssue(ground.issue, place);
  const links = buildSourceLinks(place, shown.issue);
  const body = renderPage({
    open: [
      ...renderFirstLines(shown.issue, ground),
      text(describeAim(ground, shown.issue.analysis)),
      ...causeBlocks(shown.issue, links),
      ...renderChange(shown.issue, links),
      text(describeChecked(ground)),
      ...remarkBlocks(shown.issue, { kind: 'none' }, links),
    ],
    folds: [foldReproduction(shown, links), foldInvestigation(shown, links)],
    footer: renderFooter(ground),
    marker: place.marker,
  });
  return { title: renderTitle(shown.issue, MAX_TITLE), body };
}

/** Such as `Fix: checkout crashes for some coupons`; the subject's own words, disarmed. */
function renderTitle({ problem, analysis }: SourcedIssue, max: number): string {
  // An issue brings a title, by which everyone knows it already; it is the first line of its report.
  const told = analysis.origin === 'github-issue' ? analysis.report : problem;
  const [first = ''] = told.trim().split('\n');
  const lead = 'Fix: ';
  const words = plainWords(first, max - lead.length).replace(/^fix(?:e[sd])?\b:?\s*/i, '');
  return `${lead}${words || 'a reported problem'}`;
}

/** Where the branch has done without it since, that is what there is to know first. */
function renderFirstLines({ analysis }: SourcedIssue, { failure }: PullRequestGround): readonly Block[] {
  const since = failure === undefined ? '' : describeSince(failure);
  const confidence = analysis.confidence === null ? '' : ` · confidence ${Math.round(analysis.confidence * 100)} %`;
  const found = `Cause found and fixed here${confidence}`;
  return since === ''
    ? [text(`**${found} · please review as you would an outside contribution**`)]
    : [text(since), text(found)];
}

/** The only closing keyword there is comes from us, and only for the issue that was analysed to its end. */
function describeAim(
  { place: { subject }, failure }: PullRequestGround,
  { outcome, partial }: SourcedIssue['analysis'],
): string {
  switch (subject.kind) {
    case 'issue':
      return outcome === 'code_fix' && !partial
        ? `Fixes #${subject.number}.`
        : `For #${subject.number}, which it may not settle.`;
    case 'pull_request':
      return `For the checks of #${subject.number}: it goes into the branch of that pull request.`;
    case 'failure':
      return failure === undefined ? 'For red checks.' : describeFailure(failure);
    case 'report':
      return 'For a report that came through the API.';
  }
}

function renderChange(issue: SourcedIssue, links: SourceLinks): readonly Block[] {
  const verbs = { added: 'new', deleted: 'deleted', modified: 'edited', renamed: 'renamed' };
  const lines = issue.diff.files.map(({ fileName, status = 'modified' }) =>
    formatBullet(`${formatCodeSpan(fileName)} (${verbs[status]})`),
  );
  const more = lines.length - FILES_SHOWN;
  const list = [...lines.slice(0, FILES_SHOWN), ...(more > 0 ? [`- and ${more} more`] : [])];
  return [
    ...(lines.length === 0 ? [] : [text(`What changes:\n${list.join('\n')}`)]),
    ...renderWhatToDo(issue, links, 'How the fix works:'),
  ];
}

function describeChecked({ attempt, checks }: PullRequestGround): string {
  const red = attempt?.failedChecks.slice(0, 10).map(formatCodeSpan).filter(Boolean).join(', ') ?? '';
  return [
    'Checked: the cause against the source of the commit that it is made for, and that the change applies to it.',
    `Not checked: no code was run. The checks of this repository do that: ${CHECKS[checks]}.`,
    ...(attempt === null
      ? []
      : [`Further attempt ${attempt.number}${red === '' ? '' : `, after red checks: ${red}`}.`]),
  ].join('\n');
}

function renderFooter({ place, requestedBy, isForPush = false, commentUrl }: PullRequestGround): string {
  return [
    ...(requestedBy === '' ? [] : [`${isForPush ? 'after a push by' : 'asked for by'} ${formatCodeSpan(requestedBy)}`]),
    ...(isOfRepository(commentUrl, place) ? [`[how it was found](${commentUrl})`] : []),
    describeWayBack(place),
  ].join(' · ');
}

/** Markdown of a few lines. */
function describeFailure({ branch, failure, range }: MendedFailure): string {
  const { checkNames: names, headline } = failure;
  return [
    `For red checks of ${formatCodeSpan(branch)}${names.length === 0 ? '' : `: ${listCheckNames(names)}`}.`,
    ...(headline === '' ? [] : [`First error: ${formatCodeSpan(withoutTime(headline))}`]),
    ...(range === null ? [] : listRange(range)),
  ].join('\n');
}

function listRange(range: CommitRange): readonly string[] {
  const { from, to, total } = range;
  const count = `${total.toLocaleString('en')} ${total === 1 ? 'commit' : 'commits'}`;
  const ends = `Green at ${formatCodeSpan(from.slice(0, 12))}, red at ${formatCodeSpan(to.slice(0, 12))}, ${count} later:`;
  const { shown, more } = pickCommits(range);
  const lines = shown.map(({ commit: { sha, author, subject }, likeliest }) => {
    const by = author === '' ? '' : ` by ${formatCodeSpan(author)}`;
    return `- ${formatCodeSpan(sha.slice(0, 12))}${by}: ${inertInline(subject, 100)}${likeliest}`;
  });
  return [ends, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])];
}

/** Bold, one line: what there is to do about a change that its branch has done without; "" where it has not. */
function describeSince({ branch, since }: MendedFailure): string {
  if (since === null) return '';
  const main = formatCodeSpan(branch);
  const green = formatCodeSpan(since.sha.slice(0, 7));
  return since.kind === 'gone'
    ? `**Not red on ${main} any more since ${green}, without this change · next: close this, unless it is wanted all the same**`
    : `**Red on ${main} again: it was mended at ${green} without this change, and is back · next: see whether this still fits, else close it**`;
}

const COMMITS_SHOWN = 5;

const MAX_REASON = 300;

interface ShownCommit {
  readonly commit: CommitRange['commits'][number];
  /** Markdown to stand behind it; "" for all but the likeliest. */
  readonly likeliest: string;
}

/** The newest first, but for the likeliest where one stands out; `more`: how many are not shown. */
export function pickCommits({ commits, total, likeliest }: CommitRange): {
  readonly shown: readonly ShownCommit[];
  readonly more: number;
} {
  const first = commits.filter(({ sha }) => sha === likeliest?.sha);
  const others = commits.filter(({ sha }) => sha !== likeliest?.sha);
  const shown = [
    ...first.map((commit) => ({
      commit,
      likeliest: ` · the likeliest: it ${inertInline(likeliest?.reason ?? '', MAX_REASON)}`,
    })),
    ...others.map((commit) => ({ commit, likeliest: '' })),
  ].slice(0, COMMITS_SHOWN);
  return { shown, more: total - shown.length };
}

const MAX_HEADLINE = 72;

const MAX_BODY = 800;

const ORIGINS: Readonly<Record<Subject['kind'], string>> = {
  issue: 'an issue',
  pull_request: 'red checks of a pull request',
  failure: 'red checks of a branch',
  report: 'a report',
};

/**
 * `headline` is one line of at most 72 characters. Neither part mentions, refers, closes, skips checks or adds trailers: a reference
 * to the subject would show there again with every push, and the pull request has it.
 */
export function renderCommitMessage(
  whole: SourcedIssue,
  subject: Subject,
): { readonly headline: string; readonly body: string } {
  // A commit outlives what a repository is today: private ones become public.
  const { issue } = filterIssue(whole, { isPublic: true });
  const cause = plainWords(firstSentences(issue.rootCause, 3).first.replace(/(?<!\s)\s*\[step \d+\]/g, ''), MAX_BODY);
  const origin = ORIGINS[subject.kind];
  const body = [cause, `Proposed by Causeway from ${origin}; the pull request says how it is known.`];
  return { headline: renderTitle(issue, MAX_HEADLINE), body: body.filter((part) => part !== '').join('\n\n') };
}
