// What stands open below the first line: the cause in three sentences, what to do, what to answer, and what to mind.
import type { Issue, Step } from '../../core/issue.ts';
import { bullet, codeSpan, inertInline, inertMarkdown } from '../../core/markdown/github.ts';
import type { SourceLinks } from '../../core/source-links.ts';
import type { FixStanding } from './ground.ts';
import { type Block, code, text } from './page.ts';
import { firstSentences } from './sentences.ts';

const MAX_CAUSE = 1_500;
const CAUSE_SENTENCES = 3;
const MAX_STEP = 1_500;
const MAX_STEPS = 10;
const MAX_REASON = 1_500;
const MAX_QUESTION = 500;
const GUARDS_SHOWN = 6;
const SUSPECTS_SHOWN = 3;

export function causeBlocks(issue: Issue, links: SourceLinks): readonly Block[] {
  const { first } = firstSentences(issue.rootCause, CAUSE_SENTENCES);
  return [text(inertMarkdown(first, MAX_CAUSE, links))];
}

/** What `causeBlocks` left out; none where it is all of it. */
export function restOfCause(issue: Issue, links: SourceLinks): readonly Block[] {
  const { rest } = firstSentences(issue.rootCause, CAUSE_SENTENCES);
  return rest === '' ? [] : [text(inertMarkdown(rest, 2 * MAX_CAUSE, links))];
}

export function whatToDo(issue: Issue, links: SourceLinks, title = 'What to do:'): readonly Block[] {
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
export function questionBlocks({ analysis }: Issue): readonly Block[] {
  const { questions } = analysis;
  if (questions.length === 0) return [];
  const list = questions
    .slice(0, MAX_STEPS)
    .map((question) => `- ${question.slice(0, MAX_QUESTION).replace(/\s+/g, ' ').trim()}`);
  return [text('To ask, ready to paste:'), code(list.join('\n'), 'text')];
}

/** Where the facts point, for a result that says no more than that. */
export function suspectBlocks({ analysis }: Issue, links: SourceLinks): readonly Block[] {
  if (analysis.outcome !== 'facts_only' && analysis.outcome !== 'inconclusive') return [];
  const shown = analysis.suspects.slice(0, SUSPECTS_SHOWN);
  if (shown.length === 0) return [];
  const lines = shown.map(({ file, line, function: name, reasons }) => {
    const place = line > 0 ? `${file}:${line}` : file;
    const address = links(place);
    const link = address === null ? codeSpan(place) : `[${codeSpan(place)}](${address})`;
    const within = name === '' ? '' : ` in ${codeSpan(name)}`;
    const why = reasons.length === 0 ? '' : `: ${inertInline(reasons.slice(0, 2).join('; '), 300, links)}`;
    return bullet(`${link}${within}${why}`);
  });
  return [text(shown.length === 1 ? 'Where to look:' : 'Where to look (most likely first):'), text(lines.join('\n'))];
}

/** Why the outcome is what it is; where a fix was proven it is no news, and stands with the investigation. */
export function reasonBlocks({ analysis }: Issue, links: SourceLinks): readonly Block[] {
  return isNews(analysis) ? [text(inertMarkdown(analysis.reason, MAX_REASON, links))] : [];
}

export function foldedReason({ analysis }: Issue, links: SourceLinks): readonly Block[] {
  const said = isNews(analysis) || analysis.outcome === 'facts_only';
  return said ? [] : [text(inertMarkdown(analysis.reason, MAX_REASON, links))];
}

/** Facts alone say in their cause that no model was asked; and a cause that is not known gives this reason itself. */
function isNews({ outcome, partial, reason }: Issue['analysis']): boolean {
  if (outcome === 'facts_only') return partial;
  return (
    reason !== '' &&
    (partial || outcome === 'already_fixed' || outcome === 'inconclusive' || outcome === 'needs_information')
  );
}

/** Why there is no pull request, what was kept out of the change, and what a person must look at in it. */
export function remarkBlocks({ analysis }: Issue, fix: FixStanding, links: SourceLinks): readonly Block[] {
  const told = (isNever: boolean): string[] =>
    analysis.guards
      .filter(({ rule }) => rule.startsWith('never/') === isNever)
      .map(({ file, reason }) =>
        bullet(`${file === '' ? '' : `${codeSpan(file)}: `}${inertInline(reason, 300, links)}`),
      );
  const withheld = fix.kind === 'withheld' ? `No pull request was opened: ${inertInline(fix.reason, 600, links)}` : '';
  return [
    text(withheld),
    ...listed('Left out of the change:', told(true)),
    ...listed('Look at this in the change:', told(false)),
  ];
}

function listed(title: string, lines: readonly string[]): readonly Block[] {
  if (lines.length === 0) return [];
  const more = lines.length - GUARDS_SHOWN;
  const rest = more > 0 ? [`- and ${more} more`] : [];
  return [text(`${title}\n${[...lines.slice(0, GUARDS_SHOWN), ...rest].join('\n')}`)];
}
