// The comment of an investigation that ended without a result: why, and how to go on.

import { codeSpan, inertMarkdown } from '../../core/markdown/github.ts';
import type { FailureReason } from '../../core/reason.ts';
import type { EndGround } from './ground.ts';
import { pageText, text } from './page.ts';

const REASONS: Readonly<Record<FailureReason['code'], string>> = {
  cancelled: 'Stopped',
  revision_not_found: 'No result: the commit was not found',
  repository_empty: 'No result: the repository is empty',
  repository_unreachable: "No result: the repository couldn't be read",
  access_lost: 'No result: access to the repository was lost',
  internal: 'No result: internal error in Causeway',
};

/** Markdown, the marker as its last line. */
export function endComment({ place, reason }: EndGround): string {
  return pageText({
    open: [
      text(`**${REASONS[reason.code]} · comment \`/analyse\` to start again**`),
      text(inertMarkdown(reason.detail, 2_000)),
    ],
    folds: [],
    footer: `asked for by ${codeSpan(place.askedBy)}`,
    marker: place.marker,
  });
}
