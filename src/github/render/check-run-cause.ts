// What our check run says of one cause: whose it is and why, since when, what was found, and what to do next.

import { describeReason } from '../../core/check.ts';
import { formatBullet, formatCodeSpan, inertInline } from '../../core/markdown/github.ts';
import { describeWaitReason } from '../../core/reason.ts';
import { buildSourceLinks, filterIssue, type SourcedIssue } from '../../core/shown-issue.ts';

import { inOrder } from './attribute-failure.ts';
import {
  type Cause,
  type CheckRunGround,
  errorLines,
  isRed,
  isRepeated,
  quotedLine,
  shownError,
  tellsCause,
  uncited,
} from './check-run-ground.ts';
import { isForHere, knownBlocks, nextAction, rangeBlocks } from './check-run-next.ts';
import { capital, ownWords, verdictWords } from './check-run-title.ts';
import { isOfRepository } from './comment.ts';
import {
  diffFold,
  reasonBlocks,
  remarkBlocks,
  causeBlocks as rootCause,
  stepBlocks,
  suspectBlocks,
} from './issue-parts.ts';
import { describeNotBegun } from './not-begun.ts';
import { type Block, code, type Fold, text } from './page.ts';

const CHECKS_NAMED = 5;
const REASONS_SHOWN = 6;
const TESTS_SHOWN = 20;

/** For the summary. */
export function causeBlocks(ground: CheckRunGround, cause: Cause): readonly Block[] {
  const { finding, fix } = cause;
  const refused = fix.kind === 'on_request' ? fix.refused : '';
  return [
    text(`**${verdictWords(ground, cause)} · ${nextAction(ground, cause)}**`),
    text(
      `In ${namedChecks(ground, cause)}${finding.excerpt.step === '' ? '' : `, at ${formatCodeSpan(finding.excerpt.step)}`}`,
    ),
    text(reasonsOf(cause).map(formatBullet).join('\n')),
    code(ownWords(cause) === '' ? errorLines(shownError(finding.excerpt)) : ''),
    ...inquiryBlocks(ground, cause),
    text(refused === '' ? '' : `No pull request was opened: ${inertInline(refused, 600)}`),
    ...knownBlocks(ground, cause),
    ...rangeBlocks(ground, cause),
  ];
}

/** Without what stands elsewhere in the same text: the error below it, and how often it was seen. */
function reasonsOf(cause: Cause): readonly string[] {
  const { finding, failure } = cause;
  const shown = shownError(finding.excerpt);
  const isCounted = failure !== null && finding.standing !== 'new' && finding.verdict !== 'flaky';
  const reasons = finding.reasons
    .filter((reason) => !isRepeated(reason, shown) && !(isCounted && reason.code === 'seen_before'))
    .slice(0, REASONS_SHOWN)
    .map((reason) => inertInline(capital(describeReason(reason)), 400));
  return [...saidOf(cause), ...reasons];
}

/** What the check says of itself, or why there is nothing to be read of it. */
function saidOf(cause: Cause): readonly string[] {
  const own = ownWords(cause);
  const { lines, cut } = cause.finding.excerpt;
  const { reasons } = cause.finding;
  const isUnread = lines.length === 0 && cut !== '' && !reasons.some(({ code }) => code === 'no_log');
  const isSaidAlready = own === '' || reasons.some((reason) => quotedLine(reason).includes(own));
  return [
    ...(isSaidAlready ? [] : [`It says: ${formatCodeSpan(own)}`]),
    ...(isUnread ? [inertInline(capital(cut), 300)] : []),
  ];
}

/** For the text below the summary. `lines`: of the log. */
export function detailBlocks(ground: CheckRunGround, cause: Cause, lines: number): readonly Block[] {
  const { finding } = cause;
  const { excerpt } = finding;
  const shown = excerpt.lines.slice(0, lines);
  const more = excerpt.lines.length - shown.length;
  const cut = [inertInline(excerpt.cut, 300), more > 0 ? `${more} lines are not shown here` : ''].filter(isSaid);
  const what = excerpt.step === '' ? 'What it says' : 'Log';
  const name = formatCodeSpan(inOrder(finding.checks)[0]?.name ?? '') || 'a check';
  const title = ground.causes.length === 1 ? what : `${name}: ${lowered(what)}`;
  return [
    ...(shown.length === 0 ? [] : [text(`**${title}**`), code(shown.join('\n'), 'text')]),
    // Without lines it says why there is no log, which stands with the reasons.
    text(shown.length === 0 || cut.length === 0 ? '' : `Cut: ${cut.join('; ')}.`),
    ...(shownError(excerpt).test !== '' && excerpt.tests.length === 1 ? [] : testBlocks(excerpt.tests)),
    ...whatToDo(ground, cause),
  ];
}

/** The change, so that it can be read before it is asked for; all of the result where there is nothing left to be done. */
export function causeFolds(ground: CheckRunGround, cause: Cause): readonly Fold[] {
  const { inquiry, fix, finding } = cause;
  if (inquiry.kind !== 'concluded') return [];
  if (!isRed(finding)) return [formerFold(ground, cause)];
  if (fix.kind === 'opened' || !isForHere(ground, cause)) return [];
  return [diffFold(inquiry.changeSet, filterIssue(inquiry.issue, ground))];
}

function formerFold(ground: CheckRunGround, cause: Cause): Fold {
  const { inquiry } = cause;
  if (inquiry.kind !== 'concluded') return { summary: '', blocks: [] };
  const { blocks } = diffFold(inquiry.changeSet, filterIssue(inquiry.issue, ground));
  return {
    summary: 'What was found while it was red',
    blocks: [...resultBlocks(ground, inquiry.issue), ...stepsOf(ground, inquiry.issue), ...blocks],
  };
}

function namedChecks(ground: CheckRunGround, { finding }: Cause): string {
  const named = inOrder(finding.checks)
    .slice(0, CHECKS_NAMED)
    .map(({ name, url }) => {
      const span = formatCodeSpan(name) || '–';
      return isOfRepository(url, ground) ? `[${span}](${url})` : span;
    });
  const more = finding.checks.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function inquiryBlocks(ground: CheckRunGround, cause: Cause): readonly Block[] {
  const { inquiry, finding } = cause;
  switch (inquiry.kind) {
    case 'none':
      return [
        text(
          finding.notBegun === null
            ? ''
            : `Not looked into further: ${inertInline(describeNotBegun(finding.notBegun), 400)}`,
        ),
      ];
    case 'running':
      return [
        text(
          inquiry.waitsFor === null
            ? ''
            : `Waiting for ${describeWaitReason(inquiry.waitsFor)}; resumes automatically.`,
        ),
      ];
    case 'lost':
      return [text('What was found about it has been erased.')];
    case 'ended':
      return [text(`No result: ${inertInline(inquiry.reason.detail, 600)}`)];
    case 'concluded':
      return isRed(finding) ? resultBlocks(ground, inquiry.issue) : [];
  }
}

/** How sure it is stands beside the cause: it says nothing of whose fault that is. */
function resultBlocks(ground: CheckRunGround, whole: SourcedIssue): readonly Block[] {
  const { issue } = filterIssue(whole, ground);
  const links = buildSourceLinks(ground, issue);
  const { confidence } = issue.analysis;
  return [
    text(confidence === null || !tellsCause(whole) ? '' : `Cause, ${Math.round(confidence * 100)} % sure:`),
    ...rootCause({ ...issue, rootCause: uncited(issue.rootCause) }, links),
    ...reasonBlocks(issue, links),
    ...suspectBlocks(issue, links),
  ];
}

function testBlocks(tests: readonly string[]): readonly Block[] {
  if (tests.length === 0) return [];
  const shown = tests.slice(0, TESTS_SHOWN).map((name) => formatBullet(formatCodeSpan(name)));
  const more = tests.length - shown.length;
  return [text(['Failed tests:', ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n'))];
}

/** What is not to be mended here is not told how to. */
function whatToDo(ground: CheckRunGround, cause: Cause): readonly Block[] {
  const { inquiry } = cause;
  if (inquiry.kind !== 'concluded' || !isForHere(ground, cause)) return [];
  return stepsOf(ground, inquiry.issue);
}

function stepsOf(ground: CheckRunGround, whole: SourcedIssue): readonly Block[] {
  const { issue } = filterIssue(whole, ground);
  const links = buildSourceLinks(ground, issue);
  const steps =
    issue.solutionSteps.length === 0 ? [] : [text('What to do:'), ...stepBlocks(issue.solutionSteps, links)];
  return [...steps, ...remarkBlocks(issue, { kind: 'none' }, links)];
}

function lowered(words: string): string {
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

function isSaid(words: string): boolean {
  return words !== '';
}
