// What became of answers: followed from the moment they are given, with what people said of them.
import type { Selectable } from 'kysely';
import type { Head } from '../core/check/index.ts';
import { createId } from '../core/ids.ts';
import type { Conclusion } from '../core/issue/index.ts';
import { type ClaimedAnswer, type Fate, type FollowedAnswer, findFirstLook, type Vote } from '../core/outcome/index.ts';
import { type Database, type Enqueuer, queryInChunks } from './database.ts';
import { ON_GITHUB, type OutcomeTable, type OverrideTable, type Reader, type Trx, type VoteTable } from './schema.ts';

export interface OutcomeFilter {
  /** Absent: of all projects. */
  readonly projectIds?: readonly string[];
  readonly kind?: ClaimedAnswer['kind'];
  /** Answered at or after the one, and before the other; ISO 8601. */
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  /** Id of the last one of the previous page. */
  readonly after?: string;
}

/** What the ledger knows of a verdict's failure since. */
export interface VerdictFacts {
  /** Whether the check passed at the same commit. */
  readonly isFlaky: boolean;
  /** A later commit of its pull request, or of the default branch, that passed; null: none is known. */
  readonly passing: string | null;
  /** Commits with which it may have come to the default branch. */
  readonly suspected: readonly string[];
}

/** More answers of a project, such as in 90 days, are cut to the newest. */
const MOST_CALIBRATED = 10_000;

export function createOutcomeVerbs(database: Database) {
  const { jobs } = database;
  return {
    findOutcome: (id: string): Promise<FollowedAnswer | null> =>
      database.read((reader) => findFollowed(reader, 'outcomes.id', id)),
    findOutcomeOfIssue: (issueId: string): Promise<FollowedAnswer | null> =>
      database.read((reader) => findFollowed(reader, 'outcomes.issue_id', issueId)),
    /** The newest answers first. */
    listOutcomes: (filter: OutcomeFilter): Promise<readonly FollowedAnswer[]> =>
      database.read((reader) => listFollowed(reader, filter)),
    /** For the calibration of these projects together: an answer that several Issues share counts once. */
    listCalibrated: (projectIds: readonly string[]): Promise<readonly FollowedAnswer[]> =>
      database.read((reader) => listCalibrated(reader, projectIds)),
    /** Looks at the answers of a thread: something happened to its subject. */
    scheduleLooksOfThread: (threadId: string, runAt: string): Promise<void> =>
      database.write(async (trx) => {
        const rows = await trx
          .selectFrom('outcomes')
          .innerJoin('issues', 'issues.id', 'outcomes.issue_id')
          .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
          .select(['outcomes.id', 'outcomes.project_id'])
          .where('investigations.thread_id', '=', threadId)
          .execute();
        await enqueueLooks(trx, jobs, rows, runAt);
      }),
    /** Looks at the merged changes of a project: one may have been taken back. */
    scheduleLooksAtMerged: (projectId: string, runAt: string): Promise<void> =>
      database.write(async (trx) => {
        const rows = await trx
          .selectFrom('outcomes')
          .select(['id', 'project_id'])
          .where('project_id', '=', projectId)
          .where('state', 'in', ['merged', 'merged_edited'])
          .execute();
        await enqueueLooks(trx, jobs, rows, runAt);
      }),
    /** Null: the head or its failure is gone. */
    readVerdictFacts: (answer: Extract<ClaimedAnswer, { readonly kind: 'verdict' }>): Promise<VerdictFacts | null> =>
      database.read((reader) => readVerdictFacts(reader, answer)),
  };
}

/** Of all columns that hold an answer, with the Issue that a verdict led to, and what people said of its failure. */
function selectOutcomes(reader: Reader) {
  return reader
    .selectFrom('outcomes')
    .leftJoin('issues as caused', (join) =>
      join
        .onRef('caused.investigation_id', '=', 'outcomes.investigation_id')
        .on('outcomes.investigation_id', 'is not', null),
    )
    .leftJoin('heads as judged', 'judged.id', 'outcomes.head_id')
    .leftJoin('overrides', (join) =>
      join
        .onRef('overrides.project_id', '=', 'outcomes.project_id')
        .onRef('overrides.failure_id', '=', 'outcomes.failure_id')
        .onRef('overrides.pull_request', '=', 'judged.pull_request'),
    )
    .selectAll('outcomes')
    .select(['caused.id as caused_id', 'overrides.whose']);
}

async function withVotes(
  reader: Reader,
  rows: readonly (Selectable<OutcomeTable> & {
    readonly caused_id: string | null;
    readonly whose: OverrideTable['whose'] | null;
  })[],
): Promise<readonly FollowedAnswer[]> {
  const ids = rows.map(({ id }) => id);
  const votes = await queryInChunks(ids, (some) =>
    reader.selectFrom('votes').selectAll().where('outcome_id', 'in', some).orderBy('at').orderBy('person_id').execute(),
  );
  const byOutcome = Map.groupBy(votes, (vote) => vote.outcome_id);
  return rows.map((row) => {
    const answer: ClaimedAnswer = JSON.parse(row.answer);
    return {
      id: row.id,
      projectId: row.project_id,
      answeredAt: row.answered_at,
      answer: answer.kind === 'verdict' ? { ...answer, issueId: row.caused_id } : answer,
      fate: JSON.parse(row.fate),
      votes: (byOutcome.get(row.id) ?? []).map(toVote),
      override: row.whose,
      readsReactions: row.reads_reactions === 1,
      lookedAt: row.looked_at,
    };
  });
}

function toVote({ person_id: personId, source, vote, why, at }: VoteTable): Vote {
  return { personId, source, vote, why, at };
}

export async function findFollowed(
  reader: Reader,
  column: 'outcomes.id' | 'outcomes.issue_id',
  value: string,
): Promise<FollowedAnswer | null> {
  const rows = await selectOutcomes(reader).where(column, '=', value).execute();
  return (await withVotes(reader, rows.slice(0, 1)))[0] ?? null;
}

async function listFollowed(reader: Reader, filter: OutcomeFilter): Promise<readonly FollowedAnswer[]> {
  const { projectIds, kind, since, until, limit, after } = filter;
  if (projectIds?.length === 0) return [];
  let query = selectOutcomes(reader)
    .orderBy('outcomes.answered_at', 'desc')
    .orderBy('outcomes.seq', 'desc')
    .limit(limit);
  if (projectIds) query = query.where('outcomes.project_id', 'in', projectIds);
  if (kind) query = query.where('outcomes.issue_id', kind === 'issue' ? 'is not' : 'is', null);
  if (since !== undefined) query = query.where('outcomes.answered_at', '>=', since);
  if (until !== undefined) query = query.where('outcomes.answered_at', '<', until);
  if (after !== undefined) {
    const last = await reader
      .selectFrom('outcomes')
      .select(['answered_at', 'seq'])
      .where('id', '=', after)
      .executeTakeFirst();
    if (last === undefined) return [];
    query = query.where(({ or, and, eb }) =>
      or([
        eb('outcomes.answered_at', '<', last.answered_at),
        and([eb('outcomes.answered_at', '=', last.answered_at), eb('outcomes.seq', '<', last.seq)]),
      ]),
    );
  }
  return await withVotes(reader, await query.execute());
}

async function listCalibrated(reader: Reader, projectIds: readonly string[]): Promise<readonly FollowedAnswer[]> {
  const rows = await queryInChunks(projectIds, (some) =>
    selectOutcomes(reader)
      .leftJoin('issues as own', 'own.id', 'outcomes.issue_id')
      .where('outcomes.project_id', 'in', some)
      .where('own.same_as', 'is', null)
      .orderBy('outcomes.answered_at', 'desc')
      .limit(MOST_CALIBRATED)
      .execute(),
  );
  return await withVotes(reader, rows);
}

/** Follows the answers of new Issues; those without a place on GitHub are looked at once they have a pull request. */
export async function followAnswers(trx: Trx, jobs: Enqueuer, issueIds: readonly string[], now: string): Promise<void> {
  for (const issueId of issueIds) {
    await ensureAnswer(trx, issueId);
    const row = await trx
      .selectFrom('outcomes')
      .innerJoin('issues', 'issues.id', 'outcomes.issue_id')
      .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
      .select(['outcomes.id', 'outcomes.project_id'])
      .where('issues.id', '=', issueId)
      .where('investigations.thread_id', 'is not', null)
      .executeTakeFirst();
    if (row) await enqueueLooks(trx, jobs, [row], findFirstLook(now));
  }
}

/** The pull request of an Issue was opened, merged or closed. */
export async function followPullRequest(trx: Trx, jobs: Enqueuer, issueId: string, now: string): Promise<void> {
  const id = await ensureAnswer(trx, issueId);
  const row = id === null ? null : await findFollowed(trx, 'outcomes.id', id);
  if (row !== null) await enqueueLooks(trx, jobs, [{ id: row.id, project_id: row.projectId }], now);
}

/** Its id; null: there is no such Issue, or not about a repository on GitHub. */
export async function ensureAnswer(trx: Trx, issueId: string): Promise<string | null> {
  const known = await trx.selectFrom('outcomes').select('id').where('issue_id', '=', issueId).executeTakeFirst();
  if (known) return known.id;
  const row = await trx
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .innerJoin('runs', 'runs.id', 'issues.run_id')
    .select(['issues.project_id', 'issues.created_at', 'runs.conclusion'])
    .where('issues.id', '=', issueId)
    .where('projects.place', 'like', ON_GITHUB)
    .executeTakeFirst();
  if (!row || row.conclusion === null) return null;
  const { analysis }: Conclusion = JSON.parse(row.conclusion);
  const { outcome, confidence } = analysis;
  const answer: ClaimedAnswer = { kind: 'issue', issueId, outcome, confidence };
  const id = createId('out');
  await insertOutcome(trx, { id, project_id: row.project_id, issue_id: issueId, answer, answered_at: row.created_at });
  return id;
}

interface NewOutcome extends Pick<Selectable<OutcomeTable>, 'id' | 'project_id' | 'answered_at'> {
  readonly issue_id?: string;
  readonly head_id?: string;
  readonly failure_id?: string;
  readonly investigation_id?: string | null;
  readonly answer: ClaimedAnswer;
}

/** False: it is there already, and stays as it is. */
async function insertOutcome(trx: Trx, { answer, ...columns }: NewOutcome): Promise<boolean> {
  const pending: Fate = { kind: 'pending' };
  const row = {
    issue_id: null,
    head_id: null,
    failure_id: null,
    investigation_id: null,
    ...columns,
    answer: JSON.stringify(answer),
    fate: JSON.stringify(pending),
    state: pending.kind,
    reads_reactions: 1 as const,
    looked_at: '',
  };
  const made = trx.insertInto('outcomes').values(row);
  return (
    (await made
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()) !== undefined
  );
}

/** Follows what is said of red checks, as it was first said: what is known later may have changed it. */
export async function followVerdicts(
  trx: Trx,
  jobs: Enqueuer,
  head: Pick<Head, 'id' | 'projectId' | 'sha' | 'findings'>,
  now: string,
): Promise<void> {
  for (const { failureId, verdict, checks, investigationId } of head.findings) {
    if (verdict === 'inconclusive' || !checks.some(({ isRed }) => isRed)) continue;
    const id = createId('out');
    const columns = { id, project_id: head.projectId, head_id: head.id, failure_id: failureId, answered_at: now };
    const named = { headId: head.id, failureId, sha: head.sha };
    const answer: ClaimedAnswer = { kind: 'verdict', ...named, verdict, issueId: null };
    if (await insertOutcome(trx, { ...columns, investigation_id: investigationId, answer })) {
      await enqueueLooks(trx, jobs, [columns], findFirstLook(now));
      continue;
    }
    const known = trx.updateTable('outcomes').set({ investigation_id: investigationId });
    await known.where('head_id', '=', head.id).where('failure_id', '=', failureId).execute();
  }
}

async function enqueueLooks(
  trx: Trx,
  jobs: Enqueuer,
  rows: readonly { readonly id: string; readonly project_id: string }[],
  runAt: string,
): Promise<void> {
  await jobs.enqueue(
    trx,
    rows.map(({ id, project_id: group }) => ({ kind: 'outcome', subject: id, group, runAt, urgency: 'automatic' })),
  );
}

export async function saveLook(
  trx: Trx,
  id: string,
  { fate, reactions, now }: { readonly fate: Fate; readonly reactions: readonly Vote[] | null; readonly now: string },
): Promise<void> {
  const row = await trx
    .updateTable('outcomes')
    .set({ fate: JSON.stringify(fate), state: fate.kind, looked_at: now })
    .where('id', '=', id)
    .returning('reads_reactions')
    .executeTakeFirst();
  // A person may have been erased since they were read.
  if (!row || reactions === null || row.reads_reactions === 0) return;
  await trx.deleteFrom('votes').where('outcome_id', '=', id).where('source', '=', 'reaction').execute();
  for (const vote of reactions) await insertVote(trx, id, vote);
}

/** Deliveries may arrive twice, and in another order than they were sent. A vote repeated without words keeps them. */
export async function insertVote(
  trx: Trx,
  outcomeId: string,
  { personId, source, vote, why, at }: Vote,
): Promise<void> {
  const columns = ['outcome_id', 'person_id', 'source'] as const;
  await trx
    .insertInto('votes')
    .values({ outcome_id: outcomeId, person_id: personId, source, vote, why, at })
    .onConflict((conflict) =>
      conflict
        .columns(columns)
        .doUpdateSet(({ eb, and, ref }) => ({
          vote,
          at,
          why: eb
            .case()
            .when(and([eb('votes.vote', '=', vote), eb(eb.val(why), '=', '')]))
            .then(ref('votes.why'))
            .else(why)
            .end(),
        }))
        .where('votes.at', '<=', at),
    )
    .execute();
}

/** Returns how many there were. Their reactions stay on GitHub, so those of the answers are read no more. */
export async function eraseVotes(trx: Trx, personId: number): Promise<number> {
  const erased = await trx.deleteFrom('votes').where('person_id', '=', personId).returning('outcome_id').execute();
  const ids = [...new Set(erased.map((row) => row.outcome_id))];
  for (const id of ids) await trx.updateTable('outcomes').set({ reads_reactions: 0 }).where('id', '=', id).execute();
  return erased.length;
}

/** Before the rows go with what they are about. */
export async function removeLooks(
  trx: Trx,
  jobs: Enqueuer,
  column: 'issue_id' | 'head_id',
  ids: readonly string[],
): Promise<void> {
  const rows = await queryInChunks(ids, (some) =>
    trx.selectFrom('outcomes').select('id').where(column, 'in', some).execute(),
  );
  await jobs.remove(
    trx,
    'outcome',
    rows.map(({ id }) => id),
  );
}

async function readVerdictFacts(
  reader: Reader,
  { headId, failureId, sha }: Extract<ClaimedAnswer, { readonly kind: 'verdict' }>,
): Promise<VerdictFacts | null> {
  const head = await reader
    .selectFrom('heads')
    .select(['project_id', 'pull_request', 'seq', 'created_at'])
    .where('id', '=', headId)
    .executeTakeFirst();
  const failure = await reader.selectFrom('failures').selectAll().where('id', '=', failureId).executeTakeFirst();
  if (!head || !failure) return null;
  const flaky = await reader
    .selectFrom('sightings')
    .select('key')
    .where('failure_id', '=', failureId)
    .where('sha', '=', sha)
    .where('is_flaky', '=', 1)
    .limit(1)
    .executeTakeFirst();
  const later = await reader
    .selectFrom('heads')
    .select('sha')
    .where('project_id', '=', head.project_id)
    .where('pull_request', '=', head.pull_request)
    .where('state', '=', 'green')
    .where('seq', '>', head.seq)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  const { closed_by: by, closed_at: at, closed_sha: closing, commit_range: range } = failure;
  const isClosed = head.pull_request === null && by === 'green' && (at ?? '') > head.created_at && closing !== sha;
  const suspected: readonly { readonly sha: string }[] = range === null ? [] : JSON.parse(range).commits;
  return {
    isFlaky: flaky !== undefined,
    passing: isClosed ? closing : (later?.sha ?? null),
    suspected: head.pull_request === null ? [sha, ...suspected.map((commit) => commit.sha)] : [],
  };
}
