// What is left of a result once the checks are green again: one line.

import { codeSpan, inertInline } from '../../core/markdown/github.ts';
import { shownIssue } from '../../core/shown-issue.ts';
import { sourceLinks } from '../../core/source-links.ts';
import type { SettledGround } from './ground.ts';
import { pageText, text } from './page.ts';
import { checkNames } from './red-checks.ts';
import { firstSentences } from './sentences.ts';

const MAX_CAUSE = 400;

/** Markdown of one line, and the marker as its last one. */
export function settledComment(ground: SettledGround): string {
  const { place, sha, isFlaky } = ground;
  const names = checkNames(ground.names);
  const head = codeSpan(sha.slice(0, 7));
  const passed = names === '' ? 'the checks passed' : `${names} passed`;
  const line = isFlaky
    ? `Green again at the same commit ${head}: ${passed} without a change, so it was flaky.`
    : `Green again at ${head}: ${passed}${causeWords(ground)}`;
  return pageText({ open: [text(line)], folds: [], footer: '', marker: place.marker });
}

/** What is not known is not repeated. */
function causeWords({ issue, place }: SettledGround): string {
  if (issue === null || issue.analysis.outcome === 'inconclusive' || issue.analysis.outcome === 'facts_only')
    return '.';
  const shown = shownIssue(issue, place).issue;
  const { first } = firstSentences(shown.rootCause.replace(/(?<!\s)\s*\[step \d+\]/g, ''), 1);
  return `. The cause was: ${inertInline(first, MAX_CAUSE, sourceLinks(place, shown))}`;
}
