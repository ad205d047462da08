// What became of an answer: of an Issue's fix and of a verdict on a red check, what people said of it, and what that says about the answer. Pure.

import { diffLines, toLines } from 'causeway-diff';
import type { Override, Verdict } from '../check/index.ts';
import type { Outcome } from './answer-outcome.ts';

/** What was claimed, as it was first claimed. */
export type ClaimedAnswer =
  | {
      readonly kind: 'issue';
      readonly issueId: string;
      readonly outcome: Outcome;
      /** Before anything was learnt from a pull request; null: there was nothing to be confident of. */
      readonly confidence: number | null;
    }
  /** `sha`: the commit whose check was red. */
  | {
      readonly kind: 'verdict';
      readonly headId: string;
      readonly failureId: string;
      readonly sha: string;
      readonly verdict: Verdict;
      /** Null: it led to no Issue. */
      readonly issueId: string | null;
    };

/** What happened on GitHub. `pending`: nothing yet that says anything. */
export type Fate =
  | { readonly kind: 'pending' }
  /** `commit`: with which it came into its base. */
  | { readonly kind: 'merged'; readonly url: string; readonly at: string; readonly commit: string }
  /** `share`: of our changed lines, how many are as we wrote them. */
  | {
      readonly kind: 'merged_edited';
      readonly url: string;
      readonly at: string;
      readonly commit: string;
      readonly share: number;
    }
  /** Without being merged. */
  | { readonly kind: 'closed'; readonly url: string; readonly at: string }
  /** Within 14 days. `at`: when it was merged. */
  | { readonly kind: 'reverted'; readonly url: string; readonly at: string }
  /** Another change settled it. Null: that change cannot be read, or names no function. */
  | {
      readonly kind: 'fixed_elsewhere';
      readonly commit: string;
      readonly sameFile: boolean | null;
      readonly sameFunction: boolean | null;
    }
  /** Of a verdict: the check passed at the same commit. */
  | { readonly kind: 'rerun_green' }
  /** Of a verdict: a later commit passed. */
  | { readonly kind: 'fixed_later'; readonly commit: string }
  /** Of a verdict: a commit that it may have come with was taken back by this one, and then it passed. */
  | { readonly kind: 'commit_reverted'; readonly commit: string };

export type AnswerJudgement = 'right' | 'wrong';

/** `reaction`: 👍 or 👎 on our comment; `command`: `/analyse right` or `/analyse wrong`. By people with triage. */
export interface Vote {
  /** GitHub's number of the person. */
  readonly personId: number;
  readonly source: 'reaction' | 'command';
  readonly vote: AnswerJudgement;
  /** In their words, redacted; "" for none. */
  readonly why: string;
  readonly at: string;
}

/** An answer with what became of it. */
export interface FollowedAnswer {
  readonly id: string;
  readonly projectId: string;
  readonly answeredAt: string;
  readonly answer: ClaimedAnswer;
  readonly fate: Fate;
  readonly votes: readonly Vote[];
  /** Of a verdict on a pull request: what somebody with write said instead or as well; null: nothing. */
  readonly override: Override['whose'] | null;
  /** False: a person was erased from its reactions, which aren't read again. */
  readonly readsReactions: boolean;
  /** When GitHub was last looked at; "": never. */
  readonly lookedAt: string;
}

/** From this share of our lines on, an edited merge says that we were right. */
const MOSTLY_OURS = 0.5;

/**
 * Whether an answer was right; null: nothing says so. The first of these that says anything decides:
 * 1. A change that was taken back was wrong.
 * 2. What most of `/analyse right` and `/analyse wrong` say.
 * 3. Merged as it was, or with at least half of its lines: right; with fewer: wrong. Settled by another change: right in
 *    the same function, wrong in other files, and silent in another function of the file. Closed unmerged: wrong.
 * 4. What most of 👍 and 👎 say.
 * Of a verdict what a person with write said comes first: that the failure is the change's confirms `code` and refutes the
 * others, and the other way round. Else it is right or wrong as its table says: `code` is confirmed by a later commit or a revert, and refuted by a pass
 * at the same commit; `flaky` and `infrastructure` the other way round, except that a later pass may have been chance.
 */
export function judgeAnswer({
  answer,
  fate,
  votes,
  override,
}: Pick<FollowedAnswer, 'answer' | 'fate' | 'votes' | 'override'>): AnswerJudgement | null {
  if (answer.kind === 'verdict') return judgeSaid(answer.verdict, override) ?? judgeVerdict(answer.verdict, fate);
  if (fate.kind === 'reverted') return 'wrong';
  return countVotes(votes, 'command') ?? judgeFate(fate) ?? countVotes(votes, 'reaction');
}

function judgeFate(fate: Fate): AnswerJudgement | null {
  switch (fate.kind) {
    case 'merged':
      return 'right';
    case 'merged_edited':
      return fate.share >= MOSTLY_OURS ? 'right' : 'wrong';
    case 'closed':
      return 'wrong';
    case 'fixed_elsewhere':
      if (fate.sameFunction === true) return 'right';
      return fate.sameFile === false ? 'wrong' : null;
    default:
      return null;
  }
}

/** What most of these votes say; null: as many say the opposite. */
export function countVotes(votes: readonly Vote[], source: Vote['source']): AnswerJudgement | null {
  const of = votes.filter((vote) => vote.source === source);
  const right = of.filter(({ vote }) => vote === 'right').length;
  const wrong = of.length - right;
  return right === wrong ? null : right > wrong ? 'right' : 'wrong';
}

/** What each kind of end says about each verdict. Missing: nothing. */
const VERDICTS: Readonly<Record<Verdict, Partial<Record<Fate['kind'], AnswerJudgement>>>> = {
  code: { rerun_green: 'wrong', fixed_later: 'right', commit_reverted: 'right' },
  flaky: { rerun_green: 'right', commit_reverted: 'wrong' },
  infrastructure: { rerun_green: 'right', commit_reverted: 'wrong' },
  // Its base was repaired.
  base_broken: { rerun_green: 'right' },
  inconclusive: {},
};

function judgeSaid(verdict: Verdict, override: FollowedAnswer['override']): AnswerJudgement | null {
  if (override === null || verdict === 'inconclusive') return null;
  return (verdict === 'code') === (override === 'mine') ? 'right' : 'wrong';
}

function judgeVerdict(verdict: Verdict, { kind }: Fate): AnswerJudgement | null {
  return VERDICTS[verdict][kind] ?? null;
}

const DAY_MS = 24 * 60 * 60_000;
/** After an answer, and after its change was merged. */
const LOOKS_AFTER_DAYS = [1, 7, 14];
/** A change that is taken back later than this was right. */
const REVERT_DAYS = 14;

export function findFirstLook(answeredAt: string): string {
  return new Date(Date.parse(answeredAt) + DAY_MS).toISOString();
}

/** When to look at GitHub next unless something happens there; null: not again. */
export function findNextLook({ answeredAt, answer, fate }: FollowedAnswer, now: Date): string | null {
  if (answer.kind === 'verdict' && fate.kind !== 'pending') return null;
  if (fate.kind === 'reverted') return null;
  const starts = [answeredAt, ...(isMerged(fate) ? [fate.at] : [])];
  const looks = starts.flatMap((at) => LOOKS_AFTER_DAYS.map((days) => Date.parse(at) + days * DAY_MS));
  const next = Math.min(...looks.filter((at) => at > now.getTime()));
  return Number.isFinite(next) ? new Date(next).toISOString() : null;
}

export function isMerged(fate: Fate): fate is Extract<Fate, { readonly kind: 'merged' | 'merged_edited' }> {
  return fate.kind === 'merged' || fate.kind === 'merged_edited';
}

/** Whether a revert of what was merged at that moment still says that it was wrong. A look may come a day late. */
export function mayBeReverted(mergedAt: string, now: Date): boolean {
  return now.getTime() <= Date.parse(mergedAt) + (REVERT_DAYS + 1) * DAY_MS;
}

/** One file of ours, and as it is somewhere else; null: absent. */
export interface FileVersions {
  readonly before: string | null;
  readonly after: string | null;
  readonly now: string | null;
}

/** The share of the lines that we inserted or removed that still are so, 0 to 1; 1 where there are none. */
export function computeSurvival(files: readonly FileVersions[]): number {
  let changed = 0;
  let kept = 0;
  for (const { before, after, now } of files) {
    const [old, ours, theirs] = [before, after, now].map((text) => toLines(text ?? '').lines);
    if (old === undefined || ours === undefined || theirs === undefined) continue;
    const hunks = diffLines(old, ours);
    const inserted = expandLines(hunks.map(({ after: start, inserted: count }) => [start, count]));
    const removed = expandLines(hunks.map(({ before: start, removed: count }) => [start, count]));
    const lost = new Set(
      expandLines(diffLines(ours, theirs).map(({ before: start, removed: count }) => [start, count])),
    );
    const gone = new Set(
      expandLines(diffLines(old, theirs).map(({ before: start, removed: count }) => [start, count])),
    );
    changed += inserted.length + removed.length;
    kept += inserted.filter((line) => !lost.has(line)).length + removed.filter((line) => gone.has(line)).length;
  }
  return changed === 0 ? 1 : kept / changed;
}

function expandLines(spans: readonly (readonly [start: number, count: number])[]): readonly number[] {
  return spans.flatMap(([start, count]) => Array.from({ length: count }, (_, at) => start + at));
}

/** Lines of `before` (from 1) that a change is at; what is inserted is at the line above. */
export function listLinesOfChange(before: string, after: string): readonly number[] {
  return diffLines(toLines(before).lines, toLines(after).lines).flatMap(({ before: start, removed }) =>
    removed === 0 ? [Math.max(1, start)] : expandLines([[start + 1, removed]]),
  );
}

/** `analysis.outcomes` of the API, and what the list of outcomes says of an answer. */
export interface OutcomeView {
  readonly state: Fate['kind'];
  /** When it was merged or closed; "" where it was not. */
  readonly at: string;
  /** Of the pull request; "": none. */
  readonly url: string;
  /** Of another change; "": none. */
  readonly commit: string;
  readonly share: number | null;
  readonly sameFile: boolean | null;
  readonly sameFunction: boolean | null;
  readonly votes: { readonly right: number; readonly wrong: number };
  /** What people wrote behind `/analyse right` and `/analyse wrong`, oldest first. */
  readonly remarks: readonly string[];
  /** Null: nothing says whether it was. */
  readonly judgement: AnswerJudgement | null;
  /** Of a verdict: what somebody with write said of the failure; null: nothing. */
  readonly override: FollowedAnswer['override'];
}

export function toOutcomeView(followed: Pick<FollowedAnswer, 'answer' | 'fate' | 'votes' | 'override'>): OutcomeView {
  const { fate, votes, override } = followed;
  const count = (wanted: AnswerJudgement) =>
    new Set(votes.filter(({ vote }) => vote === wanted).map((one) => one.personId)).size;
  return {
    state: fate.kind,
    at: 'at' in fate ? fate.at : '',
    url: 'url' in fate ? fate.url : '',
    commit: 'commit' in fate ? fate.commit : '',
    share: fate.kind === 'merged' ? 1 : fate.kind === 'merged_edited' ? fate.share : null,
    sameFile: fate.kind === 'fixed_elsewhere' ? fate.sameFile : null,
    sameFunction: fate.kind === 'fixed_elsewhere' ? fate.sameFunction : null,
    votes: { right: count('right'), wrong: count('wrong') },
    remarks: votes.map(({ why }) => why).filter((why) => why !== ''),
    judgement: judgeAnswer(followed),
    override,
  };
}

/** One line for people, without what people said. */
export function describeFate({ state, share, sameFile, sameFunction }: OutcomeView): string {
  switch (state) {
    case 'pending':
      return 'none yet';
    case 'merged':
      return 'Merged as it was';
    case 'merged_edited':
      return `Merged after edits: ${Math.round((share ?? 0) * 100)} % of our lines survived`;
    case 'closed':
      return 'Closed without being merged';
    case 'reverted':
      return 'Merged, then reverted within 14 days';
    case 'fixed_elsewhere':
      return `Fixed by another change${describeSharedPlace(sameFile, sameFunction)}`;
    case 'rerun_green':
      return 'Passed at the same commit';
    case 'fixed_later':
      return 'Passed at a later commit';
    case 'commit_reverted':
      return 'Passed after a commit was reverted';
  }
}

function describeSharedPlace(sameFile: boolean | null, sameFunction: boolean | null): string {
  if (sameFunction === true) return ' in the same function';
  if (sameFile === null) return '';
  return sameFile ? ' in the same file' : ' in other files';
}
