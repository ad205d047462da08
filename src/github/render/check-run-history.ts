// Since when a failure is known, where else it is told, and which commits it came with.
import type { Failure } from '../../core/failure.ts';
import { bullet, codeSpan } from '../../core/markdown/github.ts';
import type { Cause, CheckRunGround } from './check-run-ground.ts';
import { isOfRepository } from './headline.ts';
import { type Block, text } from './page.ts';
import { rangeCommits } from './range-commits.ts';

const SHA = /^[0-9a-f]{40,64}$/;

/** None for one that was never seen before. */
export function knownBlocks(ground: CheckRunGround, { finding, failure, toldAt }: Cause): readonly Block[] {
  if (failure === null || finding.standing === 'new') return [];
  const { firstSeen, hits } = failure;
  if (isOfSamePull(ground, failure) && (firstSeen.sha !== ground.head.sha || toldAt === '')) {
    return sameBlocks(ground, failure, toldAt);
  }
  const back = finding.standing === 'regression' ? 'Back after it had been mended' : 'Known';
  const pull = firstSeen.pullRequest;
  const where =
    pull === null
      ? linkedCommit(ground, firstSeen.sha)
      : `[#${pull}](${ground.webUrl}/${ground.repository}/pull/${pull})`;
  const seen = `first seen on ${firstSeen.at.slice(0, 10).replace(/[^\d-]/g, '')} at ${where}`;
  const flaky = failure.flakyHits === 0 ? '' : `, ${counted(failure.flakyHits, 'time')} by chance`;
  return [text(`${back}, ${seen}, ${counted(hits, 'time')} in all${flaky}${toldLink(ground, toldAt)}`)];
}

function toldLink(ground: CheckRunGround, toldAt: string): string {
  return isOfRepository(toldAt, ground) ? `: [where it is told](${toldAt})` : '';
}

/** An earlier commit of the pull request had it first, and nothing else has. */
function isOfSamePull({ head: { place } }: CheckRunGround, { firstSeen, pullRequests }: Failure): boolean {
  if (place?.kind !== 'pull_request' || firstSeen.pullRequest !== place.number) return false;
  return pullRequests.every((number) => number === place.number);
}

function sameBlocks(ground: CheckRunGround, { firstSeen, hits, flakyHits }: Failure, toldAt: string): readonly Block[] {
  if (firstSeen.sha === ground.head.sha) return [];
  const flaky = flakyHits === 0 ? '' : `, ${counted(flakyHits, 'time')} by chance`;
  return [
    text(
      `Red since ${linkedCommit(ground, firstSeen.sha)} of this pull request, ${counted(hits, 'time')} in all${flaky}${toldLink(ground, toldAt)}`,
    ),
  ];
}

/** On the default branch: what came in between the last green commit and the first red one. */
export function rangeBlocks(ground: CheckRunGround, { failure }: Cause): readonly Block[] {
  const range = failure?.range ?? null;
  if (range === null || !SHA.test(range.from) || !SHA.test(range.to)) return [];
  const between = `[${short(range.from)}…${short(range.to)}](${address(ground)}/compare/${range.from}...${range.to})`;
  const { shown, more } = rangeCommits(range);
  const lines = shown.map(({ commit: { sha, author, subject }, likeliest }) => {
    const by = author === '' ? '' : `, by ${codeSpan(author)}`;
    return bullet(`${linkedCommit(ground, sha)} ${codeSpan(subject)}${by}${likeliest}`);
  });
  const rest = more > 0 ? [`- and ${more} more`] : [];
  return [text([`It came with ${counted(range.total, 'commit')}, ${between}:`, ...lines, ...rest].join('\n'))];
}

function linkedCommit(ground: CheckRunGround, sha: string): string {
  return SHA.test(sha) ? `[${short(sha)}](${address(ground)}/commit/${sha})` : codeSpan(sha.slice(0, 12)) || 'a commit';
}

function address({ webUrl, repository }: CheckRunGround): string {
  return `${webUrl}/${repository}`;
}

function short(sha: string): string {
  return `\`${sha.slice(0, 7)}\``;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
