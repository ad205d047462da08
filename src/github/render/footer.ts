// The small last line: what it cost, where the whole record is, and how to have it done again or stopped.
import type { Issue } from '../../core/issue.ts';
import { codeSpan } from '../../core/markdown/github.ts';
import type { Place } from './ground.ts';

export const STOP = '`/analyse stop` to cancel';
const AGAIN = '`/analyse retry <what to look at>` runs it again';
const BACK: Readonly<Record<Place['subject']['kind'], string>> = {
  issue: '`/analyse retry <what to look at>` on the issue, or close this',
  pull_request: '`/analyse retry <what to look at>` on the pull request that it is for, or close this',
  failure: 'close this where it does not help',
  report: 'close this where it does not help',
};

/** For a text on our own pull request: an analysis starts where the report is. Without its number, which would refer to it once more. */
export function backAtSubject({ subject }: Pick<Place, 'subject'>): string {
  return BACK[subject.kind];
}

/** One line. `recordUrl` is our own address, or "". */
export function resultFooter(issue: Issue, recordUrl: string): string {
  return [effort(issue, recordUrl), AGAIN].join(' · ');
}

/** What an analysis took, on one line, and where its whole record is. */
export function effort({ analysis }: Issue, recordUrl: string): string {
  const { usage, model, revision, sameAs } = analysis;
  return [
    duration(usage.seconds),
    ...(model === null ? ['no model, no cost'] : [codeSpan(model), tokens(usage), cost(usage.costUsd)]),
    ...(revision === '' ? [] : [`commit ${codeSpan(revision.slice(0, 12))}`]),
    ...(sameAs === null ? [] : ['answered from an equal report']),
    ...(/^https?:\/\/[^\s()<>"]+$/.test(recordUrl) ? [`[whole record](${recordUrl})`] : []),
  ].join(' · ');
}

function duration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 90 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function tokens({
  promptTokens,
  cachedTokens,
  cacheWriteTokens = 0,
  completionTokens,
}: Issue['analysis']['usage']): string {
  const number = (value: number) => value.toLocaleString('en');
  const parts = [
    ...(cachedTokens > 0 ? [`${number(cachedTokens)} cached`] : []),
    ...(cacheWriteTokens > 0 ? [`${number(cacheWriteTokens)} written to the cache`] : []),
  ];
  return `${number(promptTokens + completionTokens)} tokens${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

/** One dollar sign in a line opens no formula. */
function cost(usd: number): string {
  if (usd <= 0) return 'no price known';
  return usd < 0.01 ? 'under $0.01' : `$${usd.toFixed(2)}`;
}
