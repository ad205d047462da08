// What our check run says of one cause besides the cause: what to do next, since when it is known, and which commits it came with.

import type { Failure } from '../../core/failure.ts';
import { formatBullet, formatCodeSpan } from '../../core/markdown/github.ts';
import { attributeFailure, baseOf } from './attribute-failure.ts';
import { type Cause, type CauseFix, type CheckRunGround, isOnDefault, isRed } from './check-run-ground.ts';
import { isOfRepository } from './comment.ts';
import { type Block, text } from './page.ts';
import { pickCommits } from './pull-request.ts';

/** Markdown, inert. */
export function nextAction(ground: CheckRunGround, cause: Cause): string {
  const { finding, fix } = cause;
  if (!isRed(finding)) return `nothing to do, it passed${describeLeftOpen(ground, fix)}`;
  if (fix.kind !== 'none' && !isSeenBefore(ground, cause)) return describeFix(ground, fix);
  if (cause.inquiry.kind === 'running') return 'the cause is being looked for';
  return describeByVerdict(ground, cause);
}

function describeByVerdict(ground: CheckRunGround, cause: Cause): string {
  switch (cause.finding.verdict) {
    case 'base_broken':
      return isOnDefault(ground) ? 'next: mend what was red before' : describeBrokenBase(ground, cause);
    case 'flaky':
      return 'next: run it again';
    case 'infrastructure':
      return 'next: run it again once the machine is well';
    case 'code':
    case 'inconclusive':
      return describeFaultAction(ground, cause);
  }
}

function describeFaultAction(ground: CheckRunGround, cause: Cause): string {
  const whose = attributeFailure(ground, cause);
  if (whose.kind === 'elsewhere')
    return `next: see ${linkReport(ground, cause, { otherwise: 'it there', words: 'what was found there' })}`;
  if (whose.kind === 'since') return describeSince(ground, cause);
  if (hasSteps(cause)) return 'next: do what stands below';
  if (cause.finding.verdict === 'code' || whose.kind === 'open') return 'next: read the log below';
  return 'next: look at the check itself';
}

/** What a push found red already is not for whoever pushed. */
function describeSince(ground: CheckRunGround, cause: Cause): string {
  const { fix } = cause;
  if (fix.kind === 'opened' && fix.state === 'open') return `nothing to do here, see ${linkPull(ground, fix)}`;
  if (fix.kind !== 'none') return describeFix(ground, fix);
  const told = linkReport(ground, cause, { otherwise: '', words: 'its check run', isNumbered: true });
  return told === '' ? 'nothing to do here, see the commits below' : `nothing to do here, see ${told}`;
}

/** Whether what is to be done about it is to be done here. */
export function isForHere(ground: CheckRunGround, cause: Cause): boolean {
  const { finding, fix } = cause;
  if (!isRed(finding) || finding.verdict === 'base_broken') return false;
  if (fix.kind === 'on_request') return true;
  return !isSeenBefore(ground, cause) && !isToldElsewhere(ground, cause);
}

function isToldElsewhere(ground: CheckRunGround, cause: Cause): boolean {
  return attributeFailure(ground, cause).kind === 'elsewhere' && isOfRepository(cause.toldAt, ground);
}

function isSeenBefore(ground: CheckRunGround, cause: Cause): boolean {
  const { verdict } = cause.finding;
  return (verdict === 'code' || verdict === 'inconclusive') && attributeFailure(ground, cause).kind === 'since';
}

function describeBrokenBase(ground: CheckRunGround, cause: Cause): string {
  const words = `${formatCodeSpan(baseOf(ground)) || 'the base'}’s check run`;
  const told = linkReport(ground, cause, { otherwise: '', words, isNumbered: true });
  return told === '' ? 'next: nothing here, it is to be mended there' : `next: nothing here, follow ${told}`;
}

function hasSteps({ inquiry }: Cause): boolean {
  return inquiry.kind === 'concluded' && inquiry.issue.solutionSteps.length > 0;
}

interface Told {
  /** Where it is told nowhere. */
  readonly otherwise: string;
  readonly words: string;
  /** Whether a pull request is named by its number. */
  readonly isNumbered?: boolean;
}

/** A link to where the cause is told. */
function linkReport(ground: CheckRunGround, { toldAt: url }: Cause, { otherwise, words, isNumbered }: Told): string {
  if (!isOfRepository(url, ground)) return otherwise;
  const pull = /\/pull\/(\d{1,9})(?:#|$)/.exec(url)?.[1];
  return isNumbered === true && pull !== undefined ? `[#${pull}](${url})` : `[${words}](${url})`;
}

function describeFix(ground: CheckRunGround, fix: Exclude<CauseFix, { kind: 'none' }>): string {
  if (fix.kind === 'opening') return 'a pull request is being opened';
  if (fix.kind === 'on_request') return `next: the button “${fix.button}” opens a pull request (needs write access)`;
  const link = linkPull(ground, fix);
  if (fix.isEarlier) return `next: review or close ${link}, which is still open from the last time`;
  if (fix.state === 'merged') return `merged in ${link}`;
  return fix.state === 'closed' ? `${link} was closed unmerged` : `next: review ${link}`;
}

function describeLeftOpen(ground: CheckRunGround, fix: CauseFix): string {
  return fix.kind === 'opened' && fix.state === 'open' ? `; ${linkPull(ground, fix)} is still open` : '';
}

function linkPull(ground: CheckRunGround, { number, url }: Extract<CauseFix, { kind: 'opened' }>): string {
  return isOfRepository(url, ground) ? `[#${number}](${url})` : formatCodeSpan(`#${number}`);
}

const SHA = /^[0-9a-f]{40,64}$/;

/** None for one that was never seen before. */
export function knownBlocks(ground: CheckRunGround, { finding, failure, toldAt }: Cause): readonly Block[] {
  if (failure === null || finding.standing === 'new') return [];
  const { firstSeen, hits } = failure;
  if (isOfSamePull(ground, failure) && (firstSeen.sha !== ground.head.sha || toldAt === '')) {
    return renderSamePull(ground, failure, toldAt);
  }
  const back = finding.standing === 'regression' ? 'Back after it had been mended' : 'Known';
  const pull = firstSeen.pullRequest;
  const where =
    pull === null
      ? linkCommit(ground, firstSeen.sha)
      : `[#${pull}](${ground.webUrl}/${ground.repository}/pull/${pull})`;
  const seen = `first seen on ${firstSeen.at.slice(0, 10).replace(/[^\d-]/g, '')} at ${where}`;
  const flaky = failure.flakyHits === 0 ? '' : `, ${countOf(failure.flakyHits, 'time')} by chance`;
  return [text(`${back}, ${seen}, ${countOf(hits, 'time')} in all${flaky}${linkFirstReport(ground, toldAt)}`)];
}

function linkFirstReport(ground: CheckRunGround, toldAt: string): string {
  return isOfRepository(toldAt, ground) ? `: [where it is told](${toldAt})` : '';
}

/** An earlier commit of the pull request had it first, and nothing else has. */
function isOfSamePull({ head: { place } }: CheckRunGround, { firstSeen, pullRequests }: Failure): boolean {
  if (place?.kind !== 'pull_request' || firstSeen.pullRequest !== place.number) return false;
  return pullRequests.every((number) => number === place.number);
}

function renderSamePull(
  ground: CheckRunGround,
  { firstSeen, hits, flakyHits }: Failure,
  toldAt: string,
): readonly Block[] {
  if (firstSeen.sha === ground.head.sha) return [];
  const flaky = flakyHits === 0 ? '' : `, ${countOf(flakyHits, 'time')} by chance`;
  return [
    text(
      `Red since ${linkCommit(ground, firstSeen.sha)} of this pull request, ${countOf(hits, 'time')} in all${flaky}${linkFirstReport(ground, toldAt)}`,
    ),
  ];
}

/** On the default branch: what came in between the last green commit and the first red one. */
export function rangeBlocks(ground: CheckRunGround, { failure }: Cause): readonly Block[] {
  const range = failure?.range ?? null;
  if (range === null || !SHA.test(range.from) || !SHA.test(range.to)) return [];
  const between = `[${shortenSha(range.from)}…${shortenSha(range.to)}](${toAddress(ground)}/compare/${range.from}...${range.to})`;
  const { shown, more } = pickCommits(range);
  const lines = shown.map(({ commit: { sha, author, subject }, likeliest }) => {
    const by = author === '' ? '' : `, by ${formatCodeSpan(author)}`;
    return formatBullet(`${linkCommit(ground, sha)} ${formatCodeSpan(subject)}${by}${likeliest}`);
  });
  const rest = more > 0 ? [`- and ${more} more`] : [];
  return [text([`It came with ${countOf(range.total, 'commit')}, ${between}:`, ...lines, ...rest].join('\n'))];
}

function linkCommit(ground: CheckRunGround, sha: string): string {
  return SHA.test(sha)
    ? `[${shortenSha(sha)}](${toAddress(ground)}/commit/${sha})`
    : formatCodeSpan(sha.slice(0, 12)) || 'a commit';
}

function toAddress({ webUrl, repository }: CheckRunGround): string {
  return `${webUrl}/${repository}`;
}

function shortenSha(sha: string): string {
  return `\`${sha.slice(0, 7)}\``;
}

function countOf(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
