// The answers of a thread: which one is shown, what people say of it, and the one that was kept out.

import type { Conclusion } from '../core/issue/index.ts';
import {
  type AnswerJudgement,
  chooseAnswer,
  type Fate,
  keepRivals,
  type RankedAnswer,
  type Vote,
} from '../core/outcome/index.ts';
import { lowerConfidence } from '../core/proof/index.ts';
import type { Thread } from '../core/thread/index.ts';
import type { Database, Enqueuer } from './database.ts';
import { ensureAnswer, findFollowed, insertVote, saveLook } from './outcomes.ts';
import type { Reader, Trx } from './schema.ts';
import { enqueueUpdates, findThreadById, type LearntLinks } from './threads.ts';

interface ThreadAnswer extends RankedAnswer {
  readonly investigationId: string;
  readonly issueId: string;
  /** The Issue that it is a copy of, or its own. */
  readonly originalId: string;
  readonly answeredAt: string;
}

/** A vote by command, with the person's login as far as it is known. */
export interface NamedVote {
  /** "": not known. */
  readonly login: string;
  readonly vote: AnswerJudgement;
  readonly at: string;
}

export function createAnswerVerbs(database: Database) {
  const { jobs } = database;
  return {
    /** The Issue that is shown in a thread; null: it has no answer. */
    findShownIssue: (threadId: string): Promise<string | null> =>
      database.read(async (reader) => (await findShown(reader, threadId))?.issueId ?? null),
    /** A person judged the answer by a command; their latest one counts. False: no such answer is followed. */
    recordVote: (issueId: string, vote: Vote, now: string): Promise<boolean> =>
      database.write((trx) => recordVote(trx, jobs, issueId, { vote, now })),
    /**
     * The same for the answer that is shown in a thread, or for one that this person's opposite vote has displaced,
     * which is taken back. False: there is no answer.
     */
    recordVoteInThread: (threadId: string, vote: Vote, now: string): Promise<boolean> =>
      database.write(async (trx) => {
        const issueId = await findRated(trx, threadId, vote);
        return issueId !== null && (await recordVote(trx, jobs, issueId, { vote, now }));
      }),
    /** What a look found. `reactions`: instead of those before; null: they weren't read. */
    saveLook: (
      id: string,
      look: { readonly fate: Fate; readonly reactions: readonly Vote[] | null; readonly now: string },
    ): Promise<void> =>
      database.write(async (trx) => {
        await saveLook(trx, id, look);
        const { answer } = (await findFollowed(trx, 'outcomes.id', id)) ?? {};
        const threadId = answer?.kind === 'issue' ? await findThreadId(trx, answer.issueId) : null;
        if (!(await showBestAnswer(trx, threadId, look.now))) return;
        await enqueueUpdates(trx, jobs, [threadId], { runAt: look.now });
      }),
    /** By command, oldest first. */
    listNamedVotes: (issueId: string): Promise<readonly NamedVote[]> =>
      database.read((reader) =>
        reader
          .selectFrom('votes')
          .innerJoin('outcomes', 'outcomes.id', 'votes.outcome_id')
          .leftJoin('accounts', 'accounts.github_id', 'votes.person_id')
          .select(({ fn, val }) => [fn.coalesce('accounts.login', val('')).as('login'), 'votes.vote', 'votes.at'])
          .where('outcomes.issue_id', '=', issueId)
          .where('votes.source', '=', 'command')
          .orderBy('votes.at')
          .orderBy('votes.person_id')
          .execute(),
      ),
    /** The answer that a vote displaced: it was shown before a person called it wrong. Null: none was. */
    findDisplaced: (threadId: string): Promise<string | null> =>
      database.read(async (reader) => {
        const shown = await findShown(reader, threadId);
        const others = shown === null ? [] : await listRivals(reader, threadId, shown);
        return others.findLast((one) => isDisplaced(one, shown))?.issueId ?? null;
      }),
  };
}

function isDisplaced({ investigationId, votes }: ThreadAnswer, shown: ThreadAnswer | null): boolean {
  if (shown === null || investigationId === shown.investigationId) return false;
  return votes.some(({ source, vote, at }) => isCommandAfter(source, at, shown) && vote === 'wrong');
}

function isCommandAfter(source: Vote['source'], at: string, { answeredAt }: ThreadAnswer): boolean {
  return source === 'command' && Date.parse(at) >= Math.floor(Date.parse(answeredAt) / 1_000) * 1_000;
}

async function recordVote(
  trx: Trx,
  jobs: Enqueuer,
  issueId: string,
  { vote, now }: { readonly vote: Vote; readonly now: string },
): Promise<boolean> {
  let isRecorded = false;
  for (const id of await listCopies(trx, issueId)) {
    const outcomeId = await ensureAnswer(trx, id);
    if (outcomeId === null) continue;
    await insertVote(trx, outcomeId, vote);
    isRecorded = true;
  }
  const threadId = isRecorded ? await findThreadId(trx, issueId) : null;
  await showBestAnswer(trx, threadId, now);
  await enqueueUpdates(trx, jobs, [threadId], { runAt: now });
  return isRecorded;
}

/** What the person's vote is on. */
async function findRated(trx: Trx, threadId: string, { personId, vote }: Vote): Promise<string | null> {
  const shown = await findShown(trx, threadId);
  if (shown === null) return null;
  const taken = (await listRivals(trx, threadId, shown)).findLast(
    (one) =>
      one.investigationId !== shown.investigationId &&
      one.votes.some(
        (own) => own.personId === personId && isCommandAfter(own.source, own.at, shown) && own.vote !== vote,
      ),
  );
  return (taken ?? shown).issueId;
}

/** The one that our comment shows; without a comment, the thread's own, else the newest. */
async function findShown(reader: Reader, threadId: string): Promise<ThreadAnswer | null> {
  const thread = await findThreadById(reader, threadId);
  if (thread === null) return null;
  const own = [thread.record.comment?.investigationId, thread.investigationId];
  for (const id of own) {
    const [answer] = id === undefined ? [] : await listStoredAnswers(reader, threadId, { investigationId: id });
    if (answer !== undefined) return answer;
  }
  const attempts = listAttempts(thread);
  const answers = await listStoredAnswers(reader, threadId, {});
  return answers.findLast(({ investigationId }) => !attempts.includes(investigationId)) ?? null;
}

function listAttempts({ record: { pullRequest } }: Thread): readonly string[] {
  const second = pullRequest?.proof?.secondTry?.investigationId;
  const attempts = pullRequest?.attempts.map(({ investigationId }) => investigationId) ?? [];
  return second === undefined ? attempts : [...attempts, second];
}

/** Answers of a thread that are read at once, the newest. */
const MOST_ANSWERS = 50;

/** Oldest first. */
async function listStoredAnswers(
  reader: Reader,
  threadId: string,
  { investigationId }: { readonly investigationId?: string },
): Promise<readonly ThreadAnswer[]> {
  let query = reader
    .selectFrom('investigations')
    .innerJoin('issues', 'issues.investigation_id', 'investigations.id')
    .innerJoin('runs', 'runs.id', 'issues.run_id')
    .select(['investigations.id', 'issues.id as issue_id', 'issues.links', 'issues.created_at', 'issues.same_as'])
    .select('runs.conclusion')
    .where('investigations.thread_id', '=', threadId)
    .orderBy('issues.seq', 'desc')
    .limit(MOST_ANSWERS);
  if (investigationId !== undefined) query = query.where('investigations.id', '=', investigationId);
  const answers: ThreadAnswer[] = [];
  for (const row of (await query.execute()).toReversed()) {
    if (row.conclusion === null) continue;
    const { analysis }: Conclusion = JSON.parse(row.conclusion);
    const { proof }: LearntLinks = row.links === null ? {} : JSON.parse(row.links);
    const followed = await findFollowed(reader, 'outcomes.issue_id', row.issue_id);
    answers.push({
      investigationId: row.id,
      issueId: row.issue_id,
      answeredAt: row.created_at,
      originalId: row.same_as ?? row.issue_id,
      outcome: analysis.outcome,
      confidence: lowerConfidence(analysis.confidence, proof ?? null),
      partial: analysis.partial,
      isEarlier: false,
      fate: followed?.fate.kind ?? 'pending',
      votes: followed?.votes ?? [],
    });
  }
  return answers;
}

/**
 * The answers that may be shown, oldest first, of copies the newest: those to the same report at the same revision, and
 * in an issue those that an answer which found nothing does not replace. Of a pull request, what a person had analysed
 * is the same report as any other of its failing checks at that head; an earlier head failed for reasons of its own.
 */
async function listRivals(reader: Reader, threadId: string, shown: ThreadAnswer): Promise<readonly ThreadAnswer[]> {
  const thread = await findThreadById(reader, threadId);
  if (thread === null) return [shown];
  const { comment } = thread.record;
  const attempts = listAttempts(thread);
  const answers = (await listStoredAnswers(reader, threadId, {})).filter(({ investigationId: id }) => {
    // People deleted the comment that showed it.
    const isDeleted = comment?.digest === '' && comment.investigationId === id;
    return id === shown.investigationId || (!isDeleted && !attempts.includes(id));
  });
  const isIssue = thread.subject.kind === 'issue';
  const { investigationId } = (isIssue ? answers.at(-1) : null) ?? shown;
  const isAnyText = thread.subject.kind === 'pull_request' && thread.trigger.kind !== 'checks';
  const equal = await listEqual(reader, threadId, { investigationId, isAnyText });
  const marked = answers.map((one) => ({ ...one, isEarlier: !equal.includes(one.investigationId) }));
  const distinct = marked.flatMap((one): readonly ThreadAnswer[] => {
    const copies = marked.filter(({ originalId }) => originalId === one.originalId);
    if (copies.at(-1) !== one) return [];
    const fate = copies.findLast((copy) => copy.fate !== 'pending')?.fate ?? 'pending';
    return [{ ...one, fate }];
  });
  return isIssue ? keepRivals(distinct) : distinct.filter(({ isEarlier }) => !isEarlier);
}

/** Investigations of a thread at the same revision, and unless `isAnyText` of the same report; this one among them. */
async function listEqual(
  reader: Reader,
  threadId: string,
  { investigationId, isAnyText }: { readonly investigationId: string; readonly isAnyText: boolean },
): Promise<readonly string[]> {
  const own = await reader
    .selectFrom('investigations')
    .innerJoin('runs', 'runs.id', 'investigations.run_id')
    .select(['investigations.text', 'runs.sha'])
    .where('investigations.id', '=', investigationId)
    .executeTakeFirst();
  if (!own || own.sha === null) return [investigationId];
  let query = reader
    .selectFrom('investigations')
    .innerJoin('runs', 'runs.id', 'investigations.run_id')
    .select('investigations.id')
    .where('investigations.thread_id', '=', threadId)
    .where('runs.sha', '=', own.sha);
  if (!isAnyText) query = query.where('investigations.text', '=', own.text);
  return (await query.execute()).map(({ id }) => id);
}

/** Issues with the same answer in the same thread, this one among them. */
async function listCopies(reader: Reader, issueId: string): Promise<readonly string[]> {
  const threadId = await findThreadId(reader, issueId);
  const own = await reader.selectFrom('issues').select('same_as').where('id', '=', issueId).executeTakeFirst();
  if (threadId === null || !own) return [issueId];
  const originalId = own.same_as ?? issueId;
  const rows = await reader
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select('issues.id')
    .where('investigations.thread_id', '=', threadId)
    .where(({ or, eb }) => or([eb('issues.id', '=', originalId), eb('issues.same_as', '=', originalId)]))
    .execute();
  return rows.map(({ id }) => id);
}

/** A copy of an answer has what people said of it in that thread. */
export async function copyVotes(trx: Trx, issueId: string): Promise<void> {
  const copies = (await listCopies(trx, issueId)).filter((id) => id !== issueId);
  const outcomeId = copies.length === 0 ? null : await ensureAnswer(trx, issueId);
  for (const id of copies) {
    const votes = (await findFollowed(trx, 'outcomes.issue_id', id))?.votes ?? [];
    for (const vote of votes) if (outcomeId !== null) await insertVote(trx, outcomeId, vote);
  }
}

async function findThreadId(reader: Reader, issueId: string): Promise<string | null> {
  const row = await reader
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select('thread_id')
    .where('issues.id', '=', issueId)
    .executeTakeFirst();
  return row?.thread_id ?? null;
}

/**
 * Makes the best answer the thread's own, once nothing runs there: where the latest ended without an answer, the one
 * that the comment shows. A request for a pull request was made for the other and isn't carried over. Says whether it
 * is another than before.
 */
export async function showBestAnswer(trx: Trx, threadId: string | null, now: string): Promise<boolean> {
  const thread = threadId === null ? null : await findThreadById(trx, threadId);
  if (thread === null || (thread.subject.kind !== 'issue' && thread.subject.kind !== 'pull_request')) return false;
  // Of several causes, the head's findings decide.
  if (thread.trigger.kind === 'checks') return false;
  const best = await findBest(trx, thread);
  if (best === null || best === thread.investigationId) return false;
  const change = { investigation_id: best, fix_request: null, changed_at: now };
  await trx.updateTable('threads').set(change).where('id', '=', thread.id).execute();
  return true;
}

async function findBest(trx: Trx, thread: Thread): Promise<string | null> {
  const { id, investigationId, record } = thread;
  const row = await trx
    .selectFrom('investigations')
    .select('state')
    .where('id', '=', investigationId)
    .executeTakeFirst();
  if (!row || row.state === 'queued' || row.state === 'running') return null;
  const shownId = row.state === 'concluded' ? investigationId : (record.comment?.investigationId ?? null);
  if (shownId === null || (row.state !== 'concluded' && record.comment?.digest === '')) return null;
  const [shown] = await listStoredAnswers(trx, id, { investigationId: shownId });
  if (shown === undefined) return null;
  if (row.state !== 'concluded') return shown.investigationId;
  return chooseAnswer(await listRivals(trx, id, shown))?.investigationId ?? null;
}
