// Why no investigation begins for a finding unless somebody asks, in words; the first reason that holds.
import type { Verdict } from '../../core/check.ts';
import type { Finding, Head, HeadPlace } from '../../core/head.ts';

export const UNINFORMATIVE = 'The check says too little of its cause: there is nothing to begin with.';
export const ERASED = 'Its analysis was erased.';
/** No other begins beside it. */
const ASKED = 'It was asked for in a comment on the pull request: the answer stands there.';
/** Between the verdict and what comes of it. */
export const NOT_YET = 'It was not looked into yet.';

/** Whether it may still be in between, so that there is nothing to be said of it before its head is judged. */
export function mayStillBegin({ investigationId, notBegun }: Pick<Finding, 'investigationId' | 'notBegun'>): boolean {
  return investigationId === null && (notBegun === NOT_YET || notBegun === UNINFORMATIVE);
}

const BY_VERDICT: Readonly<Record<Verdict, string>> = {
  code: '',
  inconclusive: '',
  base_broken: 'The base is broken in the same way: an analysis belongs there.',
  flaky: 'It passes and fails at the same commit: a re-run tells more than an analysis.',
  infrastructure: 'The machine or a service failed, not the code: a re-run may be all that it takes.',
};

/** Investigations that begin unasked for one head, and in one project within 24 hours: a storm of red checks is no bill. */
const MOST_OF_HEAD = 5;
const MOST_OF_DAY = 20;
const MOST_NAMED = 3;
/** How GitHub ends the names of its bots. */
const BOT = '[bot]';

interface Here {
  readonly place: HeadPlace;
  /** Whether a person had the pull request analysed since this head is known. */
  readonly isAsked: boolean;
  /** Names of checks that have not ended. */
  readonly stillWaiting: Head['stillWaiting'];
}

/** By what it is and where it is; "" where nothing of that speaks against it. */
export function explainNotHere(finding: Pick<Finding, 'verdict' | 'notBegun'>, here: Here): string {
  if (BY_VERDICT[finding.verdict] !== '') return BY_VERDICT[finding.verdict];
  if (finding.verdict === 'inconclusive' && finding.notBegun === UNINFORMATIVE) return UNINFORMATIVE;
  if (here.isAsked) return ASKED;
  return explainPlace(here.place) || explainUnended(here.stillWaiting);
}

function explainPlace(place: HeadPlace): string {
  if (place.kind === 'default') return '';
  if (place.kind === 'branch') return 'The branch has no pull request: no analysis begins there unasked.';
  if (place.isFork)
    return 'The pull request comes from a fork: `/analyse` by somebody with triage or better starts one.';
  if (place.isDraft) return 'The pull request is a draft: `/analyse` starts one.';
  if (place.isTrusted) return '';
  const author = place.author?.login.endsWith(BOT) === true ? 'Its author is a bot' : 'Its author may not write here';
  return `${author}: \`/analyse\` by somebody with triage or better starts one.`;
}

/** What is still to end may be red of the same cause, or tell more of it. */
function explainUnended(names: Head['stillWaiting']): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, MOST_NAMED).map((name) => `\`${name.replaceAll('`', '')}\``);
  const more = names.length > MOST_NAMED ? ' and more' : '';
  return `Not all checks have ended: ${shown.join(', ')}${more}; \`checks.exclude\` leaves one out that never ends.`;
}

/** By what else was begun; "" likewise. */
export function explainNotNow(
  place: HeadPlace,
  { ofHead, ofDay }: { readonly ofHead: number; readonly ofDay: number },
): string {
  if (ofHead >= MOST_OF_HEAD)
    return `${MOST_OF_HEAD} analyses were begun for this commit, which is the most.${describeAlternative(place)}`;
  return explainFullDay(place, ofDay);
}

/** Likewise, by what was begun in the project within 24 hours. */
export function explainFullDay(place: HeadPlace, ofDay: number): string {
  if (ofDay < MOST_OF_DAY) return '';
  const instead = describeAlternative(place);
  return `${MOST_OF_DAY} analyses were begun unasked in this repository within 24 hours, which is the most.${instead}`;
}

function describeAlternative(place: HeadPlace): string {
  return place.kind === 'pull_request' ? ' `/analyse` starts one.' : '';
}
