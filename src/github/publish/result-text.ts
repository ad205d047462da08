// The text of a result, with where its change stands. Pure.
import { MAX_PAGE } from '../render/page.ts';
import { resultComment } from '../render/result-comment.ts';
import { leadOf, redChecksOf } from './causes.ts';
import type { Result, View } from './deps.ts';
import { placeOf } from './place-of.ts';
import { fixStanding } from './standing.ts';

/** `most`: characters. */
export function resultText(view: View, result: Result, most = MAX_PAGE): string {
  const { thread, record, checks } = view;
  const isCurrent = view.result === result;
  const { suggested } = record;
  // Folded away when the checks were green: they come back at no later head.
  const isOffered = suggested !== undefined && suggested.reviewId !== 0 && suggested.isMinimized !== true;
  const isSuggested = isCurrent && isOffered && suggested.investigationId === thread.investigationId;
  const causes = isCurrent && thread.trigger.kind === 'checks' ? (checks?.causes ?? []) : [];
  const lead = leadOf(causes);
  return resultComment({
    place: placeOf(view, 'result'),
    ...result,
    fix: fixStanding(view, result),
    recordUrl: isCurrent ? view.recordUrl : '',
    most,
    isSuggested,
    ...(lead !== null && { checks: redChecksOf(causes, lead, baseOf(view)) }),
  });
}

function baseOf({ checks, project }: View): string {
  const place = checks?.head.place;
  return place?.kind === 'pull_request' ? place.base.branch : project.source.defaultBranch;
}
