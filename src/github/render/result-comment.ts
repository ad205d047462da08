// The comment with what an investigation found: outcome, cause, what to do, and folded how it is known.
import { diffFold, investigationFold, logFold, reproductionFold } from './folds.ts';
import { resultFooter } from './footer.ts';
import type { ResultGround } from './ground.ts';
import { headline } from './headline.ts';
import { pageText, text } from './page.ts';
import { shownIssue } from './shown-issue.ts';
import { sourceLinks } from './source-links.ts';
import { causeBlocks, questionBlocks, reasonBlocks, remarkBlocks, suspectBlocks, whatToDo } from './story.ts';

/** Markdown of at most 60,000 characters (or `most`), the marker as its last line. */
export function resultComment({ place, issue: whole, changeSet, fix, recordUrl, most }: ResultGround): string {
  const shown = shownIssue(whole, place);
  const { issue } = shown;
  const links = sourceLinks(place, issue);
  return pageText({
    open: [
      text(headline(issue, fix, place)),
      ...causeBlocks(issue, links),
      ...reasonBlocks(issue, links),
      ...suspectBlocks(issue, links),
      ...questionBlocks(issue),
      ...whatToDo(issue, links),
      ...remarkBlocks(issue, fix, links),
    ],
    folds: [
      reproductionFold(shown, links),
      investigationFold(shown, links),
      logFold(shown),
      diffFold(changeSet, shown),
    ],
    footer: resultFooter(issue, recordUrl),
    marker: place.marker,
    ...(most !== undefined && { most }),
  });
}
