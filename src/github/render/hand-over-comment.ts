// The comment that hands a pull request over to people: its checks stay red, and nothing more is tried.
import type { Issue } from '../../core/issue.ts';
import { bullet, codeSpan } from '../../core/markdown/github.ts';
import { shownIssue } from '../../core/shown-issue.ts';
import { sourceLinks } from '../../core/source-links.ts';
import { investigationFold, logFold } from './folds.ts';
import { backAtSubject } from './footer.ts';
import type { HandOverGround, Place } from './ground.ts';
import { isOfRepository } from './headline.ts';
import { type Block, type Fold, pageText, text } from './page.ts';
import { causeBlocks, reasonBlocks, whatToDo } from './story.ts';

const CHECKS_SHOWN = 10;

/** Markdown of at most 60,000 characters, the marker as its last line. */
export function handOverComment({ place, attempts, failedChecks, lastIssue }: HandOverGround): string {
  const tried = attempts === 0 ? '' : attempts === 1 ? ' after a second attempt' : ` after ${attempts} more attempts`;
  const { open, folds } = lastIssue === null ? { open: [], folds: [] } : lastFound(lastIssue, place);
  return pageText({
    open: [
      text(`**CI still fails${tried} · over to you**`),
      text(checkList(failedChecks, place)),
      text("Causeway won't push to this branch again unless asked. Push to it yourself, or close the pull request."),
      ...open,
    ],
    folds,
    footer: backAtSubject(place),
    marker: place.marker,
  });
}

function checkList(checks: HandOverGround['failedChecks'], place: Place): string {
  const lines = checks.map(({ name, url }) => {
    const span = codeSpan(name) || '`a check without a name`';
    return isOfRepository(url, place) ? bullet(`[${span}](${url})`) : bullet(span);
  });
  const more = lines.length - CHECKS_SHOWN;
  return [...lines.slice(0, CHECKS_SHOWN), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function lastFound(last: Issue, place: Place): { readonly open: readonly Block[]; readonly folds: readonly Fold[] } {
  const shown = shownIssue(last, place);
  const links = sourceLinks(place, shown.issue);
  return {
    open: [
      text('Latest findings:'),
      ...causeBlocks(shown.issue, links),
      ...reasonBlocks(shown.issue, links),
      ...whatToDo(shown.issue, links),
    ],
    folds: [investigationFold(shown, links), logFold(shown)],
  };
}
