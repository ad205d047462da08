// The parts of an Issue in texts for GitHub: the cause, what to do, what was looked up, the diff, and what it cost.

import type { ChangeSet } from '../../core/diff/diff.ts';
import { toUnifiedPatch } from '../../core/diff/unified-patch.ts';
import type { Step } from '../../core/issue.ts';
import { formatBullet, formatCodeSpan, inertInline, inertMarkdown } from '../../core/markdown/github.ts';
import type { NumberedStep, ShownIssue, SourcedIssue, SourceLinks } from '../../core/shown-issue.ts';

import type { FixStanding, Place } from './ground.ts';
import { type Block, code, type Fold, text } from './page.ts';

const MAX_CAUSE = 1_500;

const CAUSE_SENTENCES = 3;

const MAX_STEP = 1_500;

const MAX_STEPS = 10;

const MAX_REASON = 1_500;

const MAX_QUESTION = 500;

const GUARDS_SHOWN = 6;

const SUSPECTS_SHOWN = 3;

export function causeBlocks(issue: SourcedIssue, links: SourceLinks): readonly Block[] {
  const { first } = firstSentences(issue.rootCause, CAUSE_SENTENCES);
  return [text(inertMarkdown(first, MAX_CAUSE, links))];
}

/** What `causeBlocks` left out; none where it is all of it. */
function renderRestOfCause(issue: SourcedIssue, links: SourceLinks): readonly Block[] {
  const { rest } = firstSentences(issue.rootCause, CAUSE_SENTENCES);
  return rest === '' ? [] : [text(inertMarkdown(rest, 2 * MAX_CAUSE, links))];
}

export function renderWhatToDo(issue: SourcedIssue, links: SourceLinks, title = 'What to do:'): readonly Block[] {
  if (issue.solutionSteps.length === 0) return [];
  return [text(title), ...stepBlocks(issue.solutionSteps, links)];
}

/** A numbered list, one item a block; code that belongs to an item stands within it. */
export function stepBlocks(steps: readonly Step[], links: SourceLinks): readonly Block[] {
  const shown = steps.slice(0, MAX_STEPS).map(({ description }, index) => {
    const lead = `${index + 1}. `;
    const body = inertMarkdown(description, MAX_STEP, links) || '–';
    return text(`${lead}${body.replaceAll('\n', `\n${' '.repeat(lead.length)}`).replace(/(?<![ \t])[ \t]+$/gm, '')}`);
  });
  const more = steps.length - shown.length;
  return more > 0 ? [...shown, text(`${more} more steps were left out.`)] : shown;
}

/** In a block, so that they can be taken out whole and pasted as they are. */
export function renderQuestions({ analysis }: SourcedIssue): readonly Block[] {
  const { questions } = analysis;
  if (questions.length === 0) return [];
  const list = questions
    .slice(0, MAX_STEPS)
    .map((question) => `- ${question.slice(0, MAX_QUESTION).replace(/\s+/g, ' ').trim()}`);
  return [text('To ask, ready to paste:'), code(list.join('\n'), 'text')];
}

/** Where the facts point, for a result that says no more than that. */
export function suspectBlocks({ analysis }: SourcedIssue, links: SourceLinks): readonly Block[] {
  if (analysis.outcome !== 'facts_only' && analysis.outcome !== 'inconclusive') return [];
  const shown = analysis.suspects.slice(0, SUSPECTS_SHOWN);
  if (shown.length === 0) return [];
  const lines = shown.map(({ file, line, function: name, reasons }) => {
    const place = line > 0 ? `${file}:${line}` : file;
    const address = links(place);
    const link = address === null ? formatCodeSpan(place) : `[${formatCodeSpan(place)}](${address})`;
    const within = name === '' ? '' : ` in ${formatCodeSpan(name)}`;
    const why = reasons.length === 0 ? '' : `: ${inertInline(reasons.slice(0, 2).join('; '), 300, links)}`;
    return formatBullet(`${link}${within}${why}`);
  });
  return [text(shown.length === 1 ? 'Where to look:' : 'Where to look (most likely first):'), text(lines.join('\n'))];
}

/** Why the outcome is what it is; where a fix was proven it is no news, and stands with the investigation. */
export function reasonBlocks({ analysis }: SourcedIssue, links: SourceLinks): readonly Block[] {
  return isNews(analysis) ? [text(inertMarkdown(analysis.reason, MAX_REASON, links))] : [];
}

function renderFoldedReason({ analysis }: SourcedIssue, links: SourceLinks): readonly Block[] {
  const said = isNews(analysis) || analysis.outcome === 'facts_only';
  return said ? [] : [text(inertMarkdown(analysis.reason, MAX_REASON, links))];
}

/** Facts alone say in their cause that no model was asked; and a cause that is not known gives this reason itself. */
function isNews({ outcome, partial, reason }: SourcedIssue['analysis']): boolean {
  if (outcome === 'facts_only') return partial;
  return (
    reason !== '' &&
    (partial || outcome === 'already_fixed' || outcome === 'inconclusive' || outcome === 'needs_information')
  );
}

/** Why there is no pull request, what was kept out of the change, and what a person must look at in it. */
export function remarkBlocks({ analysis }: SourcedIssue, fix: FixStanding, links: SourceLinks): readonly Block[] {
  const told = (isNever: boolean): string[] =>
    analysis.guards
      .filter(({ rule }) => rule.startsWith('never/') === isNever)
      .map(({ file, reason }) =>
        formatBullet(`${file === '' ? '' : `${formatCodeSpan(file)}: `}${inertInline(reason, 300, links)}`),
      );
  const withheld = fix.kind === 'withheld' ? `No pull request was opened: ${inertInline(fix.reason, 600, links)}` : '';
  return [
    text(withheld),
    ...renderList('Left out of the change:', told(true)),
    ...renderList('Look at this in the change:', told(false)),
  ];
}

function renderList(title: string, lines: readonly string[]): readonly Block[] {
  if (lines.length === 0) return [];
  const more = lines.length - GUARDS_SHOWN;
  const rest = more > 0 ? [`- and ${more} more`] : [];
  return [text(`${title}\n${[...lines.slice(0, GUARDS_SHOWN), ...rest].join('\n')}`)];
}

const RESULT_LINES = 30;

const RESULT_CHARACTERS = 2_500;

const LOG_LINES = 60;

export function foldReproduction({ issue }: ShownIssue, links: SourceLinks): Fold {
  const { stepsToReproduce } = issue;
  return {
    summary: `Reproduction (${countOf(stepsToReproduce.length, 'step')})`,
    blocks: stepBlocks(stepsToReproduce, links),
  };
}

export function foldInvestigation(shown: ShownIssue, links: SourceLinks): Fold {
  const { issue, steps, withheld } = shown;
  const kept =
    withheld === 0
      ? ''
      : `${countOf(withheld, 'lookup')} of monitoring systems ${withheld === 1 ? 'is' : 'are'} not shown, because this repository is public.`;
  return {
    summary: `Investigation (${countOf(steps.length, 'step')})`,
    blocks: [
      ...renderRestOfCause(issue, links),
      ...renderFoldedReason(issue, links),
      text(kept),
      ...steps.flatMap((step) => renderStep(step, links)),
    ],
  };
}

/** Headed by the words that the cause cites it by. */
function renderStep(step: NumberedStep, links: SourceLinks): readonly Block[] {
  const head = `[step ${step.number}]`.replace(/[[\]]/g, '\\$&');
  const meaning = inertMarkdown(step.analysis, 1_000, links);
  const isLog = step.source === 'log';
  return [
    text(
      [`**${head}** ${formatCodeSpan(step.action)}`, meaning, isLog ? 'Its result stands under “Log”.' : '']
        .filter(hasWords)
        .join('\n'),
    ),
    ...(isLog ? [] : [code(cutResult(step.result))]),
  ];
}

/** What the run read of the log; for a failed check without such a lookup, the end of it. */
export function foldLog({ issue, steps }: ShownIssue): Fold {
  const read = steps
    .filter(({ source }) => source === 'log')
    .flatMap(({ action, result }) => [text(formatCodeSpan(action)), code(result)]);
  if (read.length > 0 || issue.analysis.origin !== 'check-run') return { summary: 'Log', blocks: read };
  const lines = issue.analysis.report.trimEnd().split('\n');
  const cut = lines.length - LOG_LINES;
  const note = cut > 0 ? `The last ${LOG_LINES} of ${lines.length.toLocaleString('en')} lines.` : '';
  return { summary: 'Log', blocks: [text(note), code(lines.slice(-LOG_LINES).join('\n'))] };
}

export function diffFold(changeSet: ChangeSet | null, { issue }: ShownIssue): Fold {
  const files = issue.diff.files.length;
  const withheld = issue.analysis.guards
    .filter(({ rule }) => rule === 'never/secret')
    .map(({ file, reason }) => formatBullet(`${formatCodeSpan(file)}: ${inertInline(reason, 300)}`));
  const notes = withheld.length === 0 ? [] : [text(`Withheld:\n${withheld.slice(0, 20).join('\n')}`)];
  return {
    summary: `Diff (${countOf(files, 'file')})`,
    blocks: files === 0 ? [] : [...renderPatch(changeSet), ...notes],
  };
}

function renderPatch(changeSet: ChangeSet | null): readonly Block[] {
  if (changeSet === null) return [text('The edits were erased and cannot be shown.')];
  try {
    return [code(toUnifiedPatch(changeSet), 'diff')];
  } catch {
    return [text('No patch can carry this change, so that it is not shown.')];
  }
}

/** The expressions behind a search by form are long, and tell people nothing that its action does not. */
function cutResult(result: string): string {
  const lines = result
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('expression: '));
  const byLines = lines.slice(0, RESULT_LINES);
  while (byLines.length > 1 && byLines.join('\n').length > RESULT_CHARACTERS) byLines.pop();
  const cut = lines.length - byLines.length;
  return cut > 0 ? `${byLines.join('\n')}\n[${countOf(cut, 'more line')} not shown]` : byLines.join('\n');
}

function countOf(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

function hasWords(words: string): boolean {
  return words !== '';
}

export const STOP = '`/analyse stop` to cancel';

const AGAIN = '`/analyse retry <what to look at>` runs it again';

const BACK: Readonly<Record<Place['subject']['kind'], string>> = {
  issue: '`/analyse retry <what to look at>` on the issue, or close this',
  pull_request: '`/analyse retry <what to look at>` on the pull request that it is for, or close this',
  failure: 'close this where it does not help',
  report: 'close this where it does not help',
};

/** For a text on our own pull request: an analysis starts where the report is. Without its number, which would refer to it once more. */
export function describeWayBack({ subject }: Pick<Place, 'subject'>): string {
  return BACK[subject.kind];
}

/** One line. `recordUrl` is our own address, or "". */
export function renderFooter(issue: SourcedIssue, recordUrl: string): string {
  return [describeEffort(issue, recordUrl), AGAIN].join(' · ');
}

/** What an analysis took, on one line, and where its whole record is. */
export function describeEffort({ analysis }: SourcedIssue, recordUrl: string): string {
  const { usage, model, revision, sameAs } = analysis;
  return [
    formatDuration(usage.seconds),
    ...(model === null
      ? ['no model, no cost']
      : [formatCodeSpan(model), formatTokens(usage), formatCost(usage.costUsd)]),
    ...(revision === '' ? [] : [`commit ${formatCodeSpan(revision.slice(0, 12))}`]),
    ...(sameAs === null ? [] : ['answered from an equal report']),
    ...(/^https?:\/\/[^\s()<>"]+$/.test(recordUrl) ? [`[whole record](${recordUrl})`] : []),
  ].join(' · ');
}

function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 90 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function formatTokens({
  promptTokens,
  cachedTokens,
  cacheWriteTokens = 0,
  completionTokens,
}: SourcedIssue['analysis']['usage']): string {
  const number = (value: number) => value.toLocaleString('en');
  const parts = [
    ...(cachedTokens > 0 ? [`${number(cachedTokens)} cached`] : []),
    ...(cacheWriteTokens > 0 ? [`${number(cacheWriteTokens)} written to the cache`] : []),
  ];
  return `${number(promptTokens + completionTokens)} tokens${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

/** One dollar sign in a line opens no formula. */
function formatCost(usd: number): string {
  if (usd <= 0) return 'no price known';
  return usd < 0.01 ? 'under $0.01' : `$${usd.toFixed(2)}`;
}

const END = /[.!?…][)"”’\]]*\s+(?=[\p{Lu}\p{Lo}\p{N}`"“'(])/gu;

/** A stop after these ends no sentence. */
const SHORT = /(?:\b(?:e\.g|i\.e|etc|cf|vs|no|approx|resp)|\b\p{L})\.\s+$/iu;

/** At most `count` sentences, and what follows them ("" for nothing). A stop within code ends none. */
export function firstSentences(text: string, count: number): { readonly first: string; readonly rest: string } {
  let seen = 0;
  let counted = 0;
  let ticks = 0;
  for (const { 0: end, index } of text.matchAll(END)) {
    const at = index + end.length;
    ticks += text.slice(counted, at).split('`').length - 1;
    counted = at;
    if (ticks % 2 === 1 || SHORT.test(text.slice(Math.max(0, at - 12), at))) continue;
    seen += 1;
    if (seen === count) return { first: text.slice(0, at).trimEnd(), rest: text.slice(at) };
  }
  return { first: text, rest: '' };
}
