// Why no investigation begins for a finding unless a person asks for it; the first reason that holds.
import type { Finding, Head, HeadPlace, NotBegun } from '../../core/head.ts';

/** Investigations that begin by themselves for one commit, and in one project within 24 hours: a storm of red checks must not become a bill. */
const MOST_OF_HEAD = 5;
const MOST_OF_DAY = 20;
/** How GitHub ends the names of its bots. */
const BOT = '[bot]';

interface Surroundings {
  readonly place: HeadPlace;
  /** Whether a person had the pull request analysed since this head is known. */
  readonly isRequested: boolean;
  /** Names of checks that have not ended. */
  readonly stillWaiting: Head['stillWaiting'];
}

/** By what it is and where it is; null where nothing of that speaks against it. */
export function explainNotHere(
  { verdict, notBegun }: Pick<Finding, 'verdict' | 'notBegun'>,
  { place, isRequested, stillWaiting }: Surroundings,
): NotBegun | null {
  if (verdict === 'base_broken' || verdict === 'flaky' || verdict === 'infrastructure') return { code: verdict };
  if (verdict === 'inconclusive' && notBegun?.code === 'uninformative') return notBegun;
  if (isRequested) return { code: 'requested' };
  const atPlace = explainPlace(place);
  if (atPlace !== null) return atPlace;
  // A check that has not ended may be red for the same cause, or say more about it.
  return stillWaiting.length === 0 ? null : { code: 'checks_running', names: stillWaiting };
}

function explainPlace(place: HeadPlace): NotBegun | null {
  if (place.kind === 'default') return null;
  if (place.kind === 'branch') return { code: 'no_pull_request' };
  if (place.isFork) return { code: 'fork' };
  if (place.isDraft) return { code: 'draft' };
  if (place.isTrusted) return null;
  return { code: place.author?.login.endsWith(BOT) === true ? 'bot_author' : 'untrusted_author' };
}

/** By what else was begun; null likewise. */
export function explainNotNow(
  place: HeadPlace,
  { ofHead, ofDay }: { readonly ofHead: number; readonly ofDay: number },
): NotBegun | null {
  const isPullRequest = place.kind === 'pull_request';
  if (ofHead >= MOST_OF_HEAD) return { code: 'commit_limit', limit: MOST_OF_HEAD, isPullRequest };
  return explainFullDay(place, ofDay);
}

/** Likewise, by what was begun in the project within 24 hours. */
export function explainFullDay(place: HeadPlace, ofDay: number): NotBegun | null {
  if (ofDay < MOST_OF_DAY) return null;
  return { code: 'daily_limit', limit: MOST_OF_DAY, isPullRequest: place.kind === 'pull_request' };
}
