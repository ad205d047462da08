// The comments: facts while it runs, the result, the end without one, the line that is left when checks are green, and the hand-over.

import type { Verdict } from '../../core/check.ts';
import type { Excerpt } from '../../core/head.ts';
import type { Conclusion, Outcome } from '../../core/issue.ts';
import { formatBullet, formatCodeSpan, inertInline, inertMarkdown } from '../../core/markdown/github.ts';
import { describeWaitReason, type FailureReason } from '../../core/reason.ts';
import { addSources, buildSourceLinks, filterIssue, type SourcedIssue } from '../../core/shown-issue.ts';

import type { ConfigProblem } from '../configuration/repository-config.ts';
import type {
  EndGround,
  FactsGround,
  FixStanding,
  FurtherCause,
  HandOverGround,
  Place,
  RedChecks,
  ResultGround,
  SettledGround,
} from './ground.ts';
import {
  causeBlocks,
  describeWayBack,
  diffFold,
  firstSentences,
  foldInvestigation,
  foldLog,
  foldReproduction,
  reasonBlocks,
  remarkBlocks,
  renderFooter,
  renderQuestions,
  renderWhatToDo,
  STOP,
  suspectBlocks,
} from './issue-parts.ts';
import { type Block, code, type Fold, renderPage, text } from './page.ts';

/** Markdown of at most 60,000 characters, the marker as its last line. */
export function renderFactsComment(ground: FactsGround): string {
  const { place, facts } = ground;
  const { open, folds } = facts === null ? { open: [], folds: [] } : renderFacts(facts, place);
  return renderPage({
    open: [text(`**${describeProgress(ground)}**`), ...open],
    folds,
    footer: `asked for by ${formatCodeSpan(place.askedBy)} · updates live · ${STOP}`,
    marker: place.marker,
  });
}

function renderFacts(
  facts: Conclusion,
  place: FactsGround['place'],
): { readonly open: readonly Block[]; readonly folds: readonly Fold[] } {
  const shown = filterIssue(toIssue(facts), place);
  const links = buildSourceLinks(place, shown.issue);
  return {
    open: [...causeBlocks(shown.issue, links), ...suspectBlocks(shown.issue, links)],
    folds: [foldReproduction(shown, links), foldInvestigation(shown, links)],
  };
}

/** Facts belong to no caller yet. */
function toIssue({ changeSet: _, analysis, ...facts }: Conclusion): SourcedIssue {
  const own = { investigationId: '', reference: '', origin: 'github-issue', report: '', sameAs: null } as const;
  const issue = {
    ...facts,
    id: '',
    projectId: '',
    createdAt: '',
    diff: { files: [] },
    analysis: { ...analysis, ...own },
  };
  return addSources(
    issue,
    facts.investigationSteps.map(({ source = 'repository' }) => source),
  );
}

function describeProgress({ place, facts, progress, waitsFor }: FactsGround): string {
  if (waitsFor !== null) return `Waiting for ${describeWaitReason(waitsFor)} · resumes automatically`;
  if (progress.step === 0)
    return facts === null ? 'Investigating · gathering facts' : 'Investigating · the facts are gathered';
  const isHidden = place.isPublic && progress.source === 'monitoring';
  const action = isHidden ? 'a lookup in monitoring' : formatCodeSpan(progress.action.slice(0, 120));
  return `Investigating · step ${progress.step}: ${action}`;
}

/** Markdown of at most 60,000 characters (or `most`), the marker as its last line. */
export function renderResultComment(ground: ResultGround): string {
  const { place, issue: whole, changeSet, fix, checks, recordUrl, most } = ground;
  const shown = filterIssue(whole, place);
  const { issue } = shown;
  const links = buildSourceLinks(place, issue);
  return renderPage({
    open: [
      text(renderHeadline(issue, ground)),
      ...causeBlocks(issue, links),
      ...reasonBlocks(issue, links),
      ...suspectBlocks(issue, links),
      ...renderQuestions(issue),
      ...renderWhatToDo(issue, links),
      ...remarkBlocks(issue, fix, links),
      ...renderFurther(checks?.further ?? [], place),
    ],
    folds: [
      foldReproduction(shown, links),
      foldInvestigation(shown, links),
      checks === undefined || checks.excerpt.lines.length === 0 ? foldLog(shown) : foldExcerpt(checks.excerpt),
      diffFold(changeSet, shown),
    ],
    footer: renderFooter(issue, recordUrl),
    marker: place.marker,
    ...(most !== undefined && { most }),
  });
}

const MAX_CAUSE = 400;

/** Markdown of one line, and the marker as its last one. */
export function renderSettledComment(ground: SettledGround): string {
  const { place, sha, isFlaky } = ground;
  const names = listCheckNames(ground.names);
  const head = formatCodeSpan(sha.slice(0, 7));
  const passed = names === '' ? 'the checks passed' : `${names} passed`;
  const line = isFlaky
    ? `Green again at the same commit ${head}: ${passed} without a change, so it was flaky.`
    : `Green again at ${head}: ${passed}${describeCause(ground)}`;
  return renderPage({ open: [text(line)], folds: [], footer: '', marker: place.marker });
}

/** What is not known is not repeated. */
function describeCause({ issue, place }: SettledGround): string {
  if (issue === null || issue.analysis.outcome === 'inconclusive' || issue.analysis.outcome === 'facts_only')
    return '.';
  const shown = filterIssue(issue, place).issue;
  const { first } = firstSentences(shown.rootCause.replace(/(?<!\s)\s*\[step \d+\]/g, ''), 1);
  return `. The cause was: ${inertInline(first, MAX_CAUSE, buildSourceLinks(place, shown))}`;
}

const REASONS: Readonly<Record<FailureReason['code'], string>> = {
  cancelled: 'Stopped',
  revision_not_found: 'No result: the commit was not found',
  repository_empty: 'No result: the repository is empty',
  repository_unreachable: "No result: the repository couldn't be read",
  access_lost: 'No result: access to the repository was lost',
  internal: 'No result: internal error in Causeway',
};

/** Markdown, the marker as its last line. */
export function renderEndComment({ place, reason }: EndGround): string {
  return renderPage({
    open: [
      text(`**${REASONS[reason.code]} · comment \`/analyse\` to start again**`),
      text(inertMarkdown(reason.detail, 2_000)),
    ],
    folds: [],
    footer: `asked for by ${formatCodeSpan(place.askedBy)}`,
    marker: place.marker,
  });
}

const CHECKS_SHOWN = 10;

/** Markdown of at most 60,000 characters, the marker as its last line. */
export function renderHandOverComment({ place, attempts, failedChecks, lastIssue }: HandOverGround): string {
  const tried = attempts === 0 ? '' : attempts === 1 ? ' after a second attempt' : ` after ${attempts} more attempts`;
  const { open, folds } = lastIssue === null ? { open: [], folds: [] } : renderLastFound(lastIssue, place);
  return renderPage({
    open: [
      text(`**CI still fails${tried} · over to you**`),
      text(listChecks(failedChecks, place)),
      text("Causeway won't push to this branch again unless asked. Push to it yourself, or close the pull request."),
      ...open,
    ],
    folds,
    footer: describeWayBack(place),
    marker: place.marker,
  });
}

function listChecks(checks: HandOverGround['failedChecks'], place: Place): string {
  const lines = checks.map(({ name, url }) => {
    const span = formatCodeSpan(name) || '`a check without a name`';
    return isOfRepository(url, place) ? formatBullet(`[${span}](${url})`) : formatBullet(span);
  });
  const more = lines.length - CHECKS_SHOWN;
  return [...lines.slice(0, CHECKS_SHOWN), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function renderLastFound(
  last: SourcedIssue,
  place: Place,
): { readonly open: readonly Block[]; readonly folds: readonly Fold[] } {
  const shown = filterIssue(last, place);
  const links = buildSourceLinks(place, shown.issue);
  return {
    open: [
      text('Latest findings:'),
      ...causeBlocks(shown.issue, links),
      ...reasonBlocks(shown.issue, links),
      ...renderWhatToDo(shown.issue, links),
    ],
    folds: [foldInvestigation(shown, links), foldLog(shown)],
  };
}

/** Markdown, the marker as its last line. */
export function renderConfigComplaint({ file, line, message }: ConfigProblem, place: Place): string {
  const where = line > 0 ? `, line ${line}` : '';
  return renderPage({
    open: [
      text(`**${formatCodeSpan(file)}${where} cannot be used · next: mend it on the default branch**`),
      text(inertInline(message, 600)),
      text('Until then Causeway goes by its defaults, comments only where it is asked, and opens no pull requests.'),
    ],
    folds: [],
    footer: '',
    marker: place.marker,
  });
}

interface SuggestionsGround {
  readonly place: Place;
  /** The head that they were made for. */
  readonly sha: string;
  readonly count: number;
}

/** Markdown of one line, and the marker as its last one. */
export function renderSuggestions({ place, sha, count }: SuggestionsGround): string {
  const which = count === 1 ? 'One suggestion that fixes' : `${count} suggestions that fix`;
  const together = count === 1 ? '' : ' Commit them together.';
  const line = `${which} the red checks at ${formatCodeSpan(sha.slice(0, 7))}.${together} The evidence is in the conversation.`;
  return renderPage({ open: [text(line)], folds: [], footer: '', marker: place.marker });
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  code_fix: 'Cause found, with a fix',
  action_recommended: 'Cause found, with something to do',
  needs_information: 'More information is needed',
  already_fixed: 'Already fixed',
  not_a_bug: 'Not a bug',
  inconclusive: "I don't know the cause",
  facts_only: 'Facts only, no model was asked',
};

const NEXT: Readonly<Record<Outcome, string>> = {
  code_fix: 'read the diff below',
  action_recommended: 'do what stands below',
  needs_information: 'answer the questions below',
  already_fixed: 'update, then close this',
  not_a_bug: 'close this, or say what was missed',
  inconclusive: 'add what you know, then `/analyse retry`',
  facts_only: 'check the places below',
};

type Headed = Pick<ResultGround, 'fix' | 'place' | 'checks' | 'isSuggested'>;

const SUGGESTED = 'next: commit the suggestions in the changed files';

/** Bold, one line: `outcome · confidence · next: …`, with the red checks in front where they asked. */
function renderHeadline({ analysis }: SourcedIssue, ground: Headed): string {
  const { outcome, partial, confidence } = analysis;
  const silent = outcome === 'facts_only' && partial;
  const parts = [
    ...(ground.checks === undefined ? [] : [describeRed(ground.checks)]),
    silent ? 'Facts only, the model gave no answer' : OUTCOMES[outcome],
    ...(partial && !silent ? ['cut short'] : []),
    ...(confidence === null ? [] : [`confidence ${Math.round(confidence * 100)} %`]),
    // Without a suspect there is no place to check.
    describeNext(outcome === 'facts_only' && analysis.suspects.length === 0 ? 'inconclusive' : outcome, ground),
  ];
  return `**${parts.join(' · ')}**`;
}

function describeNext(outcome: Outcome, { fix, place, isSuggested = false }: Headed): string {
  const next = isSuggested ? SUGGESTED : `next: ${NEXT[outcome]}`;
  switch (fix.kind) {
    case 'opened':
      return describeOpened(fix, place);
    case 'opening':
      return 'a pull request is being opened';
    case 'observed':
      return 'a pull request would be opened, were it not for mode `observe`';
    case 'on_request':
      return isSuggested
        ? `${SUGGESTED}, or \`/analyse fix\` for a pull request into this branch (needs write access)`
        : 'next: `/analyse fix` opens a pull request (needs write access)';
    case 'withheld':
      return outcome === 'code_fix' && !isSuggested ? 'no pull request: the reason stands below' : next;
    case 'none':
      return next;
  }
}

function describeOpened(fix: Extract<FixStanding, { readonly kind: 'opened' }>, place: Place): string {
  const link = linkPullRequest(fix, place);
  if (fix.state === 'merged') return `merged in ${link}`;
  if (fix.state === 'closed') return `${link} was closed unmerged`;
  if (fix.isHandedOver) return `next: ${link} needs a person, its checks are red`;
  if (fix.isTrying) return `${link} has red checks · a further attempt runs, ${STOP}`;
  switch (fix.checks) {
    case 'waiting':
      return `${link} waits for its checks`;
    case 'green':
      return `next: review ${link}, its checks are green`;
    case 'red':
      return `${link} has red checks`;
    case 'none':
      return `next: review ${link}, no checks ran here`;
    case 'moved':
      return `next: review ${link}, which others have pushed to`;
  }
}

/** Our own pull request; an address outside of the repository would not be it, and is not linked. */
function linkPullRequest({ number, url }: { readonly number: number; readonly url: string }, place: Place): string {
  const name = `#${number}`;
  return isOfRepository(url, place) ? `[${name}](${url})` : formatCodeSpan(name);
}

/** Whether an address lies within the repository's own pages and ends no link early. */
export function isOfRepository(url: string, { webUrl, repository }: Pick<Place, 'webUrl' | 'repository'>): boolean {
  return (
    url.startsWith(`${webUrl}/${repository}/`) && /^[^\s()<>[\]\\"'`@]+$/.test(url) && !/\/\.\.?(?:\/|$)/.test(url)
  );
}

const NAMES_SHOWN = 3;

const CAUSES_SHOWN = 3;

const MAX_WHY = 300;

const BLAME: Readonly<Record<Exclude<Verdict, 'code'>, string>> = {
  base_broken: 'already before this change',
  flaky: 'by chance',
  infrastructure: 'because of the machine it ran on',
  inconclusive: '',
};

/** Such as `test (20)` and 2 more; "" for none. */
export function listCheckNames(names: readonly string[]): string {
  const shown = sortNames(names)
    .slice(0, NAMES_SHOWN)
    .map((name) => formatCodeSpan(name) || '`a check without a name`');
  const more = names.length - shown.length;
  return [shown.join(', '), ...(more > 0 ? [`${more} more`] : [])].filter((part) => part !== '').join(' and ');
}

/** `test (18)` before `test (22)`, whichever ended first. */
function sortNames(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Such as `test` is red because of this change; no more than is known. */
function describeRed({ names, verdict, fault }: Pick<RedChecks, 'names' | 'verdict' | 'fault'>): string {
  const blame = verdict === 'code' ? describeFault(fault) : BLAME[verdict];
  return [listCheckNames(names), names.length === 1 ? 'is red' : 'are red', blame]
    .filter((part) => part !== '')
    .join(' ');
}

function describeFault({ isTouched, greenOn }: RedChecks['fault']): string {
  if (isTouched) return 'because of this change';
  return greenOn === '' ? '' : `here and green on ${formatCodeSpan(greenOn) || 'the base'}`;
}

/** In place of the whole log: its part around the cause, and what was cut. */
function foldExcerpt({ step, lines, cut }: Excerpt): Fold {
  const where = step === '' ? '' : `Of the step ${formatCodeSpan(step)}.`;
  const note = [where, cut === '' ? '' : inertInline(cut, MAX_WHY)].filter((part) => part !== '').join(' ');
  return {
    summary: step === '' ? 'What it says' : 'Log',
    blocks: lines.length === 0 ? [] : [text(note), code(lines.join('\n'))],
  };
}

/** Each in a few lines; beyond the first ones their checks are only named. */
function renderFurther(causes: readonly FurtherCause[], place: Place): readonly Block[] {
  if (causes.length === 0) return [];
  const rest = causes.slice(CAUSES_SHOWN).flatMap(({ names }) => names);
  return [
    text('Red for another cause:'),
    ...causes.slice(0, CAUSES_SHOWN).flatMap((cause) => renderFurtherCause(cause, place)),
    ...(rest.length === 0 ? [] : [text(`Red besides: ${listCheckNames(rest)}.`)]),
  ];
}

function renderFurtherCause({ names, issue, notFound }: FurtherCause, place: Place): readonly Block[] {
  const title = text(`**${listCheckNames(names)}**`);
  if (issue === null) return [title, text(`Not looked into: ${inertInline(notFound, MAX_WHY)}`)];
  const shown = filterIssue(issue, place);
  return [title, ...causeBlocks(shown.issue, buildSourceLinks(place, shown.issue))];
}
