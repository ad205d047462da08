// Which of several answers to one report is shown. Pure.
import type { Outcome } from './answer-outcome.ts';
import { type AnswerJudgement, countVotes, type Fate, type Vote } from './outcome.ts';

export interface RankedAnswer {
  readonly outcome: Outcome;
  /** Null: there was nothing to be confident of. */
  readonly confidence: number | null;
  /** Cut short. */
  readonly partial: boolean;
  /** Of an earlier text or revision than the newest answer. */
  readonly isEarlier: boolean;
  readonly fate: Fate['kind'];
  readonly votes: readonly Vote[];
}

/** Null: there are none. */
export function chooseAnswer<T extends RankedAnswer>(oldestFirst: readonly T[]): T | null {
  const best = keepBest(oldestFirst);
  const accepted = oldestFirst.findLast((one) => one.isEarlier && rankStanding(one) === ACCEPTED);
  return best !== null && accepted !== undefined && givesWay(best) ? accepted : best;
}

/**
 * What one of the newest text and revision is compared with. An earlier one is about something else, and takes part
 * only if the best of them found nothing or was rejected: nothing that was merged or rated right is lost to those.
 */
export function keepRivals<T extends RankedAnswer>(oldestFirst: readonly T[]): readonly T[] {
  const best = keepBest(oldestFirst);
  return best !== null && givesWay(best) ? oldestFirst : oldestFirst.filter(({ isEarlier }) => !isEarlier);
}

/** From the oldest on, each answer to the newest takes the place of the one before unless it is worse. */
function keepBest<T extends RankedAnswer>(oldestFirst: readonly T[]): T | null {
  const [first, ...later] = oldestFirst.filter(({ isEarlier }) => !isEarlier);
  if (first === undefined) return null;
  return later.reduce((kept, next) => (isWorse(next, kept) ? kept : next), first);
}

function givesWay(answer: RankedAnswer): boolean {
  const standing = rankStanding(answer);
  const foundNothing = answer.partial || RANKS[answer.outcome] <= RANKS.needs_information;
  return standing === REJECTED || (standing !== ACCEPTED && foundNothing);
}

/** Confidences that are no further apart count as equal, and then the newer answer is shown. */
const TIE = 0.05;

function isWorse(newer: RankedAnswer, older: RankedAnswer): boolean {
  const [mine, other] = [newer, older].map(rankStanding);
  if (mine !== other) return (mine ?? 0) < (other ?? 0);
  if (RANKS[newer.outcome] !== RANKS[older.outcome]) return RANKS[newer.outcome] < RANKS[older.outcome];
  // 0.9 - 0.85 is a little more than 0.05.
  return (older.confidence ?? 0) - (newer.confidence ?? 0) > TIE + 1e-9;
}

const RANKS: Readonly<Record<Outcome, number>> = {
  code_fix: 4,
  not_a_bug: 4,
  already_fixed: 4,
  action_recommended: 3,
  needs_information: 2,
  inconclusive: 1,
  facts_only: 1,
};

const REJECTED = 0;
const ACCEPTED = 2;

/** What was rejected, by people or with its pull request, is below all others; what was accepted above them. */
function rankStanding({ fate, votes }: RankedAnswer): number {
  const rating = readRating(votes);
  if (fate === 'reverted' || rating === 'wrong') return REJECTED;
  if (rating === 'right') return ACCEPTED;
  if (fate === 'closed') return REJECTED;
  return fate === 'merged' || fate === 'merged_edited' ? ACCEPTED : 1;
}

/** What most people say of an answer: by command, else by reaction. Null: as many say the opposite. */
function readRating(votes: readonly Vote[]): AnswerJudgement | null {
  return countVotes(votes, 'command') ?? countVotes(votes, 'reaction');
}
