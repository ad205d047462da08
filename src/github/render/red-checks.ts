// What is said of red checks: their names with the verdict, the cut log, and the causes that stand beside the first one.
import type { Verdict } from '../../core/check.ts';
import type { Excerpt } from '../../core/head.ts';
import { codeSpan, inertInline } from '../../core/markdown/github.ts';
import { shownIssue } from '../../core/shown-issue.ts';
import { sourceLinks } from '../../core/source-links.ts';
import type { FurtherCause, Place, RedChecks } from './ground.ts';
import { type Block, code, type Fold, text } from './page.ts';
import { causeBlocks } from './story.ts';

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
export function checkNames(names: readonly string[]): string {
  const shown = sorted(names)
    .slice(0, NAMES_SHOWN)
    .map((name) => codeSpan(name) || '`a check without a name`');
  const more = names.length - shown.length;
  return [shown.join(', '), ...(more > 0 ? [`${more} more`] : [])].filter((part) => part !== '').join(' and ');
}

/** `test (18)` before `test (22)`, whichever ended first. */
function sorted(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Such as `test` is red because of this change; no more than is known. */
export function redWords({ names, verdict, fault }: Pick<RedChecks, 'names' | 'verdict' | 'fault'>): string {
  const blame = verdict === 'code' ? faultWords(fault) : BLAME[verdict];
  return [checkNames(names), names.length === 1 ? 'is red' : 'are red', blame].filter((part) => part !== '').join(' ');
}

function faultWords({ isTouched, greenOn }: RedChecks['fault']): string {
  if (isTouched) return 'because of this change';
  return greenOn === '' ? '' : `here and green on ${codeSpan(greenOn) || 'the base'}`;
}

/** In place of the whole log: its part around the cause, and what was cut. */
export function excerptFold({ step, lines, cut }: Excerpt): Fold {
  const where = step === '' ? '' : `Of the step ${codeSpan(step)}.`;
  const note = [where, cut === '' ? '' : inertInline(cut, MAX_WHY)].filter((part) => part !== '').join(' ');
  return {
    summary: step === '' ? 'What it says' : 'Log',
    blocks: lines.length === 0 ? [] : [text(note), code(lines.join('\n'))],
  };
}

/** Each in a few lines; beyond the first ones their checks are only named. */
export function furtherBlocks(causes: readonly FurtherCause[], place: Place): readonly Block[] {
  if (causes.length === 0) return [];
  const rest = causes.slice(CAUSES_SHOWN).flatMap(({ names }) => names);
  return [
    text('Red for another cause:'),
    ...causes.slice(0, CAUSES_SHOWN).flatMap((cause) => causeOf(cause, place)),
    ...(rest.length === 0 ? [] : [text(`Red besides: ${checkNames(rest)}.`)]),
  ];
}

function causeOf({ names, issue, notFound }: FurtherCause, place: Place): readonly Block[] {
  const title = text(`**${checkNames(names)}**`);
  if (issue === null) return [title, text(`Not looked into: ${inertInline(notFound, MAX_WHY)}`)];
  const shown = shownIssue(issue, place);
  return [title, ...causeBlocks(shown.issue, sourceLinks(place, shown.issue))];
}
