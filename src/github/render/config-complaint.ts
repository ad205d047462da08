// The comment about a configuration file that cannot be understood: one fault, with its line and its repair.

import { codeSpan, inertInline } from '../../core/markdown/github.ts';
import type { ConfigProblem } from '../configuration/repository-config.ts';
import type { Place } from './ground.ts';
import { pageText, text } from './page.ts';

/** Markdown, the marker as its last line. */
export function configComplaint({ file, line, message }: ConfigProblem, place: Place): string {
  const where = line > 0 ? `, line ${line}` : '';
  return pageText({
    open: [
      text(`**${codeSpan(file)}${where} cannot be used · next: mend it on the default branch**`),
      text(inertInline(message, 600)),
      text('Until then Causeway goes by its defaults, comments only where it is asked, and opens no pull requests.'),
    ],
    folds: [],
    footer: '',
    marker: place.marker,
  });
}
