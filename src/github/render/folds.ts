// What is folded away: how to reproduce it, what was looked up, the log, the diff.
import type { ChangeSet } from '../../core/change-set.ts';
import { toUnifiedPatch } from '../../core/diff/unified-patch.ts';
import { bullet, codeSpan, inertInline, inertMarkdown } from '../../core/markdown/github.ts';
import type { NumberedStep, ShownIssue } from '../../core/shown-issue.ts';
import type { SourceLinks } from '../../core/source-links.ts';
import { type Block, code, type Fold, text } from './page.ts';
import { foldedReason, restOfCause, stepBlocks } from './story.ts';

const RESULT_LINES = 30;
const RESULT_CHARACTERS = 2_500;
const LOG_LINES = 60;

export function reproductionFold({ issue }: ShownIssue, links: SourceLinks): Fold {
  const { stepsToReproduce } = issue;
  return {
    summary: `Reproduction (${counted(stepsToReproduce.length, 'step')})`,
    blocks: stepBlocks(stepsToReproduce, links),
  };
}

export function investigationFold(shown: ShownIssue, links: SourceLinks): Fold {
  const { issue, steps, withheld } = shown;
  const kept =
    withheld === 0
      ? ''
      : `${counted(withheld, 'lookup')} of monitoring systems ${withheld === 1 ? 'is' : 'are'} not shown, because this repository is public.`;
  return {
    summary: `Investigation (${counted(steps.length, 'step')})`,
    blocks: [
      ...restOfCause(issue, links),
      ...foldedReason(issue, links),
      text(kept),
      ...steps.flatMap((step) => stepAsBlocks(step, links)),
    ],
  };
}

/** Headed by the words that the cause cites it by. */
function stepAsBlocks(step: NumberedStep, links: SourceLinks): readonly Block[] {
  const head = `[step ${step.number}]`.replace(/[[\]]/g, '\\$&');
  const meaning = inertMarkdown(step.analysis, 1_000, links);
  const isLog = readsLog(step.action);
  return [
    text(
      [`**${head}** ${codeSpan(step.action)}`, meaning, isLog ? 'Its result stands under “Log”.' : '']
        .filter(isSaid)
        .join('\n'),
    ),
    ...(isLog ? [] : [code(excerpt(step.result))]),
  ];
}

/** What the run read of the log; for a failed check without such a lookup, the end of it. */
export function logFold({ issue, steps }: ShownIssue): Fold {
  const read = steps
    .filter(({ action }) => readsLog(action))
    .flatMap(({ action, result }) => [text(codeSpan(action)), code(result)]);
  if (read.length > 0 || issue.analysis.origin !== 'check-run') return { summary: 'Log', blocks: read };
  const lines = issue.analysis.report.trimEnd().split('\n');
  const cut = lines.length - LOG_LINES;
  const note = cut > 0 ? `The last ${LOG_LINES} of ${lines.length.toLocaleString('en')} lines.` : '';
  return { summary: 'Log', blocks: [text(note), code(lines.slice(-LOG_LINES).join('\n'))] };
}

function readsLog(action: string): boolean {
  return /^ci_log\b/.test(action);
}

export function diffFold(changeSet: ChangeSet | null, { issue }: ShownIssue): Fold {
  const files = issue.diff.files.length;
  const withheld = issue.analysis.guards
    .filter(({ rule }) => rule === 'never/secret')
    .map(({ file, reason }) => bullet(`${codeSpan(file)}: ${inertInline(reason, 300)}`));
  const notes = withheld.length === 0 ? [] : [text(`Withheld:\n${withheld.slice(0, 20).join('\n')}`)];
  return {
    summary: `Diff (${counted(files, 'file')})`,
    blocks: files === 0 ? [] : [...patchBlocks(changeSet), ...notes],
  };
}

function patchBlocks(changeSet: ChangeSet | null): readonly Block[] {
  if (changeSet === null) return [text('The edits were erased and cannot be shown.')];
  try {
    return [code(toUnifiedPatch(changeSet), 'diff')];
  } catch {
    return [text('No patch can carry this change, so that it is not shown.')];
  }
}

/** The expressions behind a search by form are long, and tell people nothing that its action does not. */
function excerpt(result: string): string {
  const lines = result
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('expression: '));
  const byLines = lines.slice(0, RESULT_LINES);
  while (byLines.length > 1 && byLines.join('\n').length > RESULT_CHARACTERS) byLines.pop();
  const cut = lines.length - byLines.length;
  return cut > 0 ? `${byLines.join('\n')}\n[${counted(cut, 'more line')} not shown]` : byLines.join('\n');
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

function isSaid(words: string): boolean {
  return words !== '';
}
