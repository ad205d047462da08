// The comment with what an investigation found: outcome, cause, what to do, and folded how it is known.

import { shownIssue } from '../../core/shown-issue.ts';
import { sourceLinks } from '../../core/source-links.ts';
import { diffFold, investigationFold, logFold, reproductionFold } from './folds.ts';
import { resultFooter } from './footer.ts';
import type { ResultGround } from './ground.ts';
import { headline } from './headline.ts';
import { pageText, text } from './page.ts';
import { excerptFold, furtherBlocks } from './red-checks.ts';
import { causeBlocks, questionBlocks, reasonBlocks, remarkBlocks, suspectBlocks, whatToDo } from './story.ts';

/** Markdown of at most 60,000 characters (or `most`), the marker as its last line. */
export function resultComment(ground: ResultGround): string {
  const { place, issue: whole, changeSet, fix, checks, recordUrl, most } = ground;
  const shown = shownIssue(whole, place);
  const { issue } = shown;
  const links = sourceLinks(place, issue);
  return pageText({
    open: [
      text(headline(issue, ground)),
      ...causeBlocks(issue, links),
      ...reasonBlocks(issue, links),
      ...suspectBlocks(issue, links),
      ...questionBlocks(issue),
      ...whatToDo(issue, links),
      ...remarkBlocks(issue, fix, links),
      ...furtherBlocks(checks?.further ?? [], place),
    ],
    folds: [
      reproductionFold(shown, links),
      investigationFold(shown, links),
      checks === undefined || checks.excerpt.lines.length === 0 ? logFold(shown) : excerptFold(checks.excerpt),
      diffFold(changeSet, shown),
    ],
    footer: resultFooter(issue, recordUrl),
    marker: place.marker,
    ...(most !== undefined && { most }),
  });
}
