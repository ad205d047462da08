// Title and body of a pull request: cause, change, how it was checked and what was not.
import type { Issue } from '../../core/issue.ts';
import { bullet, codeSpan } from '../../core/markdown/github.ts';
import { shownIssue } from '../../core/shown-issue.ts';
import { type SourceLinks, sourceLinks } from '../../core/source-links.ts';
import { failureAim, sinceThen } from './failure-aim.ts';
import { investigationFold, reproductionFold } from './folds.ts';
import { backAtSubject } from './footer.ts';
import type { PullRequestGround } from './ground.ts';
import { isOfRepository } from './headline.ts';
import { type Block, pageText, text } from './page.ts';
import { plainWords } from './plain-words.ts';
import { causeBlocks, remarkBlocks, whatToDo } from './story.ts';

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
export function pullRequestText(ground: PullRequestGround): { readonly title: string; readonly body: string } {
  const { place } = ground;
  const shown = shownIssue(ground.issue, place);
  const links = sourceLinks(place, shown.issue);
  const body = pageText({
    open: [
      ...firstLines(shown.issue, ground),
      text(aim(ground, shown.issue.analysis)),
      ...causeBlocks(shown.issue, links),
      ...changeBlocks(shown.issue, links),
      text(checkedWords(ground)),
      ...remarkBlocks(shown.issue, { kind: 'none' }, links),
    ],
    folds: [reproductionFold(shown, links), investigationFold(shown, links)],
    footer: footer(ground),
    marker: place.marker,
  });
  return { title: fixTitle(shown.issue, MAX_TITLE), body };
}

/** Such as `Fix: checkout crashes for some coupons`; the subject's own words, disarmed. */
export function fixTitle({ problem, analysis }: Issue, max: number): string {
  // An issue brings a title, by which everyone knows it already; it is the first line of its report.
  const told = analysis.origin === 'github-issue' ? analysis.report : problem;
  const [first = ''] = told.trim().split('\n');
  const lead = 'Fix: ';
  const words = plainWords(first, max - lead.length).replace(/^fix(?:e[sd])?\b:?\s*/i, '');
  return `${lead}${words || 'a reported problem'}`;
}

/** Where the branch has done without it since, that is what there is to know first. */
function firstLines({ analysis }: Issue, { failure }: PullRequestGround): readonly Block[] {
  const since = failure === undefined ? '' : sinceThen(failure);
  const confidence = analysis.confidence === null ? '' : ` · confidence ${Math.round(analysis.confidence * 100)} %`;
  const found = `Cause found, and mended here${confidence}`;
  return since === '' ? [text(`**${found} · next: review it as a stranger's change**`)] : [text(since), text(found)];
}

/** The only closing keyword there is comes from us, and only for the issue that was analysed to its end. */
function aim({ place: { subject }, failure }: PullRequestGround, { outcome, partial }: Issue['analysis']): string {
  switch (subject.kind) {
    case 'issue':
      return outcome === 'code_fix' && !partial
        ? `Fixes #${subject.number}.`
        : `For #${subject.number}, which it may not settle.`;
    case 'pull_request':
      return `For the checks of #${subject.number}: it goes into the branch of that pull request.`;
    case 'failure':
      return failure === undefined ? 'For red checks.' : failureAim(failure);
    case 'report':
      return 'For a report that came through the API.';
  }
}

function changeBlocks(issue: Issue, links: SourceLinks): readonly Block[] {
  const verbs = { added: 'new', deleted: 'deleted', modified: 'edited', renamed: 'renamed' };
  const lines = issue.diff.files.map(({ fileName, status = 'modified' }) =>
    bullet(`${codeSpan(fileName)} (${verbs[status]})`),
  );
  const more = lines.length - FILES_SHOWN;
  const list = [...lines.slice(0, FILES_SHOWN), ...(more > 0 ? [`- and ${more} more`] : [])];
  return [
    ...(lines.length === 0 ? [] : [text(`What changes:\n${list.join('\n')}`)]),
    ...whatToDo(issue, links, 'How it mends it:'),
  ];
}

function checkedWords({ attempt, checks }: PullRequestGround): string {
  const red = attempt?.failedChecks.slice(0, 10).map(codeSpan).filter(Boolean).join(', ') ?? '';
  return [
    'Checked: the cause against the source of the commit that it is made for, and that the change applies to it.',
    `Not checked: no code was run. The checks of this repository do that: ${CHECKS[checks]}.`,
    ...(attempt === null
      ? []
      : [`Further attempt ${attempt.number}${red === '' ? '' : `, after red checks: ${red}`}.`]),
  ].join('\n');
}

function footer({ place, requestedBy, isForPush = false, commentUrl }: PullRequestGround): string {
  return [
    ...(requestedBy === '' ? [] : [`${isForPush ? 'after a push by' : 'asked for by'} ${codeSpan(requestedBy)}`]),
    ...(isOfRepository(commentUrl, place) ? [`[how it was found](${commentUrl})`] : []),
    backAtSubject(place),
  ].join(' · ');
}
