// The comment of an investigation that ended without a result: why, and how to go on.
import type { FailureReason } from '../../domain/errors.ts';
import { codeSpan } from '../../domain/markdown/code-marks.ts';
import { inertMarkdown } from '../../domain/markdown/inert-markdown.ts';
import type { EndGround } from './ground.ts';
import { pageText, text } from './page.ts';

const REASONS: Readonly<Record<FailureReason['code'], string>> = {
  cancelled: 'Stopped, without a result',
  revision_not_found: 'No result · the commit to look at was not found',
  repository_empty: 'No result · the repository has no commit',
  repository_unreachable: 'No result · the repository could not be read',
  access_lost: 'No result · access to the repository was lost',
  internal: 'No result · Causeway failed on its own account',
};

/** Markdown, the marker as its last line. */
export function endComment({ place, reason }: EndGround): string {
  return pageText({
    open: [
      text(`**${REASONS[reason.code]} · next: \`/analyse\` starts again**`),
      text(inertMarkdown(reason.detail, 2_000)),
    ],
    folds: [],
    footer: `asked for by ${codeSpan(place.askedBy)}`,
    marker: place.marker,
  });
}
