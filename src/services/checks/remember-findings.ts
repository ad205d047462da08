// Writes what was found into the ledger, each red check once, and closes what is green. Done again it changes nothing.
import { type Check, checkKey } from '../../core/check.ts';

import type { Failure } from '../../core/failure.ts';
import type { Finding, HeadPlace } from '../../core/head.ts';
import type { Judged } from './judge-groups.ts';
import { formatNow, type Look } from './look.ts';
import { makeSightingKey, toSeenAt, toSighting } from './sightings.ts';
import type { SortedChecks } from './sort-checks.ts';

/** A finding with its failure as the ledger has it now. */
export interface Remembered {
  readonly judged: Judged;
  readonly finding: Finding;
  readonly failure: Failure;
}

/** Throws what `Checks.range` throws. */
export async function rememberFindings(
  look: Look,
  place: HeadPlace,
  judged: readonly Judged[],
): Promise<readonly Remembered[]> {
  const remembered: Remembered[] = [];
  for (const one of judged) {
    const seen = await recordSighting(look, place, one);
    const failure = await addRange(look, place, seen);
    remembered.push({ ...seen, finding: { ...seen.finding, failureId: failure.id }, failure });
  }
  return remembered;
}

async function recordSighting(look: Look, place: HeadPlace, judged: Judged): Promise<Remembered> {
  const { group, finding } = judged;
  const { deps, project, head } = look;
  const now = formatNow(look);
  const { failure, standing } = await deps.store.recordSightings(
    {
      ...{ id: finding.failureId, projectId: project.id, fingerprint: group.fingerprint },
      headline: finding.excerpt.headline,
      redNow: group.suspects.filter(({ isRed }) => isRed).map(({ check }) => makeSightingKey(check, head.sha)),
    },
    group.suspects.map(({ check }) => toSighting(check, toSeenAt(head.sha, place), finding.verdict, head.createdAt)),
    now,
  );
  const chance = group.suspects.filter(({ passedHere }) => passedHere);
  const keys = chance.map(({ check }) => makeSightingKey(check, head.sha));
  if (keys.length > 0) await deps.store.markFlaky(failure.id, keys, now);
  // Red once more, it is known by now, and new here all the same.
  const isAgain = standing === 'known' && group.before !== null;
  return { judged, finding: isAgain ? finding : { ...finding, standing }, failure };
}

/** On the default branch, once: the commits since it was last green. */
async function addRange(
  look: Look,
  place: HeadPlace,
  { judged: { group }, finding, failure }: Remembered,
): Promise<Failure> {
  const { deps, project, head, signal } = look;
  const isWanted = failure.range === null || (finding.standing === 'regression' && failure.range.to !== head.sha);
  const first = group.suspects.find(({ isRed }) => isRed)?.check;
  if (place.kind !== 'default' || !isWanted || first === undefined) return failure;
  const from = await findLastGreen(look, first);
  if (from === null) return failure;
  const range = await deps.checks.range(project, { from, to: head.sha }, signal);
  if (range === null) return failure;
  await deps.store.saveRange(failure.id, range);
  return { ...failure, range };
}

/** On a busy branch later commits may be green by now, which say nothing of where this one comes from. */
async function findLastGreen({ deps, project, head, leads }: Look, check: Check): Promise<string | null> {
  for (const { sha: from } of await deps.store.listPassingChecks(project.id, check)) {
    if (from !== head.sha && (await leads({ from, to: head.sha }))) return from;
  }
  return null;
}

/** On the default branch a green check closes what was seen in it; a pull request without a red one, what was seen there. */
export async function closeWhatIsGreen(
  look: Look,
  place: HeadPlace,
  sorted: SortedChecks,
  remembered: readonly Remembered[],
): Promise<void> {
  const { suspects, waiting, endedAt } = sorted;
  if (place.kind === 'default') {
    const red = remembered.filter(({ judged }) => judged.group.suspects.some(({ isRed }) => isRed));
    const ids = red.map(({ failure }) => failure.id);
    await closeOnDefault(look, { isTip: place.isBehind !== true, red: ids }, { endedAt, green: listMended(sorted) });
  }
  const isGreen = waiting.length === 0 && suspects.length === 0;
  if (place.kind === 'pull_request' && !place.isQueue && isGreen) {
    // A newer head may have become red before this one was looked at.
    await look.deps.store.closeFailuresOfPullRequest(look.project.id, place.number, endedAt || formatNow(look));
  }
}

/** What passed when it was run again at the same commit is not mended. */
function listMended({ green, suspects }: SortedChecks): SortedChecks['green'] {
  const chance = new Set(suspects.map(({ check }) => checkKey(check)));
  return green.filter((check) => !chance.has(checkKey(check)));
}

/** So many questions about what contains what are asked at one look; the tip of the branch needs none, for it contains all. */
const MOST_ASKED = 30;

async function closeOnDefault(
  look: Look,
  { isTip, red }: { readonly isTip: boolean; readonly red: readonly string[] },
  { green, endedAt }: Pick<SortedChecks, 'green' | 'endedAt'>,
): Promise<void> {
  const { deps, project, head } = look;
  if (green.length === 0) return;
  const seen = { sha: head.sha, checks: green, at: endedAt || head.createdAt, red };
  const wanted = await deps.store.listPossibleFixes(project.id, seen);
  const isKnown = ({ to }: { readonly to: string }) => isTip && to === head.sha;
  const contained = wanted.filter(isKnown);
  for (const ends of wanted.filter((one) => !isKnown(one)).slice(0, MOST_ASKED)) {
    if ((await look.leads(ends)) && (await isOfBranch(look, ends.to))) contained.push(ends);
  }
  await deps.store.closeFixedFailures(project.id, { ...seen, contained }, formatNow(look));
}

/** A fork calls a branch of its own as ours is called, and its green checks are noted alike: they are ours only where this commit contains theirs. */
async function isOfBranch({ head, leads }: Look, sha: string): Promise<boolean> {
  return sha === head.sha || (await leads({ from: sha, to: head.sha }));
}
