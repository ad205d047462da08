// The texts of our check run below its title: a summary of cause and next step, the log and the fix, and annotations in the code.

import type { UnreadFile } from 'causeway-ci-log';
import { isSafePath } from 'causeway-paths';
import { formatCodeSpan, sanitiseInline } from 'causeway-safe-markdown';
import { sanitiseText } from 'causeway-visible-text';
import {
  type CommitRange,
  describeBisect,
  describeDays,
  describeNotBegun,
  describeReason,
  describeUnread,
  type Finding,
  isMoreThanOnBase,
  isUntold,
  judgeWhose,
  mayNameCommits,
  type Override,
  type Reason,
  removeDuration,
  splitError,
} from '../../core/check/index.ts';
import {
  buildLineAddress,
  buildSourceLinks,
  filterIssue,
  findContextFile,
  removeCitations,
  type SourcedIssue,
  splitSentences,
  TOUCHED_BY_CHANGE,
} from '../../core/issue/index.ts';
import { hasCause } from '../../core/outcome/index.ts';
import { describeWaitReason } from '../../core/reason.ts';
import {
  type Attribution,
  answerWhose,
  attributeFailure,
  attributeJudged,
  type CauseFix,
  type CauseInquiry,
  type CheckRunContent,
  describeFailed,
  describeInMarkdown,
  findBase,
  findCauseIssue,
  findRangeOf,
  formatPlainLabel,
  isOnDefault,
  isRed,
  linkIssue,
  nameChecks,
  readOutput,
  type ShownCause,
} from './check-run-title.ts';
import { isOfRepository, linkNumber, sortByName } from './comment.ts';
import {
  describeEffort,
  foldDiff,
  renderCause,
  renderGuards,
  renderReason,
  renderSteps,
  renderSuspects,
  renderWithheld,
} from './issue-parts.ts';
import { type Block, code, describeCount, type Fold, formatList, renderMarkdownPage, text } from './page.ts';
import { listCommits } from './pull-request.ts';
import { linkRevert, renderCauseRevert } from './revert.ts';

/** GitHub's limit for each text, in bytes. */
const MAX_BYTES = 65_535;
const NAMES_SHOWN = 10;
const CHECKS_SHOWN = 5;
const REASONS_SHOWN = 6;
const TESTS_SHOWN = 20;
/** Lines of a log that are open; a log of a few more is shown whole. */
const LOG_LINES_OPEN = 10;
const LOG_LINES_WHOLE = 14;
/** Above the line that names the error. */
const LOG_LINES_BEFORE = 2;
const FILE_NAME_CHARACTERS = 100;
const SAID_CHARACTERS = 300;
const SHA = /^[0-9a-f]{40,64}$/;

/** The first size that fits is taken. `lines`: of a log, if there are at most two causes. */
const SIZES = [
  { causes: 10, lines: 60, most: 60_000, mostOpen: 24_000, hasFolds: true },
  { causes: 5, lines: 20, most: 30_000, mostOpen: 20_000, hasFolds: false },
] as const;

/** Markdown of at most 65,535 bytes: whose the red checks are; each cause in a line; what is known of each, of those that are not the change's folded. */
export function renderSummary(content: CheckRunContent): string {
  const { causes, head, notRead = '' } = content;
  return fitBytes((size) => {
    const more = causes.length - size.causes;
    const leftOut = head.leftOut.map(
      ({ name, reason }) => `${formatCodeSpan(name) || '–'}: ${sanitiseInline(reason, 300)}`,
    );
    const waiting = head.stillWaiting.map((name) => formatCodeSpan(name) || '–');
    const moreWaiting = waiting.length > NAMES_SHOWN ? ` and ${waiting.length - NAMES_SHOWN} more` : '';
    const shown = causes.slice(0, size.causes);
    const answer = isLiveHead(head) ? answerWhose(content) : '';
    const isFolded = (cause: ShownCause) => size.hasFolds && isForeign(content, cause);
    return renderMarkdownPage({
      open: [
        text(describeCheckedHead(content)),
        text(answer === '' ? '' : `**${answer}.**`),
        ...nameCauses(content, shown),
        text(more > 0 ? `${describeCount(more, 'more cause')} not shown.` : ''),
        ...shown.flatMap((cause) => (isFolded(cause) ? [] : summariseCause(content, cause))),
        text(leftOut.length === 0 ? '' : `Also failing, not analysed:\n${formatList(leftOut, NAMES_SHOWN)}`),
        text(
          waiting.length === 0 ? '' : `Still waiting for ${waiting.slice(0, NAMES_SHOWN).join(', ')}${moreWaiting}.`,
        ),
        text(notRead),
      ],
      folds: shown.flatMap((cause, at) =>
        isFolded(cause)
          ? [{ summary: `More on cause ${at + 1}`, blocks: summariseCause(content, cause) }]
          : foldFailedBefore(cause, causes.length === 1 ? '' : ` (cause ${at + 1})`),
      ),
      mostOpen: size.mostOpen,
    });
  });
}

/** Tests of the same checks that fail on the base too: what is shown is about the others. */
function foldFailedBefore({ finding }: ShownCause, of: string): readonly Fold[] {
  const tests = listFailedBefore(finding);
  if (tests.length === 0) return [];
  const fail = tests.length === 1 ? 'test fails' : 'tests fail';
  const summary = `${tests.length} other ${fail} on the base too, not because of this change${of}`;
  return [{ summary, blocks: [text(formatList(tests.map(formatCodeSpan), TESTS_SHOWN))] }];
}

function listFailedBefore({ reasons, verdict }: Finding): readonly string[] {
  if (verdict === 'base_broken') return [];
  return reasons.flatMap((reason) => (reason.code === 'red_on_base' ? (reason.tests ?? []) : []));
}

/** Whether it is one of several causes, and not the change's: whoever reads it has others to look at first. */
function isForeign(content: CheckRunContent, cause: ShownCause): boolean {
  if (content.causes.length === 1) return false;
  if (isOnDefault(content)) return cause.finding.verdict === 'base_broken';
  return judgeWhose(cause.finding, cause.failure) === 'not_this_change';
}

function isLiveHead({ state }: CheckRunContent['head']): boolean {
  return state === 'red' || state === 'waiting' || state === 'green';
}

/** Each cause in one line: whose or what it is, why, and what to do; of several also which checks. */
function nameCauses(content: CheckRunContent, causes: readonly ShownCause[]): readonly Block[] {
  const lines = causes.map((cause) => {
    const { override } = cause.finding;
    const lead = override === undefined ? nameJudged(content, cause) : nameSaid(content, cause, override);
    return { lead, next: describeNextInCheckRun(content, cause), checks: nameChecks(cause, formatCodeSpan) };
  });
  const [only] = lines;
  if (only === undefined) return [];
  if (lines.length === 1) return [text(`**${only.lead} · ${only.next}**`)];
  return [text(lines.map(({ lead, next, checks }, at) => `${at + 1}. ${checks}: **${lead}** · ${next}`).join('\n'))];
}

/** Whose or what it was judged to be, and why. */
function nameJudged(content: CheckRunContent, cause: ShownCause): string {
  const source = attributeJudged(content, cause);
  const reason = findLineReason(cause, source);
  const why = reason === undefined ? '' : `: ${sanitiseInline(describeReason(reason), 400)}`;
  return `${describeInMarkdown(content, cause, source)}${why}`;
}

function nameSaid(content: CheckRunContent, cause: ShownCause, override: Override): string {
  return `${describeInMarkdown(content, cause, { kind: 'said', override })}${quoteSaid(override)}`;
}

function quoteSaid({ reason }: Override): string {
  return reason === '' ? '' : `: “${sanitiseInline(reason, SAID_CHARACTERS)}”`;
}

/** What was said of an earlier failure of the same check. */
function describeLapsed(override: Override): string {
  const { whose, by } = override;
  const who = (by !== null && formatCodeSpan(by.login)) || 'Someone with write access';
  const what = whose === 'mine' ? "this change's" : "not this change's";
  return `${who} called another failure here ${what}${quoteSaid(override)}. That no longer applies: this is a different failure.`;
}

/** Markdown of at most 65,535 bytes: the log, failed tests, what to do and the diff, and how to re-run. */
export function renderDetails(content: CheckRunContent): string {
  return fitBytes((size) => {
    const causes = content.causes.slice(0, size.causes);
    const lines = Math.min(size.lines, Math.ceil((2 * size.lines) / Math.max(1, causes.length)));
    const isFolded = (cause: ShownCause) => size.hasFolds && isForeign(content, cause);
    return renderMarkdownPage({
      open: causes.flatMap((cause) => (isFolded(cause) ? [] : renderCauseDetails(content, cause))),
      folds: size.hasFolds
        ? causes.flatMap((cause, at) => {
            const of = causes.length === 1 ? '' : ` of cause ${at + 1}`;
            if (isFolded(cause)) return [{ summary: `Log${of}`, blocks: renderCauseDetails(content, cause) }];
            return [...foldExcerpt(cause, lines, of), ...foldFix(content, cause)];
          })
        : [],
      footer: renderCheckRunFooter(content),
      most: size.most,
      mostOpen: size.mostOpen,
    });
  });
}

function fitBytes(render: (size: (typeof SIZES)[number]) => string): string {
  const rendered = SIZES.map((size) => render(size).trim());
  return rendered.find((one) => Buffer.byteLength(one) <= MAX_BYTES) ?? '';
}

function describeCheckedHead({ head: { state, place }, causes }: CheckRunContent): string {
  switch (state) {
    case 'superseded': {
      const isClosed = place?.kind === 'pull_request' && place.isClosed === true;
      return `${isClosed ? 'The pull request is closed' : 'A newer commit replaced this one'}, so nothing more is analysed here.`;
    }
    case 'ignored':
      return 'The checks of this commit are no longer analysed.';
    case 'green':
      return causes.length === 0 ? 'The failing checks have passed since.' : 'All checks pass now. They failed before:';
    default:
      return '';
  }
}

function renderCheckRunFooter(content: CheckRunContent): string {
  const { head, causes } = content;
  const results = causes.flatMap((cause) => {
    const { inquiry } = cause;
    if (inquiry.kind !== 'concluded') return [];
    return [`${nameOther(content, cause, inquiry.issue)}${describeEffort(inquiry.issue, inquiry.recordUrl)}`];
  });
  return [
    ...(results.length === 1 ? results : []),
    head.place?.kind === 'pull_request'
      ? 'comment `/analyse retry <hint>` on the pull request to re-run'
      : 'to investigate further, open an issue with this log and comment `/analyse`',
  ].join(' · ');
}

/** Whose analysis it is, where this head had none of its own; "" where it had. */
function nameOther(content: CheckRunContent, cause: ShownCause, { analysis: { revision } }: SourcedIssue): string {
  const source = attributeJudged(content, cause);
  if (source.kind === 'elsewhere') return `analysis of ${linkPull(content, source.number)}: `;
  return revision === content.head.sha ? '' : 'analysis of another commit: ';
}

function summariseCause(content: CheckRunContent, cause: ShownCause): readonly Block[] {
  const { finding, fix } = cause;
  const { excerpt } = finding;
  const output = readOutput(finding);
  const { error, test } = splitError(excerpt);
  const next = describeNextInCheckRun(content, cause);
  const { override, lapsed } = finding;
  // That it is known is people's word as well, and stands with the reasons.
  const isJudged = attributeJudged(content, cause).kind !== 'known';
  return [
    text(override === undefined || !isJudged ? '' : `Judged automatically as: ${nameJudged(content, cause)}`),
    text(lapsed === undefined ? '' : describeLapsed(lapsed)),
    text(
      `Failing: ${renderCheckList(content, finding)}${excerpt.step === '' ? '' : `, step ${formatCodeSpan(excerpt.step)}`}`,
    ),
    text(formatList(listReasons(content, cause), REASONS_SHOWN + 2)),
    text(describeChangedLines(content, cause)),
    code(output === '' ? [test, error].filter(Boolean).join('\n') : ''),
    ...summariseInquiry(content, cause),
    renderWithheld(fix.kind === 'on_request' ? fix.refused : ''),
    text(describeFailureHistory(content, cause, next)),
    text(formatDays(cause.days ?? [])),
    ...describeRangeInCheckRun(content, cause),
    ...renderCauseRevert(cause.revert ?? { kind: 'none' }, content),
  ];
}

/** Where the change under test touches what fails, or else what the failing test uses; "" where that is not known. */
function describeChangedLines(content: CheckRunContent, { finding }: ShownCause): string {
  const { verdict, reached = [] } = finding;
  if (content.head.place?.kind !== 'pull_request' || !isRed(finding)) return '';
  if (verdict !== 'code' && verdict !== 'inconclusive') return '';
  const known = reached.filter(({ path, lines = [] }) => lines.length > 0 && isSafePath(path));
  const certain = known.filter(({ isCertain }) => isCertain);
  const places = (certain.length > 0 ? certain : known)
    .slice(0, CHANGED_FILES_SHOWN)
    .flatMap(({ path, lines = [] }) => lines.slice(0, CHANGED_PLACES_SHOWN).map((span) => ({ path, ...span })));
  const links = places.map(({ path, from, to }) => {
    const label = formatCodeSpan(`${path}:${from}${to > from ? `-${to}` : ''}`);
    const address = buildLineAddress(content, content.head.sha, { path, from, to });
    return address === null ? label : `[${label}](${address})`;
  });
  return links.length === 0 ? '' : `Changed here: ${links.join(', ')}`;
}

const CHANGED_FILES_SHOWN = 3;
const CHANGED_PLACES_SHOWN = 2;

function renderCheckList(content: CheckRunContent, { checks }: Finding): string {
  const named = sortByName(checks)
    .slice(0, CHECKS_SHOWN)
    .map(({ name, url }) => {
      const span = formatCodeSpan(name) || '–';
      return isOfRepository(url, content) ? `[${span}](${url})` : span;
    });
  const more = checks.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The first that speaks for the verdict. What an earlier push broke has no reason in this one. */
function findLineReason(cause: ShownCause, source: Attribution): Reason | undefined {
  // What the checks alone say stands below, and people's word in the line.
  if (source.kind === 'since' || source.kind === 'known') return undefined;
  const { verdict } = cause.finding;
  const isOther = ({ code: reason }: Reason) =>
    (reason === 'untouched' && verdict === 'code') || (reason === 'only_documentation' && source.kind === 'found');
  return listOwnReasons(cause, source).find((reason) => !isOther(reason));
}

/** Those that do not stand in the line of the cause. */
function listReasons(content: CheckRunContent, cause: ShownCause): readonly string[] {
  const { excerpt, reasons } = cause.finding;
  const source = attributeJudged(content, cause);
  const inLine = findLineReason(cause, source);
  const shown = listOwnReasons(cause, source)
    .filter((reason) => reason !== inLine)
    .slice(0, REASONS_SHOWN)
    .map((reason) => sanitiseInline(capitalise(describeReason(reason)), 400));
  const output = readOutput(cause.finding);
  const isQuoted = output === '' || reasons.some((reason) => getQuote(reason).includes(output));
  const isUnread = excerpt.lines.length === 0 && excerpt.cut !== '' && !reasons.some(({ code }) => code === 'no_log');
  return [
    ...(isQuoted ? [] : [`The check reports: ${formatCodeSpan(output)}`]),
    ...(isUnread ? [sanitiseInline(capitalise(excerpt.cut), 300)] : []),
    ...describeKnown(content, cause.finding),
    ...shown,
  ];
}

/** What the checks have to do with an issue that people tied such failures to, beside what the checks say of themselves. */
function describeKnown(content: CheckRunContent, { known, verdict, checks }: Finding): readonly string[] {
  if (known === undefined || !checks.some((check) => check.isRed)) return [];
  const link = linkIssue(content, known.issue);
  switch (known.code) {
    case 'known':
      return [`People tied it to ${link}; the checks alone: ${ALONE[verdict]}`];
    case 'touched': {
      const path = formatCodeSpan(known.path);
      const why = path === '' ? 'this pull request may change what fails' : `this pull request changes ${path}`;
      return [`It looks like ${link}, but ${why}, so it isn't taken as known`];
    }
    case 'returned': {
      const day = known.endedAt.slice(0, 10).replace(/[^\d-]/g, '');
      const besides = isOnDefault(content) ? '' : ', unless this branch is older than the fix';
      return [`Regression: ${link} was closed on ${day}, and this is the same failure${besides}`];
    }
  }
}

const ALONE: Readonly<Record<Finding['verdict'], string>> = {
  code: 'the code is to blame',
  base_broken: 'the base is broken',
  flaky: 'flaky',
  infrastructure: 'the machine is to blame',
  inconclusive: "can't tell",
};

/** Without what is shown elsewhere in the same text: the error, how often it was seen, and what the source says. */
function listOwnReasons({ finding, failure }: ShownCause, source: Attribution): readonly Reason[] {
  const { error, test } = splitError(finding.excerpt);
  const isRepeated = (reason: Reason) => {
    const isMore = (reason.code === 'says' && reason.isAll) || (reason.code === 'test_failed' && reason.others > 0);
    const quote = isMore ? '' : removeDuration(getQuote(reason));
    return (
      quote !== '' && [error, test].some((line) => line.startsWith(quote) || (line !== '' && line.endsWith(quote)))
    );
  };
  const hasHistory = failure !== null && finding.standing !== 'new' && finding.verdict !== 'flaky';
  const isSaid = ({ code }: Reason) =>
    (hasHistory && code === 'seen_before') ||
    (source.kind === 'here' && source.base === 'green' && code === 'green_on_base') ||
    (code === 'red_on_base' && listFailedBefore(finding).length > 0);
  return finding.reasons.filter((reason) => !isRepeated(reason) && !isSaid(reason));
}

/** What a reason quotes of the check; "" for nothing. */
function getQuote(reason: Reason): string {
  if (reason.code === 'says') return reason.headline;
  return reason.code === 'test_failed' ? reason.test : '';
}

function summariseInquiry(content: CheckRunContent, cause: ShownCause): readonly Block[] {
  const { inquiry, finding } = cause;
  const { notBegun } = finding;
  switch (inquiry.kind) {
    case 'none':
      // Of these the bold line says it already.
      if (notBegun === null || [finding.verdict, 'known', 'not_mine'].includes(notBegun.code)) return [];
      return [text(`Not investigated: ${sanitiseInline(describeNotBegun(notBegun), 400)}`)];
    case 'running': {
      const { waitsFor } = inquiry;
      return [text(waitsFor === null ? '' : `Waiting for ${describeWaitReason(waitsFor)}; resumes automatically.`)];
    }
    case 'deleted':
      return [text('The analysis of this failure was deleted.')];
    case 'ended':
      return [text(`No result: ${sanitiseInline(inquiry.reason.detail, 600)}`)];
    case 'concluded':
      return isRed(finding) ? summariseResult(content, inquiry.issue, cause) : [];
  }
}

function summariseResult(content: CheckRunContent, whole: SourcedIssue, cause: ShownCause): readonly Block[] {
  const { issue } = filterIssue(whole, content);
  const links = buildSourceLinks(content, issue);
  const { confidence, outcome } = issue.analysis;
  if (outcome === 'facts_only') {
    const isNamed = isForHere(content, cause);
    return [
      renderReason(issue, links),
      ...(isNamed ? renderSuspects(keepConnected(issue, cause.finding), links, 'Where to look:') : []),
    ];
  }
  return [
    text(confidence === null || !hasCause(whole) ? '' : `Cause (${Math.round(confidence * 100)} % confidence):`),
    renderCause({ ...issue, rootCause: removeCitations(issue.rootCause) }, links),
    renderReason(issue, links),
    ...renderSuspects(issue, links),
  ];
}

/**
 * A search without a model ranks by words as well. In seven of ten real pull requests it put a file first that has nothing to do
 * with the failure: only files that the log names or the change touches are shown.
 */
function keepConnected(issue: SourcedIssue, { places, changed = [], reached = [] }: Finding): SourcedIssue {
  const suspects = issue.analysis.suspects.flatMap((suspect) => {
    const { file, line } = suspect;
    // Only a stack frame, an error message or a quoted line leads to another repository.
    if (findContextFile(file, issue.analysis.context) !== null) return [suspect];
    const named = places.filter(({ path }) => path === file || path.endsWith(`/${file}`));
    const why = [named.length > 0 ? 'mentioned in the log' : '', changed.includes(file) ? 'touched by the change' : ''];
    const reasons = why.filter(Boolean);
    if (reasons.length === 0) return [];
    const spans = reached.find(({ path }) => path === file)?.lines ?? [];
    const isNamed = named.some((place) => place.line === line);
    const isChanged = spans.some(({ from, to }) => from <= line && line <= to);
    const isOther = !isNamed && !isChanged && (spans.length > 0 || !suspect.reasons.includes(TOUCHED_BY_CHANGE));
    // Words chose a line that neither the log names nor the change touches.
    const known = named.find((place) => place.line > 0)?.line ?? spans[0]?.from ?? 0;
    const at = isOther ? { line: known, function: '' } : {};
    return [{ ...suspect, ...at, reasons }];
  });
  return { ...issue, analysis: { ...issue.analysis, suspects } };
}

/** Sanitised Markdown that completes the bold line of a cause. */
function describeNextInCheckRun(content: CheckRunContent, cause: ShownCause): string {
  const { finding, fix, inquiry } = cause;
  const isOpen = fix.kind === 'opened' && fix.state === 'open';
  if (!isRed(finding)) {
    return `nothing to do, it has passed since${isOpen ? `; ${linkNumber(fix, content)} is still open` : ''}`;
  }
  const isSince = attributeFailure(content, cause).kind === 'since';
  const reverted = describeRevertNext(content, cause);
  if (!isOpen && !isSince && reverted !== '') return reverted;
  if (isOpen && isSince) return `nothing to do here, see ${linkNumber(fix, content)}`;
  const isOfferedAnyway = fix.kind === 'on_request' && finding.override?.whose === 'not_mine';
  if (fix.kind !== 'none' && !isOfferedAnyway) return describeFix(content, fix);
  if (inquiry.kind === 'running') return 'looking for the cause';
  return describeNextBySource(content, cause);
}

/** "": no revert of it is open. */
function describeRevertNext(content: CheckRunContent, { revert }: ShownCause): string {
  if (revert?.kind === 'opening') return 'opening a revert';
  if (revert?.kind !== 'opened' || revert.pull.state !== 'open') return '';
  const proven = revert.pull.proof.kind === 'proven' && !revert.pull.isTaken;
  return `next: review ${linkRevert(revert.pull, content)}, a revert${proven ? ', proven in CI' : ''}`;
}

function describeNextBySource(content: CheckRunContent, cause: ShownCause): string {
  const { verdict, override } = cause.finding;
  if (override?.whose === 'mine') return describeOwnNext(cause);
  const isOwn = verdict === 'code' || verdict === 'inconclusive';
  if (override?.whose === 'not_mine' && isOwn) return 'nothing to do here';
  const judged = attributeJudged(content, cause);
  switch (judged.kind) {
    case 'since':
      return `nothing to do here, see ${linkReport(content, cause, 'its check run') || 'the commits below'}`;
    case 'known':
      return `nothing to do here, people follow it ${override === undefined ? 'there' : `in ${linkIssue(content, judged.number)}`}`;
    case 'base_broken': {
      if (isOnDefault(content)) return 'next: fix what failed before this push';
      const base = formatCodeSpan(findBase(content)) || 'the base';
      const link = linkReport(content, cause, `${base}’s check run`);
      if (isMoreThanOnBase(cause.finding.reasons)) return `next: compare its errors with ${link || `those of ${base}`}`;
      return `nothing to do here, ${link === '' ? `${base} needs a fix` : `follow ${link}`}`;
    }
    case 'flaky':
    case 'documentation':
      return 'next: re-run it';
    case 'infrastructure':
      return 'next: re-run it once the machine has recovered';
    case 'elsewhere':
      return `next: see ${isOfRepository(cause.reportUrl, content) ? `[the analysis there](${cause.reportUrl})` : 'it there'}`;
    default:
      return describeOwnNext(cause);
  }
}

function describeOwnNext({ inquiry, finding }: ShownCause): string {
  if (hasSteps(inquiry)) return 'next: follow the steps below';
  const hasLog = finding.verdict === 'code' || finding.excerpt.lines.length > 0;
  return hasLog ? 'next: read the log below' : 'next: open the check itself';
}

/** Steps without a model say where to look, which the summary does already. */
function hasSteps(inquiry: CauseInquiry): inquiry is Extract<CauseInquiry, { readonly kind: 'concluded' }> {
  if (inquiry.kind !== 'concluded') return false;
  const { solutionSteps, analysis } = inquiry.issue;
  return analysis.outcome !== 'facts_only' && solutionSteps.length > 0;
}

function describeFix(content: CheckRunContent, fix: Exclude<CauseFix, { kind: 'none' }>): string {
  if (fix.kind === 'opening') return 'opening a pull request';
  if (fix.kind === 'on_request') {
    const how = fix.button === null ? 'comment `/analyse fix`' : `click “${fix.button}”`;
    return `next: ${how} to open a pull request (write access required)`;
  }
  const link = linkNumber(fix, content);
  if (fix.isEarlier) return `next: review or close ${link}, still open from last time`;
  if (fix.state === 'merged') return `merged in ${link}`;
  if (fix.state === 'closed') return `${link} was closed without merging`;
  return `next: review ${link}${fix.proof === 'proven' ? ', proven in CI: what failed here passes with it' : ''}`;
}

/** A link to where the failure is described; "" for nowhere. A pull request is named by its number. */
function linkReport(content: CheckRunContent, { reportUrl }: ShownCause, words: string): string {
  if (!isOfRepository(reportUrl, content)) return '';
  const number = /\/pull\/(\d{1,9})(?:#|$)/.exec(reportUrl)?.[1];
  return `[${number === undefined ? words : `#${number}`}](${reportUrl})`;
}

/** Whether the fix belongs here, and not to where the failure comes from. */
function isForHere(content: CheckRunContent, cause: ShownCause): boolean {
  const { kind } = attributeFailure(content, cause);
  if (!isRed(cause.finding) || kind === 'base_broken' || kind === 'documentation' || kind === 'known') return false;
  if (cause.fix.kind === 'on_request') return true;
  return kind !== 'since' && !(kind === 'elsewhere' && isOfRepository(cause.reportUrl, content));
}

/** Since when the failure is known; "" for a new one. `next`: what was said before, which may have the link already. */
function describeFailureHistory(
  content: CheckRunContent,
  { finding, failure, reportUrl }: ShownCause,
  next: string,
): string {
  if (failure === null || finding.standing === 'new') return '';
  const { firstSeen, hits, flakyHits, pullRequests } = failure;
  const { place, sha } = content.head;
  const times = describeCount(hits, 'time');
  const flaky = flakyHits === 0 ? '' : `, ${flakyHits} of them flaky`;
  const isLinked = next.includes(`](${reportUrl})`);
  const details = !isLinked && isOfRepository(reportUrl, content) ? ` [Details](${reportUrl})` : '';
  const own = place?.kind === 'pull_request' ? place.number : null;
  const isOnlyHere = own !== null && firstSeen.pullRequest === own && pullRequests.every((number) => number === own);
  if (isOnlyHere) {
    if (firstSeen.sha === sha) return details.trim();
    return `Failing in this pull request since ${linkCommit(content, firstSeen.sha)} (${times}${flaky}).${details}`;
  }
  const where =
    firstSeen.pullRequest === null
      ? `at ${linkCommit(content, firstSeen.sha)}`
      : `in ${linkPull(content, firstSeen.pullRequest)}`;
  const lead = finding.standing === 'regression' ? 'Regression: it was fixed before. ' : '';
  const day = firstSeen.at.slice(0, 10).replace(/[^\d-]/g, '');
  return `${lead}First seen ${day} ${where}, ${times} in total${flaky}.${details}`;
}

/** As a picture of text: GitHub shows none of ours. */
function formatDays(days: readonly number[]): string {
  const said = describeDays(days);
  return said === '' ? '' : `${said}.`;
}

function linkPull(content: CheckRunContent, number: number): string {
  return `[#${number}](${toAddress(content)}/pull/${number})`;
}

/** The commits between the last that passed on the default branch and the first that failed, and how to bisect them. */
function describeRangeInCheckRun(content: CheckRunContent, cause: ShownCause): readonly Block[] {
  const range = findRangeOf(cause);
  const count = describeCount(range?.total ?? 0, 'commit');
  const lead = describeBlame(content, cause, count);
  if (range === null || lead === '' || !SHA.test(range.from) || !SHA.test(range.to)) return [];
  const ends = `\`${range.from.slice(0, 7)}\`…\`${range.to.slice(0, 7)}\``;
  const between = `[${ends}](${toAddress(content)}/compare/${range.from}...${range.to})`;
  const commits = listCommits(range, ({ sha, author, subject }) => {
    const by = author === '' ? '' : `, by ${formatCodeSpan(author)}`;
    return `${linkCommit(content, sha)} ${formatCodeSpan(subject)}${by}`;
  });
  const untold = isUntold(range) ? '\n\nNothing ties any of them to the failure.' : '';
  return [text(`${lead}, ${between}:\n${commits}${untold}`), ...(isOnDefault(content) ? renderBisect(range) : [])];
}

function renderBisect(range: CommitRange): readonly Block[] {
  const bisect = describeBisect(range);
  if (bisect === null) return [];
  const note = bisect.note === '' ? '' : ` ${bisect.note}`;
  return [text(`To find it at home, in a clone without changes of your own:${note}`), code(bisect.line, 'sh')];
}

/** What the verdict allows to say of the commits; "": nothing. They are not those of a pull request that breaks it. */
function describeBlame(content: CheckRunContent, { finding: { verdict } }: ShownCause, commits: string): string {
  if (verdict === 'base_broken') return `Introduced by ${commits}`;
  if (!isOnDefault(content) || !mayNameCommits(verdict)) return '';
  return verdict === 'code' ? `Introduced by ${commits}` : `${commits} since it last passed`;
}

function linkCommit(content: CheckRunContent, sha: string): string {
  if (!SHA.test(sha)) return formatCodeSpan(sha.slice(0, 12)) || 'a commit';
  return `[\`${sha.slice(0, 7)}\`](${toAddress(content)}/commit/${sha})`;
}

function toAddress({ webUrl, repository }: CheckRunContent): string {
  return `${webUrl}/${repository}`;
}

function renderCauseDetails(content: CheckRunContent, cause: ShownCause): readonly Block[] {
  const { excerpt, checks, reasons, unread = [] } = cause.finding;
  const lines = pickOpenLines(excerpt);
  const isCut = lines.length < excerpt.lines.length;
  const cut = isCut ? '' : sanitiseInline(excerpt.cut, 300).replace(/\.$/, '');
  const what = excerpt.step === '' ? 'Output' : 'Log';
  const name = formatCodeSpan(sortByName(checks)[0]?.name ?? '') || 'a check';
  const title = content.causes.length === 1 ? what : `${name}: ${what.toLowerCase()}`;
  const log = [text(`**${title}**`), code(lines.join('\n'), 'text'), text(cut === '' ? '' : `${capitalise(cut)}.`)];
  const tests = excerpt.tests.map(formatCodeSpan);
  const isNamed = splitError(excerpt).test !== '' || reasons.some(({ code: reason }) => reason === 'test_failed');
  const isTestShown = tests.length === 0 || (tests.length === 1 && isNamed);
  return [
    // Without lines, the reasons say why there is no log.
    ...(lines.length === 0 ? [] : log),
    text(isTestShown ? '' : `Failed tests:\n${formatList(tests, TESTS_SHOWN)}`),
    text(formatUnread(unread)),
    ...(isForHere(content, cause) ? renderCauseSolution(content, cause) : []),
  ];
}

/** The lines around the one that names the error; all, where those are few. */
function pickOpenLines({ lines, headline }: Finding['excerpt']): readonly string[] {
  if (lines.length <= LOG_LINES_WHOLE) return lines;
  const named = lines.findIndex((line) => line.replace(/\s+/g, ' ').trim() === headline.trim());
  const from = Math.max(0, Math.min(named - LOG_LINES_BEFORE, lines.length - LOG_LINES_OPEN));
  return lines.slice(from, from + LOG_LINES_OPEN);
}

/** The whole excerpt, where not all of it is open. `most`: lines. */
function foldExcerpt({ finding: { excerpt } }: ShownCause, most: number, of: string): readonly Fold[] {
  if (pickOpenLines(excerpt).length === excerpt.lines.length) return [];
  const lines = excerpt.lines.slice(0, most);
  const more = excerpt.lines.length - lines.length;
  const notes = [
    sanitiseInline(excerpt.cut, 300).replace(/\.$/, ''),
    more > 0 ? `${describeCount(more, 'more line')} not shown` : '',
  ];
  const cut = notes.filter(Boolean).join('; ');
  const blocks = [code(lines.join('\n'), 'text'), text(cut === '' ? '' : `${capitalise(cut)}.`)];
  return [{ summary: `${describeCount(lines.length, 'line')} of the log${of}`, blocks }];
}

function formatUnread(unread: readonly UnreadFile[]): string {
  if (unread.length === 0) return '';
  const named = unread.map((one) => {
    const name = formatCodeSpan(one.file.slice(0, FILE_NAME_CHARACTERS)) || 'a file';
    return `${name}: ${describeUnread(one)}`;
  });
  return `Result files that are not read:\n${formatList(named, named.length)}`;
}

function renderCauseSolution(content: CheckRunContent, { inquiry }: ShownCause): readonly Block[] {
  if (inquiry.kind !== 'concluded') return [];
  const { issue } = filterIssue(inquiry.issue, content);
  const links = buildSourceLinks(content, issue);
  const steps = hasSteps(inquiry) ? renderSteps(issue.solutionSteps, links, 'What to do:') : [];
  return [...steps, ...renderGuards(issue, links)];
}

/** The diff, to be read before it is requested; of checks that pass by now, everything that was found. */
function foldFix(content: CheckRunContent, cause: ShownCause): readonly Fold[] {
  const { inquiry, fix, finding } = cause;
  if (inquiry.kind !== 'concluded') return [];
  const diff = foldDiff(inquiry.changeSet, filterIssue(inquiry.issue, content));
  if (isRed(finding)) return fix.kind === 'opened' || !isForHere(content, cause) ? [] : [diff];
  if (inquiry.issue.analysis.outcome === 'facts_only') return [];
  const blocks = [
    ...summariseResult(content, inquiry.issue, cause),
    ...renderCauseSolution(content, cause),
    ...diff.blocks,
  ];
  return [{ summary: 'Findings from when it failed', blocks }];
}

function capitalise(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export interface CheckRunAnnotation {
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly message: string;
}

/** GitHub's limit in one call. */
const MAX_ANNOTATIONS = 50;
const ANNOTATIONS_OF_CAUSE = 10;
const MAX_MESSAGE = 1_000;
const MAX_LINE = 10_000_000;
/** A line of a stack: where it was, not what is wrong. */
const FRAME = /^\s*(?:at |File "|from \/)|^\s*\d{1,4}: |\.\w{1,5}:\d{1,6}(?::\d{1,5})?\)?:?(?:in [`'].{1,200})?$/;

/** At most 50, and only for failures that the code may have caused: others have no place in people's diffs. */
export function listAnnotations(content: CheckRunContent): readonly CheckRunAnnotation[] {
  const all = content.causes.flatMap((cause) => annotateCause(content, cause));
  return [...new Map(all.map((one) => [toAnnotationKey(one), one])).values()].slice(0, MAX_ANNOTATIONS);
}

/** Equal for annotations of one line: only the first of them is shown. */
export function toAnnotationKey({ path, line }: Pick<CheckRunAnnotation, 'path' | 'line'>): string {
  return JSON.stringify([path, line]);
}

function annotateCause(content: CheckRunContent, cause: ShownCause): readonly CheckRunAnnotation[] {
  const { finding } = cause;
  const { place } = content.head;
  if (!isRed(finding) || (finding.verdict !== 'code' && finding.verdict !== 'inconclusive')) return [];
  if (finding.override?.whose === 'not_mine') return [];
  // GitHub keeps annotations, and a draft is only investigated once it is ready.
  if (place?.kind === 'pull_request' && place.isDraft && findCauseIssue(cause) === null) return [];
  const source = attributeJudged(content, cause);
  if (source.kind === 'elsewhere' || source.kind === 'since') return [];
  if (source.kind === 'known' || source.kind === 'leaning') return [];
  if (finding.reasons.some(({ code }) => code === 'only_documentation')) return [];
  // It stays where a re-run shows that it was chance, so it blames no change.
  const title = describeFailed(cause);
  const marked = new Set(finding.places.filter(({ isMarked }) => isMarked).map(toAnnotationKey));
  return (findShownSuspect(content, cause) ?? listPlaces(finding))
    .filter(({ path, line }) => isSafePath(path) && Number.isSafeInteger(line) && line > 0 && line < MAX_LINE)
    .filter((one) => !marked.has(toAnnotationKey(one)))
    .slice(0, ANNOTATIONS_OF_CAUSE)
    .map(({ path, line, message }) => ({ path, line, title, message: toMessage(message, finding) }));
}

/** Of a stack only the innermost frame, with the error. */
function listPlaces({ places, excerpt, reasons }: Finding): Finding['places'] {
  const shown = places.filter(({ line }) => line > 0);
  const frames = shown.filter(({ message }) => FRAME.test(message));
  const own = frames.filter(({ path }) => reasons.some((reason) => isNamedBy(reason, path)));
  // Python lists the innermost frame last: of the last of several stacks, which is not that of the error.
  const isLastFirst = frames[0]?.message.trimStart().startsWith('File "') === true;
  const isOfOthers = (isLastFirst && excerpt.tests.length > 1) || reasons.some(isSharedWithBase);
  const stack = own.length > 0 || isOfOthers ? own : frames;
  const innermost = isLastFirst ? stack.at(-1) : stack[0];
  return shown.flatMap((place) => {
    if (!frames.includes(place)) return [place];
    return place === innermost ? [{ ...place, message: splitError(excerpt).error }] : [];
  });
}

/** Whether the reason is about that file; logs name files by the end of their path, or with folders in front. */
function isNamedBy(reason: Reason, path: string): boolean {
  const named = reason.code === 'touched' ? reason.paths : reason.code === 'touched_by_test' ? [reason.test] : [];
  return named.some((one) => one === path || one.endsWith(`/${path}`) || path.endsWith(`/${one}`));
}

/** Some of the stacks are of tests that fail on the base as well, and come first as often as not. */
function isSharedWithBase(reason: Reason): boolean {
  return reason.code === 'red_on_base' && reason.tests !== undefined;
}

/** Where the investigation of this very commit points; null: there was none. */
function findShownSuspect({ head, isPublic }: CheckRunContent, cause: ShownCause): Finding['places'] | null {
  const found = findCauseIssue(cause);
  const revision = found?.analysis.revision;
  const isOfHead = revision === head.sha || (head.place?.kind === 'pull_request' && revision === head.place.sha);
  if (found === null || !isOfHead) return null;
  const { issue } = filterIssue(found, { isPublic });
  const message = splitSentences(removeCitations(issue.rootCause), 3).first;
  const { suspects, context } = issue.analysis;
  const suspect = suspects.find(({ file, line }) => line > 0 && findContextFile(file, context) === null);
  return suspect === undefined ? null : [{ path: suspect.file, line: suspect.line, message }];
}

/** Plain text, as GitHub shows it; never empty, which GitHub refuses. */
function toMessage(message: string, { excerpt, checks }: Finding): string {
  const words = sanitiseText(message, MAX_MESSAGE) || sanitiseText(excerpt.headline, MAX_MESSAGE);
  return formatPlainLabel(words, MAX_MESSAGE) || formatPlainLabel(`${checks[0]?.name ?? ''} points here`, MAX_MESSAGE);
}
