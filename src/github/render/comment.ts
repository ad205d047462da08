// The comments on issues and pull requests: progress, result, end, hand-over, and the short texts for commands, configuration and suggestions.

import type { Excerpt } from 'causeway-ci-log';
import type { ChangeSet } from 'causeway-diff';
import { formatCodeSpan, sanitiseInline, sanitiseMarkdown } from 'causeway-safe-markdown';
import type { RerunRefusal, Verdict } from '../../core/check/index.ts';
import {
  type AgentGround,
  addSources,
  buildSourceLinks,
  type Conclusion,
  filterIssue,
  isReliable,
  isWithheld,
  removeCitations,
  type ShownIssue,
  type SourcedIssue,
  splitSentences,
  writeAgentBrief,
} from '../../core/issue/index.ts';
import type { AnswerJudgement, Outcome } from '../../core/outcome/index.ts';
import { describeFullDay, describeProofPlan, type ProofState } from '../../core/proof/index.ts';
import { describeWaitReason, type FailureReason, type WaitCode } from '../../core/reason.ts';
import type { StepSource } from '../../core/report/index.ts';
import type {
  ChecksState,
  CommandReply,
  Offer,
  PostedPullRequest,
  Subject,
  UnfinishedPull,
} from '../../core/thread/index.ts';
import type { ConfigProblem } from '../configuration/index.ts';
import {
  describeEffort,
  foldDiff,
  foldInvestigation,
  foldLog,
  foldOthers,
  foldReproduction,
  foldSolution,
  renderCause,
  renderGuards,
  renderNext,
  renderOwnership,
  renderQuestions,
  renderReason,
  renderSecondLook,
  renderSteps,
  renderSuspects,
  renderWithheld,
} from './issue-parts.ts';
import { describeKnownReply, isCarriedOut, isKnownReply } from './known-issue.ts';
import { type Block, code, type Fold, formatList, renderMarkdownPage, text } from './page.ts';

/** Where a text is posted. */
export interface PostPlace {
  /** `owner/name`. */
  readonly repository: string;
  /** GitHub's address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly isPublic: boolean;
  readonly subject: Subject;
  /** Hidden last line by which the publisher finds its own text; see publish/marker.ts. */
  readonly marker: string;
  /** Login, without @. */
  readonly askedBy: string;
}

/** What has become of the pull request for a result. */
export type FixState =
  /** There is no change to publish. */
  | { readonly kind: 'none' }
  /** `isReadFirst`: the report has text by somebody without write. */
  | { readonly kind: 'on_request'; readonly isReadFirst: boolean }
  | { readonly kind: 'withheld'; readonly reason: string }
  | { readonly kind: 'opening' }
  /** It would be opened, but Causeway only observes here. */
  | { readonly kind: 'observed' }
  | {
      readonly kind: 'opened';
      readonly number: number;
      readonly url: string;
      readonly state: 'open' | 'merged' | 'closed';
      readonly checks: ChecksState;
      /** Whether another attempt on its failing checks is running. */
      readonly isTrying: boolean;
      readonly isHandedOver: boolean;
      /** Null: it isn't known yet, or there is nothing to prove it with. */
      readonly proof?: ProofState | null;
    };

/** The failing checks that a result is about, where they started the analysis. */
export interface RedChecks {
  readonly names: readonly string[];
  readonly verdict: Verdict;
  /** For the verdict `code`. `greenOn`: the base branch if the same checks pass there; "" otherwise. */
  readonly fault: { readonly isTouched: boolean; readonly greenOn: string };
  readonly excerpt: Excerpt;
  /** Other causes at the same head. */
  readonly further: readonly FurtherCause[];
}

export interface FurtherCause {
  readonly names: readonly string[];
  readonly issue: SourcedIssue | null;
  /** Why there is no issue; "" where there is one. */
  readonly notFound: string;
}

export interface CommentProgress {
  /** Null: not known yet. */
  readonly facts: Conclusion | null;
  readonly step: number;
  readonly action: string;
  readonly source: StepSource;
  /** Null: it is running. */
  readonly waitsFor: WaitCode | null;
}

interface Rating {
  /** "": not known. */
  readonly login: string;
  readonly vote: AnswerJudgement;
}

interface Other {
  readonly issue: SourcedIssue;
  readonly changeSet: ChangeSet | null;
}

export type Beside =
  /** A later answer, worse than the one shown. `isFolded`: it is shown whole, below. */
  | (Other & { readonly kind: 'kept_out'; readonly askedBy: string; readonly isFolded: boolean })
  /** It was shown until people called it wrong. */
  | (Other & { readonly kind: 'displaced'; readonly votes: readonly Rating[] });

export interface ResultComment {
  readonly place: PostPlace;
  readonly issue: SourcedIssue;
  /** The edits behind the Issue's diff; null: deleted. */
  readonly changeSet: ChangeSet | null;
  readonly fix: FixState;
  /** Absent: a person requested the analysis. */
  readonly checks?: RedChecks;
  /** Whether the change is offered as suggestions in the pull request's files. */
  readonly isSuggested?: boolean;
  /** What people said of it by command, oldest first; absent: nothing. */
  readonly votes?: readonly Rating[];
  /** Another answer to the same report; absent or null: none. */
  readonly beside?: Beside | null;
  /** Address of the full record; "" for none. */
  readonly recordUrl: string;
  /** Whether the pull request was opened before anybody could read the answer, since a command asked for that. */
  readonly isAtOnce?: boolean;
  /** A sentence on what was not read; absent or "": nothing. */
  readonly notRead?: string;
  /** Characters, where something else precedes it. */
  readonly most?: number;
  /** Of the change that is in the pull request now: the number of the attempt, 1 for a second test. Absent: it is the first change. */
  readonly attempt?: number;
  /** The pull request of it that people take over; absent or null: there is none. */
  readonly unfinished?: UnfinishedPull | null;
  /** The last attempt whose change is in it; absent or null: there is only the first change. */
  readonly lastAttempt?: SourcedIssue | null;
}

const STOP = '`/analyse stop` to cancel';
const CHECKS_SHOWN = 10;
const NAMES_SHOWN = 3;
const CAUSES_SHOWN = 3;
const MAX_WHY = 300;
const MAX_SETTLED_CAUSE = 400;

export function renderFactsComment(place: PostPlace, progress: CommentProgress): string {
  const { facts } = progress;
  const page = { open: [] as readonly Block[], folds: [] as readonly Fold[] };
  if (facts !== null) {
    const shown = filterIssue(toCommentIssue(facts), place);
    const links = buildSourceLinks(place, shown.issue);
    page.open = [renderCause(shown.issue, links)];
    page.folds = [foldOthers(shown.issue, links), foldReproduction(shown, links), foldInvestigation(shown, links)];
  }
  return renderMarkdownPage({
    open: [text(`**${describeProgress(place, progress)}**`), ...page.open],
    folds: page.folds,
    footer: `requested by ${formatCodeSpan(place.askedBy)} · updates live · ${STOP}`,
    marker: place.marker,
  });
}

/** Facts have no investigation of their own yet. */
function toCommentIssue({
  changeSet: _,
  analysis: { context = [], claims = [], ...analysis },
  ...facts
}: Conclusion): SourcedIssue {
  const own = {
    investigationId: '',
    reference: '',
    origin: 'github-issue',
    report: '',
    sameAs: null,
    proof: null,
    outcomes: null,
    secondLook: null,
    ownership: null,
  } as const;
  const issue = {
    ...facts,
    id: '',
    projectId: '',
    createdAt: '',
    diff: { files: [] },
    analysis: { ...analysis, ...own, context, claims },
  };
  return addSources(
    issue,
    facts.investigationSteps.map(({ source = 'repository' }) => source),
  );
}

function describeProgress({ isPublic }: PostPlace, { facts, step, action, source, waitsFor }: CommentProgress): string {
  if (waitsFor !== null) return `Waiting for ${describeWaitReason(waitsFor)} · resumes automatically`;
  if (step === 0) return `Investigating · ${facts === null ? 'gathering facts' : 'facts gathered'}`;
  const isHidden = isPublic && source === 'monitoring';
  return `Investigating · step ${step}: ${isHidden ? 'querying monitoring' : formatCodeSpan(action.slice(0, 120))}`;
}

const READ_FIRST = 'Someone without write access wrote part of this report, so read the change before you request it.';

const AT_ONCE =
  'Opened at once, as `/analyse fix` asks: nobody has read this answer yet, so the draft is what you review.';

export function renderResultComment(result: ResultComment): string {
  const { place, changeSet, fix, checks, recordUrl, notRead = '', most } = result;
  const shown = filterIssue(result.issue, place);
  const { issue } = shown;
  const isSearch = issue.analysis.outcome === 'facts_only';
  const links = buildSourceLinks(place, issue);
  return renderMarkdownPage({
    open: [
      text(renderHeadline(issue, result)),
      text(describeAttempt(result)),
      text(renderVotes(result.votes ?? [])),
      text(renderBeside(result.beside ?? null)),
      renderCause(issue, links),
      renderReason(issue, links),
      text(renderSecondLook(issue)),
      ...(isSearch ? renderNext(issue, links) : renderSuspects(issue, links)),
      text(renderOwnership(issue)),
      ...renderQuestions(issue),
      ...(isSearch ? [] : renderSteps(issue.solutionSteps, links, 'What to do:')),
      text(fix.kind === 'on_request' && fix.isReadFirst ? READ_FIRST : ''),
      text(fix.kind === 'opened' && fix.state === 'open' && result.isAtOnce === true ? AT_ONCE : ''),
      renderWithheld(fix.kind === 'withheld' ? fix.reason : '', links),
      ...renderGuards(issue, links),
      ...renderFurther(checks?.further ?? [], place),
      text(notRead),
    ],
    folds: [
      ...(isSearch ? [foldOthers(issue, links), foldSolution(issue, links)] : []),
      foldBeside(result.beside ?? null, place),
      foldReproduction(shown, links),
      foldInvestigation(shown, links),
      checks === undefined || checks.excerpt.lines.length === 0 ? foldLog(shown) : foldExcerpt(checks.excerpt),
      foldDiff(changeSet, shown),
      foldAgentBrief(shown, place, {
        ...{ recordUrl, pull: result.unfinished ?? null, attempt: result.lastAttempt ?? null },
        ...(checks !== undefined && { excerpt: checks.excerpt }),
      }),
    ],
    footer: `${describeEffort(issue, recordUrl)} · \`/analyse retry <hint>\` to re-run`,
    marker: place.marker,
    ...(most !== undefined && { most }),
  });
}

interface BriefGround extends Pick<AgentGround, 'recordUrl' | 'pull' | 'excerpt'> {
  readonly attempt: SourcedIssue | null;
}

/** The last of the folds: people read what is above it. */
function foldAgentBrief(shown: ShownIssue, place: PostPlace, { attempt, ...ground }: BriefGround): Fold {
  const last = attempt === null ? null : filterIssue(attempt, place);
  const block = writeAgentBrief(shown, { ...ground, repository: place.repository, attempt: last });
  return { summary: 'For a coding agent', blocks: [code(block, 'text')] };
}

/** The cause is of the first attempt, the steps and the diff are of what came of it. */
function describeAttempt({ attempt, changeSet, fix, place }: ResultComment): string {
  if (attempt === undefined || fix.kind !== 'opened') return '';
  const why =
    attempt === 1
      ? 'Second try: the first test passed without the fix.'
      : `Attempt ${attempt}: checks failed with the ${attempt === 2 ? 'first change' : 'changes before it'}.`;
  const link = linkNumber(fix, place);
  return `${why} ${changeSet === null ? `See ${link} for the whole change.` : `The diff below is all of ${link}.`}`;
}

/** Names as code, so that no one is notified. What one of them takes back, the others don't. */
function renderVotes(votes: readonly Rating[]): string {
  const [right, wrong] = (['right', 'wrong'] as const).map((vote) => listVoters(votes, vote));
  if (right && wrong) return `Rated right by ${right} · rated wrong by ${wrong}`;
  if (right) return `Rated right by ${right} · undo: \`/analyse wrong\``;
  return wrong ? `Rated wrong by ${wrong} · undo: \`/analyse right\`` : '';
}

function listVoters(votes: readonly Rating[], wanted: AnswerJudgement): string {
  const logins = votes.filter(({ vote }) => vote === wanted).map(({ login }) => login);
  const named = logins.filter((login) => login !== '').slice(0, NAMES_SHOWN);
  const more = logins.length - named.length;
  const shown = named.map((login) => formatCodeSpan(`@${login}`));
  const others = more === 0 ? [] : [more === 1 ? '1 person' : `${more} people`];
  const all = [...shown, ...(shown.length > 0 && more > 0 ? [`${more} more`] : others)];
  return [all.slice(0, -1).join(', '), all.at(-1) ?? ''].filter(Boolean).join(' and ');
}

function renderBeside(beside: Beside | null): string {
  if (beside === null) return '';
  const outcome = describeCommentOutcome(beside.issue);
  if (beside.kind === 'displaced') {
    const [wrong, right] = (['wrong', 'right'] as const).map((vote) => listVoters(beside.votes, vote));
    if (right) return `Another answer was rated wrong by ${wrong} and right by ${right}; it is folded below.`;
    return `Another answer was rated wrong by ${wrong} and is folded below · undo: \`/analyse right\` by the same person`;
  }
  const kept = `Analysed again for ${formatCodeSpan(beside.askedBy)}: “${outcome}”. The answer here was kept`;
  return beside.isFolded ? `${kept}; the new one is folded below.` : `${kept}.`;
}

/** The whole of it: what a comment of its own would show. */
function foldBeside(beside: Beside | null, place: PostPlace): Fold {
  const isShown = beside?.kind === 'displaced' || beside?.isFolded === true;
  if (beside === null || !isShown) return { summary: '', blocks: [] };
  const shown = filterIssue(beside.issue, place);
  const { issue } = shown;
  const links = buildSourceLinks(place, issue);
  const folded = [foldReproduction(shown, links), foldInvestigation(shown, links), foldLog(shown)];
  return {
    summary: beside.kind === 'displaced' ? 'The answer that was rated wrong' : 'The new answer',
    blocks: [
      text(`**${describeCommentOutcome(issue)}**`),
      renderCause(issue, links),
      renderReason(issue, links),
      text(renderSecondLook(issue)),
      ...renderSuspects(issue, links),
      ...renderQuestions(issue),
      ...renderSteps(issue.solutionSteps, links, 'What to do:'),
      ...[...folded, foldDiff(beside.changeSet, shown)].flatMap(({ summary, blocks }) =>
        blocks.some((block) => block.text.trim() !== '') ? [text(`**${summary}**`), ...blocks] : [],
      ),
      text(describeEffort(issue, '')),
    ],
  };
}

function describeCommentOutcome(issue: SourcedIssue): string {
  const { outcome, confidence, partial } = issue.analysis;
  if (isWithheld(issue)) return 'Result withheld';
  return [
    `${OUTCOMES[outcome]}${partial ? STOPPED : ''}`,
    confidence === null ? '' : `confidence ${Math.round(confidence * 100)} %`,
  ]
    .filter(Boolean)
    .join(' · ');
}

const STOPPED = ' (stopped early)';

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  code_fix: 'Cause found, with a fix',
  action_recommended: 'Cause found, action needed',
  needs_information: 'More information needed',
  already_fixed: 'Already fixed',
  not_a_bug: 'Not a bug',
  inconclusive: 'Cause not found',
  facts_only: 'Facts only, no model was used',
};

const NEXT: Readonly<Record<Outcome, string>> = {
  code_fix: 'review the diff below',
  action_recommended: 'follow the steps below',
  needs_information: 'answer the questions below',
  already_fixed: 'update, then close this',
  not_a_bug: 'close this, or say what was missed',
  inconclusive: 'add details and comment `/analyse retry`',
  facts_only: 'check the place below',
};

/** Bold, one line: `outcome · confidence · next: …`, preceded by the failing checks that started it. */
function renderHeadline(issue: SourcedIssue, result: ResultComment): string {
  const { analysis } = issue;
  const { outcome, partial, confidence } = analysis;
  if (isWithheld(issue)) return '**Result withheld · next: `/analyse retry`**';
  const isUnanswered = outcome === 'facts_only' && partial;
  const doubt = result.fix.kind === 'opened' ? describeDoubt(result.fix) : '';
  const reached = doubt === '' ? OUTCOMES[outcome] : `Possible cause, ${doubt}`;
  const parts = [
    result.checks === undefined ? '' : describeRed(result.checks),
    isUnanswered ? 'Facts only, the model gave no answer' : `${reached}${partial ? STOPPED : ''}`,
    confidence === null ? '' : `confidence ${Math.round(confidence * 100)} %`,
    describeNextInComment(outcome === 'facts_only' ? placeSearch(analysis) : outcome, result),
  ];
  return `**${parts.filter(Boolean).join(' · ')}**`;
}

/** Without a suspect to rely on there is no place to check, and questions come before one that is a guess. */
function placeSearch({ suspects, questions }: SourcedIssue['analysis']): Outcome {
  if (suspects.length > 0 && questions.length > 0) return 'needs_information';
  return isReliable(suspects[0]) ? 'facts_only' : 'inconclusive';
}

function describeNextInComment(outcome: Outcome, { fix, place, isSuggested = false }: ResultComment): string {
  const commit = 'next: commit the suggestions in the changed files';
  const next = isSuggested ? commit : `next: ${NEXT[outcome]}`;
  switch (fix.kind) {
    case 'opened':
      return describeOpened(fix, linkNumber(fix, place));
    case 'opening':
      return 'opening a pull request';
    case 'observed':
      return 'outside of mode `observe`, a pull request would be opened';
    case 'on_request':
      return isSuggested
        ? `${commit}, or \`/analyse fix\` for a pull request into this branch (write access required)`
        : 'next: `/analyse fix` to open a pull request (write access required)';
    case 'withheld':
      return outcome === 'code_fix' && !isSuggested ? 'no pull request, see the reason below' : next;
    case 'none':
      return next;
  }
}

function describeOpened(fix: Extract<FixState, { readonly kind: 'opened' }>, link: string): string {
  if (fix.state === 'merged') return `merged in ${link}`;
  if (fix.state === 'closed') return `${link} was closed without merging`;
  if (isLeftRed(fix)) return `next: take over ${link}; its checks still fail`;
  if (fix.isTrying) return `${link} has failing checks · another attempt is running, ${STOP}`;
  return {
    waiting: `${link} is waiting for its checks`,
    green: `next: review ${link}, ${describeGreen(fix.proof)}`,
    red: `${link} has failing checks`,
    none: `next: review ${link}, without a CI result`,
    moved: `next: review ${link}, others have pushed to it`,
  }[fix.checks];
}

/** After the last attempt. */
function isLeftRed({ isHandedOver, checks }: Extract<FixState, { readonly kind: 'opened' }>): boolean {
  return isHandedOver && checks === 'red';
}

function describeDoubt(fix: Extract<FixState, { readonly kind: 'opened' }>): string {
  if (fix.proof === 'not_reproduced') return 'not reproduced';
  return isLeftRed(fix) ? 'CI fails with the fix' : '';
}

function describeGreen(proof: ProofState | null = null): string {
  switch (proof) {
    case 'proven':
      return 'proven in CI: its test failed without the fix and passes with it';
    case 'not_reproduced':
      return 'its checks pass, but its test passes without the fix as well';
    case 'fails_otherwise':
      return 'its checks pass, but its test does not show the fault';
    default:
      return 'its checks pass';
  }
}

/** An address outside of the repository isn't linked. */
export function linkNumber(
  { number, url }: { readonly number: number; readonly url: string },
  place: Pick<PostPlace, 'webUrl' | 'repository'>,
): string {
  return isOfRepository(url, place) ? `[#${number}](${url})` : formatCodeSpan(`#${number}`);
}

/** Whether an address is within the repository's own pages, without a character that would end a link early. */
export function isOfRepository(url: string, { webUrl, repository }: Pick<PostPlace, 'webUrl' | 'repository'>): boolean {
  return (
    url.startsWith(`${webUrl}/${repository}/`) && /^[^\s()<>[\]\\"'`@]+$/.test(url) && !/\/\.\.?(?:\/|$)/.test(url)
  );
}

const BLAME: Readonly<Record<Exclude<Verdict, 'code'>, string>> = {
  base_broken: 'already before this change',
  flaky: 'intermittently (flaky)',
  infrastructure: 'because of the CI machine',
  inconclusive: '',
};

/** Such as "`test` fails because of this change". */
function describeRed({ names, verdict, fault }: RedChecks): string {
  const passing = fault.greenOn === '' ? '' : `here, passing on ${formatCodeSpan(fault.greenOn) || 'the base'}`;
  const blame = verdict === 'code' ? (fault.isTouched ? 'because of this change' : passing) : BLAME[verdict];
  return [formatCheckNames(names), names.length === 1 ? 'fails' : 'fail', blame].filter(Boolean).join(' ');
}

/** Such as "`test` and 2 more"; `test (18)` before `test (22)`. */
export function formatCheckNames(names: readonly string[]): string {
  const shown = sortByName(names.map((name) => ({ name })))
    .slice(0, NAMES_SHOWN)
    .map(({ name }) => formatCodeSpan(name) || '`an unnamed check`');
  const more = names.length - shown.length;
  return [shown.join(', '), more > 0 ? `${more} more` : ''].filter(Boolean).join(' and ');
}

export function sortByName<T extends { readonly name: string }>(checks: readonly T[]): readonly T[] {
  return checks.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** The part of the log around the cause, and what was cut from it. */
function foldExcerpt({ step, lines, cut }: Excerpt): Fold {
  const said = sanitiseInline(cut, MAX_WHY).replace(/\.$/, '');
  const note = [step === '' ? '' : `Step ${formatCodeSpan(step)}.`, said === '' ? '' : `${said}.`]
    .filter(Boolean)
    .join(' ');
  return { summary: step === '' ? 'Output' : 'Log', blocks: [text(note), code(lines.join('\n'))] };
}

function renderFurther(causes: readonly FurtherCause[], place: PostPlace): readonly Block[] {
  if (causes.length === 0) return [];
  const rest = causes.slice(CAUSES_SHOWN).flatMap(({ names }) => names);
  return [
    text('Failing for another reason:'),
    ...causes.slice(0, CAUSES_SHOWN).flatMap(({ names, issue, notFound }) => {
      const title = text(`**${formatCheckNames(names)}**`);
      if (issue === null) return [title, text(`Not investigated: ${sanitiseInline(notFound, MAX_WHY)}`)];
      const shown = filterIssue(issue, place).issue;
      return [title, renderCause(shown, buildSourceLinks(place, shown))];
    }),
    text(rest.length === 0 ? '' : `Also failing: ${formatCheckNames(rest)}.`),
  ];
}

/** What is left of a result once the checks pass. */
export interface Settled {
  /** The passing head. */
  readonly sha: string;
  /** Names of the checks that failed; empty where they aren't known. */
  readonly names: readonly string[];
  /** Whether they passed at the very commit that they had failed at. */
  readonly isFlaky: boolean;
  /** What had been found; null: nothing, or it was deleted. */
  readonly issue: SourcedIssue | null;
}

/** One line. */
export function renderSettledComment(place: PostPlace, { sha, names, isFlaky, issue }: Settled): string {
  const head = formatCodeSpan(sha.slice(0, 7));
  const passed = names.length === 0 ? 'the checks passed' : `${formatCheckNames(names)} passed`;
  const line = isFlaky
    ? `Green again at the same commit ${head}: ${passed} without a change, so this was flaky.`
    : `Green again at ${head}: ${passed}.${describeFormerCause(issue, place)}`;
  return renderMarkdownPage({ open: [text(line)], marker: place.marker });
}

function describeFormerCause(whole: SourcedIssue | null, place: PostPlace): string {
  const outcome = whole?.analysis.outcome;
  if (whole === null || outcome === 'inconclusive' || outcome === 'facts_only') return '';
  const { issue } = filterIssue(whole, place);
  const { first } = splitSentences(removeCitations(issue.rootCause), 1);
  return ` The cause was: ${sanitiseInline(first, MAX_SETTLED_CAUSE, buildSourceLinks(place, issue))}`;
}

const ENDS: Readonly<Record<FailureReason['code'], string>> = {
  cancelled: 'Stopped',
  revision_not_found: 'No result: the commit was not found',
  repository_empty: 'No result: the repository is empty',
  repository_unreachable: "No result: the repository couldn't be read",
  access_lost: 'No result: access to the repository was lost',
  internal: 'No result: internal error in Causeway',
};

/** For an investigation that ended without a result. */
export function renderEndComment(place: PostPlace, { code, detail }: FailureReason): string {
  return renderMarkdownPage({
    open: [text(`**${ENDS[code]} · comment \`/analyse\` to start again**`), text(sanitiseMarkdown(detail, 2_000))],
    footer: `requested by ${formatCodeSpan(place.askedBy)}`,
    marker: place.marker,
  });
}

export interface HandOver {
  readonly attempts: number;
  readonly failedChecks: readonly { readonly name: string; readonly url: string }[];
  /** Of the last attempt, if it had one. */
  readonly lastIssue: SourcedIssue | null;
  /** Why its fix is not proven; absent: its checks fail. */
  readonly unproven?: string;
  /** What it implements; null: deleted. */
  readonly published: SourcedIssue | null;
  readonly pull: UnfinishedPull;
  /** Address of the full record of what it implements; "" for none. */
  readonly recordUrl: string;
}

export function renderHandOverComment(
  place: PostPlace,
  { attempts, failedChecks, lastIssue, unproven = '', published, pull, recordUrl }: HandOver,
): string {
  const tried = attempts === 0 ? '' : attempts === 1 ? ' after a second attempt' : ` after ${attempts} more attempts`;
  const checks = failedChecks.map(({ name, url }) => {
    const span = formatCodeSpan(name) || '`an unnamed check`';
    return isOfRepository(url, place) ? `[${span}](${url})` : span;
  });
  const shown = lastIssue === null ? null : filterIssue(lastIssue, place);
  const links = shown === null ? null : buildSourceLinks(place, shown.issue);
  return renderMarkdownPage({
    open: [
      text(
        unproven === '' ? `**CI still fails${tried} · over to you**` : '**Not shown to fix the report · over to you**',
      ),
      text(unproven === '' ? formatList(checks, CHECKS_SHOWN) : `Not proven: ${sanitiseInline(unproven, 600)}.`),
      text("Causeway won't push to this branch again unless asked. Push to it yourself, or close the pull request."),
      ...(shown === null || links === null
        ? []
        : [
            text('Latest findings:'),
            renderCause(shown.issue, links),
            renderReason(shown.issue, links),
            ...renderSteps(shown.issue.solutionSteps, links, 'What to do:'),
          ]),
    ],
    folds: [
      ...(shown === null || links === null ? [] : [foldInvestigation(shown, links), foldLog(shown)]),
      ...(published === null
        ? []
        : [foldAgentBrief(filterIssue(published, place), place, { recordUrl, pull, attempt: lastIssue })]),
    ],
    footer: describeWayBack(place, 'open'),
    marker: place.marker,
  });
}

/** For a text on our own pull request. The subject isn't named by its number, which would add another reference there. */
export function describeWayBack({ subject }: PostPlace, state: PostedPullRequest['state']): string {
  switch (subject.kind) {
    case 'issue':
    case 'pull_request': {
      const retry = `\`/analyse retry <hint>\` on the ${subject.kind === 'issue' ? 'issue' : 'original pull request'}`;
      if (state === 'merged') return `if the problem is still there, ${retry}`;
      return `${retry} for another attempt${state === 'open' ? ', or close this' : ''}`;
    }
    case 'failure':
    case 'report':
      return state === 'open' ? "close this if it doesn't help" : '';
  }
}

export function renderConfigComplaint({ file, line, message }: ConfigProblem, place: PostPlace): string {
  const where = line > 0 ? `, line ${line}` : '';
  return renderMarkdownPage({
    open: [
      text(`**${formatCodeSpan(file)}${where} is invalid · next: fix it on the default branch**`),
      text(sanitiseInline(message, 600)),
      text('Until then Causeway uses its defaults, comments only when asked and opens no pull requests.'),
    ],
    marker: place.marker,
  });
}

/** The text of the review that carries the suggestions. `sha`: the head that they are for. */
export function renderSuggestions(place: PostPlace, sha: string, count: number): string {
  const which = count === 1 ? '1 suggestion' : `${count} suggestions`;
  const together = count === 1 ? '' : ' Commit them together.';
  const head = formatCodeSpan(sha.slice(0, 7));
  const line = `${which} to fix the failing checks at ${head}.${together} The evidence is in the conversation.`;
  return renderMarkdownPage({ open: [text(line)], marker: place.marker });
}

const REPLY_MARKER = '<!-- causeway:reply -->';
const REPLY_LINE = /^<sub>.*<\/sub><!-- causeway:reply -->\n*/m;
/** Older replies are not looked for. */
export const REPLY_MS = 90 * 86_400_000;

const MAX_SAID = 600;

function describeReply({ why }: CommandReply): string {
  if (isKnownReply(why)) return describeKnownReply(why);
  switch (why.code) {
    case 'fix_needs_write':
      return '`/analyse fix` needs write access to this repository.';
    case 'revert_needs_write':
      return '`/analyse revert` needs write access to this repository.';
    case 'revert_not_here':
      return 'Reverts are opened by the Causeway server only: as an action, it could not follow one.';
    case 'nothing_to_revert':
      return 'Nothing here can be put back: comment `/analyse revert` on the merged pull request that alone may have broken the default branch, or on the issue that the failure is tied to, while it is failing.';
    case 'revert_open':
      return `A revert is already open: ${formatPullLink(why)}`;
    case 'revert_merged':
      return `It was reverted in ${formatPullLink(why)}.`;
    case 'prove_needs_write':
      return '`/analyse prove` needs write access to this repository.';
    case 'prove_needs_pull':
      return '`/analyse prove` proves a pull request: comment it there.';
    case 'prove_closed':
      return 'Nothing was started: the pull request is closed, and `/analyse prove` runs on open ones.';
    case 'prove_off':
      return 'Nothing was started: `/analyse prove` pushes a branch, and here the mode (`mode` in `.github/causeway.yml`, or the highest that the operator allows) is not `fix`.';
    case 'prove_begun':
      return `${describeAhead(why.ahead)}${describeProofPlan({ ...why, run: why.run ?? undefined })} The result is the check run \`Causeway / proof\`.`;
    case 'prove_ended': {
      const details = why.url === '' ? '' : ` ${linkCheckRun('Details', why.url)}`;
      return `Proof of ${formatCodeSpan(why.head.slice(0, 7))}: ${sanitiseInline(why.said, MAX_SAID)}.${details}`;
    }
    case 'prove_runs':
      return `A proof of this commit is under way already, so nothing more is pushed. The result is the ${why.url === '' ? 'check run' : linkCheckRun('check run', why.url)} \`Causeway / proof\`.`;
    case 'prove_limit':
      return `Nothing was started: ${describeFullDay(why)}.`;
    case 'nothing_to_stop':
      return 'Nothing is running here, so there was nothing to stop.';
    case 'branch_in_fork':
      return "No pull request can be opened for this: the branch is in a fork, and Causeway doesn't push to forks.";
    case 'overtaken':
      return 'A newer analysis started after that `/analyse fix`. Read its result, then comment `/analyse fix` again.';
    case 'nothing_failed':
      return 'No check has failed here, so there is nothing to analyse.';
    case 'no_checks':
      return 'No check is red here, so there is nothing that this could be about.';
    case 'checks_not_kept':
      return 'As an action, Causeway keeps no records of checks: this command needs its server.';
    case 'override_needs_write':
      return '`/analyse mine` and `/analyse not-mine` need write access to this repository.';
    case 'override_needs_reason':
      return 'Say why, so that others can rely on it: `/analyse not-mine <why>`. Nothing was changed.';
    case 'carried_out':
      return `${formatCodeSpan(`/analyse ${why.command}`)} was accepted.`;
    case 'override_which_check': {
      const names = why.names.slice(0, CHECKS_SHOWN).map((name) => formatCodeSpan(name) || 'an unnamed check');
      const more = why.names.length > CHECKS_SHOWN ? ' and others' : '';
      return `Nothing was changed: no check of that name is red here. Red are ${names.join(', ')}${more}. Name one of them, or none to mean all.`;
    }
    case 'rerun_of_code':
      return 'Not run again: what fails because of the change, or of its base, would fail again.';
    case 'rerun_before':
      return 'Not run again: a job of this commit was run again before. Push a commit, or re-run it on GitHub.';
    case 'rerun_limit':
      return 'Not run again: without write access three times within 24 hours are the limit.';
    case 'rerun_not_granted':
      return 'Not run again: Causeway needs the permission *Actions: write* for that, which is not granted here.';
    case 'rerun_running':
      return "Not run again yet: the checks of this commit have not ended or aren't judged. Comment `/analyse rerun` once they are.";
    case 'rerun_refused':
      return `Not run again: ${describeRerunRefusal(why.refusal)}.`;
    case 'not_kept':
      return 'Votes are counted by the Causeway server only: as an action, it keeps no records. `/analyse retry <hint>` analyses this again.';
    case 'already_open':
      return `A pull request is already open: ${formatPullLink(why)}`;
    case 'already_merged':
      return `The fix was merged in ${formatPullLink(why)}. If the problem is still there, comment \`/analyse retry <hint>\`.`;
    case 'did_you_mean':
      return `Did you mean \`/analyse ${why.command}\`? Nothing was started. ${describeOffer(why.offer)}`.trim();
    case 'nothing_to_judge':
      return `There is no answer here to rate. ${describeOffer(why.offer)}`.trim();
    case 'help':
      return describeOffer(why.offer);
    case 'unknown':
      return `That isn't a command, so nothing was started. ${describeOffer(why.offer)}`;
    case 'answered':
      return `There is an answer already, so nothing was started. ${describeOffer(why.offer)}`;
    case 'closed':
      return `This is closed and has an answer, so nothing was started. ${describeOffer(why.offer)}`;
    // Stored by another version, which an update leaves pending.
    default:
      return 'That command was not carried out: comment it again.';
  }
}

function describeRerunRefusal(refusal: RerunRefusal): string {
  switch (refusal.code) {
    case 'event':
      return 'the workflow run was started neither for the pull request nor, in this repository, by a push';
    case 'approval':
      return "a maintainer has to approve this contribution's workflow runs first";
    case 'unread':
      return "what would run can't be read from the workflow";
    case 'others_failed':
      return 'GitHub would also repeat other jobs of the same run that failed';
    case 'not_actions':
      return 'none of the failed checks is a job of GitHub Actions';
    case 'environment':
      return `the job ${formatCodeSpan(refusal.job)} deploys to an environment`;
    case 'dependent':
      return `the job ${formatCodeSpan(refusal.job)} depends on it and would run as well, and ${RERUN_RISKS[refusal.why]}`;
    case 'refused':
      return "GitHub doesn't run it";
  }
}

const RERUN_RISKS: Readonly<Record<Extract<RerunRefusal, { readonly code: 'dependent' }>['why'], string>> = {
  environment: 'it deploys to an environment',
  secrets: 'it has secrets',
  permissions: 'its token may write',
  reusable: 'it calls another workflow',
  runner: "its runner isn't one of GitHub's",
};

/** Without its number, which would leave a reference there. */
function describeAhead(ahead: Extract<CommandReply['why'], { readonly code: 'prove_begun' }>['ahead']): string {
  if (ahead === null) return '';
  const which = `the proof of pull request ${ahead.pullRequest}`;
  return `It waits for ${ahead.url === '' ? which : linkCheckRun(which, ahead.url)}, since one runs at a time in a repository. `;
}

/** GitHub said the address. */
function linkCheckRun(words: string, url: string): string {
  return /^https?:\/\/[^\s()<>"]+$/.test(url) ? `[${words}](${url})` : words;
}

function formatPullLink({ number, url }: { readonly number: number; readonly url: string }): string {
  return /^https?:\/\/[^\s()<>"]+$/.test(url) ? `[#${number}](${url})` : `\`#${number}\``;
}

const OFFERS: Readonly<Record<Offer['commands'][number], string>> = {
  analyse: '`/analyse` to analyse this, with a hint as `/analyse retry <hint>`',
  retry: '`/analyse retry <hint>` to analyse it again',
  known: '`/analyse known #123` to tie what failed here to an issue',
  rerun: '`/analyse rerun` to run failed jobs once more',
  'not-mine': '`/analyse not-mine <why>` or `/analyse mine` to say whether the failures are from this change',
  mine: '',
  right: '`/analyse right` or `/analyse wrong <why>` to rate the answer',
  wrong: '',
  fix: '`/analyse fix` to open a pull request',
  stop: '`/analyse stop` to stop what runs',
  revert: '`/analyse revert` to open a revert of it, since it broke the default branch',
  prove: '`/analyse prove` to see whether its tests fail without its change',
  help: '',
};

function describeOffer(offer: Offer | undefined): string {
  if (offer === undefined) return '';
  const access = offer.role === 'write' ? 'write' : 'triage';
  const commands = offer.commands.map((name) => OFFERS[name]).filter(Boolean);
  return `With ${access} access, you can comment ${commands.join(', ')}.`;
}

/** Answers a command as a comment of its own. */
export function renderReply(reply: CommandReply): string {
  const proof = 'proofId' in reply.why ? `${formatProofMarker(reply.why.proofId)}\n` : '';
  return `${renderReplyLine(reply)}\n\n${proof}${formatSaidMarker(reply)}\n${REPLY_MARKER}`;
}

function formatSaidMarker({ why, to }: CommandReply): string {
  const about = 'issue' in why && why.issue !== null ? ` about=${why.issue}` : '';
  return `<!-- causeway said=${why.code} to=${to?.id ?? 0}${about} -->`;
}

interface SaidReply {
  readonly code: string;
  readonly to: number;
  /** The issue that it is about; null: none. */
  readonly issue: number | null;
}

/** What a comment that is nothing but a reply says, and to whom; null: another comment, or one of an earlier version. */
export function readReplyMarker(body: string): SaidReply | null {
  const [, code, to, issue] = (isReplyOnly(body) && SAID_MARKER.exec(body)) || [];
  return code === undefined ? null : { code, to: Number(to), issue: issue === undefined ? null : Number(issue) };
}

const SAID_MARKER = /^<!-- causeway said=([a-z_]{1,60}) to=(\d{1,20})(?: about=(\d{1,10}))? -->\r?$/m;

function formatProofMarker(proofId: string): string {
  return `<!-- causeway proof=${proofId} -->`;
}

/** Whether the comment is nothing but the answer to the request for that proof. */
export function isProofReply(body: string, proofId: string): boolean {
  return isReplyOnly(body) && body.includes(`\n${formatProofMarker(proofId)}`);
}

function renderReplyLine(reply: CommandReply): string {
  const login = reply.to?.login ?? '';
  // As code, so that no one is notified.
  const to = login === '' ? '' : `For ${formatCodeSpan(`@${login}`)}: `;
  return `${isCarriedOut(reply.why) ? '' : '😕 '}${to}${describeReply(reply)}`;
}

/** Puts the reply into the footer of our comment, replacing an earlier one. The comment's marker stays its last line. */
export function appendReply(comment: string, reply: CommandReply): string {
  if (isReplyOnly(comment)) return renderReply(reply);
  const lines = comment.replaceAll('\r\n', '\n').trimEnd().replace(REPLY_LINE, '').split('\n');
  const marker = lines.pop() ?? '';
  return [...lines, `<sub>${renderReplyLine(reply)}</sub>${REPLY_MARKER}`, '', marker].join('\n');
}

/** Whether the comment is nothing but a reply, which a result replaces. */
export function isReplyOnly(body: string): boolean {
  return body.replaceAll('\r\n', '\n').trimEnd().endsWith(`\n${REPLY_MARKER}`);
}
