// The comment while an investigation runs: what is known without a model, where it is, and how to stop it.
import type { Conclusion, Issue } from '../../core/issue.ts';
import { codeSpan } from '../../core/markdown/github.ts';
import { waitingFor } from '../../core/reason.ts';
import { asksMonitoring, shownIssue } from '../../core/shown-issue.ts';
import { sourceLinks } from '../../core/source-links.ts';
import { investigationFold, reproductionFold } from './folds.ts';
import { STOP } from './footer.ts';
import type { FactsGround } from './ground.ts';
import { type Block, type Fold, pageText, text } from './page.ts';
import { causeBlocks, suspectBlocks } from './story.ts';

/** Markdown of at most 60,000 characters, the marker as its last line. */
export function factsComment(ground: FactsGround): string {
  const { place, facts } = ground;
  const { open, folds } = facts === null ? { open: [], folds: [] } : factParts(facts, place);
  return pageText({
    open: [text(`**${standing(ground)}**`), ...open],
    folds,
    footer: `asked for by ${codeSpan(place.askedBy)} · updates live · ${STOP}`,
    marker: place.marker,
  });
}

function factParts(
  facts: Conclusion,
  place: FactsGround['place'],
): { readonly open: readonly Block[]; readonly folds: readonly Fold[] } {
  const shown = shownIssue(asIssue(facts), place);
  const links = sourceLinks(place, shown.issue);
  return {
    open: [...causeBlocks(shown.issue, links), ...suspectBlocks(shown.issue, links)],
    folds: [reproductionFold(shown, links), investigationFold(shown, links)],
  };
}

/** Facts belong to no caller yet. */
function asIssue({ changeSet: _, analysis, ...facts }: Conclusion): Issue {
  const own = { investigationId: '', reference: '', origin: 'github-issue', report: '', sameAs: null } as const;
  return { ...facts, id: '', projectId: '', createdAt: '', diff: { files: [] }, analysis: { ...analysis, ...own } };
}

function standing({ place, facts, progress, waitsFor }: FactsGround): string {
  if (waitsFor !== null) return `Waiting for ${waitingFor(waitsFor)} · resumes automatically`;
  if (progress.step === 0)
    return facts === null ? 'Investigating · gathering facts' : 'Investigating · the facts are gathered';
  const isHidden = place.isPublic && asksMonitoring(progress.action);
  const action = isHidden ? 'a lookup in monitoring' : codeSpan(progress.action.slice(0, 120));
  return `Investigating · step ${progress.step}: ${action}`;
}
