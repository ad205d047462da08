// The parts of an Issue that several GitHub texts share: cause, steps, evidence, log, diff and cost.

import { type ChangeSet, toUnifiedPatch } from 'causeway-diff';
import type { SourceLinks } from 'causeway-safe-markdown';
import { formatCodeSpan, sanitiseInline, sanitiseMarkdown } from 'causeway-safe-markdown';
import {
  changesResult,
  describeCost,
  describeNext,
  explainLook,
  findExcerpt,
  formatDuration,
  type NumberedStep,
  nameLook,
  type ShownIssue,
  type SourcedIssue,
  type Step,
  type Suspect,
  splitSentences,
} from '../../core/issue/index.ts';
import { type Block, code, describeCount, type Fold, formatList, text } from './page.ts';

const MAX_CAUSE = 1_500;
const CAUSE_SENTENCES = 3;
const MAX_STEP = 1_500;
const MAX_STEPS = 10;
const MAX_REASON = 1_500;
const MAX_QUESTION = 500;
const GUARDS_SHOWN = 6;
const SUSPECTS_SHOWN = 3;
const EXCERPT = 5;
const RESULT_LINES = 30;
const RESULT_CHARACTERS = 2_500;
const LOG_LINES = 60;

export function renderCause(issue: SourcedIssue, links: SourceLinks): Block {
  return text(sanitiseMarkdown(splitCause(issue).first, MAX_CAUSE, links));
}

/** Facts are one short line each, with the doubts last: none may be cut. */
function splitCause({ rootCause, analysis }: Pick<SourcedIssue, 'rootCause' | 'analysis'>) {
  return splitSentences(rootCause, analysis.outcome === 'facts_only' ? Number.POSITIVE_INFINITY : CAUSE_SENTENCES);
}

/** Of facts alone: the code of a place that is more than a guess, and what to do next. */
export function renderNext(issue: SourcedIssue, links: SourceLinks): readonly Block[] {
  const { citations, questions } = issue.analysis;
  const isPlaced = citations.length > 0;
  const lines = isPlaced ? findExcerpt(issue, EXCERPT) : [];
  const next = isPlaced || questions.length === 0 ? describeNext(issue.solutionSteps) : '';
  return [code(lines.map((line) => line.text).join('\n')), text(sanitiseMarkdown(next, MAX_STEP, links))];
}

/** A numbered list, one item a block; code that belongs to an item is indented within it. */
export function renderSteps(steps: readonly Step[], links: SourceLinks, title = ''): readonly Block[] {
  if (steps.length === 0) return [];
  const shown = steps.slice(0, MAX_STEPS).map(({ description }, index) => {
    const lead = `${index + 1}. `;
    const body = sanitiseMarkdown(description, MAX_STEP, links) || '–';
    return text(`${lead}${body.replaceAll('\n', `\n${' '.repeat(lead.length)}`).replace(/(?<![ \t])[ \t]+$/gm, '')}`);
  });
  const more = steps.length - shown.length;
  return [text(title), ...shown, text(more > 0 ? `${describeCount(more, 'more step')} not shown.` : '')];
}

/** As code, so that no one is notified; "" for no owner. */
export function renderOwnership({ analysis: { ownership } }: SourcedIssue): string {
  if (ownership === null || ownership.owners.length === 0) return '';
  const owners = ownership.owners.map(formatCodeSpan).join(', ');
  return `${formatCodeSpan(ownership.file)} is owned by ${owners}.`;
}

/** In a code block, so that they can be copied as they are. */
export function renderQuestions({ analysis: { questions } }: SourcedIssue): readonly Block[] {
  if (questions.length === 0) return [];
  const list = questions
    .slice(0, MAX_STEPS)
    .map((one) => `- ${one.slice(0, MAX_QUESTION).replace(/\s+/g, ' ').trim()}`);
  return [text('Questions for the reporter:'), code(list.join('\n'), 'text')];
}

/** For a result without a cause. Without a model the text above names the first suspect already, unless `lead` replaces it. */
export function renderSuspects(issue: SourcedIssue, links: SourceLinks, lead = ''): readonly Block[] {
  const { outcome, suspects } = issue.analysis;
  if (outcome !== 'facts_only' && outcome !== 'inconclusive') return [];
  const isSkipped = outcome === 'facts_only' && lead === '';
  const shown = suspects.slice(isSkipped ? 1 : 0, SUSPECTS_SHOWN);
  const title = shown.length === 1 ? 'Where to look:' : 'Where to look (most likely first):';
  return shown.length === 0 ? [] : [text(lead || (isSkipped ? 'Also possible:' : title)), listSuspects(shown, links)];
}

function listSuspects(suspects: readonly Suspect[], links: SourceLinks): Block {
  const lines = suspects.map(({ file, line, function: name, reasons }) => {
    const place = line > 0 ? `${file}:${line}` : file;
    const address = links(place);
    const link = address === null ? formatCodeSpan(place) : `[${formatCodeSpan(place)}](${address})`;
    const within = name === '' ? '' : ` in ${formatCodeSpan(name)}`;
    const why = reasons.length === 0 ? '' : `: ${sanitiseInline(reasons.slice(0, 2).join('; '), 300, links)}`;
    return `${link}${within}${why}`;
  });
  return text(formatList(lines, SUSPECTS_SHOWN));
}

/** Of facts alone: the places after the first. */
export function foldOthers({ analysis: { suspects } }: SourcedIssue, links: SourceLinks): Fold {
  const others = suspects.slice(1);
  return {
    summary: `Also possible (${describeCount(others.length, 'place')})`,
    blocks: others.length === 0 ? [] : [listSuspects(others, links)],
  };
}

/** Of facts alone; nothing where `renderNext` says it all. */
export function foldSolution({ solutionSteps: steps }: SourcedIssue, links: SourceLinks): Fold {
  const isSaid = steps.length === 1 && !steps[0]?.description.includes('\n');
  return { summary: 'What to do', blocks: isSaid ? [] : renderSteps(steps, links) };
}

/** Why the outcome is what it is. For a proven fix it is shown with the investigation only. */
export function renderReason({ analysis }: SourcedIssue, links: SourceLinks): Block {
  return text(isReasonOpen(analysis) ? sanitiseMarkdown(analysis.reason, MAX_REASON, links) : '');
}

/** "" where a second look changed nothing. */
export function renderSecondLook({ analysis: { secondLook } }: SourcedIssue): string {
  if (!changesResult(secondLook)) return '';
  const why = secondLook.reason === '' ? '' : `: ${sanitiseInline(explainLook(secondLook), MAX_LOOK)}`;
  return `**${nameLook(secondLook)}**${why}`;
}

const MAX_LOOK = 900;

function isReasonOpen({ outcome, partial, reason }: SourcedIssue['analysis']): boolean {
  if (outcome === 'facts_only') return partial;
  const explains = outcome === 'already_fixed' || outcome === 'inconclusive' || outcome === 'needs_information';
  return reason !== '' && (partial || explains);
}

/** What was kept out of the change, and what a person has to check in it. */
export function renderGuards({ analysis: { guards } }: SourcedIssue, links: SourceLinks): readonly Block[] {
  const list = (title: string, isNever: boolean) => {
    const lines = guards
      .filter(({ rule }) => rule.startsWith('never/') === isNever)
      .map(({ file, reason }) => {
        const lead = file === '' ? '' : `${formatCodeSpan(file)}: `;
        return `${lead}${sanitiseInline(reason, 300, links)}`;
      });
    return text(lines.length === 0 ? '' : `${title}\n${formatList(lines, GUARDS_SHOWN)}`);
  };
  return [list('Not included in the change:', true), list('Check these in the change:', false)];
}

/** "" for no reason. */
export function renderWithheld(reason: string, links?: SourceLinks): Block {
  return text(reason === '' ? '' : `No pull request was opened: ${sanitiseInline(reason, 600, links)}`);
}

export function foldReproduction({ issue: { stepsToReproduce } }: ShownIssue, links: SourceLinks): Fold {
  return {
    summary: `Reproduction (${describeCount(stepsToReproduce.length, 'step')})`,
    blocks: renderSteps(stepsToReproduce, links),
  };
}

export function foldInvestigation({ issue, steps, withheld }: ShownIssue, links: SourceLinks): Fold {
  const { analysis } = issue;
  const { rest } = splitCause(issue);
  const isReasonHere = !isReasonOpen(analysis) && analysis.outcome !== 'facts_only';
  const notShown = `${describeCount(withheld, 'monitoring lookup')} not shown because this repository is public.`;
  return {
    summary: `Investigation (${describeCount(steps.length, 'step')})`,
    blocks: [
      text(sanitiseMarkdown(rest, 2 * MAX_CAUSE, links)),
      text(isReasonHere ? sanitiseMarkdown(analysis.reason, MAX_REASON, links) : ''),
      text(withheld === 0 ? '' : notShown),
      ...steps.flatMap((step) => renderStepEvidence(step, links)),
    ],
  };
}

/** Headed by the words that the cause cites it by. */
function renderStepEvidence(step: NumberedStep, links: SourceLinks): readonly Block[] {
  const isLog = step.source === 'log';
  const lines = [
    `**\\[step ${step.number}\\]** ${formatCodeSpan(step.action)}`,
    sanitiseMarkdown(step.analysis, 1_000, links),
    isLog ? 'See “Log” for the output.' : '',
  ];
  return [text(lines.filter(Boolean).join('\n')), ...(isLog ? [] : [code(cutResult(step.result))])];
}

function cutResult(result: string): string {
  // The expressions behind a structural search are long, and the action already says what was searched.
  const lines = result
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('expression: '));
  const shown = lines.slice(0, RESULT_LINES);
  while (shown.length > 1 && shown.join('\n').length > RESULT_CHARACTERS) shown.pop();
  const cut = lines.length - shown.length;
  return [...shown, ...(cut > 0 ? [`[${describeCount(cut, 'more line')} not shown]`] : [])].join('\n');
}

/** What the investigation read of the log; otherwise the end of a failed check's log. */
export function foldLog({ issue, steps }: ShownIssue): Fold {
  const read = steps
    .filter(({ source }) => source === 'log')
    .flatMap(({ action, result }) => [text(formatCodeSpan(action)), code(result)]);
  if (read.length > 0 || issue.analysis.origin !== 'check-run') return { summary: 'Log', blocks: read };
  const lines = issue.analysis.report.trimEnd().split('\n');
  const note = `Last ${LOG_LINES} of ${lines.length.toLocaleString('en')} lines.`;
  const blocks = [text(lines.length > LOG_LINES ? note : ''), code(lines.slice(-LOG_LINES).join('\n'))];
  return { summary: 'Log', blocks };
}

export function foldDiff(changeSet: ChangeSet | null, { issue }: ShownIssue): Fold {
  const files = issue.diff.files.length;
  const secrets = issue.analysis.guards
    .filter(({ rule }) => rule === 'never/secret')
    .map(({ file, reason }) => `${formatCodeSpan(file)}: ${sanitiseInline(reason, 300)}`);
  const notes = secrets.length === 0 ? [] : [text(`Withheld:\n${formatList(secrets, 20)}`)];
  return {
    summary: `Diff (${describeCount(files, 'file')})`,
    blocks: files === 0 ? [] : [renderPatch(changeSet), ...notes],
  };
}

function renderPatch(changeSet: ChangeSet | null): Block {
  if (changeSet === null) return text('The diff was deleted.');
  try {
    return code(toUnifiedPatch(changeSet), 'diff');
  } catch {
    return text("This change can't be shown as a patch.");
  }
}

/** What an analysis took, on one line, with a link to the full record. */
export function describeEffort({ analysis }: SourcedIssue, recordUrl: string): string {
  const { model, revision, sameAs, usage } = analysis;
  // GitHub reads a formula between two dollar signs; one in a line is text.
  const spent =
    model === null ? ['no model, no cost'] : [formatCodeSpan(model), formatUsedTokens(usage), describeCost(analysis)];
  return [
    formatDuration(usage.seconds),
    ...spent,
    ...(revision === '' ? [] : [`commit ${formatCodeSpan(revision.slice(0, 12))}`]),
    ...describeContextLine(analysis.context),
    ...(sameAs === null ? [] : ['reused from an identical report']),
    ...(/^https?:\/\/[^\s()<>"]+$/.test(recordUrl) ? [`[full record](${recordUrl})`] : []),
  ].join(' · ');
}

/** Which other repositories were read, and which were not. The names of tags and branches are from outside. */
function describeContextLine(context: SourcedIssue['analysis']['context']): readonly string[] {
  const read = context
    .filter(({ refused }) => refused === null)
    .map(({ repository, ref, revision }) => {
      return `${formatCodeSpan(repository)} at ${formatCodeSpan(ref || revision.slice(0, 12))}`;
    });
  const notRead = context.flatMap(({ repository, refused }) => (refused === null ? [] : formatCodeSpan(repository)));
  return [
    ...(read.length === 0 ? [] : [`also read: ${read.join(', ')}`]),
    ...(notRead.length === 0 ? [] : [`not read: ${notRead.join(', ')}`]),
  ];
}

function formatUsedTokens(usage: SourcedIssue['analysis']['usage']): string {
  const { promptTokens, cachedTokens, cacheWriteTokens = 0, completionTokens } = usage;
  const parts = [
    ...(cachedTokens > 0 ? [`${cachedTokens.toLocaleString('en')} cached`] : []),
    ...(cacheWriteTokens > 0 ? [`${cacheWriteTokens.toLocaleString('en')} written to the cache`] : []),
  ];
  const total = (promptTokens + completionTokens).toLocaleString('en');
  return `${total} tokens${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}
