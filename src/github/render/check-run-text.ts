// The texts of our check run: a summary that says what broke, whose it is and what to do, and below it the log and the repair.

import { formatBullet, formatCodeSpan, inertInline } from '../../core/markdown/github.ts';
import { causeBlocks, causeFolds, detailBlocks } from './check-run-cause.ts';
import type { CheckRunGround } from './check-run-ground.ts';
import { describeEffort } from './issue-parts.ts';
import { type Block, renderPage, text } from './page.ts';

/** What GitHub takes of each text, counted as it is most dear. */
const MAX_BYTES = 65_535;
const LEFT_OUT_SHOWN = 10;
/** From whole to short: the first that fits is taken. */
const SIZES: readonly TextSize[] = [
  { causes: 10, lines: 60, most: 60_000, mostOpen: 24_000, hasFolds: true },
  { causes: 5, lines: 20, most: 30_000, mostOpen: 24_000, hasFolds: true },
  { causes: 5, lines: 20, most: 30_000, mostOpen: 20_000, hasFolds: false },
];

interface TextSize {
  /** That are told of, of each text. */
  readonly causes: number;
  /** Of a log, where there are no more than two. */
  readonly lines: number;
  /** Characters. */
  readonly most: number;
  readonly mostOpen: number;
  readonly hasFolds: boolean;
}

/** Markdown for GitHub, inert; at most 65,535 bytes. */
export function renderSummary(ground: CheckRunGround): string {
  return fitSizes((size) => {
    const { mostOpen } = size;
    return renderPage({ open: renderOpen(ground, size), folds: [], footer: '', marker: '', mostOpen });
  });
}

/** The same; the log, the failed tests, what to do and the diff, and on its last line how to go on. */
export function renderDetails(ground: CheckRunGround): string {
  return fitSizes((size) => {
    const causes = ground.causes.slice(0, size.causes);
    const lines = Math.min(size.lines, Math.ceil((2 * size.lines) / Math.max(1, causes.length)));
    return renderPage({
      open: causes.flatMap((cause) => detailBlocks(ground, cause, lines)),
      folds: size.hasFolds ? causes.flatMap((cause) => causeFolds(ground, cause)) : [],
      footer: renderDetailsFooter(ground),
      marker: '',
      ...{ most: size.most, mostOpen: size.mostOpen },
    });
  });
}

function fitSizes(write: (size: TextSize) => string): string {
  for (const size of SIZES) {
    const written = write(size).trim();
    if (Buffer.byteLength(written) <= MAX_BYTES) return written;
  }
  return '';
}

function renderOpen(ground: CheckRunGround, size: TextSize): readonly Block[] {
  const { causes, head } = ground;
  const more = causes.length - size.causes;
  return [
    text(describeHead(ground)),
    ...causes.slice(0, size.causes).flatMap((cause) => causeBlocks(ground, cause)),
    text(more > 0 ? `${more} more ${more === 1 ? 'cause is' : 'causes are'} not shown here.` : ''),
    ...renderLeftOut(head.leftOut),
    text(describeWaiting(head.stillWaiting)),
  ];
}

/** What goes for all that follows. */
function describeHead({ head, causes }: CheckRunGround): string {
  if (head.state === 'superseded') {
    const isClosed = head.place?.kind === 'pull_request' && head.place.isClosed === true;
    const why = isClosed ? 'The pull request is closed' : 'Another commit has taken the place of this one';
    return `${why}, so that nothing more is looked into here.`;
  }
  if (head.state === 'ignored') return 'The checks of this commit are not looked at any more.';
  if (head.state !== 'green') return '';
  return causes.length === 0
    ? 'What was red here has passed since.'
    : 'All checks are green now. This is what was red before:';
}

function describeWaiting(names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, LEFT_OUT_SHOWN).map((name) => formatCodeSpan(name) || '–');
  const more = names.length - shown.length;
  return `Still waiting: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

function renderLeftOut(leftOut: CheckRunGround['head']['leftOut']): readonly Block[] {
  if (leftOut.length === 0) return [];
  const shown = leftOut
    .slice(0, LEFT_OUT_SHOWN)
    .map(({ name, reason }) => formatBullet(`${formatCodeSpan(name) || '–'}: ${inertInline(reason, 300)}`));
  const more = leftOut.length - shown.length;
  return [text(['Red as well, and not looked at:', ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n'))];
}

function renderDetailsFooter({ head, causes }: CheckRunGround): string {
  const results = causes.flatMap(({ inquiry }) => (inquiry.kind === 'concluded' ? [inquiry] : []));
  const [only] = results;
  const spent = results.length === 1 && only !== undefined ? [describeEffort(only.issue, only.recordUrl)] : [];
  const again =
    head.place?.kind === 'pull_request'
      ? '`/analyse <what to look at>` in a comment on the pull request looks again'
      : 'To have it looked into: open an issue with this log, and comment `/analyse`';
  return [...spent, again].join(' · ');
}
