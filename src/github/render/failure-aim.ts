// What the pull request for a red branch says it is for: the checks, their first error, and since when.
import type { CommitRange } from '../../core/failure.ts';
import { codeSpan, inertInline } from '../../core/markdown/github.ts';
import type { MendedFailure } from './ground.ts';
import { rangeCommits } from './range-commits.ts';
import { checkNames } from './red-checks.ts';
import { withoutTime } from './shown-error.ts';

/** Markdown of a few lines. */
export function failureAim({ branch, failure, range }: MendedFailure): string {
  const { checkNames: names, headline } = failure;
  return [
    `For red checks of ${codeSpan(branch)}${names.length === 0 ? '' : `: ${checkNames(names)}`}.`,
    ...(headline === '' ? [] : [`First error: ${codeSpan(withoutTime(headline))}`]),
    ...(range === null ? [] : rangeLines(range)),
  ].join('\n');
}

function rangeLines(range: CommitRange): readonly string[] {
  const { from, to, total } = range;
  const count = `${total.toLocaleString('en')} ${total === 1 ? 'commit' : 'commits'}`;
  const ends = `Green at ${codeSpan(from.slice(0, 12))}, red at ${codeSpan(to.slice(0, 12))}, ${count} later:`;
  const { shown, more } = rangeCommits(range);
  const lines = shown.map(({ commit: { sha, author, subject }, likeliest }) => {
    const by = author === '' ? '' : ` by ${codeSpan(author)}`;
    return `- ${codeSpan(sha.slice(0, 12))}${by}: ${inertInline(subject, 100)}${likeliest}`;
  });
  return [ends, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])];
}

/** Bold, one line: what there is to do about a change that its branch has done without; "" where it has not. */
export function sinceThen({ branch, since }: MendedFailure): string {
  if (since === null) return '';
  const main = codeSpan(branch);
  const green = codeSpan(since.sha.slice(0, 7));
  return since.kind === 'gone'
    ? `**Not red on ${main} any more since ${green}, without this change · next: close this, unless it is wanted all the same**`
    : `**Red on ${main} again: it was mended at ${green} without this change, and is back · next: see whether this still fits, else close it**`;
}
